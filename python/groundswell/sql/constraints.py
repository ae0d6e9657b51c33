"""Reads the constraints of ``CREATE MATERIALIZED VIEW``. Pure."""

from __future__ import annotations

from groundswell.sql import statements as s
from groundswell.sql.cursor import Cursor
from groundswell.sql.tokens import syntax_error

_CONSTRAINT = "CONSTRAINT name EXPECT (condition)"


def read_constraints(c: Cursor) -> tuple[s.Constraint, ...]:
    """``(CONSTRAINT c EXPECT (condition) [ON VIOLATION DROP ROW | FAIL UPDATE], ...)``, or none.

    The order is that of Spark's pipelines: after the view's name. They take columns there, too;
    here a query names its columns itself.
    """
    found: list[s.Constraint] = []
    if not c.take("("):
        return ()
    while True:
        at = c.next.start
        if not c.sees("CONSTRAINT"):
            c.fail(f"{_CONSTRAINT}; a view's columns are named in its query")
        made = read_constraint(c)
        if made.name.lower() in {known.name.lower() for known in found}:
            raise syntax_error(c.text, at, f"two constraints are named {made.name}")
        found.append(made)
        if not c.take(","):
            break
    c.need(")")
    return tuple(found)


def read_constraint(c: Cursor) -> s.Constraint:
    """``CONSTRAINT name EXPECT (condition) [ON VIOLATION DROP ROW | FAIL UPDATE]``."""
    c.need("CONSTRAINT")
    name = c.name("the name of a constraint")
    if not c.take("EXPECT"):
        c.fail(f"EXPECT, as in {_CONSTRAINT}")
    c.need("(")
    condition = c.until(lambda: False, "a condition")
    c.need(")")
    action = "keep"
    if c.take("ON", "VIOLATION"):
        if c.take("DROP", "ROW"):
            action = "drop"
        elif c.take("FAIL", "UPDATE"):
            action = "fail"
        else:
            c.fail("DROP ROW or FAIL UPDATE; without ON VIOLATION rows are counted, and stay")
    return s.Constraint(name, condition, action)
