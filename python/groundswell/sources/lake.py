"""Tables of a lake as sources of views: rows that come, or rows with what each does."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from groundswell import jvm
from groundswell.api.sources import appends, changelog
from groundswell.columns import by_name
from groundswell.errors import SourceError
from groundswell.jvm.recursions import placeholders_of
from groundswell.plan.refusals import why_key_type
from groundswell.plan.sources import CHANGE_TYPE
from groundswell.runtime.planning.sources import Measure, measure

_COPIES = "_groundswell_copies"


@dataclass(frozen=True)
class Lake:
    """A table that a stream reads.

    Attributes:
        called: the table, for messages.
        stream: a name that only this stream has.
        appends: whether only new rows are read; if not, the stream has :data:`CHANGE_TYPE`, too.
        backlog: looks how much the table has.
    """

    called: str
    stream: str
    appends: bool
    backlog: Measure


def stands_for(
    rows: DataFrame,
    lake: Lake,
    *,
    key: str | Sequence[str] | None,
    columns: Sequence[str] | None,
    name: str,
) -> DataFrame:
    """What stands for a table in views.

    Args:
        rows: of the stream.
        lake: what it reads.
        key: columns that identify a row; None: the whole row does, and equal rows are counted.
        columns: those that are wanted; None: all.
        name: what the checkpoint calls the source.

    Raises:
        SourceError: there is no such column, or one cannot identify a row.
    """
    if columns is not None:
        kind = [] if lake.appends else [CHANGE_TYPE]
        wanted = _known(lake, [n for n in rows.columns if n not in kind], columns)
        rows = rows.select(*map(by_name, wanted), *kind)
    if lake.appends:
        return _measured(appends(rows, name=name), lake)
    if key is not None:
        return _measured(changelog(rows, key, name=name), lake)
    return _whole_rows(rows, lake, name)


def _measured(source: DataFrame, lake: Lake) -> DataFrame:
    """The same source, of which a first start knows how much it has."""
    (key,) = placeholders_of(source)
    measure(jvm.jvm_id(source.sparkSession), key, lake.stream, lake.backlog)
    return source


def _known(lake: Lake, names: Sequence[str], wanted: Sequence[str]) -> list[str]:
    there = {column.lower(): column for column in names}
    for column in wanted:
        if column.lower() not in there:
            raise SourceError(
                f"{lake.called} has no column {column!r}; it has {', '.join(there.values())}"
            )
    return [there[column.lower()] for column in wanted]


def _whole_rows(rows: DataFrame, lake: Lake, name: str) -> DataFrame:
    """Equal rows are one group with a count, which gives as many rows again."""
    for field in rows.schema.fields:
        if reason := why_key_type(json.loads(field.dataType.json())):
            raise SourceError(
                f"column {field.name} of {lake.called} cannot identify a row: {reason}. Give key= "
                "without it, or leave it out of columns="
            )
    changes = _measured(changelog(rows, name=name), lake)
    counted = changes.groupBy(*map(by_name, changes.columns)).agg(F.count("*").alias(_COPIES))
    copies = counted.select("*", F.explode(F.sequence(F.lit(1), F.col(_COPIES))).alias("_copy"))
    return copies.select(*map(by_name, changes.columns))
