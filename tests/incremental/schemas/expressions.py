"""Expressions and aggregate calls over columns of any type. All are deterministic and total."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import types as t
from pyspark.sql.types import DataType

from incremental.schemas.relations import Column, Maker, Relation, Unsuitable
from incremental.schemas.types import holds_collated, is_collated, is_comparable


def anything(_: DataType) -> bool:
    return True


def is_a(*classes: type[DataType]) -> Callable[[DataType], bool]:
    return lambda type_: isinstance(type_, classes)


def is_nestable(type_: DataType) -> bool:
    return not holds_collated(type_)


NUMBER = is_a(t.NumericType)
INTERVAL = is_a(t.DayTimeIntervalType, t.YearMonthIntervalType)
WHOLE = is_a(t.ByteType, t.ShortType, t.IntegerType, t.LongType)
FLOATING = is_a(t.FloatType, t.DoubleType)
TEXT = is_a(t.StringType)
TIME = is_a(t.TimestampType, t.TimestampNTZType)

EXPRESSIONS: list[tuple[Callable[[DataType], bool], str]] = [
    (anything, "{x}"),
    (anything, "{x}"),
    (anything, "{x} is null"),
    (anything, "if({c}, {x}, null)"),
    (is_nestable, "array({x}, null)"),
    (is_nestable, "named_struct('a', {x}, 'b', 1)"),
    (is_nestable, "parse_json(to_json(named_struct('v', {x})))"),
    (is_comparable, "nullif({x}, {x})"),
    (is_comparable, "greatest({x}, {y})"),
    (is_comparable, "case when {x} <=> {y} then {x} end"),
    (WHOLE, "{x} % 3"),
    (WHOLE, "cast({x} as double)"),
    (WHOLE, "cast({x} as string)"),
    (WHOLE, "cast({x} as decimal(20, 3))"),
    (FLOATING, "-{x}"),
    (FLOATING, "round({x}, 0)"),
    (is_a(t.DecimalType), "round({x}, 1)"),
    (is_a(t.DecimalType), "cast({x} as double)"),
    (is_a(t.DecimalType), "abs({x})"),
    (TEXT, "concat({x}, 'é')"),
    (TEXT, "length({x})"),
    (TEXT, "upper({x})"),
    (TEXT, "collate({x}, 'UTF8_LCASE')"),
    (TEXT, "collate({x}, 'UTF8_BINARY')"),
    (is_a(t.BinaryType), "hex({x})"),
    (is_a(t.BooleanType), "not {x}"),
    (is_a(t.DateType), "date_add({x}, 1)"),
    (is_a(t.DateType), "cast({x} as timestamp)"),
    (is_a(t.DateType), "make_ym_interval(year({x}), month({x}))"),
    (TIME, "cast({x} as date)"),
    (TIME, "date_trunc('hour', {x})"),
    (TIME, "{x} - timestamp '2024-03-10 00:00:00'"),
    (is_a(t.TimestampType), "cast({x} as timestamp_ntz)"),
    (is_a(t.ArrayType), "size({x})"),
    (is_a(t.ArrayType), "get({x}, 0)"),
    (is_a(t.StructType), "{x}.a"),
    (is_a(t.StructType), "{x}.b"),
    (is_a(t.VariantType), "try_variant_get({x}, '$.v', 'string')"),
    (is_a(t.VariantType), "to_json({x})"),
    (is_a(t.MapType), "cardinality({x})"),
    (is_a(t.MapType), "sort_array(map_keys({x}))"),
    (is_a(t.MapType), "try_element_at({x}, 'x')"),
]

AGGREGATES: list[tuple[Callable[[DataType], bool], str]] = [
    (anything, "count(*)"),
    (anything, "count({x})"),
    (anything, "bool_or({x} is null)"),
    (anything, "count_if({c})"),
    (anything, "count(distinct {x})"),
    (anything, "count(distinct {x}, {y})"),
    (is_comparable, "min({settled})"),
    (is_comparable, "max({settled})"),
    (is_comparable, "sort_array(collect_list({settled}))"),
    (is_comparable, "sort_array(collect_set({settled}))"),
    (is_comparable, "approx_count_distinct({x})"),
    (NUMBER, "sum({x})"),
    (NUMBER, "avg({x})"),
    (NUMBER, "sum(distinct {x})"),
    (NUMBER, "percentile({x}, 0.5)"),
    (is_a(t.DecimalType), "median({x})"),
    (INTERVAL, "sum({x})"),
    (INTERVAL, "avg({x})"),
    (WHOLE, "bit_xor({x})"),
    (WHOLE, "try_sum({x})"),
    (TEXT, "listagg({settled}, ',') within group (order by {settled})"),
    (is_a(t.BooleanType), "every({x})"),
]


def settled(column: Column) -> str:
    """The column; of strings that are equal always the same one."""
    return f"lower({column.sql})" if is_collated(column.type) else column.sql


def total_order(relation: Relation, maker: Maker) -> str:
    """An order in which only equal rows tie; its columns come in any order."""
    columns = relation.columns
    if not all(
        is_comparable(c.type) and (is_collated(c.type) or is_nestable(c.type)) for c in columns
    ):
        raise Unsuitable
    ways = ["", "", " desc", " nulls last", " desc nulls first"]
    keys = []
    for column in maker.rng.sample(columns, len(columns)):
        keys.append(column.sql + maker.pick(ways))
        if is_collated(column.type):
            keys.append(f"collate({column.sql}, 'UTF8_BINARY')")
    return ", ".join(keys)


def condition(maker: Maker, relation: Relation) -> str:
    """True for some rows, whatever their types."""
    a = maker.pick(relation.columns)
    choices = [f"{a.sql} is not null", f"{a.sql} is null"]
    same = [b for b in relation.columns if b.type == a.type and is_comparable(a.type)]
    for b in same:
        choices += [f"{a.sql} {op} {b.sql}" for op in ("<=>", "<=", "<>")]
    if NUMBER(a.type):
        choices += [f"{a.sql} > 0", f"{a.sql} in (0, 1, 2)", f"{a.sql} = -0.0"]
    if TEXT(a.type):
        choices += [f"{a.sql} = 'a'", f"{a.sql} like '%a%'", f"{a.sql} > 'A'"]
    return maker.pick(choices)


def expression(maker: Maker, relation: Relation) -> str:
    """A value made of the relation's columns."""
    column = maker.pick(relation.columns)
    template = maker.pick([text for fits, text in EXPRESSIONS if fits(column.type)])
    same = [other.sql for other in relation.columns if other.type == column.type]
    return template.format(x=column.sql, y=maker.pick(same), c=condition(maker, relation))


def call(maker: Maker, relation: Relation) -> str:
    """An aggregate call."""
    column, other = maker.pick(relation.columns), maker.pick(relation.columns)
    template = maker.pick([text for fits, text in AGGREGATES if fits(column.type)])
    names = {"x": column.sql, "y": other.sql, "settled": settled(column)}
    text = template.format(c=condition(maker, relation), **names)
    return maker.pick([text, text, f"{text} filter (where {condition(maker, relation)})"])
