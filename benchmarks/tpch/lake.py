"""TPC-H's tables in Delta Lake, statements that keep its questions, and how results compare."""

from __future__ import annotations

import math
from decimal import Decimal
from pathlib import Path
from typing import Any

import deltalake
import numpy as np
import pyarrow as pa

from tpch import tables
from tpch.queries import QUERIES

FEED = {"delta.enableChangeDataFeed": "true"}
GONE = "_gone"


def write(folder: Path, whole: dict[str, pa.Table]) -> None:
    """The tables as they are at first."""
    for name, table in whole.items():
        deltalake.write_deltalake(str(folder / name), table, configuration=FEED)


def count(folder: Path, name: str) -> int:
    """Rows of a table."""
    return int(deltalake.DeltaTable(str(folder / name)).to_pyarrow_dataset().count_rows())


def version(folder: Path) -> int:
    """How often the tables were changed."""
    return int(deltalake.DeltaTable(str(folder / "lineitem")).version())


def change(folder: Path, whole: dict[str, pa.Table], share: float, seed: int = 5) -> int:
    """One MERGE a table: half of the share gets other values, a quarter goes, a quarter is new."""
    random = np.random.default_rng(seed)
    changed = 0
    for name, table in whole.items():
        few = int(table.num_rows * share)
        if few < 4:
            continue
        at = random.permutation(table.num_rows)
        updated, other, gone, copied = (
            table.take(pa.array(at[i * few // 2 : i * few // 2 + n]))
            for i, n in enumerate((few // 2, few // 2, few // 4, few // 4))
        )
        key = tables.KEYS[name]
        rows = [_with_keys(other, updated, key), gone, _with_new_key(copied, key[0])]
        marked = pa.concat_tables(
            part.append_column(GONE, pa.array([i == 1] * part.num_rows, pa.bool_()))
            for i, part in enumerate(rows)
        )
        columns = {column: f"s.{column}" for column in table.column_names}
        merge = deltalake.DeltaTable(str(folder / name)).merge(
            marked, " AND ".join(f"t.{k} = s.{k}" for k in key), "s", "t"
        )
        merge = merge.when_matched_delete(f"s.{GONE}").when_matched_update(columns)
        merge.when_not_matched_insert(columns).execute()
        changed += marked.num_rows
    return changed


def _with_keys(values: pa.Table, keys: pa.Table, key: tuple[str, ...]) -> pa.Table:
    for name in key:
        values = values.set_column(values.schema.get_field_index(name), name, keys.column(name))
    return values


def _with_new_key(rows: pa.Table, name: str) -> pa.Table:
    new = pa.compute.add(rows.column(name), 1 << 40)
    return rows.set_column(rows.schema.get_field_index(name), name, new)


def statements(folder: Path, location: Path, options: str = "") -> str:
    """The file that is refreshed; ``options``: of the pipeline, as ``maxBarrierRows = 1000``."""
    more = f" WITH ({options})" if options else ""
    text = [f"CREATE PIPELINE tpch LOCATION '{location}'{more};"]
    for name, key in tables.KEYS.items():
        text.append(
            f"CREATE SOURCE {name} (PRIMARY KEY ({', '.join(key)})) "
            f"WITH (connector = 'delta', path = '{folder / name}');"
        )
    for name, query in QUERIES.items():
        text.append(f"CREATE MATERIALIZED VIEW {name} AS {query};")
    return "\n".join(text) + "\n"


def plain(value: Any) -> Any:
    """Doubles by nine digits: they are summed in another order."""
    if isinstance(value, float) and math.isfinite(value):
        return float(f"{value:.9g}")
    return value.normalize() if isinstance(value, Decimal) else value


def rows(found: pa.Table) -> list[str]:
    return sorted(repr(tuple(map(plain, row.values()))) for row in found.to_pylist())
