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
from peers.inputs import Input, Topics, parsed
from peers.queries import DAY, HOP, QUERIES, WINDOW, Query
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


def q5(t: Tables) -> pw.Table:
    hop = t["bid"].moment // HOP
    slots = pw.make_tuple(hop, hop - 1, hop - 2, hop - 3, hop - 4)
    bid = t["bid"].select(pw.this.auction, slot=slots).flatten(pw.this.slot)
    counts = bid.groupby(bid.auction, bid.slot).reduce(
        bid.auction, bid.slot, num=pw.reducers.count()
    )
    most = counts.groupby(counts.slot).reduce(counts.slot, most=pw.reducers.max(counts.num))
    return counts.join(most, counts.slot == most.slot, counts.num == most.most).select(
        counts.auction, counts.num, counts.slot
    )


def q7(t: Tables) -> pw.Table:
    bid = t["bid"].with_columns(slot=pw.this.moment // WINDOW)
    most = bid.groupby(bid.slot).reduce(bid.slot, most=pw.reducers.max(bid.price))
    return bid.join(most, bid.slot == most.slot, bid.price == most.most).select(
        bid.auction, bid.price, bid.bidder, bid.moment
    )


def q8(t: Tables) -> pw.Table:
    person = t["person"].with_columns(slot=pw.this.moment // WINDOW)
    auction = t["auction"].with_columns(slot=pw.this.moment // WINDOW)
    people = person.groupby(person.person, person.name, person.slot).reduce(
        person.person, person.name, person.slot
    )
    sellers = auction.groupby(auction.seller, auction.slot).reduce(auction.seller, auction.slot)
    return people.join(
        sellers, people.person == sellers.seller, people.slot == sellers.slot
    ).select(people.person, people.name, people.slot)


def q9(t: Tables) -> pw.Table:
    bid, auction = t["bid"], t["auction"]
    both = auction.join(bid, auction.auction == bid.auction).select(
        auction.auction, auction.itemName, auction.seller, auction.category, auction.expires,
        bid.bidder, bid.price, since=auction.moment, at=bid.moment,
    )  # fmt: skip
    valid = both.filter((both.at >= both.since) & (both.at <= both.expires))
    won = valid.groupby(valid.auction, valid.itemName, valid.seller, valid.category).reduce(
        valid.auction, valid.itemName, valid.seller, valid.category,
        best=pw.reducers.max(pw.make_tuple(valid.price, -valid.at, -valid.bidder)),
    )  # fmt: skip
    return won.select(
        won.auction, won.itemName, won.seller, won.category,
        bidder=-won.best[2], price=won.best[0], moment=-won.best[1],
    )  # fmt: skip


def parts(bid: pw.Table) -> dict[str, Any]:
    return {
        "total": pw.reducers.count(),
        "low": pw.reducers.sum(pw.if_else(bid.price < 10000, 1, 0)),
        "middle": pw.reducers.sum(pw.if_else((bid.price >= 10000) & (bid.price < 1000000), 1, 0)),
        "high": pw.reducers.sum(pw.if_else(bid.price >= 1000000, 1, 0)),
    }


def q15(t: Tables) -> pw.Table:
    bid = t["bid"].with_columns(dag=pw.this.moment // DAY)
    every = bid.groupby(bid.dag).reduce(
        bid.dag,
        **parts(bid),
        bidders=pw.reducers.count_distinct(bid.bidder),
        auctions=pw.reducers.count_distinct(bid.auction),
    )
    cheap, dear = bid.filter(bid.price < 10000), bid.filter(bid.price >= 1000000)
    low = cheap.groupby(cheap.dag).reduce(
        cheap.dag, bidders=pw.reducers.count_distinct(cheap.bidder)
    )
    high = dear.groupby(dear.dag).reduce(
        dear.dag, auctions=pw.reducers.count_distinct(dear.auction)
    )
    both = low.join(high, low.dag == high.dag).select(low.dag, low.bidders, high.auctions)
    return every.join(both, every.dag == both.dag).select(
        every.dag, every.total, every.low, every.middle, every.high, every.bidders,
        low_bidders=both.bidders, auctions=every.auctions, high_auctions=both.auctions,
    )  # fmt: skip


def q16(t: Tables) -> pw.Table:
    bid = t["bid"].with_columns(dag=pw.this.moment // DAY)
    return bid.groupby(bid.channel, bid.dag).reduce(
        bid.channel,
        bid.dag,
        latest=pw.reducers.max(bid.moment),
        **parts(bid),
        bidders=pw.reducers.count_distinct(bid.bidder),
        auctions=pw.reducers.count_distinct(bid.auction),
    )


def q17(t: Tables) -> pw.Table:
    bid = t["bid"].with_columns(dag=pw.this.moment // DAY)
    return bid.groupby(bid.auction, bid.dag).reduce(
        bid.auction,
        bid.dag,
        **parts(bid),
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
    "q5": q5,
    "q7": q7,
    "q8": q8,
    "q9": q9,
    "q15": q15,
    "q16": q16,
    "q17": q17,
    "q18": q18,
    "q19": q19,
    "q20": q20,
    "distinct": distinct,
}


def tables(query: Query, source: Input) -> Tables:
    """Tables over the events."""
    found = {}
    for stream in query.sources:
        kinds = {"BIGINT": int, "STRING": str}
        columns = {name: kinds[kind] for name, kind in data.types(stream).items()}
        schema = pw.schema_from_types(**columns)
        if isinstance(source, Topics):
            settings = {"bootstrap.servers": source.servers, "group.id": "peers"}
            settings["auto.offset.reset"] = "earliest"
            found[stream] = pw.io.kafka.read(
                settings, source.of(stream), schema=schema, format="json", mode="static"
            )
        else:
            found[stream] = pw.io.jsonlines.read(
                source.of(stream) + "/", schema=schema, mode="static"
            )
    return found


def timed(name: str, source: Input, target: str | None = None) -> float:
    """Seconds until the last change has left for a sink that does nothing, or for a file."""
    G.clear()
    answer = PLANS[name](tables(QUERIES[name], source))
    if target is None:
        pw.io.null.write(answer)
    else:
        pw.io.csv.write(answer, target)
    return run()


def read(name: str, source: Input) -> float:
    """Seconds to read what the query reads, into nothing."""
    G.clear()
    query = QUERIES[name]
    for stream, table in tables(query, source).items():
        pw.io.null.write(table[query.columns(stream)])
    return run()


def run() -> float:
    began = time.perf_counter()
    pw.run(monitoring_level=pw.MonitoringLevel.NONE)
    return time.perf_counter() - began


def final(name: str, source: Input, scratch: Path) -> list[list[Any]]:
    """The rows that are left when all changes have been applied, as text."""
    target = scratch / "answer.csv"
    timed(name, source, str(target))
    rows: Counter[tuple[str, ...]] = Counter()
    with target.open(newline="") as lines:
        for *values, _, diff in list(csv.reader(lines))[1:]:
            rows[tuple(values)] += int(diff)
    return [list(row) for row, many in rows.items() for _ in range(many)]


def main(name: str, large: str, small: str) -> None:
    """Runs the small input cold, the large one warm; prints what that took, and small answers.

    Without a small input: the large one cold.
    """
    much, little = parsed(large), parsed(small)
    if not small:
        process.tell({"cold": timed(name, much)})
        return
    with tempfile.TemporaryDirectory(prefix="peers-") as scratch:
        cold, warm = timed(name, little), timed(name, much)
        memory = process.peak_memory(os.getpid())
        reading = read(name, much)
        answer = final(name, little, Path(scratch))
    process.tell(
        {"cold": cold, "seconds": warm, "reading": reading, "memory": memory, "answer": answer}
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
