"""Which views answer a batch query."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame

from groundswell import jvm
from groundswell.errors import InvalidArgument
from groundswell.jvm.sql import explained_views


@dataclass(frozen=True)
class ViewUse:
    """What a view does for a query.

    Attributes:
        view: its name.
        used: whether the query would read it in the place of tables.
        reason: why not; empty if it would.
    """

    view: str
    used: bool
    reason: str


@jvm.classic_only("gs.explain_rewrite", "EXPLAIN REWRITE <query>")
def explain_rewrite(frame: DataFrame) -> list[ViewUse]:
    """The views that would answer a query, and why others would not.

    Nothing runs. It makes no difference whether ``spark.groundswell.useViews`` is on.

    Args:
        frame: a batch query over tables and views of pipelines.

    Returns:
        First the views that the query would read. Then those over the same tables that it would
        not, each with the reason. Empty if no view reads only what the query reads.

    Raises:
        InvalidArgument: it is not a DataFrame.

    Examples:
        >>> gs.explain_rewrite(spark.sql("SELECT 1 AS one"))
        []
    """
    if not isinstance(frame, DataFrame):
        raise InvalidArgument(
            f"gs.explain_rewrite takes a query, as spark.sql('...'), got {type(frame).__name__}"
        )
    told = explained_views(frame)
    found = [ViewUse(view, True, "") for view in told.used]
    return found + [ViewUse(view, False, reason) for view, reason in told.reasons.items()]
