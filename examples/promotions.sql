-- Which advertisement of a product pays: sales of the last hour, their statistics, and new weights.
--
--     python -m groundswell run examples/promotions.sql --once
--
-- Changed from the text it is taken from:
-- * the tables are written by INSERT, where the text replicates them from a database;
-- * ^ is XOR in Spark: pow(x, 2) stands for x^2;
-- * a view has no order of its own: ORDER BY is left to the SELECT that reads it;
-- * columns that two tables have are qualified, product_id and promotion_id are selected where they
--   are grouped by, and promition_id is promotion_id;
-- * the weights are a view, which the text sinks into the table promotions of the database.
CREATE PIPELINE promotions LOCATION '/tmp/groundswell-promotions';

CREATE TABLE sale_events (
  id int8 PRIMARY KEY,
  created_at TIMESTAMPTZ,
  customer_id string,
  product_id int8,
  promotion_id int8,
  quantity int8,
  net_price_cents int8,
  discount_price_cents int8
);
CREATE TABLE promotions (
  id int8 PRIMARY KEY,
  created_at TIMESTAMPTZ,
  ad_type string,
  product_id int8,
  weight_percent int8
);

CREATE MATERIALIZED VIEW promotions_sequences_60mins AS (
  SELECT
    product_id,
    promotion_id,
    sum(total_price) AS sales_amount,
    window_start,
    window_end
  FROM (
    SELECT
      product_id,
      promotion_id,
      discount_price_cents * quantity as total_price,
      window_start,
      window_end
    FROM TUMBLE (sale_events, created_at, INTERVAL '5 MINUTES')
  )
  WHERE window_start > NOW() - INTERVAL '60 minutes'
  GROUP BY window_start, window_end, product_id, promotion_id
);

CREATE MATERIALIZED VIEW promotions_stat_60mins AS (
  SELECT
    promotions.product_id AS product_id,
    promotion_id,
    SUM(sales_amount) / SUM(promotions.weight_percent) AS roii,
    STDDEV_SAMP(sales_amount) as vol
  FROM promotions_sequences_60mins as seq
  JOIN promotions ON promotion_id = promotions.id AND seq.product_id = promotions.product_id
  GROUP BY promotions.product_id, promotion_id
);

CREATE MATERIALIZED VIEW promotion_update AS (
  SELECT
    o1.product_id,
    o1.promotion_id,
    pow(o2.vol, 2) * o1.roii / (o1.roii * pow(o2.vol, 2) + o2.roii * pow(o1.vol, 2)) as weight
  FROM promotions_stat_60mins as o1
  JOIN promotions_stat_60mins as o2
    ON o1.product_id = o2.product_id AND o1.promotion_id <> o2.promotion_id
);

INSERT INTO promotions VALUES
  (1, now(), 'Search Result', 7, 50), (2, now(), 'Youtube Video Ad', 7, 50);
-- six windows of five minutes: promotion 1 sells steadily, promotion 2 does not
INSERT INTO sale_events
SELECT 10 * step + promotion, timestamp_seconds(300 * (unix_seconds(now()) div 300) - 300 * step),
  'ann', 7, promotion, if(promotion = 1, 2 + step % 2, array(1, 6, 2, 9, 1, 4)[step]), 7000, 6600
FROM (SELECT explode(sequence(0, 5)) AS step) CROSS JOIN (VALUES (1), (2)) AS p(promotion);
FLUSH;
SELECT promotion_id, count(*) AS windows, sum(sales_amount) AS sales
FROM promotions_sequences_60mins GROUP BY promotion_id ORDER BY promotion_id;
SELECT promotion_id, round(100 * weight) AS percent FROM promotion_update ORDER BY promotion_id;
