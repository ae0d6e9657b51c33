"""Rows of Iceberg's data files, with what two snapshots make of each; runs in tasks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from groundswell.errors import SourceError
from groundswell.runtime.planning.sources import Size
from groundswell.sinks.extras import optional
from groundswell.sources.first_files import Groups
from groundswell.sources.iceberg_files import POSITIONS, Changed, DeleteFile, LiveFile
from groundswell.sources.iceberg_table import IcebergPlan, named_errors, opened
from groundswell.sources.iceberg_types import fitted, spark_type

if TYPE_CHECKING:
    import pyarrow as pa

BATCH = 65_536


def row_groups(plan: IcebergPlan, table: Any, file: LiveFile) -> list[Size]:
    """The row groups of a file: their rows, and their share of its bytes."""
    import pyarrow.parquet as pq

    path, bytes_ = file.file.path, file.file.bytes
    with named_errors(plan, "a snapshot"), table.io.new_input(path).open() as stream:
        whole = pq.ParquetFile(stream).metadata
        rows = [whole.row_group(i).num_rows for i in range(whole.num_row_groups)]
    return [Size(n, bytes_ * n // max(sum(rows), 1)) for n in rows]


def read(plan: IcebergPlan, files: Sequence[Changed], groups: Groups | None) -> Iterator[Any]:
    """The rows that come and go in some files, as Arrow batches.

    Args:
        plan: what reads them.
        files: what changed.
        groups: the row groups that are read of each; None: all.
    """
    if not files:
        return
    with named_errors(plan, "a snapshot"):
        reader = _Files(plan, opened(plan))
        for file in files:
            yield from reader.changes(file, groups)


class _Files:
    """Reads files of one table."""

    def __init__(self, plan: IcebergPlan, table: Any) -> None:
        from pyspark.sql.pandas.types import to_arrow_schema, to_arrow_type

        self._plan = plan
        self._table = table
        self._schema = to_arrow_schema(plan.schema, timezone="UTC")
        self._wanted = plan.columns.as_struct()
        self._type = to_arrow_type(plan.rows, timezone="UTC")
        self._positions: dict[str, dict[str, Any]] = {}
        self._values: dict[str, set[Any]] = {}

    def changes(self, file: Changed, groups: Groups | None) -> Iterator[Any]:
        """What comes and goes in one data file."""
        import pyarrow.compute as pc

        before = None if file.before is None else _Deleted(self, file.before)
        after = None if file.after is None else _Deleted(self, file.after)
        if before and after and before.same(after):
            return
        for first, rows in self._rows(file.live, groups):
            was = before.live(first, rows) if before else None
            now = after.live(first, rows) if after else None
            gone = _less(was, now)
            come = _less(now, was)
            for mask, kind in ((gone, "delete"), (come, "insert")):
                if mask is not None and pc.any(mask).as_py():
                    yield self._batch(file.live, rows.filter(mask), kind)

    def _rows(self, live: LiveFile, groups: Groups | None) -> Iterator[tuple[int, Any]]:
        """Batches of a file, each with the position of its first row."""
        import pyarrow.parquet as pq

        with self._table.io.new_input(live.file.path).open() as stream:
            file = pq.ParquetFile(stream, coerce_int96_timestamp_unit="us")
            chosen = range(file.num_row_groups)[slice(*(groups or (0, None)))]
            at = sum(file.metadata.row_group(i).num_rows for i in range(chosen.start))
            for batch in file.iter_batches(BATCH, list(chosen)):
                if batch.num_rows:
                    yield at, batch
                at += batch.num_rows

    def fields_of(self, rows: pa.RecordBatch) -> Any:
        """Iceberg's type of a file's rows."""
        io = optional("pyiceberg.io.pyarrow", "iceberg")
        return io.pyarrow_to_schema(
            rows.schema, self._table.name_mapping(), downcast_ns_timestamp_to_us=True
        ).as_struct()

    def _batch(self, live: LiveFile, rows: pa.RecordBatch, kind: str) -> pa.RecordBatch:
        import pyarrow as pa

        of = self.fields_of(rows)
        found = fitted(rows.to_struct_array(), of, self._wanted, self._type, dict(live.constants))
        columns = [found.field(i) for i in range(self._type.num_fields)]
        if not self._plan.appends:
            columns.append(pa.array([kind] * len(found), pa.string()))
        elif kind == "delete":
            raise SourceError(f"a snapshot of {self._plan.called} takes rows away")
        return pa.RecordBatch.from_arrays(columns, schema=self._schema)

    def positions(self, delete: DeleteFile, path: str) -> Any:
        """The positions that a file deletes in a data file."""
        import pyarrow as pa
        import pyarrow.compute as pc
        import pyarrow.parquet as pq

        if delete.path not in self._positions:
            with self._table.io.new_input(delete.path).open() as stream:
                table = pq.read_table(stream, columns=["file_path", "pos"])
            paths = table["file_path"].cast(pa.string())
            self._positions[delete.path] = {
                each: table["pos"].filter(pc.equal(paths, each)).combine_chunks()
                for each in pc.unique(paths).to_pylist()
            }
        return self._positions[delete.path].get(path)

    def values(self, delete: DeleteFile) -> set[Any]:
        """The values that a file deletes by."""
        import pyarrow.parquet as pq

        if delete.path not in self._values:
            with self._table.io.new_input(delete.path).open() as stream:
                batches = list(pq.ParquetFile(stream).iter_batches(BATCH))
            self._values[delete.path] = {
                key for batch in batches for key in self.keys(batch, delete.fields, {})
            }
        return self._values[delete.path]

    def keys(self, rows: pa.RecordBatch, fields: Sequence[int], constants: Any) -> list[Any]:
        """The values of some columns, row by row, such that equal ones are equal in Python."""
        from pyspark.sql.pandas.types import to_arrow_type

        wanted = optional("pyiceberg.types", "iceberg").StructType(*map(self._column, fields))
        kind = spark_type(wanted)
        assert kind is not None
        type_ = to_arrow_type(kind, timezone="UTC")
        found = fitted(rows.to_struct_array(), self.fields_of(rows), wanted, type_, constants)
        return list(zip(*(_comparable(found.field(i)) for i in range(len(fields))), strict=True))

    def _column(self, field: int) -> Any:
        """A column of the table, as it was last defined."""
        for schema in sorted(self._table.metadata.schemas, key=lambda s: -s.schema_id):
            for each in schema.fields:
                if each.field_id == field and spark_type(each.field_type) is not None:
                    return each
        raise SourceError(
            f"a file of {self._plan.called} deletes rows by the values of column {field}, which "
            "cannot be read here. Rewrite the table's files, and start at a new location"
        )


class _Deleted:
    """What is deleted of a data file in one snapshot."""

    def __init__(self, files: _Files, live: LiveFile) -> None:
        import pyarrow as pa

        self._files = files
        self._live = live
        by_position = [d for d in live.deletes if d.kind == POSITIONS]
        found = [files.positions(each, live.file.path) for each in by_position]
        parts = [each for each in found if each is not None]
        self._positions = pa.concat_arrays(parts) if parts else pa.array([], pa.int64())
        self._by_values = [d for d in live.deletes if d.kind != POSITIONS]

    def same(self, other: _Deleted) -> bool:
        """Whether the same is deleted as far as is known without the rows."""
        mine, theirs = self._positions.to_pylist(), other._positions.to_pylist()
        return self._by_values == other._by_values and set(mine) == set(theirs)

    def live(self, first: int, rows: pa.RecordBatch) -> pa.Array:
        """Which rows of a batch are there.

        Args:
            first: position of the batch's first row in the file.
            rows: the batch.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        places = pa.array(range(first, first + len(rows)), pa.int64())
        found = pc.invert(pc.is_in(places, value_set=self._positions))
        for delete in self._by_values:
            values = self._files.values(delete)
            keys = self._files.keys(rows, delete.fields, dict(self._live.constants))
            found = pc.and_(found, pa.array([key not in values for key in keys], pa.bool_()))
        return found


def _less(one: pa.Array | None, other: pa.Array | None) -> pa.Array | None:
    """Where the first is set and the second is not."""
    import pyarrow.compute as pc

    return one if one is None or other is None else pc.and_not(one, other)


def _comparable(column: pa.Array) -> list[Any]:
    """Values of which equal ones are equal: all NaN are one, and -0.0 is not 0.0."""
    import pyarrow as pa

    type_ = column.type
    if pa.types.is_floating(type_):
        return [None if v is None else float(v).hex() for v in column.to_pylist()]
    if pa.types.is_timestamp(type_) or pa.types.is_time64(type_):
        return list(column.cast(pa.int64()).to_pylist())
    if pa.types.is_date32(type_):
        return list(column.cast(pa.int32()).to_pylist())
    return list(column.to_pylist())
