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
    Rule(
        "columns late",
        "Project(x) ⋈ y",
        "the projection only leaves columns out",
        "Pick(x ⋈ y), the join with the columns that any of its views needs",
        "Views that need other columns of one join share it.",
        (_BASE, "select a.v, b.id bid from a join b on a.k = b.k"),
    ),
    Rule(
        "parts of conditions",
        "Filter(p AND q)(x) ⋈ y",
        "no part can fail",
        "Filter(p)(Filter(q)(x)) ⋈ y, in the order of their texts",
        "Conditions that are written in another order are the same.",
        (f"{_BASE} where a.v > 0 and a.g = 1", f"{_BASE} where a.g = 1 and a.v > 0"),
    ),
    Rule(
        "no null keys",
        "Filter(k IS NOT NULL)(x) ⋈ y by k",
        "the part says nothing else",
        "x ⋈ y",
        "A join keeps no rows without a key anyway, whatever Catalyst infers.",
        (_BASE, f"{_BASE} join c on b.g = c.g"),
    ),
    Rule(
        "order of inputs",
        "x ⋈ y",
        "y's text is less than x's",
        "y ⋈ x",
        "Commuted joins share one state.",
        (_BASE, "select a.id, b.id bid from b join a on a.k = b.k"),
    ),
    Rule(
        "order of keys",
        "x ⋈ y by k and l",
        "l's text is less than k's",
        "x ⋈ y by l and k",
        "Equalities that are written in another order are the same.",
        (
            f"{_BASE} and a.g = b.g",
            "select a.id, b.id bid from a join b on a.g = b.g and a.k = b.k",
        ),
    ),
    Rule(
        "filters late",
        "Filter(p)(x) ⋈ y",
        "another view has x ⋈ y without p",
        "Filter(p)(x ⋈ y)",
        "The state is there in any case, and has the rows.",
        (_BASE, f"{_BASE} where a.g = 1"),
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
