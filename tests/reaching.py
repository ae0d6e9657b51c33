"""A test says which branches it takes, and fails if it no longer does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.sql import SparkSession

from groundswell.marks import Mark


@contextmanager
def reaches(*marks: Mark) -> Iterator[None]:
    """Fails if a block that ends well has not reached one of the marks."""
    before = {mark: mark.hits for mark in marks}
    yield
    missed = [mark.name for mark, hits in before.items() if mark.hits == hits]
    assert not missed, f"not reached: {missed}; take these branches, or let another test do so"


@contextmanager
def reaches_in_jvm(spark: SparkSession, *names: str) -> Iterator[None]:
    """The same of the JVM's marks, where Spark's tasks run in the session's own process."""
    assert spark.sparkContext.master.startswith("local")
    marks = spark._jvm.io.groundswell.storage.Mark  # type: ignore[union-attr]
    before = {name: marks.valueOf(name).hits() for name in names}
    yield
    missed = [name for name, hits in before.items() if marks.valueOf(name).hits() == hits]
    assert not missed, f"not reached: {missed}; take these branches, or let another test do so"
