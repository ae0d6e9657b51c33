"""Iceberg, without a JVM: one commit an epoch, whose number is a property of table and snapshot."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import reduce
from importlib.util import find_spec
from typing import Any

from pyspark.sql.types import ArrayType, FloatType, MapType, StructType

from groundswell.errors import SinkError
from groundswell.sinks.changes import Changes
from groundswell.sinks.columns import NOT_IN_ARROW, check_types
from groundswell.sinks.extras import optional
from groundswell.sinks.iceberg_nulls import check_nulls, check_rewrites
from groundswell.sinks.keys import is_nan
from groundswell.sinks.lake import MERGE, MODE, check_columns, check_required, errors_of
from groundswell.sinks.narrowing import NARROWING, Narrowing
from groundswell.sinks.options import SinkOption, SinkOptions
from groundswell.sinks.sink import APPEND, Sink, SinkProgress, SinkStart


class IcebergSink(Sink):
    """Changes rows of an Iceberg table by key, or appends rows to it."""

    OPTIONS = (
        SinkOption("table", "name with its namespace: `shop.orders`", required=True),
        SinkOption("catalog", "name of the catalog in pyiceberg's own settings", str, "default"),
        SinkOption(
            "uri", "of the catalog, if pyiceberg's settings have none; a secret", secret=True
        ),
        SinkOption("type", "kind of the catalog: sql, rest, hive, glue"),
        SinkOption("warehouse", "where the catalog makes tables"),
        SinkOption("credential", "of a REST catalog", secret=True),
        MODE,
        SinkOption("create_table", "makes namespace and table if they are not there", bool, False),
        NARROWING,
    )

    def __init__(self, options: SinkOptions) -> None:
        self._options = options

    def open(self, start: SinkStart) -> None:
        """Checks catalog, table and columns; makes the table if it is to."""
        self._start = start
        self._mode = start.mode(self._options["mode"], MERGE)
        self._staged: Any = None
        check_types(start, "Iceberg", (*NOT_IN_ARROW, "TimeType", "DayTimeIntervalType"))
        settings = {
            name: self._options[name]
            for name in ("uri", "type", "warehouse", "credential")
            if self._options.given(name)
        }
        catalogs = optional("pyiceberg.catalog", "iceberg")
        with self._errors():
            catalog = catalogs.load_catalog(self._options["catalog"], **settings)
            self._table = self._open(catalog)
            self._schema = self._table.schema().as_arrow()
        self._check_rewrites(self._schema)
        self._narrowing = Narrowing(self._options["narrowing"])
        check_columns(self._name, start, self._schema, self._narrowing)
        self._check_key(start)
        self._check_partitions()

    def _check_key(self, start: SinkStart) -> None:
        """Refuses keys that no condition of pyiceberg can compare.

        Raises:
            SinkError: names the column.
        """
        if self._mode != MERGE:
            return
        for name in start.key:
            kind = start.schema[name].dataType
            if isinstance(kind, ArrayType | MapType | StructType):
                raise SinkError(
                    f"key column {name} of view {start.view} is of type {kind.simpleString()}, by "
                    "which rows of an Iceberg table cannot be found: name other columns in option "
                    "key, or cast it to a string in the query"
                )

    def _check_rewrites(self, schema: Any) -> None:
        """Refuses tables that a merge would change beside its keys."""
        if self._mode == MERGE:
            check_rewrites(self._name, schema)

    def _check_partitions(self) -> None:
        """Refuses tables by whose partitions pyiceberg 0.12.0 stores rows twice.

        It writes the rows that equal a partition's value, and 0.0 and -0.0 are two such values.

        Raises:
            SinkError: names the column.
        """
        types = optional("pyiceberg.types", "iceberg")
        for field in self._table.spec().fields:
            column = self._table.schema().find_field(field.source_id)
            if str(field.transform) not in ("identity", "void"):
                check_transforms(self._name, column.name, str(field.transform))
            if str(field.transform) == "identity" and isinstance(
                column.field_type, types.FloatType | types.DoubleType
            ):
                raise SinkError(
                    f"{self._name} is partitioned by column {column.name} of type "
                    f"{column.field_type}: pyiceberg would store rows with 0.0 and -0.0 in it "
                    "twice, and none with NaN; partition the table by another column"
                )

    def _open(self, catalog: Any) -> Any:
        from pyspark.sql.pandas.types import to_arrow_schema

        name = self._options["table"]
        if "." not in name:
            raise SinkError(f"table {name!r} lacks its namespace: write it as namespace.table")
        if not catalog.table_exists(name):
            if not self._options["create_table"]:
                raise SinkError(
                    f"there is no Iceberg table {name}; create it, or set create_table to true"
                )
            schema = to_arrow_schema(self._start.schema, timezone="UTC")
            self._check_rewrites(schema)
            catalog.create_namespace_if_not_exists(name.rpartition(".")[0])
            catalog.create_table_if_not_exists(name, schema=schema)
        return catalog.load_table(name)

    def recover(self) -> SinkProgress | None:
        """The last epoch that was committed."""
        with self._errors():
            found = self._table.refresh().properties.get(self._property)
        if found is None:
            return None
        token, epoch = found.split(":")
        return SinkProgress(int(token), int(epoch))

    @property
    def _property(self) -> str:
        return f"groundswell.{self._start.id}"

    def write(self, epoch: int, changes: Changes) -> None:
        """Keeps the changes; they are written by the commit."""
        if self._mode == APPEND:
            self._staged = changes.inserts(), None
        else:
            self._staged = changes.net(self._start.key)
        for rows in self._staged:
            if rows is not None:
                self._narrowing.check(rows, self._start.key)
        check_required(self._name, self._staged[0], self._schema, self._start.key)
        check_nulls(self._name, self._staged[0], self._start.key)

    def commit(self, epoch: int) -> None:
        """Commits the changes with the epoch's number."""
        self._start.check_owner(self.recover())
        (rows, gone), self._staged = self._staged, None
        number = {"groundswell.sink": self._start.name, "groundswell.epoch": str(epoch)}
        with self._errors(), quietly(), self._table.transaction() as transaction:
            if self._mode == MERGE and rows.num_rows + gone.num_rows:
                transaction.delete(self._condition(rows, gone), snapshot_properties=number)
            if rows.num_rows:
                cast = rows.cast(self._fields(rows.column_names))
                transaction.append(cast, snapshot_properties=number)
            transaction.set_properties({self._property: f"{self._start.token}:{epoch}"})

    def _fields(self, names: list[str]) -> Any:
        """The table's schema of some columns."""
        import pyarrow as pa

        return pa.schema([self._schema.field(name) for name in names])

    def _condition(self, *tables: Any) -> Any:
        """A condition that holds for the rows of these keys."""
        made = optional("pyiceberg.expressions", "iceberg")
        names = list(self._start.key)
        keys = [row for table in tables for row in table.select(names).to_pylist()]
        types = {name: self._start.schema[name].dataType for name in names}
        narrow = {name for name, kind in types.items() if isinstance(kind, FloatType)}
        float32 = optional("pyiceberg.expressions.literals", "iceberg").FloatLiteral

        def literal(name: str, value: Any) -> Any:
            # a float of Python is a double, and an infinite double is out of a float's range there
            return float32(value) if name in narrow else value

        if len(names) == 1:
            values = {literal(names[0], key[names[0]]) for key in keys if not is_nan(key[names[0]])}
            found = made.In(names[0], values)
            some_nan = any(is_nan(key[names[0]]) for key in keys)
            return made.Or(found, made.IsNaN(names[0])) if some_nan else found

        def same(name: str, value: Any) -> Any:
            return made.IsNaN(name) if is_nan(value) else made.EqualTo(name, literal(name, value))

        each: list[Any] = [reduce(made.And, [same(n, key[n]) for n in names]) for key in keys]
        while len(each) > 1:  # a balanced tree: expressions are walked by recursion
            pairs = zip(each[::2], each[1::2], strict=False)
            each = [made.Or(a, b) for a, b in pairs] + (each[-1:] if len(each) % 2 else [])
        return each[0]

    @property
    def _name(self) -> str:
        return f"Iceberg table {self._options['table']}"

    def _errors(self) -> AbstractContextManager[None]:
        errors = optional("pyiceberg.exceptions", "iceberg")
        again = (
            errors.CommitFailedException,
            errors.CommitStateUnknownException,
            errors.ServerError,
            errors.ServiceUnavailableError,
            errors.TooManyRequestsError,
            errors.WaitingForLockException,
            OSError,
        )
        # catalogs raise what their own libraries do
        return errors_of(self._name, again, (Exception,))


def check_transforms(table: str, column: str, transform: str) -> None:
    """Refuses a partition that pyiceberg computes with a package of its own, without that.

    Raises:
        SinkError: it is not installed.
    """
    if find_spec("pyiceberg_core") is None:
        raise SinkError(
            f"{table} is partitioned by {transform} of column {column}, which pyiceberg computes "
            "with another package: pip install 'pyiceberg[pyiceberg-core]'"
        )


@contextmanager
def quietly() -> Iterator[None]:
    """Without the warning that a delete found no row."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Delete operation did not match")
        yield
