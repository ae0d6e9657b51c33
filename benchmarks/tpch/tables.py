"""Tables in the shape of TPC-H's, small, with numpy's random numbers, and changes to them.

Keys, types and value domains are those of the specification (version 3, section 4.2); the numbers
of rows keep its proportions. Dates of orders run from 1992 to 1998.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa

KEYS = {
    "region": ("r_regionkey",),
    "nation": ("n_nationkey",),
    "supplier": ("s_suppkey",),
    "part": ("p_partkey",),
    "partsupp": ("ps_partkey", "ps_suppkey"),
    "customer": ("c_custkey",),
    "orders": ("o_orderkey",),
    "lineitem": ("l_orderkey", "l_linenumber"),
}
DELETED = "_deleted"

_REGIONS = ["AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST"]
_NATIONS = [
    ("ALGERIA", 0), ("ARGENTINA", 1), ("BRAZIL", 1), ("CANADA", 1), ("EGYPT", 4), ("ETHIOPIA", 0),
    ("FRANCE", 3), ("GERMANY", 3), ("INDIA", 2), ("INDONESIA", 2), ("IRAN", 4), ("IRAQ", 4),
    ("JAPAN", 2), ("JORDAN", 4), ("KENYA", 0), ("MOROCCO", 0), ("MOZAMBIQUE", 0), ("PERU", 1),
    ("CHINA", 2), ("ROMANIA", 3), ("SAUDI ARABIA", 4), ("VIETNAM", 2), ("RUSSIA", 3),
    ("UNITED KINGDOM", 3), ("UNITED STATES", 1),
]  # fmt: skip
_TYPES = [
    f"{a} {b} {c}"
    for a in ("STANDARD", "SMALL", "MEDIUM", "LARGE", "ECONOMY", "PROMO")
    for b in ("ANODIZED", "BURNISHED", "PLATED", "POLISHED", "BRUSHED")
    for c in ("TIN", "NICKEL", "BRASS", "STEEL", "COPPER")
]
_CONTAINERS = [
    f"{a} {b}"
    for a in ("SM", "LG", "MED", "JUMBO", "WRAP")
    for b in ("CASE", "BOX", "BAG", "JAR", "PKG", "PACK", "CAN", "DRUM")
]
_COLORS = "almond azure blue brown chocolate coral forest green lemon lime navy olive red".split()
_SEGMENTS = ["AUTOMOBILE", "BUILDING", "FURNITURE", "MACHINERY", "HOUSEHOLD"]
_PRIORITIES = ["1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW"]
_MODES = ["REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB"]
_INSTRUCTIONS = ["DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN"]
_FIRST_DAY = np.datetime64("1992-01-01")
_DAYS = 2405  # to 1998-08-02
_NOW = np.datetime64("1995-06-17")
_MONEY = pa.decimal128(15, 2)


class Size(NamedTuple):
    """Rows of a table at scale factor 1 are 10,000 times these, but for nations and regions."""

    suppliers: int
    parts: int
    customers: int
    orders: int


def size(scale: float) -> Size:
    """At least some rows of each, however small the scale."""
    return Size(*(max(low, round(n * scale)) for n, low in
                  ((10_000, 20), (200_000, 60), (150_000, 30), (1_500_000, 100))))  # fmt: skip


def generate(scale: float, seed: int = 1) -> dict[str, pa.Table]:
    """All eight tables.

    Args:
        scale: the scale factor; 1 has about 6,000,000 line items.
    """
    random = np.random.default_rng(seed)
    n = size(scale)
    found = {
        "region": pa.table({"r_regionkey": pa.array(range(5), pa.int64()), "r_name": _REGIONS}),
        "nation": pa.table(
            {
                "n_nationkey": pa.array(range(25), pa.int64()),
                "n_name": [name for name, _ in _NATIONS],
                "n_regionkey": pa.array([region for _, region in _NATIONS], pa.int64()),
            }
        ),
        "supplier": _supplier(n.suppliers, random),
        "part": _part(n.parts, random),
        "customer": _customer(n.customers, random),
    }
    found["partsupp"] = _partsupp(n, random)
    found["orders"], found["lineitem"] = _orders(n, random)
    return {name: found[name] for name in KEYS}


def _keys(count: int) -> np.ndarray:
    return np.arange(1, count + 1, dtype=np.int64)


def _money(low: float, high: float, count: int, random: np.random.Generator) -> pa.Array:
    cents = random.integers(round(low * 100), round(high * 100) + 1, count)
    return _cents(cents)


def _cents(cents: np.ndarray) -> pa.Array:
    whole = pa.array(cents, pa.int64()).cast(pa.decimal128(19, 0)).cast(pa.decimal128(23, 2))
    return pa.compute.divide(whole, pa.scalar(100, pa.decimal128(3, 0))).cast(_MONEY, safe=False)


def _pick(items: list[str], count: int, random: np.random.Generator) -> np.ndarray:
    return np.array(items)[random.integers(0, len(items), count)]


def _phone(nations: np.ndarray, random: np.random.Generator) -> list[str]:
    tail = random.integers(100, 999, (len(nations), 2))
    last = random.integers(1000, 9999, len(nations))
    return [f"{n + 10}-{a}-{b}-{c}" for n, (a, b), c in zip(nations, tail, last, strict=True)]


def _supplier(n: int, random: np.random.Generator) -> pa.Table:
    keys, nations = _keys(n), random.integers(0, 25, n)
    complaint = random.random(n) < 0.1
    return pa.table(
        {
            "s_suppkey": keys,
            "s_name": [f"Supplier#{key:09d}" for key in keys],
            "s_address": [f"street {key * 7 % 97}" for key in keys],
            "s_nationkey": nations,
            "s_phone": _phone(nations, random),
            "s_acctbal": _money(-999.99, 9999.99, n, random),
            "s_comment": np.where(complaint, "wary Customer of many Complaints", "sleeps well"),
        }
    )


def _part(n: int, random: np.random.Generator) -> pa.Table:
    keys = _keys(n)
    maker, brand = random.integers(1, 6, n), random.integers(1, 6, n)
    first, second = _pick(_COLORS, n, random), _pick(_COLORS, n, random)
    return pa.table(
        {
            "p_partkey": keys,
            "p_name": [f"{a} {b}" for a, b in zip(first, second, strict=True)],
            "p_mfgr": [f"Manufacturer#{m}" for m in maker],
            "p_brand": [f"Brand#{m}{b}" for m, b in zip(maker, brand, strict=True)],
            "p_type": _pick(_TYPES, n, random),
            "p_size": pa.array(random.integers(1, 51, n), pa.int32()),
            "p_container": _pick(_CONTAINERS, n, random),
            "p_retailprice": _cents(90_000 + keys % 1000 * 100 + keys // 10 % 20_001),
        }
    )


def _partsupp(n: Size, random: np.random.Generator) -> pa.Table:
    parts = np.repeat(_keys(n.parts), 4)
    nth = np.tile(np.arange(4), n.parts)
    suppliers = (parts + nth * (n.suppliers // 4 + (parts - 1) // n.suppliers)) % n.suppliers + 1
    count = len(parts)
    table = pa.table(
        {
            "ps_partkey": parts,
            "ps_suppkey": suppliers,
            "ps_availqty": pa.array(random.integers(1, 10_000, count), pa.int32()),
            "ps_supplycost": _money(1, 1000, count, random),
        }
    )
    _, first = np.unique(parts * (n.suppliers + 1) + suppliers, return_index=True)
    return table.take(pa.array(np.sort(first)))


def _customer(n: int, random: np.random.Generator) -> pa.Table:
    keys, nations = _keys(n), random.integers(0, 25, n)
    return pa.table(
        {
            "c_custkey": keys,
            "c_name": [f"Customer#{key:09d}" for key in keys],
            "c_address": [f"avenue {key * 11 % 89}" for key in keys],
            "c_nationkey": nations,
            "c_phone": _phone(nations, random),
            "c_acctbal": _money(-999.99, 9999.99, n, random),
            "c_mktsegment": _pick(_SEGMENTS, n, random),
            "c_comment": _pick(["quickly", "slyly special requests", "carefully"], n, random),
        }
    )


def _orders(n: Size, random: np.random.Generator) -> tuple[pa.Table, pa.Table]:
    keys = _keys(n.orders)
    customer = random.integers(1, n.customers + 1, n.orders)
    customer = np.where(
        customer % 3 == 0, np.maximum(1, customer - 1), customer
    )  # a third buy nothing
    day = _FIRST_DAY + random.integers(0, _DAYS - 151, n.orders)
    lines = random.integers(1, 8, n.orders)
    order = np.repeat(keys, lines)
    number = np.arange(len(order)) - np.repeat(np.cumsum(lines) - lines, lines) + 1
    count = len(order)
    part = random.integers(1, n.parts + 1, count)
    nth = random.integers(0, 4, count)
    supplier = (part + nth * (n.suppliers // 4 + (part - 1) // n.suppliers)) % n.suppliers + 1
    quantity = random.integers(1, 51, count)
    price = quantity * (90_000 + part % 1000 * 100 + part // 10 % 20_001)
    ordered = np.repeat(day, lines)
    shipped = ordered + random.integers(1, 122, count)
    due = ordered + random.integers(30, 91, count)
    received = shipped + random.integers(1, 31, count)
    returned = np.where(received <= _NOW, np.where(random.random(count) < 0.5, "R", "A"), "N")
    line_status = np.where(shipped > _NOW, "O", "F")
    open_lines = np.bincount(order, weights=line_status == "O", minlength=n.orders + 1)[1:]
    status = np.where(open_lines == lines, "O", np.where(open_lines == 0, "F", "P"))
    total = np.bincount(order, weights=price, minlength=n.orders + 1)[1:].astype(np.int64)
    orders = pa.table(
        {
            "o_orderkey": keys,
            "o_custkey": customer,
            "o_orderstatus": status,
            "o_totalprice": _cents(total),
            "o_orderdate": pa.array(day),
            "o_orderpriority": _pick(_PRIORITIES, n.orders, random),
            "o_shippriority": pa.array(np.zeros(n.orders), pa.int32()),
            "o_comment": _pick(
                ["quick", "pending special odd requests", "fluffy"], n.orders, random
            ),
        }
    )
    lineitem = pa.table(
        {
            "l_orderkey": order,
            "l_partkey": part,
            "l_suppkey": supplier,
            "l_linenumber": pa.array(number, pa.int32()),
            "l_quantity": _cents(quantity * 100),
            "l_extendedprice": _cents(price),
            "l_discount": _cents(random.integers(0, 11, count)),
            "l_tax": _cents(random.integers(0, 9, count)),
            "l_returnflag": returned,
            "l_linestatus": line_status,
            "l_shipdate": pa.array(shipped),
            "l_commitdate": pa.array(due),
            "l_receiptdate": pa.array(received),
            "l_shipinstruct": _pick(_INSTRUCTIONS, count, random),
            "l_shipmode": _pick(_MODES, count, random),
        }
    )
    return orders, lineitem


def barriers(
    tables: dict[str, pa.Table], count: int, seed: int = 2, first: float = 0.6
) -> Iterator[dict[str, pa.Table]]:
    """The tables as upserts in ``count`` barriers: loads, then inserts, updates and deletes.

    Args:
        first: share of the rows that the first barrier brings.

    Returns:
        For each barrier and table the rows that it brings, with a boolean column ``_deleted``.
        Every later barrier also takes one in 20 of the rows there are away, and gives as many
        another row's values.
    """
    random = np.random.default_rng(seed)
    turn = {
        name: np.where(
            random.random(table.num_rows) < first,
            0,
            random.integers(1, max(2, count), table.num_rows),
        )
        for name, table in tables.items()
    }
    for i in range(count):
        yield {
            name: _barrier(table, turn[name], i, KEYS[name], random)
            for name, table in tables.items()
        }


def _barrier(
    table: pa.Table, turn: np.ndarray, i: int, key: tuple[str, ...], random: np.random.Generator
) -> pa.Table:
    new = _marked(table.filter(pa.array(turn == i)), False)
    if i == 0:
        return new
    there = np.flatnonzero(turn < i)
    random.shuffle(there)
    few = max(1, len(there) // 20) if len(there) > 10 else 0
    gone = _marked(table.take(pa.array(there[:few])), True)
    changed, other = there[few : 2 * few], there[2 * few : 3 * few]
    changed = changed[: len(other)]
    values = table.take(pa.array(other))
    keys = table.take(pa.array(changed))
    for name in key:
        values = values.set_column(values.schema.get_field_index(name), name, keys.column(name))
    return pa.concat_tables([new, gone, _marked(values, False)])


def _marked(table: pa.Table, deleted: bool) -> pa.Table:
    return table.append_column(DELETED, pa.array([deleted] * table.num_rows, pa.bool_()))
