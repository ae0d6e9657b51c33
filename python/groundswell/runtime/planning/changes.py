"""How a definition differs from the one that a location holds, said to people."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import takewhile, zip_longest
from typing import Any

from pyspark.sql.types import StructType

from groundswell.errors import DefinitionChanged
from groundswell.plan.definition import diverts, has_failures
from groundswell.plan.divert import SUFFIX
from groundswell.runtime.record.definition import Definition

APART = ("columns", "readers", "streams", "folders", "state", "whole", "offers")
"""What may be another of a source, or is looked at by itself."""
MOST_LINES = 12
MOST_LETTERS = 240


def check_change(
    location: str,
    old: Definition,
    new: Definition,
    dropped: Collection[str],
    rebuild: bool,
    anew: Collection[str] = (),
    drops: Collection[str] = (),
    tables: Collection[str] = (),
) -> None:
    """Refuses a definition that is not what was asked for.

    Views may be added at any time; they may go if they are dropped by name, and be defined in
    another way if they are to be rebuilt. The number of partitions is not compared here: the stored
    one is used. Views in ``anew`` are planned again, or replaced. Sources in ``drops`` may lack
    columns that their rows have. What types columns of ``tables`` may have was looked at before.

    Raises:
        DefinitionChanged: with every difference.
    """
    gone = old.views.keys() - new.views.keys()
    diverted = {
        name: name.removesuffix(SUFFIX)
        for name in gone
        if name.endswith(SUFFIX)
        and name.removesuffix(SUFFIX) in old.views.keys() & new.views.keys()
        and has_failures(old.views[name])
    }
    views = [
        *(
            f"view {name} is gone; drop it by name, pipeline.drop({name!r}), to give it up"
            for name in sorted(gone - set(dropped) - diverted.keys())
        ),
        *(
            f'view {name}: errors was "divert", is "fail", but the rows that were set aside are in '
            "no state of it; drop it by name, start, and add it again"
            for name in sorted(of for aside, of in diverted.items() if diverts(old.views[aside]))
            if not (rebuild or name in anew) or old.views[name] == new.views[name]
        ),
        *(
            f"view {name}:{_view_difference(old, new, name)}"
            for name in sorted(old.views.keys() & new.views.keys())
            if old.views[name] != new.views[name] and not rebuild and name not in anew
        ),
    ]
    doubtful = _renumbered(old, new)
    sources = [
        f"source {name}: {difference}"
        for name in sorted(old.sources.keys() & new.sources.keys() - doubtful)
        if (
            difference := _source_difference(
                old.sources[name], new.sources[name], name in drops, name in tables
            )
        )
    ]
    changes = [
        *views,
        *(_doubt(old, new, name) for name in sorted(doubtful)),
        *sources,
        *_changes("setting", old.pinned, new.pinned),
    ]
    if changes:
        raise DefinitionChanged(
            _message(location, changes, rebuildable=bool(views) and not rebuild)
        )


def _message(location: str, changes: Sequence[str], rebuildable: bool) -> str:
    back = "Go back: start with the definition that is there; it goes on where it stopped."
    anew = "Rebuild: start with another checkpointLocation"
    if rebuildable:
        anew += (
            ', or with onChange="rebuild", which fills the changed views from the tables, keyed '
            "sources and views that they read"
        )
    return "\n".join(
        [
            f"{location} holds the state of another definition (- is there, + is to be started):",
            *(f"  {line}" for change in changes for line in change.split("\n")),
            back,
            f"{anew}.",
        ]
    )


def _view_difference(old: Definition, new: Definition, name: str) -> str:
    """In SQL's words; by the text that is compared, where those do not tell."""
    was, now = old.shown.get(name), new.shown.get(name)
    if was and now and was != now:
        return diff(was, now)
    return diff(old.views[name], new.views[name])


def diff(old: Sequence[str], new: Sequence[str]) -> str:
    """The lines that differ, each on a line of its own, shortened to what differs."""
    lines: list[str] = []
    old, new = [line.strip() for line in old], [line.strip() for line in new]
    for tag, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        gone, come = old[i:j], new[k:m]
        for was, now in zip_longest(gone, come):
            lines += [f"- {_clipped(was, now)}"] if was is not None else []
            lines += [f"+ {_clipped(now, was)}"] if now is not None else []
    if len(lines) > MOST_LINES:
        lines = [*lines[:MOST_LINES], f"... and {len(lines) - MOST_LINES} lines more"]
    return "".join(f"\n  {line}" for line in lines)


def _clipped(line: str, other: str | None) -> str:
    """A line, without most of what is before and after its first difference from the other."""
    if len(line) <= MOST_LETTERS:
        return line
    same = sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(line, other or "", strict=False))
    )
    start = max(0, same - MOST_LETTERS // 4)
    end = start + MOST_LETTERS
    return f"{'...' if start else ''}{line[start:end]}{'...' if end < len(line) else ''}"


def _renumbered(old: Definition, new: Definition) -> set[str]:
    """Names of the sources that are called by their number and may be others than they were.

    What tells is a view that is as it was, or that reads one such source before and after: a source
    is the same if there is such a view that reads it, and none that reads it at one time only.
    """
    before, after = _numbered(old), _numbered(new)
    telling = [
        view
        for view in before.keys() & after.keys()
        if old.views.get(view) == new.views.get(view) or len(before[view]) == len(after[view]) == 1
    ]
    return {
        name
        for name in old.sources.keys() & new.sources.keys()
        if _readers(old, name)
        and _readers(new, name)
        and {(name in before[view], name in after[view]) for view in telling} - {(False, False)}
        != {(True, True)}
    }


def _doubt(old: Definition, new: Definition, name: str) -> str:
    names = ", ".join(
        f'name="{source}" to the one that {by} read'
        for source in sorted(old.sources)
        if (by := _readers(old, source))
    )
    return (
        f"source {name} may be another one: {_readers(old, name)} read it, {_readers(new, name)} "
        "does now, and sources without a name are numbered in order of appearance; give each the "
        f"name that it has here: {names}"
    )


def _numbered(definition: Definition) -> dict[str, set[str]]:
    """By view or index, the sources it reads that are called by their number."""
    found: dict[str, set[str]] = {}
    for name, source in definition.sources.items():
        for view in source.get("readers", ()):
            found.setdefault(view, set()).add(name)
    return found


def _readers(definition: Definition, source: str) -> str:
    return ", ".join(definition.sources[source].get("readers", ()))


def _source_difference(
    old: Mapping[str, Any], new: Mapping[str, Any], drops: bool, is_table: bool
) -> str:
    """What both read must be the same; how it is kept, too."""
    columns = {
        name: kind
        for name, kind in new["columns"].items()
        if name in old["columns"] and kind != old["columns"][name]
    }
    if columns and not is_table:
        return "; ".join(
            f"{name} was {type_text(old['columns'][name])}, is {type_text(kind)}"
            for name, kind in sorted(columns.items())
        )
    gone = [name for name in old["columns"] if name not in new["columns"]]
    if gone and not drops and (old["key"] or old.get("kept")):
        return (
            f"it lacks {', '.join(gone)}, which its kept rows have; give it such columns again, of "
            "the same types (null will do)"
        )
    read, reads = old.get("streams"), new.get("streams")
    if read and reads and read != reads:
        return (
            f"it read {', '.join(read)} and reads {', '.join(reads)}, and a stream under another "
            "name would be read again from its beginning: make one more stream a source of its "
            "own, and the union a part of the query"
        )
    was_at, is_at = old.get("folders"), new.get("folders")
    if was_at and is_at and was_at != is_at:
        return (
            f"it read {', '.join(was_at)} and reads {', '.join(is_at)}, and streams without a name "
            "are known by their order: go back to the old one, or give each the name that it has "
            f"here ({', '.join(new['streams'])})"
        )
    apart = dict.fromkeys(APART)
    was, now = ({**s, **apart} for s in (old, new))
    if was.get("below") and now.get("below") and was["below"] != now["below"]:
        return "what is below its watermark:" + diff(*(_lines(s["below"]) for s in (was, now)))
    return "" if was == now else _difference(was, now)


def _changes(what: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    changes: list[str] = []
    for name in sorted(old.keys() | new.keys()):
        if name not in new:
            changes.append(f"{what} {name} is gone")
        elif name not in old:
            changes.append(f"{what} {name} is new")
        elif old[name] != new[name]:
            changes.append(f"{what} {name}: {_difference(old[name], new[name])}")
    return changes


def _difference(old: Any, new: Any) -> str:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        parts = [
            f"{key} was {_said(old.get(key))}, is {_said(new.get(key))}"
            for key in sorted(old.keys() | new.keys())
            if old.get(key) != new.get(key)
        ]
        return "; ".join(parts)
    return f"was {_said(old)}, is {_said(new)}"


def _said(value: Any) -> str:
    """A value as people write it."""
    if value is None:
        return "not set"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return repr(value)


def type_text(told: Any) -> str:
    """A type in SQL's words, from Spark's JSON of it."""
    field = {"name": "c", "type": told, "nullable": True, "metadata": {}}
    return StructType.fromJson({"type": "struct", "fields": [field]})["c"].dataType.simpleString()


def _lines(text: Any) -> list[str]:
    return str(text).split(" of ")
