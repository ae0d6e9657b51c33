"""What one epoch changed in a view, in the forms that sinks want."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from groundswell.columns import by_name
from groundswell.errors import SinkError, SinkRowRefused
from groundswell.plan.sources import CHANGE_TYPE
from groundswell.sinks.columns import NOT_IN_ARROW, shown_row, types_within
from groundswell.sinks.keys import canonical, comparable
from groundswell.sinks.years import check_years, without_other_years

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

MINUS = ("delete", "update_preimage")
PLUS = ("insert", "update_postimage")
_AT = "_groundswell_at"

# A task gives the rows of its partition to the driver as one result, of which the JVM has copies.
_ROWS_OF_A_TASK = 50_000


def marked(rows: DataFrame, change: str) -> DataFrame:
    """Rows as changes of one kind."""
    from pyspark.sql import functions as F

    return rows.withColumn(CHANGE_TYPE, F.lit(change))


class Changes:
    """What one epoch changed in a view.

    Attributes:
        frame: a DataFrame of the view's columns and ``_change_type``: insert, delete,
            update_preimage or update_postimage.

    Examples:
        >>> rows = [(1, 5, "update_preimage"), (1, 6, "update_postimage")]
        >>> rows.append((2, 7, "delete"))
        >>> schema = "id int, v int, _change_type string"
        >>> changes = gs.Changes(spark.createDataFrame(rows, schema))
        >>> upserts, deletes = changes.net(["id"])
        >>> upserts.to_pylist(), deletes.to_pylist()
        ([{'id': 1, 'v': 6}], [{'id': 2}])
    """

    def __init__(self, frame: DataFrame, rows: int | None = None) -> None:
        """Wraps a DataFrame.

        Args:
            frame: of the view's columns and ``_change_type``.
            rows: how many rows it has, if that is known without running it.
        """
        self.frame = frame
        self._rows = rows

    @cached_property
    def table(self) -> pa.Table:
        """All changes as an Arrow table, in the memory of the driver's Python; read once.

        Every column may be null, whatever the query says: a key that is gone has no other values.
        A column of a type that Arrow does not have is a text; no sink that reads this writes it.
        """
        import pyarrow as pa

        fields = self.frame.schema.fields
        odd = [f.name for f in fields if not types_within(f.dataType).isdisjoint(NOT_IN_ARROW)]
        frame = self.frame.withColumns({n: by_name(n).cast("string") for n in odd})
        rows = self.frame.count() if self._rows is None else self._rows
        if rows > 2 * _ROWS_OF_A_TASK:
            frame = frame.repartition(-(-rows // _ROWS_OF_A_TASK))
        read = frame.toArrow()
        return read.cast(pa.schema([field.with_nullable(True) for field in read.schema]))

    @property
    def surely_empty(self) -> bool:
        """Whether it is known, without running anything, that nothing changed."""
        return self._rows == 0

    @cached_property
    def is_empty(self) -> bool:
        """Whether nothing changed."""
        return self.frame.isEmpty() if self._rows is None else self._rows == 0

    def inserts(self) -> pa.Table:
        """The rows of a view that only grows.

        Raises:
            SinkError: something was taken back.
            SinkRowRefused: a date or time is of another year than 1 to 9999.
        """
        import pyarrow.compute as pc

        table = self.table
        minus = pc.is_in(table[CHANGE_TYPE], value_set=_strings(MINUS))
        if pc.any(minus).as_py():
            raise SinkError(
                "the view took rows back, and this sink can only append: "
                "use a format that has keys, or a view that only grows"
            )
        rows = table.drop_columns([CHANGE_TYPE])
        check_years(rows, ())
        return rows

    def net(self, key: Sequence[str]) -> tuple[pa.Table, pa.Table]:
        """What the epoch comes to for each key: rows to upsert, and keys to delete.

        Keys are the same where Spark says so: 0.0 is -0.0, and NaN is NaN. They are given as 0.0
        and as one NaN, so a target may compare them by their bits or by their values.

        Args:
            key: names of the columns that identify a row in the target.

        Returns:
            The rows that are there after the epoch, and the keys of the rows that are gone. No key
            is in both.

        Raises:
            SinkRowRefused: a key is null, two rows have the same key, or a date or time is of
                another year than 1 to 9999.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        table, names = self.table, list(key)
        for name in names:
            if table[name].null_count:
                raise SinkRowRefused(
                    f"the key column {name} is null in {table[name].null_count} rows, and a null "
                    "key finds no row in the target: take coalesce(...) in the query"
                )
        plus = pc.is_in(table[CHANGE_TYPE], value_set=_strings(PLUS))
        check_years(table.filter(plus), names)
        table = canonical(without_other_years(table, names), names)
        plus = pc.is_in(table[CHANGE_TYPE], value_set=_strings(PLUS))
        upserts = table.filter(plus).drop_columns([CHANGE_TYPE])
        at = pa.array(range(table.num_rows), pa.int64())
        compared = comparable(table, names).append_column(_AT, at)
        kept = compared.filter(plus).group_by(names).aggregate([(_AT, "min"), (_AT, "count")])
        if kept.num_rows != upserts.num_rows:
            twice = kept.filter(pc.greater(kept[f"{_AT}_count"], 1)).slice(0, 1).to_pylist()[0]
            shown = shown_row(table, twice[f"{_AT}_min"], names)
            raise SinkRowRefused(
                f"{twice[f'{_AT}_count']} rows of the view have the key {shown}: the columns "
                f"({', '.join(names)}) do not identify a row; name others in option key"
            )
        gone = compared.filter(pc.invert(plus)).group_by(names).aggregate([(_AT, "min")])
        gone = gone.join(kept.select(names), keys=names, join_type="left anti")
        return upserts, table.select(names).take(gone[f"{_AT}_min"])


def _strings(values: Sequence[str]) -> Any:
    import pyarrow as pa

    return pa.array(values)
