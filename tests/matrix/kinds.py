"""Spark's types, and for each the values at its edges, as expressions of Spark SQL.

This is the one list of what the matrix looks at: sources, sinks and readers are driven with it, and
``docs/types.md`` has one row for each entry.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class Kind:
    """A type and its edge values.

    Attributes:
        name: as the tables of the matrix show it.
        type: as DDL says it.
        values: SQL expressions, each cast to the type; null is added to all.
        key: whether Spark groups by it.
        arrow: whether Spark gives its values as Arrow's.
    """

    name: str
    type: str
    values: tuple[str, ...]
    key: bool = True
    arrow: bool = True

    @property
    def column(self) -> str:
        """A name of a column for it."""
        return self.name.replace(" ", "_").replace("(", "_").replace(")", "").replace(",", "_")


def _texts(*values: str) -> tuple[str, ...]:
    return tuple(f"'{v}'" for v in values)


_FLOATS = ("'NaN'", "'Infinity'", "'-Infinity'", "'0.0'", "'-0.0'", "'1.5'")
_DATES = _texts("0001-01-01", "1582-10-10", "1582-10-15", "1969-12-31", "1970-01-01") + _texts(
    "2038-01-19", "2286-11-20", "9999-12-31"
)
_TIMES = _texts(
    "0001-01-01 00:00:00",
    "1582-10-10 12:00:00.000001",
    "1969-12-31 23:59:59.999999",
    "1970-01-01 00:00:00",
    "2038-01-19 03:14:08",
    "2286-11-20 17:46:40",
    "9999-12-31 23:59:59.999999",
)
_NINES = "9" * 38

KINDS = (
    Kind("boolean", "boolean", ("true", "false")),
    Kind("tinyint", "tinyint", ("-128", "0", "127")),
    Kind("smallint", "smallint", ("-32768", "0", "32767")),
    Kind("int", "int", ("-2147483648", "0", "2147483647")),
    Kind("bigint", "bigint", ("'-9223372036854775808'", "0", "9223372036854775807")),
    Kind(
        "float",
        "float",
        (*_FLOATS, "'1.4E-45'", "'3.4028235E38'", "'-3.4028235E38'", "'-4.0910266E-13'"),
    ),
    Kind(
        "double",
        "double",
        (
            *_FLOATS,
            "'4.9E-324'",
            "'1.7976931348623157E308'",
            "'1.7091'",
            "'-1.4074705188261364E113'",
        ),
    ),
    Kind("decimal(9,2)", "decimal(9,2)", ("'-9999999.99'", "'0.00'", "'9999999.99'")),
    Kind("decimal(38,0)", "decimal(38,0)", (f"'-{_NINES}'", "'0'", f"'{_NINES}'")),
    Kind("decimal(38,38)", "decimal(38,38)", (f"'-0.{_NINES}'", "'0'", f"'0.{_NINES}'")),
    Kind("string", "string", (*_texts("", "a", "A", " ", "ü€😀", "NULL", '"', "a,b"), r"'\n\t\\'")),
    Kind("string of 1 MB", "string", ("repeat('x', 1048576)",)),
    Kind("string with a zero byte", "string", ("concat('a', char(0), 'b')",)),
    Kind("string collated", "string collate UTF8_LCASE", _texts("a", "A", "b")),
    Kind("char(4)", "char(4)", _texts("ab", "abcd")),
    Kind("varchar(4)", "varchar(4)", _texts("ab", "ab  ", "abcd", "")),
    Kind("binary", "binary", ("X''", "X'00'", "X'00ff10'")),
    Kind("date", "date", _DATES),
    Kind("timestamp", "timestamp", _TIMES),
    Kind("timestamp_ntz", "timestamp_ntz", _TIMES),
    Kind("time", "time(6)", _texts("00:00:00", "12:30:00.000001", "23:59:59.999999")),
    Kind(
        "interval day to second",
        "interval day to second",
        ("INTERVAL '-106751991 04:00:54.775807' DAY TO SECOND", "INTERVAL '0' DAY")
        + ("INTERVAL '106751991 04:00:54.775807' DAY TO SECOND",),
    ),
    Kind(
        "interval year to month",
        "interval year to month",
        ("INTERVAL '-178956970-8' YEAR TO MONTH", "INTERVAL '0-0' YEAR TO MONTH")
        + ("INTERVAL '178956970-7' YEAR TO MONTH",),
        arrow=False,
    ),
    Kind("interval", "interval", ("make_interval(1, 2, 0, 3, 4, 5, 6)",), key=False, arrow=False),
    Kind("array", "array<double>", ("array()", "array(0D, -0D, double('NaN'), null)")),
    Kind("nested array", "array<array<string>>", ("array()", "array(array(), null, array('a'))")),
    Kind("map", "map<string,int>", ("map()", "map('a', 1, 'b', null)")),
    Kind(
        "struct",
        "struct<a: double, b: array<date>>",
        (
            "named_struct('a', -0D, 'b', array(DATE'0001-01-01'))",
            "named_struct('a', double('NaN'), 'b', null)",
        ),
    ),
    Kind(
        "variant",
        "variant",
        ("parse_json('{\"a\": [1, null]}')", "parse_json('null')"),
        key=False,
        arrow=False,
    ),
)


TIMES = "spark.sql.timeType.enabled"


@contextmanager
def with_times(spark: SparkSession) -> Iterator[None]:
    """A session that knows the type ``time``: Spark 4.3 refuses it unless it is told not to."""
    active = SparkSession.getActiveSession()  # a writer of streams asks that one
    sessions = [spark, *([active] if active is not None else [])]
    was = [each.conf.get(TIMES, "false") for each in sessions]
    for each in sessions:
        each.conf.set(TIMES, "true")
    try:
        yield
    finally:
        for each, before in zip(sessions, was, strict=True):
            each.conf.set(TIMES, str(before))


def query(kind: Kind, column: str = "v") -> str:
    """SQL of rows of ``id`` and the edge values of a type, null last."""
    castable = "string" if kind.type.startswith(("char", "varchar")) else kind.type
    return " UNION ALL ".join(
        f"SELECT {i}L AS id, CAST({value} AS {castable}) AS `{column}`"
        for i, value in enumerate((*kind.values, "null"))
    )


def frame(spark: SparkSession, kind: Kind) -> DataFrame:
    """Rows of ``id`` and ``v``: the edge values of a type, null last."""
    return spark.sql(query(kind))


def keys(spark: SparkSession, kind: Kind) -> DataFrame:
    """Rows of ``v`` and ``id``: one for each key that the values make, without null."""
    return spark.sql(f"SELECT v, min(id) AS id FROM ({query(kind)}) WHERE v IS NOT NULL GROUP BY v")
