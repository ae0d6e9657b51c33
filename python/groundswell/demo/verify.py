"""Compares the views with batch Spark on the same files: the demo's proof."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
from pyspark.sql import Window
from pyspark.sql.functions import desc, row_number

from groundswell.demo import data

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

UPSERT_KEYS = {"planes": "tailnum", "airlines": "carrier"}
SCHEMAS = {
    "flights": data.FLIGHTS_SCHEMA,
    "airports": data.AIRPORTS_SCHEMA,
    "planes": data.PLANES_SCHEMA,
    "airlines": data.AIRLINES_SCHEMA,
}


def final_tables(spark: SparkSession, watched: Path) -> None:
    """Registers each table's final content as a batch temp view, computed from the files alone."""
    for table, schema in SCHEMAS.items():
        files = spark.read.schema(schema).parquet(str(watched / table))
        _latest(files, UPSERT_KEYS.get(table)).createOrReplaceTempView(table)


def _latest(files: DataFrame, key: str | None) -> DataFrame:
    if key is None:
        return files
    order = Window.partitionBy(key).orderBy(desc("_file"))
    versions = files.selectExpr("*", "_metadata.file_name AS _file")
    ranked = versions.withColumn("_rank", row_number().over(order))
    return ranked.where("_rank = 1 AND NOT deleted").drop("_file", "_rank")


def frame(rows: DataFrame) -> pd.DataFrame:
    """A small result as a pandas frame."""
    return pd.DataFrame([row.asDict() for row in rows.collect()], columns=rows.columns)


def differences(view: DataFrame, query: DataFrame, tolerance: float = 1e-9) -> list[str]:
    """What differs between a view and its query, row by row, at most ten lines; empty if nothing.

    Numbers may differ by ``tolerance``, relative: batch Spark adds doubles in another order.
    """
    if view.columns != query.columns:
        return [f"columns {view.columns} instead of {query.columns}"]
    keys = [name for name, kind in query.dtypes if kind != "double"]
    left = frame(view).sort_values(keys, ignore_index=True)
    right = frame(query).sort_values(keys, ignore_index=True)
    if len(left) != len(right):
        return [f"{len(left)} rows instead of {len(right)}"]
    lines = []
    for (_, got), (_, expected) in zip(left.iterrows(), right.iterrows(), strict=True):
        for column in query.columns:
            if not _same(got[column], expected[column], tolerance):
                row = ", ".join(str(expected[key]) for key in keys)
                lines.append(f"{column} of ({row}): {got[column]} instead of {expected[column]}")
    return lines[:10]


def _same(got: object, expected: object, tolerance: float) -> bool:
    if pd.isna(got) or pd.isna(expected):
        return bool(pd.isna(got) and pd.isna(expected))
    if isinstance(expected, float):
        return abs(float(got) - expected) <= tolerance * max(1.0, abs(expected))  # type: ignore[arg-type]
    return bool(got == expected)
