"""DataFrames that stand for a pipeline's views in the queries of other views."""

from __future__ import annotations

from collections.abc import Collection

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StringType, StructField, StructType

from groundswell import jvm
from groundswell.catalog.catalog import Catalog
from groundswell.plan.divert import SCHEMA
from groundswell.plan.sources import Mode, SourceTable
from groundswell.runtime.planning.sources import declare


def differences(old: StructType, new: StructType) -> list[str]:
    """How columns differ for a query that was written for the old ones; empty: they fit.

    A column that is never null any more fits, for Spark has planned for nulls.
    """
    found = []
    given = {field.name: field for field in new.fields}
    for field in old.fields:
        now = given.get(field.name)
        if now is None:
            found.append(f"{field.name} is gone")
        elif now.dataType != field.dataType:
            was, is_now = field.dataType.simpleString(), now.dataType.simpleString()
            found.append(f"{field.name} was {was}, is {is_now}")
        elif now.nullable and not field.nullable:
            found.append(f"{field.name} was never null, and may be null")
    found += [f"{name} is new" for name in given if name not in old.names]
    if not found and old.names != new.names:
        found.append(f"their order was {', '.join(old.names)}, is {', '.join(new.names)}")
    return found


class Placeholders:
    """The placeholders that one process has made for the views of a pipeline.

    A placeholder belongs to a name and its columns: a view that is replaced by one with others gets
    another placeholder, and queries over the old one do not read the new view.
    """

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._made: dict[tuple[str, str], tuple[str, StructType, DataFrame]] = {}

    def of(self, catalog: Catalog, name: str) -> DataFrame:
        """The placeholder of a view of the catalog, or of the rows that failed in one."""
        view = catalog.views.get(name)
        schema = view.frame.schema if view else _ERROR_ROWS
        called = name, schema.json()
        if called not in self._made:
            rows = view.frame if view else self._spark.createDataFrame([], schema)
            source, frame = jvm.view_placeholder(rows, name)
            declare(jvm.jvm_id(self._spark), SourceTable(source, name, Mode.VIEW))
            self._made[called] = (source, schema, frame)
        return self._made[called][2]

    def views(self, catalog: Catalog) -> dict[str, str]:
        """By key of a placeholder with the columns of a view of the catalog, the view's name."""
        return {
            source: name
            for (name, _), (source, schema, _) in self._made.items()
            if name in catalog.views and not differences(schema, catalog.views[name].frame.schema)
        }

    def read(self, catalog: Catalog, sources: Collection[str]) -> frozenset[str]:
        """Names of the views that a query over these sources reads.

        Args:
            catalog: has the views.
            sources: keys of placeholders.
        """
        found = set()
        for (name, _), (source, schema, _) in self._made.items():
            view, of = catalog.views.get(name), catalog.error_rows.get(name)
            if source in sources and view and not differences(schema, view.frame.schema):
                found.add(name)
            elif source in sources and view is None and of:
                found.add(of)
        return frozenset(found)


_ERROR_ROWS = StructType([StructField(c.split()[0], StringType()) for c in SCHEMA.split(", ")])
