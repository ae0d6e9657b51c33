-- Four rankings of a dashboard over orders.
--
--     python -m groundswell run examples/orders.sql --once
--
-- Changed from the text it is taken from: each query is a view, so its columns have names and its
-- order is that of the SELECT that reads it; the second and third rank by avg(qty) and sum(qty),
-- where the text has avg(itemid) and sum(itemid), which it means to be the same.
CREATE PIPELINE orders LOCATION '/tmp/groundswell-orders';

CREATE TABLE orders (orderid int, itemid int, qty int, price float, dt date, state varchar);

CREATE MATERIALIZED VIEW turnover_by_state AS
  select sum(qty*price) as turnover, state from orders group by state;
CREATE MATERIALIZED VIEW average_quantity AS
  select avg(qty) as quantity, itemid from orders group by itemid;
CREATE MATERIALIZED VIEW quantity_sold AS
  select sum(qty) as quantity, itemid from orders group by itemid;
CREATE MATERIALIZED VIEW turnover_by_item AS
  select sum(qty*price) as turnover, itemid from orders group by itemid;

INSERT INTO orders (orderid, itemid, qty, price, dt, state) VALUES (1000001, 100001, 3, 993.99, '2020-06-25', 'FM');
INSERT INTO orders (orderid, itemid, qty, price, dt, state) VALUES (1000001, 100002, 3, 751.99, '2020-06-25', 'FM');
INSERT INTO orders (orderid, itemid, qty, price, dt, state) VALUES (1000001, 100003, 4, 433.99, '2020-06-25', 'FM');
INSERT INTO orders (orderid, itemid, qty, price, dt, state) VALUES (1000002, 100001, 1, 993.99, '2020-06-26', 'CA');
FLUSH;
SELECT round(turnover, 2) AS turnover, state FROM turnover_by_state ORDER BY turnover DESC LIMIT 5;
SELECT * FROM average_quantity ORDER BY quantity DESC, itemid LIMIT 5;
SELECT * FROM quantity_sold ORDER BY quantity DESC, itemid LIMIT 5;
SELECT round(turnover, 2) AS turnover, itemid FROM turnover_by_item ORDER BY turnover DESC LIMIT 5;
