-- of every customer that has ordered something
select c.name as customer, sum(o.amount) as total, count(*) as orders
from {{ source('shop', 'orders') }} o
join {{ source('shop', 'customers') }} c on o.customer = c.id
group by c.name
