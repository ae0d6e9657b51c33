"""Nexmark's questions that all engines can be asked; SQL as Spark and Flink both read it."""

from __future__ import annotations

import re
from typing import NamedTuple

from peers.data import types


class Query(NamedTuple):
    """A question: the streams it reads, and its text; Flink's where it says it in another way.

    Windows are numbers, not Flink's own, which would be given only when they close.
    """

    sources: tuple[str, ...]
    sql: str
    flink: str | None = None

    def columns(self, stream: str) -> list[str]:
        """Those that it names; a name that several of its streams have counts for each."""
        return [c for c in types(stream) if re.search(rf"\b{c}\b", self.sql)]

    @property
    def reading(self) -> str:
        """SQL that reads these columns of all its streams, and asks nothing of them."""
        kinds = {c: kind for s in self.sources for c, kind in types(s).items()}
        wanted = [c for c in kinds if any(c in self.columns(s) for s in self.sources)]
        return " UNION ALL ".join(
            "SELECT "
            + ", ".join(
                c if c in self.columns(s) else f"CAST(NULL AS {kinds[c]}) AS {c}" for c in wanted
            )
            + f" FROM {s}"
            for s in self.sources
        )


DAY = 86_400_000_000
WINDOW = 10_000_000
HOP = 2_000_000

_DAG = f"CAST(floor(moment / {DAY}) AS BIGINT)"
_SLOT = f"CAST(floor(moment / {WINDOW}) AS BIGINT)"
_PARTS = """count(*) AS total,
             count(*) FILTER (WHERE price < 10000) AS low,
             count(*) FILTER (WHERE price >= 10000 AND price < 1000000) AS middle,
             count(*) FILTER (WHERE price >= 1000000) AS high"""


def _hot(hops: str) -> str:
    first = f"CAST(floor(moment / {HOP}) AS BIGINT)"
    counts = f"""SELECT auction, count(*) AS num, {first} - hop AS slot
                 FROM bid {hops} GROUP BY auction, {first} - hop"""
    return f"""SELECT C.auction, C.num, C.slot FROM ({counts}) C
           JOIN (SELECT max(num) AS most, slot FROM ({counts}) X GROUP BY slot) M
           ON C.slot = M.slot AND C.num = M.most"""


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
    "q5": Query(
        ("bid",),
        _hot("LATERAL VIEW explode(array(0, 1, 2, 3, 4)) AS hop"),
        _hot("CROSS JOIN UNNEST(ARRAY[0, 1, 2, 3, 4]) AS H (hop)"),
    ),
    "q7": Query(
        ("bid",),
        f"""SELECT B.auction, B.price, B.bidder, B.moment
           FROM (SELECT auction, price, bidder, moment, {_SLOT} AS slot FROM bid) B
           JOIN (SELECT max(price) AS most, {_SLOT} AS slot FROM bid GROUP BY {_SLOT}) M
           ON B.price = M.most AND B.slot = M.slot""",
    ),
    "q8": Query(
        ("person", "auction"),
        f"""SELECT P.person, P.name, P.slot FROM
             (SELECT person, name, {_SLOT} AS slot FROM person GROUP BY person, name, {_SLOT}) P
           JOIN (SELECT seller, {_SLOT} AS slot FROM auction GROUP BY seller, {_SLOT}) A
           ON P.person = A.seller AND P.slot = A.slot""",
    ),
    "q9": Query(
        ("auction", "bid"),
        """SELECT auction, itemName, seller, category, bidder, price, moment FROM (
             SELECT A.auction, A.itemName, A.seller, A.category, B.bidder, B.price, B.moment,
               row_number() OVER (PARTITION BY A.auction
                 ORDER BY B.price DESC, B.moment, B.bidder) AS place
             FROM auction A JOIN bid B ON A.auction = B.auction
             WHERE B.moment BETWEEN A.moment AND A.expires) R WHERE place <= 1""",
    ),
    "q15": Query(
        ("bid",),
        f"""SELECT {_DAG} AS dag, {_PARTS},
             count(DISTINCT bidder) AS bidders,
             count(DISTINCT bidder) FILTER (WHERE price < 10000) AS low_bidders,
             count(DISTINCT auction) AS auctions,
             count(DISTINCT auction) FILTER (WHERE price >= 1000000) AS high_auctions
           FROM bid GROUP BY {_DAG}""",
    ),
    "q16": Query(
        ("bid",),
        f"""SELECT channel, {_DAG} AS dag, max(moment) AS latest, {_PARTS},
             count(DISTINCT bidder) AS bidders, count(DISTINCT auction) AS auctions
           FROM bid GROUP BY channel, {_DAG}""",
    ),
    "q17": Query(
        ("bid",),
        f"""SELECT auction, {_DAG} AS dag, {_PARTS}, min(price) AS least, max(price) AS most,
             avg(CAST(price AS DOUBLE)) AS average, sum(price) AS total_price
           FROM bid GROUP BY auction, {_DAG}""",
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
