"""What the sinks of lake tables have in common: they merge by key, or append."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from groundswell.errors import GroundswellError, SinkError, SinkRowRefused, SinkUnavailable
from groundswell.sinks.columns import missing, shown_row
from groundswell.sinks.narrowing import Narrowing
from groundswell.sinks.options import SinkOption
from groundswell.sinks.sink import APPEND, SinkStart
from groundswell.sinks.target_types import of_arrow

if TYPE_CHECKING:
    import pyarrow as pa

MERGE = "merge"
MODE = SinkOption(
    "mode",
    "merge: upserts and deletes by key; append: the rows of a view that only grows",
    choices=(APPEND, MERGE),
)


def check_columns(table: str, start: SinkStart, there: pa.Schema, narrowing: Narrowing) -> None:
    """Refuses a table that lacks a column of the view, or cannot hold all of its values.

    Raises:
        SinkError: it does.
    """
    for field in start.schema.fields:
        if field.name not in there.names:
            raise missing(table, field.name, there.names)
        kind = there.field(field.name).type
        narrowing.take(table, field, str(kind), of_arrow(kind))
    lacking = [f.name for f in there if not f.nullable and f.name not in start.schema.names]
    if lacking:
        raise SinkError(
            f"{table} wants a value for {', '.join(lacking)}, which the view does not have: add it "
            "to the query, or let the column be null"
        )


def check_required(table: str, rows: pa.Table, there: pa.Schema, key: Sequence[str]) -> None:
    """Refuses a null in a column that takes none.

    Args:
        table: kind and name, as errors say them.
        rows: to be written.
        there: the table's columns.
        key: the columns that name a row; none: a row is shown as a whole.

    Raises:
        SinkRowRefused: names column and row.
    """
    import pyarrow.compute as pc

    for name in rows.column_names:
        if rows[name].null_count and not there.field(name).nullable:
            at = pc.index(pc.is_null(rows[name]), True).as_py()
            raise SinkRowRefused(
                f"column {name} of {table} takes no null, and the row {shown_row(rows, at, key)} "
                "has one there: take coalesce(...) in the query, or let the column be null"
            )


@contextmanager
def errors_of(
    table: str, again: tuple[type[Exception], ...], final: tuple[type[Exception], ...]
) -> Iterator[None]:
    """Errors of a library as those of a sink.

    Args:
        table: kind and name, as errors say them.
        again: those that may pass: the epoch comes again.
        final: those that will not; one that is in both may pass.
    """
    try:
        yield
    except GroundswellError:
        raise
    except again as e:
        raise SinkUnavailable(f"{table}: {type(e).__name__}: {_told(e)}") from None
    except final as e:
        raise SinkError(f"{table}: {type(e).__name__}: {_told(e)}") from None


def _told(error: Exception) -> str:
    """What a library says, on one line, without the stack of Rust's that may be below it."""
    return " ".join(_STACK.split(str(error))[0].split())


_STACK = re.compile(r"^ +0: ", re.MULTILINE)
