select customer, total from {{ ref('revenue') }} where total > 100
