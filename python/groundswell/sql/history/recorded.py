"""What a location says of a pipeline of SQL: its statements, and what they have made."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager

from pyspark.sql import SparkSession

from groundswell import jvm
from groundswell.catalog.names import check_name
from groundswell.config import GONE
from groundswell.errors import ConfigurationError, GroundswellError
from groundswell.runtime.record import definition
from groundswell.runtime.record.epochs import EpochLog
from groundswell.runtime.record.location import EPOCHS, FOLDER
from groundswell.sql.history import log as logs
from groundswell.sql.history import of_python
from groundswell.sql.parsing import statements as s


class Recorded:
    """A pipeline as its location has it.

    Attributes:
        name: what SQL calls it.
        location: qualified.
        log: its statements.
    """

    def __init__(self, spark: SparkSession, name: str, location: str) -> None:
        self.name = check_name("pipeline", name)
        self.location = jvm.qualify(spark, location)
        self.spark = spark
        self._home = jvm.JvmFolder.open(spark, self.location).child(FOLDER)
        self.log = logs.StatementLog(self._home)
        self._making: int | None = None

    @property
    def contents(self) -> logs.Contents:
        """What it consists of, as the location says now."""
        return logs.fold(self._entries()) if self.log.read() else of_python.contents(self._home)

    def _entries(self) -> list[logs.Entry]:
        """The statements that count: a pending one does for who carries it out."""
        return [e for e in self.log.read() if not e.pending or e.number == self._making]

    @property
    def in_python(self) -> bool:
        """Whether a Python program defines it: statements only read its views."""
        return not self.log.read() and bool(of_python.contents(self._home).objects)

    @property
    def called(self) -> str | None:
        """Its name as it was made; None: nothing was ever made there."""
        made = self.contents.pipeline
        statement = made.statement if made else None
        return statement.name[-1] if isinstance(statement, s.CreatePipeline) else None

    @property
    def options(self) -> Mapping[str, str]:
        """Those of ``CREATE PIPELINE``, as ``ALTER PIPELINE`` left them."""
        return self.kept(self.contents.options)

    @property
    def created_with(self) -> Mapping[str, str]:
        """Those of ``CREATE PIPELINE`` alone."""
        made = self.contents.pipeline
        statement = made.statement if made else None
        return self.kept(statement.options if isinstance(statement, s.CreatePipeline) else {})

    def kept(self, given: Mapping[str, str]) -> dict[str, str]:
        """Options without those that count once, or are of older releases."""
        not_kept = {"takeover", *GONE}
        return {key: value for key, value in given.items() if key.lower() not in not_kept}

    def find(self, name: str, *kinds: str) -> logs.Object:
        """An object by its name.

        Raises:
            ConfigurationError: there is none, or it is of another kind.
        """
        contents = self.contents
        found = contents.objects.get(name.lower())
        if found is None:
            known = ", ".join(
                o.name for o in contents.objects.values() if o.kind in kinds or not kinds
            )
            what = kinds[0] if len(kinds) == 1 else "table, source or materialized view"
            raise ConfigurationError(
                f"pipeline {self.name} has no {what} {name!r}; it has {known or 'none'}"
            )
        if kinds and found.kind not in kinds:
            raise ConfigurationError(f"{name} is a {found.kind}, not a {' or '.join(kinds)}")
        return found

    def indexes_of(self, read: logs.Object) -> list[logs.Object]:
        """The indexes on a table or view."""
        return [
            each
            for each in self.contents.of(s.INDEX)
            if (on := _indexed(each, self._before(each.made.number))) and on.stored == read.stored
        ]

    def newest(self) -> int | None:
        """The newest epoch that can be read; None: there is none, or only of a first load."""
        log = EpochLog(self._home.child(EPOCHS))
        epochs = log.epochs()
        return epochs[-1] if epochs and not log.get(epochs[-1]).loads else None

    @property
    def suspended(self) -> dict[str, tuple[str, int | None]]:
        """By the name that the pipeline has for a view that stands still: that, and its epoch."""
        owner = definition.load(self._home)
        aside = {} if owner is None else owner.aside
        return {name: ("suspended", one.epoch) for name, one in aside.items()}

    def view_of(self, each: logs.Object) -> str:
        """What the pipeline calls a view, or the view that a sink is of."""
        made = each.made.statement
        if not isinstance(made, s.CreateSink) or made.view is None:
            return each.stored
        read = self._before(each.made.number).objects.get(made.view[-1].lower())
        return read.stored if read is not None and read.kind == s.VIEW else each.stored

    @contextmanager
    def names_told(self) -> Iterator[None]:
        """Says in an error what an object is called now, if it was made under another name."""
        try:
            yield
        except GroundswellError as e:
            said = str(e)
            told = [
                f"{each.stored} is what {each.kind} {each.name} began as"
                for each in self.contents.objects.values()
                if each.stored.lower() != each.name.lower()
                and re.search(rf"\b{re.escape(each.stored)}\b", said)
            ]
            if told:
                e.args = (f"{said} ({'; '.join(told)})", *e.args[1:])
            raise

    def _cut_off(self) -> logs.Entry | None:
        """The last statement, if a crash has cut it off."""
        entries = self.log.read()
        last = entries[-1] if entries else None
        return last if last and last.pending and last.number != self._making else None

    def _is_in_location(self, entry: logs.Entry) -> bool:
        """Whether a start has noted a statement; what it drops may be gone, too."""
        owner = definition.load(self._home)
        return owner is not None and owner.revision >= entry.number

    def _before(self, number: int) -> logs.Contents:
        """What was there before a statement."""
        return logs.fold(entry for entry in self._entries() if entry.number < number)

    def _check_not_in_python(self) -> None:
        if self.in_python:
            raise ConfigurationError(
                f"the pipeline in {self.location} is defined by a Python program: change and run "
                "it there. Statements can read its views"
            )

    def _dropped_by(self, drop: logs.Entry) -> list[logs.Object]:
        before = self._before(drop.number).objects
        return [before[name] for name in drop.drops]

    def views_there(self) -> set[str]:
        """Names of the views of the location; one that no statement has made is to go."""
        owner = definition.load(self._home)
        return {*owner.views} if owner else set()

    def _views_at(self, epoch: int | None) -> Collection[str]:
        if epoch is None:
            return ()
        return EpochLog(self._home.child(EPOCHS)).get(epoch).views


def _indexed(index: logs.Object, before: logs.Contents) -> logs.Object | None:
    statement = index.made.statement
    assert isinstance(statement, s.CreateIndex)
    return before.objects.get(statement.on[-1].lower())
