"""In which order the statements of a pipeline are carried out again."""

from __future__ import annotations

from collections.abc import Callable

from groundswell.errors import ConfigurationError
from groundswell.sql import log as logs
from groundswell.sql.parsing import statements as s
from groundswell.sql.parsing.tokens import tokens

Before = Callable[[int], logs.Contents]
"""Tells what there was before a statement, by its number."""


def in_order(contents: logs.Contents, before: Before) -> list[logs.Object]:
    """The objects of a pipeline, each after those that its statement may read.

    They are in order of creation, but for views that were replaced: these are younger than what
    reads them. A statement may read what it names; a function reads nothing.

    Raises:
        ConfigurationError: two of them name each other.
    """
    now = {each.stored: each for each in contents.objects.values()}
    made: dict[str, logs.Object] = {}
    above: list[str] = []

    def put(each: logs.Object) -> None:
        if each.stored in made:
            return
        if each.stored in above:
            raise ConfigurationError(
                f"{' reads '.join(now[n].name for n in [*above, each.stored])}, so far as their "
                "statements tell: give a column that is called like a view another name"
            )
        above.append(each.stored)
        reads = () if each.kind == s.FUNCTION else tokens(each.made.text)
        words = {token.value.lower() for token in reads}
        for name, read in before(each.made.number).objects.items():
            if name in words and read.stored in now and read.stored != each.stored:
                put(now[read.stored])
        above.pop()
        made[each.stored] = each

    for each in contents.objects.values():
        put(each)
    return list(made.values())
