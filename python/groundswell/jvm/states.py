"""What states hold at some commits: views, indexes, and rows that move between checkpoints."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from groundswell.contract.codec import decode, encode
from groundswell.contract.commits import IndexPlaces, StateCommits
from groundswell.contract.migration import MigrationPlan, MigrationResult
from groundswell.jvm.errors import JavaPackage, engine_errors
from groundswell.jvm.process import entry


def view_rows(spark: SparkSession, state: StateCommits, schema: str) -> DataFrame:
    """The rows of a view at some commits of its state's partitions."""
    with engine_errors():
        views = entry(spark).Views
        return DataFrame(views.rows(spark._jsparkSession, encode(state), schema), spark)


def view_changes(spark: SparkSession, state: StateCommits, schema: str, epoch: int) -> DataFrame:
    """What an epoch changed in a view: its columns, and ``_change_type``."""
    with engine_errors():
        views = entry(spark).Views
        return DataFrame(views.changes(spark._jsparkSession, encode(state), schema, epoch), spark)


def constants(spark: SparkSession, values: Sequence[tuple[Any, Any]]) -> DataFrame:
    """Values as columns of their types (``DataType.json`` values), of a frame that nobody runs."""
    from pyspark.sql import functions as F
    from pyspark.sql.types import _parse_datatype_json_value

    columns = [F.lit(value).cast(_parse_datatype_json_value(kind)) for value, kind in values]
    return spark.range(0).select(*(c.alias(f"k{i}") for i, c in enumerate(columns)))


def state_lookup(
    spark: SparkSession,
    state: StateCommits,
    schema: str,
    key: DataFrame,
    places: IndexPlaces | None,
) -> DataFrame:
    """The rows of one key of a state, read at once; see ``Views.lookup``.

    Args:
        spark: the session to read with.
        state: where it is at the epoch to be read.
        schema: of its rows, as JSON.
        key: constants; of an index perhaps of its first columns only.
        places: of an index; None: it is a view.
    """
    with engine_errors():
        views = entry(spark).Views
        found = views.lookup(
            spark._jsparkSession,
            encode(state),
            schema,
            key._jdf,
            encode(places) if places else "",
        )
        return DataFrame(found, spark)


def generations(spark: SparkSession, state: StateCommits) -> list[str]:
    """The folders of other generations of states that have files of a state."""
    with engine_errors():
        views = entry(spark).Views
        return list(json.loads(views.generations(spark._jsparkSession, encode(state))))


def states_deleted(spark: SparkSession, folder: str) -> None:
    """Lets go what this process has open of states below a folder that was deleted."""
    with engine_errors():
        entry(spark).Views.deleted(folder)


def index_sample(spark: SparkSession, state: StateCommits, limit: int) -> tuple[int, int]:
    """Rows and distinct keys among the first ``limit`` rows of an index."""
    with engine_errors():
        seen = entry(spark).Views.sample(spark._jsparkSession, encode(state), limit)
        return int(seen[0]), int(seen[1])


def frequent_keys(spark: SparkSession, state: StateCommits, least: int) -> tuple[int, ...]:
    """Hashes of the keys of an index that have at least so many rows, about."""
    with engine_errors():
        views = entry(spark).Views
        found = views.frequent(spark._jsparkSession, encode(state), least)
        return tuple(json.loads(found))


def migrate(spark: SparkSession, plan: MigrationPlan) -> MigrationResult:
    """Moves state rows."""
    with engine_errors():
        migration = JavaPackage(spark, "io.groundswell.spark.store.migrate").StateMigration
        return decode(MigrationResult, migration.run(spark._jsparkSession, encode(plan)))
