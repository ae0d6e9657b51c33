"""The JVM behind a session, and what of it this process keeps."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

from pyspark.sql import SparkSession

from groundswell.jvm.errors import JavaPackage


def is_classic(frame: Any) -> bool:
    """Whether a DataFrame lives in this process's JVM (Spark Connect's do not)."""
    return hasattr(frame, "_jdf")


def jvm_id(spark: SparkSession) -> str:
    """Tells one JVM from another that this process had before."""
    gateway: Any = spark.sparkContext._gateway
    return str(gateway.gateway_parameters.auth_token)


def session_id(spark: SparkSession) -> str:
    """Tells one session of a JVM from its others."""
    return str(spark._jsparkSession.sessionUUID())


def fail_points(spark: SparkSession) -> Callable[[str], None]:
    """What dies at a point that a test armed; found once, since each step of a name is a call."""
    points = JavaPackage(spark, "io.groundswell.storage").FailPoints
    if not points.armed():
        return lambda _: None
    hit: Callable[[str], None] = points.hit
    return hit


def release_unused() -> None:
    """Has the JVM let go of what Python does not use any more, whatever its size.

    A py4j object and its methods refer to each other, so only Python's collector ends them. It goes
    by their number, and knows nothing of the megabytes that they keep in the JVM.
    """
    gc.collect()


def entry(spark: SparkSession) -> Any:
    """The Java package that everything of views goes through."""
    return JavaPackage(spark, "io.groundswell.spark.views.entry")


def cancel_jobs(spark: SparkSession, group: str) -> None:
    """Cancels the jobs of a group, those that have not begun as well."""
    spark.sparkContext._jsc.sc().cancelJobGroupAndFutureJobs(group)
