"""The statements that make a pipeline as it is now, for another location. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from groundswell.columns import quoted
from groundswell.errors import ConfigurationError
from groundswell.sql.defining.masking import masked
from groundswell.sql.history import log as logs
from groundswell.sql.history.ordering import read_by
from groundswell.sql.parsing import statements as s
from groundswell.sql.parsing.tokens import tokens


@dataclass(frozen=True)
class _Step:
    """A statement, and the objects that it is about, each by the number of its first statement.

    Attributes:
        entry: the statement.
        of: what it makes, replaces, alters, renames or drops.
        reads: of a CREATE, what was there and is named in it.
    """

    entry: logs.Entry
    of: frozenset[int]
    reads: frozenset[int] = frozenset()

    @property
    def makes(self) -> bool:
        return isinstance(self.entry.statement, s.Create)


def script(name: str, entries: Sequence[logs.Entry]) -> str:
    """Statements that make what a pipeline has now, none of its rows: each ends with ``;``.

    They are the pipeline's own, in their order, for names in them mean what they meant when they
    were run. What was dropped is left out, and so is what a view was before it was replaced, unless
    one of the others was made of it. A view that is suspended is made as one that runs.

    Args:
        name: of the pipeline, for messages.
        entries: its statements, oldest first.

    Raises:
        ConfigurationError: the pipeline was not made by statements.
    """
    if logs.fold(entries).pipeline is None:
        raise ConfigurationError(
            f"pipeline {name} was made by a Python program, not by statements: the program is "
            "what makes it again. SHOW VIEWS shows its views"
        )
    lines: list[str] = []
    place: tuple[str, ...] = ()
    for entry in _needed(entries):
        here = (entry.catalog, *entry.namespace)
        if here != place and not isinstance(entry.statement, s.CreatePipeline | s.AlterPipeline):
            lines.append(f"USE {'.'.join(map(quoted, here))};")
            place = here
        lines.append(_ended(masked(entry.text)))
    return "\n".join(lines)


def _ended(text: str) -> str:
    """The statement with its semicolon, which no comment takes in."""
    last = tokens(text)[-1].end
    return f"{text[:last]};{text[last:].rstrip()}"


def _needed(entries: Sequence[logs.Entry]) -> list[logs.Entry]:
    """What has to be run, in order."""
    steps = [_step(entries[:i], entry) for i, entry in enumerate(entries)]
    wanted = frozenset(each.since for each in logs.fold(entries).objects.values())
    first: dict[int, int] = {}
    makers: set[int] = set()
    for step in reversed(steps):
        if step.makes and step.of & wanted:
            (made,) = step.of
            wanted = (wanted - step.of) | step.reads
            first[made] = step.entry.number
            makers.add(step.entry.number)
    return [
        step.entry
        for step in steps
        if step.entry.number in makers
        or isinstance(step.entry.statement, s.CreatePipeline | s.AlterPipeline)
        or (
            not step.makes
            and any(each in first and first[each] < step.entry.number for each in step.of)
        )
    ]


def _step(before: Sequence[logs.Entry], entry: logs.Entry) -> _Step:
    contents, statement = logs.fold(before), entry.statement
    there = contents.objects
    match statement:
        case s.Create():
            made = logs.fold([*before, entry]).objects[statement.name[-1].lower()]
            reads = frozenset(each.since for each in read_by(made, contents))
            return _Step(entry, frozenset([made.since]), reads)
        case s.Drop():
            return _Step(entry, frozenset(there[n].since for n in entry.drops if n in there))
        case s.Rename() | s.AlterTable():
            about = there.get(statement.name[-1].lower())
            return _Step(entry, frozenset([about.since] if about else []))
        case _:
            return _Step(entry, frozenset())
