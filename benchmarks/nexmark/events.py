"""Nexmark-like events: of 50, one is a new person, three are new auctions, 46 are bids.

The shape follows the benchmark's generator (ids from 1,000, ten categories of which 10 to 14 are
used, half of all bids on hot auctions, one in four auctions of hot sellers, US states and cities of
the Pacific coast); the random numbers are numpy's. One event every 0.1 ms of event time.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

FIRST_ID = 1000
FIRST_CATEGORY = 10
CATEGORIES = 5
HOT_AUCTION, HOT_BIDDER, HOT_SELLER = 100, 100, 100
RECENT_AUCTIONS, RECENT_PEOPLE = 100, 1000
EVENT_MICROS = 100
START_MICROS = 1_704_067_200_000_000  # 2024-01-01 00:00 UTC
CHANNELS = np.array(["Google", "Facebook", "Baidu", "Apple"])
STATES = np.array("az ca id or wa wy".split())
CITIES = np.array(
    "Phoenix Los_Angeles San_Francisco Boise Portland Bend Redmond Seattle Kent Cheyenne".split()
)
FIRST = np.array("Peter Paul Luke John Saul Vicky Kate Julie Sarah Deiter Walter".split())
LAST = np.array("Shultz Abrams Spencer White Bartels Walton Smith Jones Noris".split())
PERSON_SHARE, AUCTION_SHARE, ROUND = 1, 3, 50

SCHEMAS = {
    "person": "id bigint, name string, emailAddress string, creditCard string, city string, "
    "state string, dateTime timestamp, extra string",
    "auction": "id bigint, itemName string, description string, initialBid bigint, reserve bigint, "
    "dateTime timestamp, expires timestamp, seller bigint, category bigint, extra string",
    "bid": "auction bigint, bidder bigint, price bigint, channel string, url string, "
    "dateTime timestamp, extra string",
}


def write(
    folder: Path, events: int, barriers: int, seed: int = 7, deltas: tuple[int, float] = (0, 0.0)
) -> None:
    """Writes ``<folder>/<stream>/<barrier>.parquet``, files of one barrier alike in time.

    Args:
        events: in all; of 50, 1 makes a person, 3 make auctions, 46 make bids.
        barriers: into how many files each stream is cut.
        deltas: how many more barriers follow, and which share of ``events`` each of them has.
    """
    random = np.random.default_rng(seed)
    for stream in SCHEMAS:
        (folder / stream).mkdir(parents=True)
    more = events + np.arange(1, deltas[0] + 1) * int(events * deltas[1])
    bounds = np.append(np.linspace(0, events, barriers + 1), more).astype(np.int64)
    for i in range(len(bounds) - 1):
        numbers = np.arange(bounds[i], bounds[i + 1], dtype=np.int64)
        for stream, table in tables(numbers, random).items():
            path = folder / stream / f"{i:05d}.parquet"
            pq.write_table(table, path, compression="lz4")
            os.utime(path, (1_700_000_000 + i, 1_700_000_000 + i))


def tables(numbers: np.ndarray, random: np.random.Generator) -> dict[str, pa.Table]:
    """The rows that the events of these numbers make."""
    rounds, offset = np.divmod(numbers, ROUND)
    is_person = offset < PERSON_SHARE
    is_auction = ~is_person & (offset < PERSON_SHARE + AUCTION_SHARE)
    is_bid = ~is_person & ~is_auction
    last_person = rounds * PERSON_SHARE + np.minimum(offset, PERSON_SHARE - 1)
    last_auction = rounds * AUCTION_SHARE + np.clip(offset - PERSON_SHARE, -1, AUCTION_SHARE - 1)
    last_auction = np.maximum(last_auction, 0)
    time = START_MICROS + numbers * EVENT_MICROS
    return {
        "person": persons(last_person[is_person], time[is_person], random),
        "auction": auctions(
            last_auction[is_auction], last_person[is_auction], time[is_auction], random
        ),
        "bid": bids(last_auction[is_bid], last_person[is_bid], time[is_bid], random),
    }


def persons(ids: np.ndarray, time: np.ndarray, random: np.random.Generator) -> pa.Table:
    n = len(ids)
    first, last = random.integers(0, len(FIRST), n), random.integers(0, len(LAST), n)
    names = [f"{FIRST[a]} {LAST[b]}" for a, b in zip(first, last, strict=True)]
    return pa.table(
        {
            "id": ids + FIRST_ID,
            "name": names,
            "emailAddress": [f"{name.lower().replace(' ', '.')}@example.com" for name in names],
            "creditCard": [f"{a:016d}" for a in random.integers(0, 10**16, n)],
            "city": CITIES[random.integers(0, len(CITIES), n)],
            "state": STATES[random.integers(0, len(STATES), n)],
            "dateTime": moments(time),
            "extra": extra(n, random),
        }
    )


def auctions(
    ids: np.ndarray, people: np.ndarray, time: np.ndarray, random: np.random.Generator
) -> pa.Table:
    n = len(ids)
    price = prices(n, random)
    hot = random.random(n) < 0.75
    hot_seller = people // HOT_SELLER * HOT_SELLER
    seller = np.where(hot, hot_seller, recent(people, RECENT_PEOPLE, random))
    return pa.table(
        {
            "id": ids + FIRST_ID,
            "itemName": [f"item {a}" for a in random.integers(0, 10_000, n)],
            "description": extra(n, random),
            "initialBid": price,
            "reserve": price + prices(n, random),
            "dateTime": moments(time),
            "expires": moments(time + random.integers(1, 20_000_000, n)),
            "seller": seller + FIRST_ID,
            "category": FIRST_CATEGORY + random.integers(0, CATEGORIES, n),
            "extra": extra(n, random),
        }
    )


def bids(
    last_auction: np.ndarray, people: np.ndarray, time: np.ndarray, random: np.random.Generator
) -> pa.Table:
    n = len(last_auction)
    hot = random.random(n) < 0.5
    auction = np.where(
        hot,
        last_auction // HOT_AUCTION * HOT_AUCTION,
        recent(last_auction, RECENT_AUCTIONS, random),
    )
    loud = random.random(n) < 0.75
    bidder = np.where(
        loud, people // HOT_BIDDER * HOT_BIDDER + 1, recent(people, RECENT_PEOPLE, random)
    )
    number = random.integers(0, 10_000, n)
    famous = random.random(n) < 0.5
    channel = np.where(famous, CHANNELS[number % 4], CHANNEL_NAMES[number])
    return pa.table(
        {
            "auction": auction + FIRST_ID,
            "bidder": bidder + FIRST_ID,
            "price": prices(n, random),
            "channel": channel,
            "url": URLS[number],
            "dateTime": moments(time),
            "extra": extra(n, random),
        }
    )


def recent(last: np.ndarray, many: int, random: np.random.Generator) -> np.ndarray:
    """Evenly one of the newest."""
    window = np.minimum(last + 1, many)
    return last - (random.random(len(last)) * window).astype(np.int64)


def prices(n: int, random: np.random.Generator) -> np.ndarray:
    return np.round(10 ** (random.random(n) * 6) * 100).astype(np.int64)


def moments(micros: np.ndarray) -> pa.Array:
    return pa.array(micros, pa.int64()).cast(pa.timestamp("us", "UTC"))


def extra(n: int, random: np.random.Generator) -> np.ndarray:
    return PADDING[random.integers(0, len(PADDING), n)]


CHANNEL_NAMES = np.array([f"channel-{i}" for i in range(10_000)])
URLS = np.array(
    [
        f"https://www.nexmark.com/{i % 97:02d}ab/{i % 31:02d}cd/{i % 13:02d}/item.htm?query=1"
        + (f"&channel_id={i * 7919}" if i % 10 else "")
        for i in range(10_000)
    ]
)
PADDING = np.array(
    ["".join(chr(97 + (i * j) % 26) for j in range(1, 40 + i % 40)) for i in range(500)]
)
