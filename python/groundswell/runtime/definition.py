"""What a checkpoint location belongs to, and how another definition differs from it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from groundswell.errors import Corruption, DefinitionChanged
from groundswell.plan import nodes as n
from groundswell.plan.divert import SUFFIX
from groundswell.runtime.aside import Aside, Asides
from groundswell.runtime.location import DEFINITION, Folder, read_json, write_json


@dataclass(frozen=True)
class Definition:
    """The part of a pipeline that its state depends on.

    Attributes:
        views: plan text by view name, without ids that differ from run to run.
        sources: by name: mode, key and the columns that the views read; of those that are called by
            their number, the views and indexes that read them, too.
        pinned: session settings that expressions depend on.
        partitions: of every state; fixed at the first start.
        layouts: by the state of a view: names and types of the columns, for readers in other
            processes.
        past: names of sources that it read once and reads no more.
        aside: the views that failed and stand still.
    """

    views: Mapping[str, list[str]]
    sources: Mapping[str, Mapping[str, Any]]
    pinned: Mapping[str, Any]
    partitions: int
    layouts: Mapping[str, Any]
    past: Collection[str] = ()
    aside: Asides = field(default_factory=dict)


def load(folder: Folder) -> Definition | None:
    """The definition that a location belongs to, or None if it is fresh."""
    document = read_json(folder, DEFINITION)
    if document is None:
        return None
    try:
        return Definition(
            document["views"],
            document["sources"],
            document["pinned"],
            document["partitions"],
            document["layouts"],
            tuple(document.get("past", ())),
            {name: Aside.of(noted) for name, noted in document.get("aside", {}).items()},
        )
    except KeyError as e:
        raise Corruption(f"{folder.location}/{DEFINITION} lacks {e}; restore the file") from e


def store(folder: Folder, definition: Definition) -> None:
    """Claims a fresh location."""
    write_json(
        folder,
        DEFINITION,
        {
            "views": dict(definition.views),
            "sources": dict(definition.sources),
            "pinned": dict(definition.pinned),
            "partitions": definition.partitions,
            "layouts": dict(definition.layouts),
            "past": sorted(definition.past),
            "aside": {name: aside.json() for name, aside in definition.aside.items()},
        },
    )


def after(old: Definition, new: Definition) -> Definition:
    """The new definition, with what it must remember of the old one."""
    past = {*old.past, *old.sources} - new.sources.keys()
    # those of now come last: of two indexes that had a name, it is the later one's
    layouts = {state: at for state, at in old.layouts.items() if state not in new.layouts}
    return replace(new, layouts={**layouts, **new.layouts}, past=tuple(sorted(past)))


def check_change(
    location: str, old: Definition, new: Definition, dropped: Collection[str], rebuild: bool
) -> None:
    """Refuses a definition that is not what was asked for.

    Views may be added at any time; they may go if they are dropped by name, and be defined in
    another way if they are to be rebuilt. The number of partitions is not compared here: the stored
    one is used.

    Raises:
        DefinitionChanged: with every difference.
    """
    gone = old.views.keys() - new.views.keys()
    diverted = {
        name: name.removesuffix(SUFFIX)
        for name in gone
        if name.endswith(SUFFIX)
        and name.removesuffix(SUFFIX) in old.views.keys() & new.views.keys()
        and _has_failures(old.views[name])
    }
    views = [
        *(
            f"view {name} is gone; drop it by name, pipeline.drop({name!r}), to give it up"
            for name in sorted(gone - set(dropped) - diverted.keys())
        ),
        *(
            f'view {name}: errors was "divert", is "fail", but the rows that were set aside are in '
            "no state of it; drop it by name, start, and add it again"
            for name in sorted(diverted.values())
            if not rebuild or old.views[name] == new.views[name]
        ),
        *(
            f"view {name}: {_difference(old.views[name], new.views[name])}"
            for name in sorted(old.views.keys() & new.views.keys())
            if old.views[name] != new.views[name] and not rebuild
        ),
    ]
    doubtful = _renumbered(old, new)
    sources = [
        f"source {name}: {difference}"
        for name in sorted(old.sources.keys() & new.sources.keys() - doubtful)
        if (difference := _source_difference(old.sources[name], new.sources[name]))
    ]
    changes = [
        *views,
        *(_doubt(old, new, name) for name in sorted(doubtful)),
        *sources,
        *_changes("setting", old.pinned, new.pinned),
    ]
    if changes:
        ways = "Use the old definition, or start with another checkpointLocation"
        if views and not rebuild:
            ways += '; views over tables and other views can be rebuilt, onChange="rebuild"'
        raise DefinitionChanged(
            f"{location} holds the state of another definition:\n"
            + "\n".join(f"  - {change}" for change in changes)
            + f"\n{ways}."
        )


def _has_failures(view: list[str]) -> bool:
    """Whether a view has rows that another sets aside: one may be called like it and be none."""
    return any(line.strip().startswith(n.Failures.__name__) for line in view)


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


def _source_difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """What both read must be the same; how it is kept, too."""
    columns = {
        name: kind
        for name, kind in new["columns"].items()
        if name in old["columns"] and kind != old["columns"][name]
    }
    if columns:
        return _difference({name: old["columns"][name] for name in columns}, columns)
    gone = [name for name in old["columns"] if name not in new["columns"]]
    if gone and old["key"]:
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
    apart = dict.fromkeys(("columns", "readers", "streams", "folders"))
    was, now = ({**s, **apart} for s in (old, new))
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
    if isinstance(old, list) and isinstance(new, list):
        gone = [line.strip() for line in old if line not in new]
        come = [line.strip() for line in new if line not in old]
        if gone or come:
            return f"was [{' | '.join(map(str, gone))}], is [{' | '.join(map(str, come))}]"
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        parts = [
            f"{key} was {old.get(key)!r}, is {new.get(key)!r}"
            for key in sorted(old.keys() | new.keys())
            if old.get(key) != new.get(key)
        ]
        return "; ".join(parts)
    return f"was {old!r}, is {new!r}"
