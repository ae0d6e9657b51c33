"""What the optimizer does to a query, as an ordered list of small rules. Pure.

Each rule can be switched off by name, for measurements and tests: :func:`without`. A pipeline has
no option for it, since states are named after plans.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """One rule.

    Attributes:
        name: what it is switched off by.
        pattern: the part of a plan that it is about.
        condition: when it applies.
        result: what becomes of it.
        doc: what it is good for.
        example: views over tables ``a``, ``b``, ``c`` with columns ``id`` (the key), ``k``, ``g``,
            ``v``, whose states are others without it.
    """

    name: str
    pattern: str
    condition: str
    result: str
    doc: str
    example: tuple[str, ...]


_BASE = "select a.id, b.id bid from a join b on a.k = b.k"

RULES = (
    Rule(
        "join order",
        "three inputs or more ⋈ ... ⋈",
        "inner equi-joins that cannot fail; another order costs at most 0.8 of this one",
        "the tree that costs least",
        "Little is kept, and a change touches few rows.",
        ("select a.id, b.id bid, c.id cid from a join b on a.k = b.k join c on c.id = a.g",),
    ),
    Rule(
        "indexes",
        "a tree of equi-joins over tables and views",
        "each input has a shared index by what it is joined by; hash joins do not cost less",
        "a delta join",
        "The join keeps nothing of its own.",
        (_BASE, "select a.v, b.v w from a join b on a.k = b.k"),
    ),
)
"""In the order in which they are used."""

_off: ContextVar[frozenset[str]] = ContextVar("off", default=frozenset())


def is_on(name: str) -> bool:
    """Whether a rule is used."""
    assert any(rule.name == name for rule in RULES), name
    return name not in _off.get()


@contextmanager
def without(*names: str) -> Iterator[None]:
    """Plans without some rules, within a ``with`` block.

    Args:
        names: of the rules.

    Raises:
        KeyError: there is no such rule.
    """
    for name in names:
        if name not in {rule.name for rule in RULES}:
            raise KeyError(name)
    token = _off.set(_off.get() | frozenset(names))
    try:
        yield
    finally:
        _off.reset(token)
