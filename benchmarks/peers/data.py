"""The benchmark's input: lines of JSON, one file of each stream a barrier."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

COLUMNS = {
    "person": ("person", "name", "city", "state", "moment"),
    "auction": ("auction", "itemName", "seller", "category", "moment", "expires"),
    "bid": ("auction", "bidder", "price", "channel", "url", "moment"),
}
NUMBERS = {"person", "seller", "category", "auction", "bidder", "price", "moment", "expires"}
TIMES = {"moment", "expires"}


def types(stream: str) -> dict[str, str]:
    """SQL type by column; Spark and Flink know both names."""
    return {c: "BIGINT" if c in NUMBERS else "STRING" for c in COLUMNS[stream]}


def write(folder: Path, many: int, barriers: int) -> None:
    """Writes ``<folder>/<stream>/<barrier>.json``; times are microseconds since 1970."""
    import pyarrow.parquet as pq  # not needed to read, and the engines' environments differ

    from nexmark import events

    whole = folder.with_name(folder.name + "-parquet")
    events.write(whole, many, barriers)
    for stream in COLUMNS:
        (folder / stream).mkdir(parents=True)
        for i, path in enumerate(sorted((whole / stream).iterdir())):
            target = folder / stream / f"{i:05d}.json"
            target.write_text("".join(lines(pq.read_table(path), stream)))
            os.utime(target, (1_700_000_000 + i, 1_700_000_000 + i))


def lines(table: Any, stream: str) -> list[str]:
    """A JSON object a row; no string of the generator needs an escape.

    A stream's ``id`` is called after it and ``dateTime`` ``moment``: the engines keep these names
    for themselves.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    parts: list[Any] = []
    for i, name in enumerate(COLUMNS[stream]):
        column = table[{stream: "id", "moment": "dateTime"}.get(name, name)].combine_chunks()
        values = (column.cast(pa.int64()) if name in TIMES else column).cast(pa.string())
        quote = "" if name in NUMBERS else '"'
        parts += [f'{"," if i else "{"}"{name}":{quote}', values, quote]
    rows: list[str] = pc.binary_join_element_wise(*parts, "}\n", "").to_pylist()
    return rows
