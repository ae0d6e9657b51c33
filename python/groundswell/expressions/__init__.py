"""What Spark's expressions do: the one place for "may this expression be kept?".

``facts.txt`` is a table with one row a class of Catalyst's expressions; its head says what each
column means. The jar carries the same file, and the JVM, which sees the expressions, judges by it.
A class without a row is refused: nobody has said that the same arguments give it the same value.

To admit a class, add its row. A test walks all classes and functions that Spark has, and fails for
one without a row.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

FILE = "facts.txt"

VARIES_WITH = ("nothing", "clock", "task", "session", "said", "arguments", "absent")
RETRACTABLE = ("again", "exact", "buffer", "values", "frame", "positions", "no")
COMPARABLE_BY = ("bytes", "rounding", "order", "chance", "-")
CAN_FAIL = ("no", "yes", "narrowing", "overflow", "caught")


@dataclass(frozen=True)
class Facts:
    """A row of the table.

    Attributes:
        name: the class, below ``org.apache.spark.sql`` unless it is written in full.
        varies_with: what else than its arguments its value depends on.
        retractable: how what it gave is taken back.
        comparable_by: in what its values over the same rows in another order agree.
        can_fail: whether it may throw on some row.
        sql: names of the functions that are registered as this class.
        why: for what is refused: the reason, in place of the general one; may be empty.
    """

    name: str
    varies_with: str
    retractable: str
    comparable_by: str
    can_fail: str
    sql: tuple[str, ...] = ()
    why: str = ""


def parse(text: str) -> tuple[Facts, ...]:
    """Reads the table.

    Raises:
        ValueError: if a row has a word that its column does not know, or is there twice.
    """
    rows: dict[str, Facts] = {}
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        cells = [*(cell.strip() for cell in line.split("|")), *[""] * 6]
        name, varies_with, retractable, comparable_by, can_fail, sql, why = cells[:7]
        if name == "class":
            continue
        row = Facts(
            name, varies_with, retractable, comparable_by, can_fail, tuple(sql.split()), why
        )
        for word, known in (
            (varies_with, VARIES_WITH),
            (retractable, RETRACTABLE),
            (comparable_by, COMPARABLE_BY),
            (can_fail, CAN_FAIL),
        ):
            if word not in known:
                raise ValueError(f"{FILE}: {name}: {word!r} is none of {', '.join(known)}")
        if name in rows:
            raise ValueError(f"{FILE}: {name} has two rows")
        rows[name] = row
    return tuple(rows.values())


@cache
def table() -> tuple[Facts, ...]:
    """All rows, in the order of the file."""
    return parse(files(__name__).joinpath(FILE).read_text("utf-8"))


@cache
def of_function(name: str) -> Facts | None:
    """The row of a registered function; None: it is not Spark's, or several classes share it."""
    return next((row for row in table() if name.lower() in row.sql), None)


def accumulated(fn: str) -> bool:
    """Whether an accumulator of ours takes back what an aggregate function was given."""
    facts = of_function(fn)
    return facts is not None and facts.retractable == "exact"
