"""What a table's columns take: types that are refused, nulls and lengths that a write may have."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import reduce

from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ArrayType,
    CharType,
    DataType,
    DecimalType,
    MapType,
    NullType,
    StringType,
    StructField,
    StructType,
    TimeType,
    VarcharType,
)

from groundswell import jvm
from groundswell.columns import TIMES, by_name, fitted, padded
from groundswell.errors import SourceError


def stored(schema: StructType) -> StructType:
    """The columns as files and views have them.

    Lengths are kept by the writes, as are values within others that are never null: to Spark, any
    value within another may be null in a file.
    """
    fields = [_stored(f, f.nullable) for f in schema.fields]
    loosened = StructType(fields).toNullable()
    assert isinstance(loosened, StructType)
    for field, was in zip(loosened.fields, fields, strict=True):
        field.nullable = was.nullable
    return loosened


def _stored(field: StructField, nullable: bool) -> StructField:
    if isinstance(field.dataType, CharType):
        field = padded(field)
    of = StringType() if isinstance(field.dataType, VarcharType) else field.dataType
    return StructField(field.name, of, nullable, field.metadata)


def loose(schema: StructType) -> StructType:
    """The same without ``NOT NULL``, as releases noted them that kept no lengths either."""
    return StructType([_stored(f, True) for f in schema.fields])


def fit(rows: DataFrame, schema: StructType) -> DataFrame:
    """The rows of a write as the table keeps them: a ``char`` is padded, spaces are cut off."""
    types = {f.name: f.dataType for f in schema.fields}

    def kept(name: str) -> Column:
        of = types.get(name)
        if not isinstance(of, CharType | VarcharType):
            return by_name(name)
        return F.coalesce(fitted(by_name(name), of), by_name(name)).alias(name)

    return rows.select(*map(kept, rows.columns))


def check_types(table: str, schema: StructType, times: bool = False) -> None:
    """Refuses types that a new table cannot keep.

    Args:
        table: its name.
        schema: its columns.
        times: whether the session knows the type ``time``.

    Raises:
        SourceError: names table, column and type.
    """
    for field in schema.fields:
        if reason := _why(field.dataType, times, outermost=True):
            raise SourceError(f"table {table}, column {field.name}: {reason}")


_TO_NO_FILES = "for Spark writes it to no files"


def _why(of: DataType, times: bool, outermost: bool = False) -> str | None:
    if of.simpleString() == "interval":
        return (
            f"interval is not taken, {_TO_NO_FILES}: use INTERVAL YEAR TO MONTH or INTERVAL DAY TO "
            "SECOND"
        )
    match of:
        case CharType() | VarcharType() if not outermost:
            return f"{of.simpleString()} inside of another type is not checked: use string"
        case TimeType() if not times:
            return (
                f"{of.simpleString()} is not taken, for Spark refuses queries over it unless "
                f"{TIMES} is true: set it, or use a string, or INTERVAL HOUR TO SECOND since "
                "midnight"
            )
        case NullType():
            return f"void is not taken, {_TO_NO_FILES}: use the type that its values will have"
        case StructType() if not of.fields:
            return f"a struct without fields is not taken, {_TO_NO_FILES}: give it a field"
        case StructType():
            return next((r for f in of.fields if (r := _why(f.dataType, times))), None)
        case ArrayType():
            return _why(of.elementType, times)
        case MapType():
            return _why(of.keyType, times) or _why(of.valueType, times)
        case _:
            return None


_WHOLE = ("tinyint", "smallint", "int", "bigint")


def is_wider(new: DataType, old: DataType) -> bool:
    """Whether a column's type holds all values of another one, and files of it are read so."""
    was, now = old.simpleString(), new.simpleString()
    match old, new:
        case DecimalType(), DecimalType():
            whole = new.precision - new.scale >= old.precision - old.scale
            return was != now and whole and new.scale >= old.scale
        case VarcharType(), VarcharType():
            return new.length > old.length
        case VarcharType(), StringType():
            return True
    if was in _WHOLE and now in ("int", "bigint"):
        return _WHOLE.index(was) < _WHOLE.index(now)
    return (was, now) == ("float", "double")


@dataclass(frozen=True)
class Rule:
    """What the values of one column must be.

    Attributes:
        broken: whether a row breaks it.
        told: what is said of the number of rows that do, and of their longest value.
        length: of a value; None where none is looked at.
        condition: the constraint with its condition, as it was written; None: it is no CHECK.
    """

    column: str
    broken: Column
    told: Callable[[int, int], str]
    length: Column | None = None
    condition: str | None = None


def rules(
    schema: StructType, key: Collection[str], gone: Column, checks: Mapping[str, str]
) -> list[Rule]:
    """What a write is checked for; rows that only say which key goes are not."""
    found = [
        Rule(
            schema.names[0],
            F.expr(f"({text}) IS FALSE") & ~gone,
            _unmet(name, text),
            condition=f"constraint {name}: CHECK ({text})",
        )
        for name, text in checks.items()
    ]
    for field in schema.fields:
        name, value = field.name, by_name(field.name)
        if name in key or not field.nullable:
            found.append(Rule(name, value.isNull() & ~gone, _nulls(name, name in key)))
        if (within := _null_within(field.dataType, value)) is not None:
            found.append(Rule(name, F.coalesce(within, F.lit(False)) & ~gone, _nulls_within(name)))
        if isinstance(field.dataType, CharType | VarcharType):
            most = field.dataType.length
            length = F.char_length(F.rtrim(value.cast("string")))  # as in Spark's own tables
            told = _lengths(name, field.dataType)
            found.append(Rule(name, (length > most) & ~gone, told, length))
    return found


def _null_within(of: DataType, value: Column) -> Column | None:
    """Whether a value has a null where its type has none; None: its type may have them all."""
    found: list[Column] = []

    def at(part: Column, kind: DataType, nullable: bool) -> Column | None:
        below = _null_within(kind, part)
        if nullable:
            return below
        return part.isNull() if below is None else part.isNull() | below

    def exists(parts: Column, kind: DataType, nullable: bool) -> None:
        if at(F.lit(None), kind, nullable) is not None:
            found.append(F.exists(parts, lambda part: _of(at(part, kind, nullable))))

    match of:
        case StructType():
            for field in of.fields:
                wrong = at(value.getField(field.name), field.dataType, field.nullable)
                if wrong is not None:
                    found.append(value.isNotNull() & wrong)
        case ArrayType():
            exists(value, of.elementType, of.containsNull)
        case MapType():
            exists(F.map_keys(value), of.keyType, True)
            exists(F.map_values(value), of.valueType, of.valueContainsNull)
    each = [F.coalesce(one, F.lit(False)) for one in found]
    return reduce(Column.__or__, each) if each else None


def _of(found: Column | None) -> Column:
    assert found is not None
    return found


def _nulls_within(column: str) -> Callable[[int, int], str]:
    def told(rows: int, length: int) -> str:
        del length
        return (
            f"{rows} {'row has' if rows == 1 else 'rows have'} null within column {column}, where "
            "its type is NOT NULL. Give it a value, or leave these rows out"
        )

    return told


def _unmet(check: str, text: str) -> Callable[[int, int], str]:
    def told(rows: int, length: int) -> str:
        del length
        return (
            f"{rows} {'row does' if rows == 1 else 'rows do'} not meet constraint {check}: CHECK "
            f"({text}). Correct them, or leave them out"
        )

    return told


def _nulls(column: str, is_key: bool) -> Callable[[int, int], str]:
    why = "is of the key, which identifies a row" if is_key else "is NOT NULL"

    def told(rows: int, length: int) -> str:
        del length
        return (
            f"{rows} {'row has' if rows == 1 else 'rows have'} null in column {column}, which "
            f"{why}. Give it a value, or leave these rows out"
        )

    return told


def _lengths(column: str, of: CharType | VarcharType) -> Callable[[int, int], str]:
    def told(rows: int, length: int) -> str:
        return (
            f"{rows} {'row has' if rows == 1 else 'rows have'} too long a value in column "
            f"{column}, which is {of.simpleString()}; the longest has {length} letters. Shorten "
            f"it, as with left({column}, {of.length})"
        )

    return told


def guarded(rows: DataFrame, checks: list[Rule]) -> DataFrame:
    """The same rows; to compute one that breaks a rule fails.

    Not a filter: Spark may move one to where rows are that the query leaves out.
    """
    wanted: dict[str, Column] = {}
    types = {f.name: f.dataType for f in rows.schema.fields}
    for rule in checks:
        value = wanted.get(rule.column, by_name(rule.column))
        raised = F.raise_error(F.lit("a rule of the table is broken")).cast(types[rule.column])
        wanted[rule.column] = F.when(rule.broken, raised).otherwise(value)
    return rows.select(*(wanted.get(n, by_name(n)).alias(n) for n in rows.columns))


def explain(table: str, rows: DataFrame, checks: list[Rule]) -> None:
    """Says which rule the rows break, if they break one.

    Raises:
        SourceError: names table, column and number of rows; or a condition that cannot be
            computed.
    """
    wanted = []
    for n, rule in enumerate(checks):
        length = F.lit(0) if rule.length is None else rule.length
        wanted.append(F.count(F.when(rule.broken, 1)).alias(f"rows{n}"))
        wanted.append(F.max(F.when(rule.broken, length)).alias(f"length{n}"))
    try:
        found = rows.agg(*wanted).collect()[0]
    except PySparkException:
        _check_computed(table, rows, checks)
        raise
    told = [
        rule.told(found[f"rows{n}"], found[f"length{n}"])
        for n, rule in enumerate(checks)
        if found[f"rows{n}"]
    ]
    if told:
        raise SourceError(f"table {table}: {'; '.join(told)}. Nothing was written")


def _check_computed(table: str, rows: DataFrame, checks: list[Rule]) -> None:
    """Refuse a condition that throws, over rows that do not."""
    rows.write.format("noop").mode("append").save()
    for rule in checks:
        try:
            rows.agg(F.count(F.when(rule.broken, 1))).collect()
        except PySparkException as e:
            if rule.condition is None:
                raise
            raise SourceError(
                f"table {table}: {rule.condition} cannot be computed of a row: {jvm.first_line(e)} "
                "Correct the row, or leave it out. Nothing was written"
            ) from None
