"""Writes ``docs/types.md`` from the verdicts of the matrix: ``python tests/matrix/page.py``."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from matrix import cells
from matrix.kinds import KINDS

PAGE = Path(__file__).parents[2] / "docs" / "types.md"
HEAD = """# Types

What each source, sink and reader makes of each type of Spark. This page is generated: the tests in
`tests/matrix`, `tests/sinks/test_types.py` and `tests/systems/test_types*.py` drive every door
below with the values at the edges of each type, and a unit test holds the page to what they found.

The values: null, NaN, both zeros and both infinities, the smallest and the largest number, floats
of all their digits, dates and times of the years 1, 1582, 1969, 1970, 2038, 2286 and 9999, decimals
of 38 digits, empty texts, a text of 1 MB, a zero byte, empty and nested arrays, maps and structs.

| sign | |
|--|--|
| = | every value arrives as it left |
| **row** | some values are refused, each as a named row; `on_failure` says what becomes of it |
| *no* | the type is refused at the start, with a reason |
| | no such cell: Spark has no keys of this type, or the door has no such role |

See [rows that a target refuses](sinks.md#rows-that-a-target-refuses). Values are equal if Spark
says so: a key of -0.0 goes out as 0.0. "Key" is a column that identifies a row, or by which rows
are grouped; "partition" is one of `PARTITION BY`. The type `time` needs
`spark.sql.timeType.enabled`.

A null among the numbers of a map that is grouped by stays null. Batch queries of Spark 4.3.0 make a
number of it in generated code (`findings/spark-group-by-map-fills-nulls.sh`): to compare, group by
`array_sort(map_entries(...))`. Of texts that a collation takes for equal, any may stand for the
group. A text of 1 MB is too long for a key of a view. Of a Delta table that is read without `key`,
all columns are one. MariaDB has no NaN, infinity or -0.0, and its timestamps end in 2038: its
values are the others. H2, Derby, SQLite and MariaDB have one zero: -0.0 is 0.0 there, which Spark
takes for equal. JSON has one null: a variant column of a message has a variant's null for it.
Protobuf has none in a list or map, nor in its place. Where Avro or Protobuf has no type for a
column, a field is a text, and refused for it. `pandas` is
`table.to_pandas(types_mapper=pandas.ArrowDtype)`; without it pandas makes doubles of whole numbers
where one is null. DuckDB 2.0.1 reads intervals of more than 292 years right, and gives them back to
Arrow wrong (`findings/duckdb-interval-wraps-in-arrow.sh`).

Filters of other systems may miss rows of Parquet files, also of those that sinks write. Spark 4.3.0
does not find -0.0 by `k = 0` or `k >= 0` (`findings/spark-parquet-filter-misses-minus-zero.sh`),
nor NaN in files whose bounds leave it out, as those of pyarrow do. DataFusion 55.0.0 misses -0.0 in
files with Bloom filters (`findings/datafusion-bloom-filter-misses-minus-zero.sh`). Views of such
files find all. Of Delta tables see [bounds](sinks.md#delta-lake).

Read such files with pyarrow, not with fastparquet 2026.9.0. That library makes null of a list of
texts that has no dictionary (`findings/fastparquet-lists-of-texts-are-null.sh`), and another date
of 9999-12-31 (`findings/fastparquet-the-last-day-is-in-1816.sh`).
"""
GROUPS = {
    "source": "Sources", "reader": "Readers", "sink": "Sinks", "sink jdbc": "Sinks by JDBC",
}  # fmt: skip
"""What the names of doors begin with, and the title of their table."""
SIGNS = {cells.EQUAL: "=", cells.REFUSED: "*no*", cells.ROW: "**row**"}


def page() -> str:
    """The text of the page."""
    found = cells.load()
    columns = [(door, role) for door, roles in sorted(found.items()) for role in roles]
    lines = [HEAD]
    count: Counter[str] = Counter()
    for group, title in GROUPS.items():
        mine = [(door, role) for door, role in columns if _group_of(door) == group]
        titles = [f"{door.removeprefix(group).strip()}, {role}" for door, role in mine]
        lines += [f"## {title}", ""]
        lines += [f"| type | {' | '.join(titles)} |", f"|--|{'--|' * len(mine)}"]
        reasons: dict[str, dict[str, list[str]]] = {}
        for kind in KINDS:
            row = []
            for door, role in mine:
                verdict = found[door][role].get(kind.name, "")
                word, _, reason = verdict.partition(": ")
                row.append(SIGNS.get(word, ""))
                if word:
                    count[word] += 1
                if reason and "Spark itself" not in reason:
                    place = f"{door.removeprefix(group).strip()}, {role}"
                    reasons.setdefault(kind.name, {}).setdefault(_text(reason), []).append(place)
                elif reason:
                    row[-1] = ""
            lines.append(f"| {kind.name} | {' | '.join(row)} |")
        lines.append("")
        for name, each in reasons.items():
            shown = (f"    * {'; '.join(where)}: {text}" for text, where in each.items())
            lines += [f"* **{name}**", *shown]
        lines.append("")
    told = ", ".join(f"{n} {word}" for word, n in sorted(count.items()))
    lines.append(f"Cells by verdict: {told}.")
    return "\n".join(lines) + "\n"


def _group_of(door: str) -> str:
    return max((group for group in GROUPS if door.startswith(group)), key=len)


def _text(reason: str) -> str:
    return reason.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
