"""Functions over whole groups, as functions of collected groups.

``applyInPandas``, ``applyInArrow``, their cogrouped forms and pandas and Arrow aggregate functions
want a group as Spark brings it together in a batch query. A view keeps the rows of a group as a
list instead, see ``WrappedFunctions`` in the JVM; :class:`GroupFunction` takes such lists, many
groups at a time, and calls the user's function once for each, with what it would get from Spark.

It runs in Python's workers, where this package may be missing: so it is pickled by value, and needs
nothing of this package but :mod:`commands`, which is, too. Values are converted by Spark's own
code, so that types are its own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import ArrayType, DataType, StructField, StructType

from groundswell.jvm.commands import load

if TYPE_CHECKING:
    import pyarrow as pa

PANDAS_ROWS, PANDAS_ROWS_IN_PARTS, PANDAS_ROWS_OF_TWO = 201, 216, 206
ARROW_ROWS, ARROW_ROWS_IN_PARTS, ARROW_ROWS_OF_TWO = 209, 215, 210
PANDAS_VALUE, PANDAS_VALUE_IN_PARTS = 202, 217
ARROW_VALUE, ARROW_VALUE_IN_PARTS = 252, 254
"""What Spark calls these kinds of functions (``PythonEvalType``)."""

IN_PARTS = (PANDAS_ROWS_IN_PARTS, ARROW_ROWS_IN_PARTS, PANDAS_VALUE_IN_PARTS, ARROW_VALUE_IN_PARTS)
ROWS = (
    *(PANDAS_ROWS, PANDAS_ROWS_IN_PARTS, PANDAS_ROWS_OF_TWO),
    *(ARROW_ROWS, ARROW_ROWS_IN_PARTS, ARROW_ROWS_OF_TWO),
)
PANDAS = (
    *(PANDAS_ROWS, PANDAS_ROWS_IN_PARTS, PANDAS_ROWS_OF_TWO),
    *(PANDAS_VALUE, PANDAS_VALUE_IN_PARTS),
)


class GroupFunction:
    """One function of the user.

    Args:
        command: the function and its return type, as Spark pickled them.
        kind: its ``PythonEvalType``, one of those above.
        returns: what it gives: the columns of its rows, or the type of its value.
        keys: how many columns the group's key has; its key comes as the first argument if any.
        columns: of each list of rows that it takes, one or two, the positions and names of those
            that are the function's, in its order. The name of a keyword argument starts with "=".
        timezone: of the session.
        by_name: whether pandas columns of a result are told by name, see
            ``spark.sql.legacy.execution.pandas.groupedMap.assignColumnsByName``.
        safe: whether a result that loses digits is an error, see
            ``spark.sql.execution.pandas.convertToArrowArraySafely``.
    """

    def __init__(
        self,
        command: bytes,
        kind: int,
        returns: DataType,
        keys: int,
        columns: Sequence[Sequence[tuple[int, str]]],
        timezone: str,
        by_name: bool,
        safe: bool,
    ) -> None:
        self.command = command
        self.kind = kind
        self.returns = returns
        self.keys = keys
        self.columns = [list(each) for each in columns]
        self.timezone = timezone
        self.by_name = by_name
        self.safe = safe

    @property
    def result(self) -> DataType:
        """Of a call: an array of rows, or a value."""
        return ArrayType(self.returns, False) if self.kind in ROWS else self.returns

    def __call__(self, *arguments: pa.Array) -> pa.Array:
        """Calls the function for each group.

        Args:
            arguments: the keys as an array of structs, unless there are none; then an array of
                lists of structs, or two.

        Returns:
            As many values as there are groups.
        """
        function = load(self.command)[0]
        named = self.kind in ROWS and _arguments(function) > len(self.columns)
        keys = arguments[0] if self.keys else None
        lists = arguments[1:] if self.keys else arguments
        results = []
        for group in range(len(arguments[0])):
            key = self._key(keys, group) if named else None
            rows = [self._table(each, group, i) for i, each in enumerate(lists)]
            results.append(self._call(function, key, rows))
        return self._joined(results)

    def _key(self, keys: pa.Array | None, group: int) -> tuple[Any, ...]:
        if keys is None:
            return ()
        columns = keys.slice(group, 1).flatten()
        if self.kind not in PANDAS:
            return tuple(column[0] for column in columns)
        import pyarrow as pa

        names = [f"k{i}" for i in range(len(columns))]
        return tuple(s.iloc[0] for s in self._series(pa.Table.from_arrays(columns, names)))

    def _table(self, lists: pa.Array, group: int, side: int) -> pa.Table:
        """The rows of a group, in the function's columns; none if the group is not on this side."""
        import pyarrow as pa

        rows = lists.slice(group, 1).flatten()
        columns = rows.flatten()
        wanted = self.columns[side]
        return pa.Table.from_arrays([columns[i] for i, _ in wanted], [name for _, name in wanted])

    def _series(self, table: pa.Table) -> list[Any]:
        from pyspark.sql.conversion import ArrowBatchTransformer

        return list(ArrowBatchTransformer.to_pandas(table, timezone=self.timezone))

    def _frame(self, table: pa.Table) -> Any:
        import pandas as pd

        return pd.concat(self._series(table), axis=1) if table.num_columns else pd.DataFrame()

    def _call(self, function: Any, key: tuple[Any, ...] | None, tables: list[pa.Table]) -> Any:
        if self.kind not in ROWS:
            return self._value(function, tables[0])
        given = [self._frame(t) for t in tables] if self.kind in PANDAS else tables
        if self.kind in IN_PARTS:
            parts = given if self.kind in PANDAS else tables[0].to_batches()
            given = [iter(parts)]
        result = function(*given) if key is None else function(key, *given)
        parts = result if self.kind in IN_PARTS else iter([result])
        return [self._rows(self._checked(part)) for part in parts]

    def _checked(self, part: Any) -> Any:
        import pandas as pd
        import pyarrow as pa

        wanted: Any = pd.DataFrame if self.kind in PANDAS else (pa.Table, pa.RecordBatch)
        if not isinstance(part, wanted):
            name = "pandas.DataFrame" if self.kind in PANDAS else "pyarrow.Table"
            raise TypeError(f"a function over a group must give a {name}, got {type(part)}")
        return part

    def _value(self, function: Any, table: pa.Table) -> Any:
        """One value, as an array of it."""
        import pandas as pd
        import pyarrow as pa

        pandas = self.kind in PANDAS
        columns = self._series(table) if pandas else table.combine_chunks().columns
        if not pandas:
            columns = [column.combine_chunks() for column in columns]
        names = [name for _, name in self.columns[0]]
        given = [c for c, name in zip(columns, names, strict=True) if not name.startswith("=")]
        keywords = {
            name[1:]: c for c, name in zip(columns, names, strict=True) if name.startswith("=")
        }
        if self.kind in IN_PARTS:
            part = given[0] if len(given) == 1 else tuple(given)
            value = function(iter([part]))
        else:
            value = function(*given, **keywords)
        if pandas:
            return self._from_pandas(pd.Series([value]), self.returns)
        made = value if isinstance(value, pa.Scalar) else pa.scalar(value)
        return pa.array([made.as_py()], made.type).cast(self._type())

    def _rows(self, part: Any) -> pa.Array:
        """A part of a function's result, as an array of structs."""
        import pyarrow as pa

        assert isinstance(self.returns, StructType)
        fields = list(self._type())
        if not part.shape[1] and not part.shape[0]:
            return pa.array([], self._type())
        of = self._pandas_columns if self.kind in PANDAS else _arrow_columns
        columns = of(part, self.returns)
        whole = [column.cast(field.type) for column, field in zip(columns, fields, strict=True)]
        return pa.StructArray.from_arrays(whole, fields=fields)

    def _pandas_columns(self, frame: Any, wanted: StructType) -> list[pa.Array]:
        names, given = wanted.fieldNames(), list(frame.columns)
        if self.by_name and any(isinstance(name, str) for name in given):
            _same_names(names, given)
            frame = frame[names]
        elif len(given) != len(names):
            raise ValueError(
                f"a function's result has {len(given)} columns; it was declared with {names}"
            )
        return [
            self._from_pandas(frame.iloc[:, i].reset_index(drop=True), field.dataType)
            for i, field in enumerate(wanted.fields)
        ]

    def _from_pandas(self, series: Any, data_type: DataType) -> pa.Array:
        from pyspark.sql.conversion import PandasToArrowConversion

        batch = PandasToArrowConversion.convert(
            [series],
            StructType([StructField("_0", data_type)]),
            timezone=self.timezone,
            safecheck=self.safe,
            arrow_cast=True,
        )
        return batch.column(0)

    def _type(self) -> pa.DataType:
        from pyspark.sql.pandas.types import to_arrow_type

        return to_arrow_type(self.returns, timezone="UTC")

    def _joined(self, results: list[Any]) -> pa.Array:
        import pyarrow as pa

        if self.kind not in ROWS:
            whole = [value.cast(self._type()) for value in results]
            return pa.concat_arrays(whole) if whole else pa.array([], self._type())
        offsets, parts = [0], []
        for group in results:
            parts += [part.cast(self._type()) for part in group]
            offsets.append(offsets[-1] + sum(map(len, group)))
        rows = pa.concat_arrays(parts) if parts else pa.array([], self._type())
        return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), rows)


def _arguments(function: Callable[..., Any]) -> int:
    """As Spark counts them: a function of one more wants the key."""
    return len(inspect.getfullargspec(function).args)


def _arrow_columns(table: Any, wanted: StructType) -> list[pa.Array]:
    import pyarrow as pa

    names = wanted.fieldNames()
    _same_names(names, table.schema.names)
    table = pa.Table.from_batches([table]) if isinstance(table, pa.RecordBatch) else table
    columns = [table.column(name).combine_chunks() for name in names]
    return [c.combine_chunks() if hasattr(c, "num_chunks") else c for c in columns]


def _same_names(wanted: list[str], given: list[Any]) -> None:
    missing = sorted(set(wanted) - set(map(str, given)))
    extra = sorted(set(map(str, given)) - set(wanted))
    if missing or extra:
        raise ValueError(
            f"the columns of a function's result are not those that it was declared with, {wanted}:"
            f" missing {missing}, unexpected {extra}"
        )
