"""Nexmark's questions that all engines can be asked; SQL as Spark and Flink both read it."""

from __future__ import annotations

from typing import NamedTuple


class Query(NamedTuple):
    """A question: the streams it reads, and its text."""

    sources: tuple[str, ...]
    sql: str


DAY = 86_400_000_000

QUERIES = {
    "totals": Query(
        ("bid",),
        """SELECT auction, count(*) AS bids, sum(price) AS total, max(price) AS most
           FROM bid GROUP BY auction""",
    ),
    "q3": Query(
        ("person", "auction"),
        """SELECT P.name, P.city, P.state, A.auction FROM auction A
           JOIN person P ON A.seller = P.person
           WHERE A.category = 10 AND P.state IN ('or', 'id', 'ca')""",
    ),
    "q4": Query(
        ("auction", "bid"),
        """SELECT category, avg(CAST(final AS DOUBLE)) AS average FROM (
             SELECT max(B.price) AS final, A.category FROM auction A JOIN bid B
             ON A.auction = B.auction WHERE B.moment BETWEEN A.moment AND A.expires
             GROUP BY A.auction, A.category) W GROUP BY category""",
    ),
    "q17": Query(
        ("bid",),
        f"""SELECT auction, CAST(floor(moment / {DAY}) AS BIGINT) AS dag, count(*) AS total,
             count(*) FILTER (WHERE price < 10000) AS low,
             count(*) FILTER (WHERE price >= 10000 AND price < 1000000) AS middle,
             count(*) FILTER (WHERE price >= 1000000) AS high, min(price) AS least,
             max(price) AS most, avg(CAST(price AS DOUBLE)) AS average, sum(price) AS total_price
           FROM bid GROUP BY auction, CAST(floor(moment / {DAY}) AS BIGINT)""",
    ),
    "q18": Query(
        ("bid",),
        """SELECT auction, bidder, price, channel, moment FROM (
             SELECT auction, bidder, price, channel, moment, row_number() OVER (
               PARTITION BY bidder, auction ORDER BY moment DESC) AS place FROM bid) R
           WHERE place <= 1""",
    ),
    "q19": Query(
        ("bid",),
        """SELECT auction, bidder, price, moment FROM (
             SELECT auction, bidder, price, moment, row_number() OVER (
               PARTITION BY auction ORDER BY price DESC, moment, bidder) AS place FROM bid) R
           WHERE place <= 10""",
    ),
    "q20": Query(
        ("bid", "auction"),
        """SELECT B.auction, B.bidder, B.price, B.channel, B.moment, A.itemName, A.seller
           FROM bid B JOIN auction A ON B.auction = A.auction WHERE A.category = 10""",
    ),
    "distinct": Query(
        ("bid",), "SELECT channel, count(DISTINCT bidder) AS bidders FROM bid GROUP BY channel"
    ),
}
