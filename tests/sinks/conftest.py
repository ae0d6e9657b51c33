"""One session a module, with what incremental views need and nothing else."""

from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession

from groundswell import confs


@pytest.fixture(scope="module")
def session(_contexts: Any) -> Iterator[SparkSession]:
    spark = _contexts.get({}).newSession()
    spark.conf.set(confs.FILE_MANAGER_KEY, confs.FILE_MANAGER)
    yield spark
    for query in spark.streams.active:
        query.stop()
