"""Why an operator is not incremental, and what to do instead. Pure decisions, one table each."""

from __future__ import annotations

from typing import Any

from groundswell.expressions import of_function

WHY_CALL = "no way is known to take back what it was given; use another aggregate function"

WHY_SUBQUERY = (
    "the value of a subquery must be one column of a type with an order; "
    "join with the query instead"
)

WHERE_CLOCK = "a place other than a filter of its own"

WHY_CLOCK = (
    "the clock may stand in WHERE, in a comparison of order: column > now() - interval, alone or "
    "with AND; put it there, below outer joins and not within OR"
)

WHY_CONSTANT_CLOCK = (
    "rows that no stream brings are read once, and cannot be taken back as time passes; make them "
    "a source, or compare with a time of your own"
)

WHY_SESSION = (
    "beside a call of DISTINCT values Spark gives calls the session that a row's own merges into; "
    "compute the two kinds of calls in two queries"
)

WHY_NOW = (
    "a table as it is now can only be looked up: join it as the other side of an "
    "inner join or as the optional side of an outer one, as gs.temporal_join does"
)

WHY_PYTHON_WINDOW = (
    "only pandas and Arrow aggregate functions are kept over windows; use one, or SQL aggregates"
)

OPERATORS: dict[str, str] = {
    "Generate": "the rows of this generator have no positions to tell them apart; "
    "give an array and explode it, or flatten the rows in the source",
    "AsOfJoin": "the plan of Spark's own as-of join is not taken up; use gs.asof_join(...)",
    "Sample": "a random sample has no defined changes; filter on a hash of the key instead",
    "EventTimeWatermark": "a watermark belongs to a source: call withWatermark on the stream",
    "RepartitionByExpression": "repartition has no meaning in a view; leave it out",
    "Repartition": "repartition has no meaning in a view; leave it out",
    "TransformWithState": "arbitrary stateful processing cannot be retracted; "
    "run it as a query of its own and read its output as a source",
    "FlatMapGroupsWithState": "arbitrary stateful processing cannot be retracted; "
    "run it as a query of its own and read its output as a source",
    "UnionLoop": "how far a change reaches through a recursive query has no bound; join the levels "
    "that you need, or keep the closure as a table of its own",
    "ScriptTransformation": "what a script prints for all rows of a task has no defined changes; "
    "use a Python function",
    "MapInPandas": "a function over a whole partition has no defined changes; use a scalar UDF",
    "MapInArrow": "a function over a whole partition has no defined changes; use a scalar UDF",
}

JOINS: dict[str, str] = {
    "left single": "a correlated subquery that is compared or selected must be so by equalities "
    "alone, and of types with an order; make it an aggregate, as max(...)",
}


def why_operator(op: str) -> str:
    """The reason for an operator that no rule knows."""
    return OPERATORS.get(op, "no incremental form of it is known yet")


def why_join(join_type: str) -> str:
    """The reason for a join type (Catalyst's name, lower case)."""
    return JOINS.get(join_type, "this join type is not supported yet")


def why_call(fn: str) -> str | None:
    """The reason to refuse an aggregate call, or None."""
    facts = of_function(fn)
    return (facts.why or WHY_CALL) if facts and facts.retractable == "no" else None


def why_key_type(data_type: Any) -> str | None:
    """The reason why values of this type cannot be a key (group, join or stream key), or None."""
    if isinstance(data_type, str):
        if data_type.startswith("string collate "):
            return _why_collation(data_type.removeprefix("string collate "))
        if data_type == "variant":
            return "columns of type variant cannot be keys"
        if data_type == "interval":
            return (
                "columns of type interval cannot be told apart here: their nulls differ in bytes; "
                "use intervals of years to months or of days to seconds, or numbers"
            )
        return None
    kind = data_type.get("type")
    if kind == "map":
        return "columns of type map cannot be keys here; use array_sort(map_entries(...))"
    if kind == "array":
        return why_key_type(data_type["elementType"])
    if kind == "struct":
        for field in data_type["fields"]:
            if reason := why_key_type(field["type"]):
                return reason
            # Spark's JSON has collations inside of structs apart from the types
            for collation in field.get("metadata", {}).get("__COLLATIONS", {}).values():
                if reason := _why_collation(collation.partition(".")[2]):
                    return reason
    return None


def _why_collation(name: str) -> str | None:
    if name == "UTF8_BINARY":  # which can be said of a column: the others include its RTRIM
        return None
    return (
        f"columns of type string collate {name} cannot be keys here: equal strings differ in "
        "bytes; use a column with the collation UTF8_BINARY, as lower(...)"
    )
