"""Pathway, in a process of its own, all input at once; see ``peers``."""

from __future__ import annotations

import csv
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pathway as pw
from pathway.internals.parse_graph import G

from peers import data
from peers.queries import DAY, QUERIES, Query
from shared import process

Tables = Mapping[str, pw.Table]


def totals(t: Tables) -> pw.Table:
    bid = t["bid"]
    return bid.groupby(bid.auction).reduce(
        bid.auction,
        bids=pw.reducers.count(),
        total=pw.reducers.sum(bid.price),
        most=pw.reducers.max(bid.price),
    )


def q3(t: Tables) -> pw.Table:
    person, auction = t["person"], t["auction"]
    people = person.filter((person.state == "or") | (person.state == "id") | (person.state == "ca"))
    offers = auction.filter(auction.category == 10)
    return offers.join(people, offers.seller == people.person).select(
        people.name, people.city, people.state, offers.auction
    )


def q4(t: Tables) -> pw.Table:
    bid, auction = t["bid"], t["auction"]
    both = auction.join(bid, auction.auction == bid.auction).select(
        auction.auction, auction.category, bid.price, at=bid.moment, since=auction.moment,
        until=auction.expires,
    )  # fmt: skip
    valid = both.filter((both.at >= both.since) & (both.at <= both.until))
    won = valid.groupby(valid.auction, valid.category).reduce(
        valid.category, final=pw.reducers.max(valid.price)
    )
    return won.groupby(won.category).reduce(won.category, average=pw.reducers.avg(won.final))


def q17(t: Tables) -> pw.Table:
    bid = t["bid"].with_columns(dag=pw.this.moment // DAY)
    return bid.groupby(bid.auction, bid.dag).reduce(
        bid.auction,
        bid.dag,
        total=pw.reducers.count(),
        low=pw.reducers.sum(pw.if_else(bid.price < 10000, 1, 0)),
        middle=pw.reducers.sum(pw.if_else((bid.price >= 10000) & (bid.price < 1000000), 1, 0)),
        high=pw.reducers.sum(pw.if_else(bid.price >= 1000000, 1, 0)),
        least=pw.reducers.min(bid.price),
        most=pw.reducers.max(bid.price),
        average=pw.reducers.avg(bid.price),
        total_price=pw.reducers.sum(bid.price),
    )


def q18(t: Tables) -> pw.Table:
    bid = t["bid"]
    last = bid.groupby(bid.auction, bid.bidder).reduce(row=pw.reducers.argmax(bid.moment))
    row = bid.ix(last.row, context=last)
    return last.select(row.auction, row.bidder, row.price, row.channel, row.moment)


def q19(t: Tables) -> pw.Table:
    bid = t["bid"]
    ordered = bid.groupby(bid.auction).reduce(
        bid.auction,
        bids=pw.reducers.sorted_tuple(pw.make_tuple(-bid.price, bid.moment, bid.bidder)),
    )
    best = ordered.select(
        ordered.auction,
        bid=pw.apply_with_type(lambda bids: bids[:10], list[tuple[int, int, int]], ordered.bids),
    ).flatten(pw.this.bid)
    return best.select(best.auction, bidder=best.bid[2], price=-best.bid[0], moment=best.bid[1])


def q20(t: Tables) -> pw.Table:
    bid, auction = t["bid"], t["auction"]
    offers = auction.filter(auction.category == 10)
    return bid.join(offers, bid.auction == offers.auction).select(
        bid.auction, bid.bidder, bid.price, bid.channel, bid.moment, offers.itemName,
        offers.seller,
    )  # fmt: skip


def distinct(t: Tables) -> pw.Table:
    bid = t["bid"]
    pairs = bid.groupby(bid.channel, bid.bidder).reduce(bid.channel)
    return pairs.groupby(pairs.channel).reduce(pairs.channel, bidders=pw.reducers.count())


PLANS: dict[str, Callable[[Tables], pw.Table]] = {
    "totals": totals,
    "q3": q3,
    "q4": q4,
    "q17": q17,
    "q18": q18,
    "q19": q19,
    "q20": q20,
    "distinct": distinct,
}


def tables(query: Query, folder: str) -> Tables:
    """Tables over the files."""
    found = {}
    for stream in query.sources:
        kinds = {"BIGINT": int, "STRING": str}
        columns = {name: kinds[kind] for name, kind in data.types(stream).items()}
        found[stream] = pw.io.jsonlines.read(
            f"{folder}/{stream}/", schema=pw.schema_from_types(**columns), mode="static"
        )
    return found


def timed(name: str, folder: str, target: str | None = None) -> float:
    """Seconds until the last change has left for a sink that does nothing, or for a file."""
    G.clear()
    answer = PLANS[name](tables(QUERIES[name], folder))
    if target is None:
        pw.io.null.write(answer)
    else:
        pw.io.csv.write(answer, target)
    began = time.perf_counter()
    pw.run(monitoring_level=pw.MonitoringLevel.NONE)
    return time.perf_counter() - began


def final(name: str, folder: str, scratch: Path) -> list[list[Any]]:
    """The rows that are left when all changes have been applied, as text."""
    target = scratch / "answer.csv"
    timed(name, folder, str(target))
    rows: Counter[tuple[str, ...]] = Counter()
    with target.open(newline="") as lines:
        for *values, _, diff in list(csv.reader(lines))[1:]:
            rows[tuple(values)] += int(diff)
    return [list(row) for row, many in rows.items() for _ in range(many)]


def main(name: str, large: str, small: str) -> None:
    """Runs the small input cold, the large one warm; prints what that took, and small answers."""
    with tempfile.TemporaryDirectory(prefix="peers-") as scratch:
        cold, warm = timed(name, small), timed(name, large)
        memory = process.peak_memory(os.getpid())
        answer = final(name, small, Path(scratch))
    process.tell({"cold": cold, "seconds": warm, "memory": memory, "answer": answer})


if __name__ == "__main__":
    main(*sys.argv[1:])
