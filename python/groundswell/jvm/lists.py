"""Lists of the JVM."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyspark.sql import SparkSession

from groundswell.jvm.errors import JavaPackage


def items(java_list: Any) -> list[Any]:
    """The items of a Java list, by number.

    py4j learns the end of a Java iterator from an exception, and Spark's Python asks the JVM sixty
    questions about each exception: 50 ms and more.
    """
    return [java_list.get(i) for i in range(java_list.size())]


def java_list(spark: SparkSession, of: Sequence[Any]) -> Any:
    """A Java list with these items."""
    made = JavaPackage(spark, "java.util").ArrayList()
    for item in of:
        made.add(item)
    return made
