"""Changes of many rows reach the driver in results of few rows, whatever the view's partitions."""

from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.types import StructType

from groundswell.sinks.changes import Changes


class Frame:
    """Stands for a DataFrame of so many rows, and notes into how many partitions it is cut."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.schema = StructType()
        self.parts: int | None = None

    def withColumns(self, made: dict[str, Any]) -> "Frame":
        assert not made
        return self

    def count(self) -> int:
        return self.rows

    def repartition(self, parts: int) -> "Frame":
        self.parts = parts
        return self

    def toArrow(self) -> pa.Table:
        return pa.table({})


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(("rows", "parts"), [(0, None), (100_000, None), (1_200_001, 25)])
def test_a_task_gives_the_driver_few_rows(rows: int, parts: int | None, known: bool) -> None:
    """Two tasks gave a million rows in two results, of which the JVM had no room for copies."""
    frame: Any = Frame(rows)
    changes = Changes(frame, rows if known else None)
    assert changes.is_empty == (rows == 0) if known else True
    assert changes.table.num_rows == 0
    assert frame.parts == parts
