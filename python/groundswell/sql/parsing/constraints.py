"""Reads constraints: expectations of views and sources, checks of tables. Pure."""

from __future__ import annotations

from groundswell.sql.parsing import statements as s
from groundswell.sql.parsing.cursor import Cursor
from groundswell.sql.parsing.tokens import syntax_error

_EXPECT = "CONSTRAINT name EXPECT (condition)"


def read_constraints(c: Cursor) -> tuple[s.Constraint, ...]:
    """``(CONSTRAINT c EXPECT (condition) [ON VIOLATION DROP ROW | FAIL UPDATE], ...)``, or none.

    They stand behind a view's name, as in Spark's pipelines. These take columns there, too; here a
    query names its columns itself.
    """
    found: list[s.Constraint] = []
    if not c.take("("):
        return ()
    while True:
        if not c.sees("CONSTRAINT"):
            c.fail(f"{_EXPECT}; a view's columns are named in its query")
        c.need("CONSTRAINT")
        name = c.name("the name of a constraint")
        if not c.sees("EXPECT"):
            c.fail(f"EXPECT, as in {_EXPECT}")
        add_constraint(c, found, _expect(c, name))
        if not c.take(","):
            break
    c.need(")")
    return tuple(found)


def sees_constraint(c: Cursor) -> bool:
    """Whether a constraint of a table comes next, and no column that is called so."""
    after = [token.upper for token in c.tokens[c.at + 2 : c.at + 3]]
    named = c.sees("CONSTRAINT") and after in (["CHECK"], ["EXPECT"])
    return named or c.sees("CHECK", "(")


def read_table_constraint(c: Cursor, number: int) -> s.Constraint:
    """``[CONSTRAINT name] CHECK (condition)``, or an expectation as views have it.

    Args:
        c: at its beginning.
        number: how many there are before; it names one without a name.
    """
    name = c.name("the name of a constraint") if c.take("CONSTRAINT") else f"check_{number + 1}"
    if c.take("CHECK"):
        return s.Constraint(name, read_condition(c), "fail")
    return _expect(c, name)


def read_condition(c: Cursor) -> str:
    """``(condition)``."""
    c.need("(")
    condition = c.until(lambda: False, "a condition")
    c.need(")")
    return condition


def add_constraint(c: Cursor, to: list[s.Constraint], made: s.Constraint) -> None:
    """Adds one to others.

    Raises:
        SqlSyntaxError: one of them has its name.
    """
    if made.name.lower() in {known.name.lower() for known in to}:
        raise syntax_error(
            c.text, c.tokens[c.at - 1].start, f"two constraints are named {made.name}"
        )
    to.append(made)


def _expect(c: Cursor, name: str) -> s.Constraint:
    c.need("EXPECT")
    condition, action = read_condition(c), "keep"
    if c.take("ON", "VIOLATION"):
        if c.take("DROP", "ROW"):
            action = "drop"
        elif c.take("FAIL", "UPDATE"):
            action = "fail"
        else:
            c.fail("DROP ROW or FAIL UPDATE; without ON VIOLATION rows are counted, and stay")
    return s.Constraint(name, condition, action)
