"""Changes that take others back, and what a pipeline's states hold."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from incremental.checking import Step
from incremental.harness import Changelog, Row, Table, Tables, Upserts, newest_stores

OPPOSITE = {
    "insert": "delete",
    "delete": "insert",
    "update_preimage": "update_postimage",
    "update_postimage": "update_preimage",
}

HISTORY = "changelog"
"""The table of a view that has its last epochs' changes, whatever they were."""

Held = dict[tuple[str, str], Counter[tuple[bytes, bytes]]]
"""Keys and values of all rows by state and table."""


def undone(tables: Tables, step: Step) -> Step:
    """The step that takes a step back. Ask before the tables apply the step."""
    return {t.name: _undone(t, step[t.name]) for t in tables.tables if step.get(t.name)}


def _undone(table: Table, rows: Sequence[Row]) -> list[Row]:
    match table:
        case Changelog():
            return [
                {**row, "_change_type": OPPOSITE[row["_change_type"]]} for row in reversed(rows)
            ]
        case Upserts():
            before = {table.key_of(row): row for row in table.rows}
            touched = {table.key_of(row): row for row in rows}
            return [before.get(key, {**row, "gone": True}) for key, row in touched.items()]
        case _:
            raise TypeError(f"rows of table {table.name} cannot be taken back")


def held(location: Path) -> Held:
    """What each state's tables show at the newest epoch, in all partitions."""
    found: Held = {}
    for state, store, commit in newest_stores(location):
        version = store.version(commit.version, commit.id)
        for table in version.manifest.tables:
            if table.name != HISTORY:
                rows = Counter((row.key, row.value) for row in version.scan(table.name))
                place = state, table.name
                found[place] = found.get(place, Counter()) + rows
    return found


def told(found: Held, wanted: Held) -> list[str]:
    """What the tables have too much and too little."""
    return [
        f"{' '.join(place)}: too much {_told(more)}, too little {_told(less)}"
        for place in sorted(found.keys() | wanted.keys())
        for before, after in [(wanted.get(place, Counter()), found.get(place, Counter()))]
        for more, less in [(after - before, before - after)]
        if more or less
    ]


def _told(rows: Counter[tuple[bytes, bytes]]) -> str:
    return str([f"{key.hex(' ', 8)} = {value.hex(' ', 8)}" for key, value in rows.elements()])
