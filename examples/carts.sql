-- Events of shopping carts beside the product catalog, as they come.
--
--     python -m groundswell run examples/carts.sql --once
--
-- Changed from the text it is taken from: the events are written by INSERT, where the text reads
-- them from a Kafka topic, with
--
--     CREATE TABLE cart_event (cust_id varchar, event_time timestamp, item_id varchar)
--     WITH (connector = 'kafka', topic = 'cart-events',
--           properties.bootstrap.server = 'localhost:9092', scan.startup.mode = 'earliest')
--     FORMAT PLAIN ENCODE JSON;
--
-- and the enriched events stay in the view, where the text sends them on to ClickHouse.
CREATE PIPELINE carts LOCATION '/tmp/groundswell-carts';

CREATE TABLE cart_event (cust_id VARCHAR, event_time TIMESTAMP, item_id VARCHAR);
CREATE TABLE product_catalog (
    item_id varchar,
    name varchar,
    price double precision,
    category varchar
);

INSERT INTO product_catalog (item_id, name, price, category)
VALUES
  ('P001','Red T-Shirt',9.99,'Apparel'),
  ('P002','Blue Jeans',39.95,'Apparel'),
  ('P003','Smart Watch',199.99,'Electronics'),
  ('P004','Yoga Mat',29.95,'Fitness'),
  ('P005','Wireless Headphones',99.99,'Electronics'),
  ('P006','Coffee Mug',5.99,'Kitchen');

CREATE MATERIALIZED VIEW data_enrichment AS
SELECT c.cust_id, c.event_time, p.name, p.price, p.category
FROM cart_event c
JOIN product_catalog p
ON c.item_id = p.item_id;

INSERT INTO cart_event VALUES
  ('1234', TIMESTAMP '2023-02-01 10:01:00', 'P001'),
  ('1232', TIMESTAMP '2023-02-01 10:05:00', 'P002'),
  ('1235', TIMESTAMP '2023-02-01 10:10:00', 'P003');
FLUSH;
SELECT * FROM data_enrichment ORDER BY event_time;

INSERT INTO cart_event VALUES
  ('1236', TIMESTAMP '2023-02-01 10:15:00', 'P001'),
  ('1237', TIMESTAMP '2023-02-01 10:20:00', 'P004'),
  ('1238', TIMESTAMP '2023-02-01 10:25:00', 'P002'),
  ('1239', TIMESTAMP '2023-02-01 10:30:00', 'P005'),
  ('1240', TIMESTAMP '2023-02-01 10:35:00', 'P003'),
  ('1241', TIMESTAMP '2023-02-01 10:40:00', 'P006'),
  ('1242', TIMESTAMP '2023-02-01 10:45:00', 'P007');
FLUSH;
SELECT category, count(*) AS events, round(sum(price), 2) AS worth
FROM data_enrichment GROUP BY category ORDER BY category;
