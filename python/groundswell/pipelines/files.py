"""Sees to it that files which views read as they are added were not changed or removed since.

Spark computes a materialized view anew from the files that are there. A view that reads only new
files is equal to that as long as files are only added; else it must be recomputed, too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pyspark.sql import SparkSession

from groundswell import jvm
from groundswell.runtime.record.location import FOLDER

Listing = dict[str, list[int]]
"""By file, its bytes and when it was last changed, in microseconds."""
_NAME = "pipelines-files.json"


def listed(spark: SparkSession, paths: Mapping[str, Any]) -> Listing:
    """The files that are there now."""
    found: Listing = {}
    for path in paths:
        frame = spark.read.format("binaryFile").load(path)
        rows = frame.selectExpr("path", "length", "unix_micros(modificationTime)").collect()
        found |= {row[0]: [int(row[1]), int(row[2])] for row in rows}
    return found


def changed(before: Listing, now: Listing) -> str | None:
    """What happened to a file but that it was added; None: nothing."""
    for path, facts in before.items():
        if path not in now:
            return f"{path} was removed"
        if now[path] != facts:
            return f"{path} was changed"
    return None


def kept(spark: SparkSession, location: str) -> Listing:
    """The files that were there at the last run."""
    data = jvm.JvmFolder.open(spark, location).child(FOLDER).read(_NAME)
    return {} if data is None else json.loads(data)


def keep(spark: SparkSession, location: str, before: Listing, after: Listing) -> None:
    """Notes the files of a run: a file that changed meanwhile as it was before."""
    data = json.dumps({**after, **before}, separators=(",", ":")).encode()
    jvm.JvmFolder.open(spark, location).child(FOLDER).put(_NAME, data)
