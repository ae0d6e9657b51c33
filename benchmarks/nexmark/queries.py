"""Nexmark's queries in Spark SQL, over views ``person``, ``auction`` and ``bid``.

Of q10, a log in folders by minute, here is what goes there. q12 counts by the time at which a row
came, which is a column of the stream: it stands in the tests. The side table of q13 is made here.
"""

from __future__ import annotations

from typing import NamedTuple


class Query(NamedTuple):
    """A question.

    Attributes:
        sources: the streams that it reads.
        native: the same for Spark's own streaming where it says it in another way; None if the
            text above does; empty if Spark refuses it however it is put.
    """

    name: str
    sources: tuple[str, ...]
    sql: str
    native: str | None = None


REFUSED = ""

_COUNTS = """SELECT auction, count(*) AS num, window.start AS at
  FROM bid GROUP BY auction, window(dateTime, '10 seconds', '2 seconds')"""
_WINNING = """SELECT A.*, B.auction, B.bidder, B.price, B.dateTime AS bidTime,
    row_number() OVER (PARTITION BY A.id ORDER BY B.price DESC, B.dateTime, B.bidder) AS place
  FROM auction A JOIN bid B ON A.id = B.auction
  WHERE B.dateTime BETWEEN A.dateTime AND A.expires"""
_PARTS = """
    count(*) AS total, count(*) FILTER (WHERE price < 10000) AS low,
    count(*) FILTER (WHERE price >= 10000 AND price < 1000000) AS middle,
    count(*) FILTER (WHERE price >= 1000000) AS high"""

QUERIES = {
    q.name: q
    for q in (
        Query("q0", ("bid",), "SELECT auction, bidder, price, dateTime, extra FROM bid"),
        Query("q1", ("bid",), "SELECT auction, bidder, 0.908 * price AS price, dateTime FROM bid"),
        Query("q2", ("bid",), "SELECT auction, price FROM bid WHERE auction % 123 = 0"),
        Query(
            "q3",
            ("person", "auction"),
            """SELECT P.name, P.city, P.state, A.id FROM auction A JOIN person P ON A.seller = P.id
               WHERE A.category = 10 AND P.state IN ('or', 'id', 'ca')""",
        ),
        Query(
            "q4",
            ("auction", "bid"),
            """SELECT category, avg(final) AS average FROM (
                 SELECT max(B.price) AS final, A.category FROM auction A JOIN bid B
                 ON A.id = B.auction WHERE B.dateTime BETWEEN A.dateTime AND A.expires
                 GROUP BY A.id, A.category) GROUP BY category""",
            REFUSED,
        ),
        Query(
            "q5",
            ("bid",),
            f"""SELECT C.auction, C.num, C.at FROM ({_COUNTS}) C
                JOIN (SELECT max(num) AS most, at FROM ({_COUNTS}) GROUP BY at) M
                ON C.at = M.at AND C.num >= M.most""",
            REFUSED,
        ),
        Query(
            "q6",
            ("auction", "bid"),
            f"""SELECT id, seller, avg(price) OVER (PARTITION BY seller ORDER BY bidTime, id
                  ROWS BETWEEN 10 PRECEDING AND CURRENT ROW) AS average
                FROM ({_WINNING}) WHERE place = 1""",
            REFUSED,
        ),
        Query(
            "q7",
            ("bid",),
            """SELECT B.auction, B.price, B.bidder, B.dateTime FROM bid B JOIN (
                 SELECT max(price) AS most, window.end AS until FROM bid
                 GROUP BY window(dateTime, '10 seconds')) M
               ON B.price = M.most
               AND B.dateTime BETWEEN M.until - INTERVAL 10 SECONDS AND M.until""",
            REFUSED,
        ),
        Query(
            "q8",
            ("person", "auction"),
            """SELECT P.id, P.name, P.at FROM
                 (SELECT id, name, window.start AS at FROM person
                  GROUP BY id, name, window(dateTime, '10 seconds')) P
               JOIN (SELECT seller, window.start AS at FROM auction
                     GROUP BY seller, window(dateTime, '10 seconds')) A
               ON P.id = A.seller AND P.at = A.at""",
            REFUSED,
        ),
        Query(
            "q9",
            ("auction", "bid"),
            f"""SELECT id, itemName, seller, category, auction, bidder, price, bidTime
                FROM ({_WINNING}) WHERE place = 1""",
            REFUSED,
        ),
        Query(
            "q10",
            ("bid",),
            """SELECT auction, bidder, price, dateTime, extra,
                 date_format(dateTime, 'yyyy-MM-dd') AS day,
                 date_format(dateTime, 'HH:mm') AS minute
               FROM bid""",
        ),
        Query(
            "q11",
            ("bid",),
            """SELECT bidder, count(*) AS bids, session_window.start AS since,
                 session_window.end AS until
               FROM bid GROUP BY bidder, session_window(dateTime, '1 second')""",
            REFUSED,  # update mode is refused for sessions, append mode needs a watermark
        ),
        Query(
            "q13",
            ("bid",),
            """SELECT B.auction, B.bidder, B.price, B.dateTime, S.value FROM bid B
               JOIN (SELECT id AS key, concat('value ', id) AS value FROM range(10000)) S
               ON B.auction % 10000 = S.key""",
        ),
        Query(
            "q14",
            ("bid",),
            """SELECT auction, bidder, 0.908 * price AS price,
                 CASE WHEN hour(dateTime) BETWEEN 8 AND 18 THEN 'day'
                      WHEN hour(dateTime) <= 6 OR hour(dateTime) >= 20 THEN 'night'
                      ELSE 'other' END AS bidTimeType, dateTime,
                 length(extra) - length(replace(extra, 'c', '')) AS c_counts
               FROM bid WHERE 0.908 * price > 1000000 AND 0.908 * price < 50000000""",
        ),
        Query(
            "q15",
            ("bid",),
            f"""SELECT date_format(dateTime, 'yyyy-MM-dd') AS day, {_PARTS},
                 count(DISTINCT bidder) AS bidders,
                 count(DISTINCT bidder) FILTER (WHERE price < 10000) AS low_bidders,
                 count(DISTINCT auction) AS auctions,
                 count(DISTINCT auction) FILTER (WHERE price >= 1000000) AS high_auctions
               FROM bid GROUP BY date_format(dateTime, 'yyyy-MM-dd')""",
            REFUSED,
        ),
        Query(
            "q16",
            ("bid",),
            f"""SELECT channel, date_format(dateTime, 'yyyy-MM-dd') AS day,
                 max(date_format(dateTime, 'HH:mm')) AS minute, {_PARTS},
                 count(DISTINCT bidder) AS bidders, count(DISTINCT auction) AS auctions
               FROM bid GROUP BY channel, date_format(dateTime, 'yyyy-MM-dd')""",
            REFUSED,
        ),
        Query(
            "q17",
            ("bid",),
            f"""SELECT auction, date_format(dateTime, 'yyyy-MM-dd') AS day, {_PARTS},
                 min(price) AS least, max(price) AS most, avg(price) AS average, sum(price) AS sum
               FROM bid GROUP BY auction, date_format(dateTime, 'yyyy-MM-dd')""",
        ),
        Query(
            "q18",
            ("bid",),
            """SELECT auction, bidder, price, channel, dateTime FROM (
                 SELECT *, row_number() OVER (PARTITION BY bidder, auction
                   ORDER BY dateTime DESC, price DESC) AS place FROM bid) WHERE place <= 1""",
            """SELECT auction, bidder, last.price, last.channel, last.dateTime FROM (
                 SELECT auction, bidder, max_by(struct(price, channel, dateTime),
                   struct(dateTime, price)) AS last FROM bid GROUP BY auction, bidder)""",
        ),
        Query(
            "q19",
            ("bid",),
            """SELECT * FROM (SELECT auction, bidder, price, dateTime, row_number() OVER
                 (PARTITION BY auction ORDER BY price DESC, dateTime, bidder) AS place FROM bid)
               WHERE place <= 10""",
            """SELECT auction, max_by(struct(bidder, price, dateTime), struct(price, dateTime), 10)
               AS best FROM bid GROUP BY auction""",
        ),
        Query(
            "q20",
            ("bid", "auction"),
            """SELECT B.auction, B.bidder, B.price, B.channel, B.dateTime, A.itemName, A.seller,
                 A.category FROM bid B JOIN auction A ON B.auction = A.id WHERE A.category = 10""",
        ),
        Query(
            "q21",
            ("bid",),
            r"""SELECT auction, bidder, price, channel, CASE
                 WHEN lower(channel) = 'apple' THEN '0' WHEN lower(channel) = 'google' THEN '1'
                 WHEN lower(channel) = 'facebook' THEN '2' WHEN lower(channel) = 'baidu' THEN '3'
                 ELSE regexp_extract(url, '(&|^)channel_id=([^&]*)', 2) END AS channel_id
               FROM bid WHERE url LIKE '%channel_id=%' OR
                 lower(channel) IN ('apple', 'google', 'facebook', 'baidu')""",
        ),
        Query(
            "q22",
            ("bid",),
            """SELECT auction, bidder, price, channel, split_part(url, '/', 4) AS dir1,
                 split_part(url, '/', 5) AS dir2, split_part(url, '/', 6) AS dir3 FROM bid""",
        ),
        Query(
            "totals",
            ("bid",),
            """SELECT auction, count(*) AS bids, sum(price) AS sum, max(price) AS most
               FROM bid GROUP BY auction""",
        ),
    )
}
