"""In which order the statements of a pipeline are carried out again."""

from __future__ import annotations

from collections.abc import Callable

from groundswell.errors import ConfigurationError
from groundswell.sql.history import log as logs
from groundswell.sql.parsing import statements as s
from groundswell.sql.parsing.tokens import tokens

Before = Callable[[int], logs.Contents]
"""Tells what there was before a statement, by its number."""

_READERS = (s.VIEW, s.SINK, s.INDEX)
_CALLERS = (s.TABLE, s.SOURCE)


def in_order(contents: logs.Contents, before: Before) -> list[logs.Object]:
    """The objects of a pipeline, each after those that its statement may read.

    They are in order of creation, but for views that were replaced: these are younger than what
    reads them. A view, sink or index may read all that its statement names; a table or source may
    call functions in its constraints, and a function reads nothing.

    Raises:
        ConfigurationError: two of them name each other.
    """
    now = {each.since: each for each in contents.objects.values()}
    made: dict[int, logs.Object] = {}
    above: list[int] = []

    def put(each: logs.Object) -> None:
        if each.since in made:
            return
        if each.since in above:
            raise ConfigurationError(
                f"{' reads '.join(now[n].name for n in [*above, each.since])}, so far as their "
                "statements tell: give a column that is called like a view another name"
            )
        above.append(each.since)
        for read in read_by(each, before(each.made.number)):
            if read.since in now:
                put(now[read.since])
        above.pop()
        made[each.since] = each

    for _, each in sorted(now.items()):
        put(each)
    return list(made.values())


def read_by(each: logs.Object, there: logs.Contents) -> list[logs.Object]:
    """What the statement of an object may read: of what was there before it, what it names."""
    words = {token.value.lower() for token in tokens(each.made.text)}
    return [
        read
        for name, read in there.objects.items()
        if name in words and read.since != each.since and _may_read(each, read)
    ]


def _may_read(each: logs.Object, read: logs.Object) -> bool:
    return each.kind in _READERS or (each.kind in _CALLERS and read.kind == s.FUNCTION)
