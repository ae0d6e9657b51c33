"""Databases by JDBC: a connection in the JVM, which takes rows as Arrow's stream."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession

from groundswell.jvm.errors import JVM_ERRORS, JavaPackage, engine_errors

if TYPE_CHECKING:
    import pyarrow as pa

_FAILURE = "io.groundswell.jdbc.JdbcFailure"
_BATCH = 65_536


class JdbcError(Exception):
    """What a driver says.

    Attributes:
        state: SQLSTATE; empty: the driver has none.
        code: the database's own number.
        passes: whether the driver says that another try may succeed.
        text: its message.
    """

    def __init__(self, state: str, code: int, passes: bool, text: str) -> None:
        super().__init__(text)
        self.state, self.code, self.passes, self.text = state, code, passes, text


@dataclass(frozen=True)
class JdbcColumn:
    """A column of a table, as the driver describes it.

    Attributes:
        name: of the column.
        type: its type, in the database's words.
        code: of ``java.sql.Types``.
        size: of its values.
        digits: after the point.
        required: whether a row without a value for it is refused.
    """

    name: str
    type: str
    code: int
    size: int
    digits: int
    required: bool


@dataclass(frozen=True)
class Write:
    """A statement for each of many rows.

    Attributes:
        sql: the statement.
        places: of its parameters: the number of the column that each is.
        otherwise: is run for rows for which the first statement changed nothing.
        other_places: of its parameters.
    """

    sql: str
    places: Sequence[int]
    otherwise: str = ""
    other_places: Sequence[int] = ()


class JdbcTarget:
    """One connection, whose transactions the caller ends. Every method may raise JdbcError."""

    def __init__(
        self, spark: SparkSession, url: str, driver: str, properties: Mapping[str, str]
    ) -> None:
        """Connects.

        Args:
            spark: in whose JVM the driver is.
            url: of JDBC.
            driver: name of the driver's class; empty: the first that takes the URL.
            properties: as user and password.
        """
        self._spark = spark
        util = JavaPackage(spark, "java.util")
        given = util.HashMap()
        for name, value in properties.items():
            given.put(name, value)
        with _errors():
            opened = JavaPackage(spark, "io.groundswell.jdbc").JdbcTarget
            self._target = opened.open(url, driver, given)
            self.product, self.quote, self.stores = self._target.facts()

    def columns(self, schema: str, table: str) -> list[JdbcColumn]:
        """The columns of a table; none: there is no such table."""
        with _errors():
            return [JdbcColumn(*row) for row in self._target.columns(schema, table)]

    def uniques(self, schema: str, table: str) -> list[list[str]]:
        """The columns of each unique index."""
        with _errors():
            return [list(names) for names in self._target.uniques(schema, table)]

    def run(self, sql: str) -> None:
        """Runs a statement."""
        with _errors():
            self._target.run(sql)

    def update(self, sql: str, *values: str | int) -> int:
        """Runs a statement with values; how many rows it changed."""
        with _errors():
            return int(self._target.update(sql, self._listed(values)))

    def query(self, sql: str, *values: str | int) -> list[list[str | None]]:
        """The rows of a query, as texts."""
        with _errors():
            return [list(row) for row in self._target.query(sql, self._listed(values))]

    def write(self, made: Write, rows: pa.Table, kinds: Sequence[str]) -> None:
        """Runs a statement for each row.

        Args:
            made: the statement.
            rows: of whole numbers, floats, decimals, texts, bytes and truth values alone: dates as
                days and times as microseconds since 1970.
            kinds: of Java's ``Cells``, for each column.
        """
        import pyarrow as pa

        for start in range(0, rows.num_rows, _BATCH):
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, rows.schema) as stream:
                stream.write_table(rows.slice(start, _BATCH))
            with _errors():
                self._target.write(
                    made.sql,
                    self._listed(made.places),
                    made.otherwise,
                    self._listed(made.other_places),
                    bytearray(sink.getvalue()),
                    self._listed(kinds),
                )

    def commit(self) -> None:
        """Commits."""
        with _errors():
            self._target.commit()

    def rollback(self) -> None:
        """Takes back what was not committed."""
        with _errors():
            self._target.rollback()

    def close(self) -> None:
        """Disconnects."""
        with _errors():
            self._target.close()

    def _listed(self, values: Sequence[Any]) -> Any:
        made = JavaPackage(self._spark, "java.util").ArrayList()
        for value in values:
            made.add(value)
        return made


@contextmanager
def _errors() -> Iterator[None]:
    with engine_errors():
        try:
            yield
        except JVM_ERRORS as e:
            java = getattr(e, "java_exception", None)
            if java is None or java.getClass().getName() != _FAILURE:
                raise
            raise JdbcError(java.state(), java.code(), java.passes(), java.text()) from None
