"""The demo's three views, as ordinary SQL over the streamed tables.

The same text runs twice: as incremental views while the year streams by, and once at the end by
batch Spark on the final tables, to compare.
"""

CARRIERS = """
    SELECT a.name AS airline, count(f.dep_delay) AS departures, avg(f.dep_delay) AS mean_delay
    FROM flights f JOIN airlines a ON f.carrier = a.carrier
    GROUP BY a.name
"""

WORST_ROUTES = """
    SELECT origin, dest, airport, flown, mean_arrival_delay FROM (
      SELECT f.origin, f.dest, p.airport, count(*) AS flown, avg(f.arr_delay) AS mean_arrival_delay
      FROM flights f JOIN airports p ON f.dest = p.faa
      WHERE f.arr_delay IS NOT NULL
      GROUP BY f.origin, f.dest, p.airport)
    WHERE flown >= 100
    ORDER BY mean_arrival_delay DESC, origin, dest LIMIT 10
"""

MANUFACTURERS = """
    SELECT p.manufacturer, count(DISTINCT f.tailnum) AS planes_seen, count(*) AS flights
    FROM flights f JOIN planes p ON f.tailnum = p.tailnum
    GROUP BY p.manufacturer
"""

VIEWS = {"carriers": CARRIERS, "worst_routes": WORST_ROUTES, "manufacturers": MANUFACTURERS}
