"""Spark's daemon of Python workers, with what functions use loaded already.

A barrier of many Python functions needs a worker for each. They are forks of the daemon, so what
it has imported costs them nothing; by themselves each takes a second to import pandas.
"""

import pandas  # noqa: F401
import pyarrow.compute  # noqa: F401
import pyspark.sql.pandas.serializers
import pyspark.worker  # noqa: F401
from pyspark import daemon

if __name__ == "__main__":
    daemon.manager()
