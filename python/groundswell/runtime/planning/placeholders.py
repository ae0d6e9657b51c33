"""DataFrames that stand for a pipeline's views in the queries of other views."""

from __future__ import annotations

from collections.abc import Collection

from pyspark.sql import DataFrame, SparkSession

from groundswell import jvm
from groundswell.catalog.catalog import Catalog
from groundswell.plan.divert import SCHEMA as ERROR_ROWS
from groundswell.plan.sources import Mode, SourceTable
from groundswell.runtime.planning.sources import declare


class Placeholders:
    """The placeholders that one process has made for the views of a pipeline.

    A placeholder belongs to a name and a schema: a view that is replaced by one with other columns
    gets another placeholder, and queries over the old one do not read the new view.
    """

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._made: dict[tuple[str, str], tuple[str, DataFrame]] = {}

    def of(self, catalog: Catalog, name: str) -> DataFrame:
        """The placeholder of a view of the catalog, or of the rows that failed in one."""
        called = name, self._schema(catalog, name)
        if called not in self._made:
            view = catalog.views.get(name)
            rows = view.frame if view else self._spark.createDataFrame([], ERROR_ROWS)
            source, frame = jvm.view_stand_in(rows)
            declare(jvm.jvm_id(self._spark), SourceTable(source, name, Mode.VIEW))
            self._made[called] = (source, frame)
        return self._made[called][1]

    def read(self, catalog: Catalog, sources: Collection[str]) -> frozenset[str]:
        """Names of the views that a query over these sources reads.

        Args:
            catalog: has the views.
            sources: keys of placeholders.
        """
        return frozenset(
            catalog.error_rows.get(name, name)
            for (name, schema), (source, _) in self._made.items()
            if source in sources
            and (name in catalog.views or name in catalog.error_rows)
            and schema == self._schema(catalog, name)
        )

    @staticmethod
    def _schema(catalog: Catalog, name: str) -> str:
        view = catalog.views.get(name)
        return ERROR_ROWS if view is None else view.frame.schema.json()
