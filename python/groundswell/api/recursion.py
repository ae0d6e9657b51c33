"""Queries that read their own rows."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import DataFrame

from groundswell import jvm
from groundswell.columns import by_name
from groundswell.errors import NotIncremental, SourceError
from groundswell.jvm.recursions import derivations, recursion_placeholders
from groundswell.plan.nodes import Rank
from groundswell.plan.recursion import MOST_ROUNDS, ROUNDS
from groundswell.runtime.planning.recursions import Declared, declare


@jvm.classic_only(
    "gs.fixpoint",
    "WITH RECURSIVE",
)
def fixpoint(
    base: DataFrame,
    step: Callable[[DataFrame], DataFrame],
    *,
    least: str | None = None,
    greatest: str | None = None,
    limit: int = ROUNDS,
) -> DataFrame:
    """The least table that has the rows of ``base``, and all that ``step`` makes of its own rows.

    It follows every change of what it is made of, deletes included: rows that only derive each
    other go. Equal rows count once. With ``least`` (or ``greatest``) a row counts for each value of
    the other columns: the one with the least value of that column. The step must then not make a
    worse value of a better one: distances may only be added to.

    A barrier takes a round, a Spark job, for each level: how far rows are from the base. The method
    is that of differential dataflow (McSherry and others, CIDR 2013).

    Args:
        base: the first rows: any query over sources, views and batch tables.
        step: takes a DataFrame with the columns of base, and gives what one more step makes of its
            rows, in the same columns by position and type. It may use filters, projections, inner
            joins and unions of these rows, and any query of others beside them.
        least: name of the column whose least value counts.
        greatest: the same of the greatest.
        limit: how many levels there may be; one more fails the barrier, for it may never end.

    Returns:
        A DataFrame to build views on. It stands for the result; it has no rows of its own.

    Raises:
        SourceError: if the columns of the two are not alike, or an argument is wrong.
        NotIncremental: if the step has an operator that cannot stand over its own rows.

    Examples:
        >>> links = p.table("links", "src long, dst long", key=["src", "dst"])
        >>> starts = p.table("starts", "node long", key="node")
        >>> def along(rows):
        ...     return rows.join(links.df, rows.node == links.df.src).select("dst")
        >>> reached = gs.fixpoint(starts.df, along)
        >>> query = p.view("reached", reached).start()
        >>> starts.insert([(1,)])
        >>> links.insert([(1, 2), (2, 3), (7, 8)])
        >>> query.processAllAvailable()
        >>> sorted(row.node for row in query.view("reached").collect())
        [1, 2, 3]
        >>> query.stop()
    """
    if not isinstance(base, DataFrame) or not callable(step):
        raise SourceError(
            "gs.fixpoint takes a DataFrame, and a function from a DataFrame to a DataFrame; got "
            f"{type(base).__name__} and {type(step).__name__}"
        )
    if not isinstance(limit, int) or not 0 < limit <= MOST_ROUNDS:
        raise SourceError(f"gs.fixpoint: limit is a number from 1 to {MOST_ROUNDS}, got {limit!r}")
    rank = _rank(base, least, greatest)
    (result, standing), (feedback, rows) = recursion_placeholders(base)
    made = step(rows.select(*(by_name(name) for name in base.columns)))
    _check(base, made)
    try:
        derived = derivations(base, made, feedback)
    except ValueError as e:
        raise NotIncremental([("gs.fixpoint", str(e))]) from e
    declare(
        jvm.jvm_id(base.sparkSession),
        Declared(result, feedback, derived, rank, rounds=limit),
    )
    return standing


def _rank(base: DataFrame, least: str | None, greatest: str | None) -> Rank | None:
    if least is not None and greatest is not None:
        raise SourceError(f"gs.fixpoint: give least={least!r} or greatest={greatest!r}, not both")
    name = greatest if least is None else least
    if name is None:
        return None
    if name not in base.columns or len(base.columns) < 2:
        raise SourceError(
            f"gs.fixpoint: {name!r} has to be one of several columns of base, which has "
            f"{', '.join(base.columns)}"
        )
    return base.columns.index(name), least is not None


def _check(base: DataFrame, made: object) -> None:
    if not isinstance(made, DataFrame):
        raise SourceError(f"gs.fixpoint: step has to return a DataFrame, not {type(made).__name__}")
    doubles = sorted({c for c in base.columns if base.columns.count(c) > 1})
    if doubles:
        raise SourceError(f"gs.fixpoint: base has several columns named {', '.join(doubles)}")
    ours = [(f.name, f.dataType.simpleString()) for f in base.schema.fields]
    theirs = [(f.name, f.dataType.simpleString()) for f in made.schema.fields]
    if [kind for _, kind in ours] != [kind for _, kind in theirs]:
        given = [", ".join(f"{name} {kind}" for name, kind in each) for each in (ours, theirs)]
        raise SourceError(
            f"gs.fixpoint: base has the columns ({given[0]}), step gives ({given[1]}); they have "
            "to be as many and of the same types, in the same order: cast or select in the step"
        )
