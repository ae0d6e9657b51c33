"""What the sinks of lake tables have in common: they merge by key, or append."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from groundswell.errors import GroundswellError, SinkError, SinkUnavailable
from groundswell.sinks.columns import missing
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
        raise SinkUnavailable(f"{table}: {type(e).__name__}: {e}") from None
    except final as e:
        raise SinkError(f"{table}: {type(e).__name__}: {e}") from None
