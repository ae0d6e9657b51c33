"""Queries as Spark has analyzed them."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame

from groundswell.contract.capture.functions import FunctionDescriptions
from groundswell.contract.capture.plan import PlanDescription
from groundswell.contract.codec import decode
from groundswell.jvm.errors import engine_errors
from groundswell.jvm.functions import function_of, scalar_function
from groundswell.jvm.lists import java_list
from groundswell.jvm.process import entry


class Capture:
    """Captured queries of one session: their description, and the handle behind its ids."""

    def __init__(self, frames: Sequence[DataFrame]) -> None:
        self.spark = frames[0].sparkSession
        with engine_errors():
            request = entry(self.spark).PlanCapture.request(
                java_list(self.spark, [frame._jdf for frame in frames])
            )
            for described in decode(FunctionDescriptions, request.functions()).functions:
                request.wrap(described.call, scalar_function(self.spark, described))
            self.handle = request.capture()
            self.description = decode(PlanDescription, self.handle.json())

    @staticmethod
    def function(command: str, broadcasts: Mapping[str, str]) -> Any:
        """The Python function behind a ``command`` of the description, as ``function_of``."""
        return function_of(base64.b64decode(command), broadcasts)

    def source(self, key: str) -> DataFrame:
        """The streaming DataFrame behind a source of the queries."""
        return DataFrame(self.handle.source(key), self.spark)

    def placeholder(self, key: str) -> DataFrame:
        """An empty DataFrame that stands for a source, or a view, of the queries."""
        return DataFrame(self.handle.placeholder(key), self.spark)
