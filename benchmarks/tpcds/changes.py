"""Random changes of TPC-DS's tables: files of upserts for each epoch, and the tables after it."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tpcds.generate import KEYS

DELETED = "_deleted"
SELDOM = ("date_dim", "time_dim", "income_band")
"""Tables of which one row in a thousand changes, however much of the others does."""


def write(folder: Path, to: Path, epochs: int, share: float, seed: int) -> list[int]:
    """Writes ``to/changes/TABLE/000.parquet`` …, and ``to/tables/000/TABLE.parquet`` ….

    A few rows of each table wait at first. In every later epoch a quarter of the share of its rows
    goes, among them rows that came before, a quarter comes (rows that wait, or went), and half of
    it gets the values of other rows.

    Args:
        folder: of the tables as Parquet.
        epochs: how many, the first fill among them.
        share: of the rows of a table that change in an epoch.

    Returns:
        The number of changed rows of each epoch.
    """
    random = np.random.default_rng(seed)
    counts = [0] * epochs
    for name, key in KEYS.items():
        table = pq.read_table(folder / f"{name}.parquet")
        part = min(share, 0.001) if name in SELDOM else share
        few = max(1, round(table.num_rows * part / 4))
        there = np.ones(table.num_rows, bool)
        there[random.permutation(table.num_rows)[: 2 * few]] = False
        values = np.arange(table.num_rows)  # the row whose values each row has
        for epoch in range(epochs):
            if epoch == 0:
                upserts, gone = np.flatnonzero(there), np.empty(0, int)
            else:
                out, inside = np.flatnonzero(~there), np.flatnonzero(there)
                random.shuffle(out)
                random.shuffle(inside)
                come, gone = out[:few], inside[:few]
                updated = inside[few : 3 * few]
                values[updated] = random.choice(values, len(updated))
                there[come], there[gone] = True, False
                upserts = np.concatenate([come, updated])
            new = pa.concat_tables(
                [
                    _rows(table, key, upserts, values).append_column(
                        DELETED, pa.array(np.zeros(len(upserts), bool))
                    ),
                    _rows(table, key, gone, values).append_column(
                        DELETED, pa.array(np.ones(len(gone), bool))
                    ),
                ]
            )
            counts[epoch] += new.num_rows
            _write(new, to / "changes" / name / f"{epoch:03d}.parquet")
            now = _rows(table, key, np.flatnonzero(there), values)
            _write(now, to / "tables" / f"{epoch:03d}" / f"{name}.parquet")
    return counts


def _rows(table: pa.Table, key: tuple[str, ...], at: np.ndarray, values: np.ndarray) -> pa.Table:
    """Rows with their own keys and what values they have now."""
    taken = table.take(pa.array(values[at]))
    for column in key:
        own = pc.take(table.column(column), pa.array(at))
        taken = taken.set_column(taken.schema.get_field_index(column), column, own)
    return taken


def _write(table: pa.Table, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path)


def arrive(to: Path, stream: Path, epoch: int) -> None:
    """Puts the files of an epoch where the sources look for them."""
    for name in KEYS:
        (stream / name).mkdir(parents=True, exist_ok=True)
        os.link(
            to / "changes" / name / f"{epoch:03d}.parquet", stream / name / f"{epoch:03d}.parquet"
        )
