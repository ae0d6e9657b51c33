"""What the sinks of lake tables have in common: they merge by key, or append."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager

from groundswell.errors import GroundswellError, SinkError, SinkUnavailable
from groundswell.sinks.columns import missing
from groundswell.sinks.options import SinkOption
from groundswell.sinks.sink import APPEND, SinkStart

MERGE = "merge"
MODE = SinkOption(
    "mode",
    "merge: upserts and deletes by key; append: the rows of a view that only grows",
    choices=(APPEND, MERGE),
)


def check_columns(table: str, start: SinkStart, there: Collection[str]) -> None:
    """Refuses a table that lacks a column of the view.

    Raises:
        SinkError: it does.
    """
    for name in start.columns:
        if name not in there:
            raise missing(table, name, there)


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
