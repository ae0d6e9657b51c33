"""The table of ClickHouse that a sink writes to: its types, its engine, and what it must have."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pyspark.sql import types as t

from groundswell.errors import SinkError
from groundswell.sinks.clickhouse_http import Client
from groundswell.sinks.clickhouse_names import literal, quoted
from groundswell.sinks.clickhouse_text import bare
from groundswell.sinks.columns import NOT_IN_ARROW, missing, types_within
from groundswell.sinks.holding import Text, Uuids, check_text_key
from groundswell.sinks.narrowing import Narrowing
from groundswell.sinks.target_types import of_clickhouse, parts_of
from groundswell.suggestions import meant

_TYPES: dict[type[t.DataType], str] = {
    t.BooleanType: "UInt8",
    t.ByteType: "Int8",
    t.ShortType: "Int16",
    t.IntegerType: "Int32",
    t.LongType: "Int64",
    t.FloatType: "Float32",
    t.DoubleType: "Float64",
    t.StringType: "String",
    t.CharType: "String",
    t.VarcharType: "String",
    t.DateType: "Date",
    t.StructType: "String",
    t.MapType: "String",
}
_FITTING = {
    "number": r"U?Int\d+|Float\d+|Decimal.*|Bool",
    "time": r"DateTime.*|String",
    "date": r"Date(32)?|String|DateTime.*",
    "text": r".*",
    "list": r"Array\(.*|String",
    "object": r"String|Map\(.*|Tuple\(.*|JSON.*|Object.*",
}
WITH_DELETED = (23, 2)


class Table:
    """A table, found by its name as the user wrote it."""

    def __init__(self, client: Client, name: str) -> None:
        self._client = client
        parts = name.split(".")
        if len(parts) > 2:
            raise SinkError(f"table {name!r} has more than a database and a name")
        self._plain = parts[-1]
        self.database = (
            parts[0] if len(parts) == 2 else client.rows("SELECT currentDatabase()")[0][0]
        )
        self.name = f"{quoted(self.database)}.{quoted(self._plain)}"
        self.takes_tokens = self.replaces = False

    def _exists(self) -> bool:
        return self._client.rows(f"EXISTS TABLE {self.name}") == [["1"]]

    def create(self, schema: t.StructType, key: Sequence[str], extra: Sequence[str]) -> None:
        """Makes the table, if it is not there."""
        if self._exists():
            return
        version = self._client.version
        columns = [f"{quoted(f.name)} {self._type(f, f.name in key)}" for f in schema.fields]
        order = ", ".join(map(quoted, key)) if key else "tuple()"
        engine = "MergeTree"
        if extra:
            epoch, deleted = map(quoted, extra)
            columns += [f"{epoch} UInt64", f"{deleted} UInt8"]
            both = version >= WITH_DELETED
            engine = f"ReplacingMergeTree({epoch}{f', {deleted}' if both else ''})"
        tokens = version >= (22, 3) and not extra
        self._client.run(
            f"CREATE TABLE {self.name} ({', '.join(columns)}) ENGINE = {engine} ORDER BY ({order})"
            + (" SETTINGS non_replicated_deduplication_window = 1000" if tokens else "")
        )

    def _type(self, field: t.StructField, in_key: bool) -> str:
        kind = field.dataType
        name = self._plain_type(kind, field.name)
        nested = isinstance(kind, t.ArrayType)
        if nested and in_key:
            raise SinkError(
                f"column {field.name} is of type {kind.simpleString()}, and ClickHouse orders a "
                "table by no array that may hold nulls: name other columns in option key, or cast "
                "it to a string in the query"
            )
        return name if in_key or nested or not field.nullable else f"Nullable({name})"

    def _plain_type(self, kind: t.DataType, column: str) -> str:
        if isinstance(kind, t.DecimalType):
            return f"Decimal({kind.precision},{kind.scale})"
        if isinstance(kind, t.ArrayType):
            below = self._plain_type(kind.elementType, column)
            nullable = kind.containsNull and not isinstance(kind.elementType, t.ArrayType)
            return f"Array({f'Nullable({below})' if nullable else below})"
        if isinstance(kind, t.TimestampType | t.TimestampNTZType):
            return "DateTime64(6, 'UTC')" if self._client.version >= (20, 3) else "DateTime('UTC')"
        if isinstance(kind, t.DateType) and self._client.version >= (21, 9):
            return "Date32"
        if type(kind) not in _TYPES or not types_within(kind).isdisjoint(NOT_IN_ARROW):
            raise SinkError(
                f"column {column} is of type {kind.simpleString()}, which the sink has no type of "
                "ClickHouse for: cast it in the query"
            )
        return _TYPES[type(kind)]

    def check(
        self, schema: t.StructType, key: Sequence[str], extra: Sequence[str], narrowing: Narrowing
    ) -> dict[str, str]:
        """Refuses a table that cannot take the view; gives its types, by column."""
        if not self._exists():
            raise SinkError(self._missing())
        described = self._client.rows(f"DESCRIBE TABLE {self.name}")
        there = {row[0]: _on_one_line(row[1]) for row in described}
        made = {row[0]: row[2] for row in described if row[2] in ("MATERIALIZED", "ALIAS")}
        for field in schema.fields:
            if field.name in made:
                raise SinkError(
                    f"column {field.name} of table {self.name} is {made[field.name]}: ClickHouse "
                    "makes its values itself, and takes none. Leave it out of the view"
                )
            self._check_column(field, there, narrowing, field.name in key)
        engine = self._client.rows(
            f"SELECT engine FROM system.tables WHERE database = {literal(self.database)} "
            f"AND name = {literal(self._plain)}"
        )[0][0]
        if extra:
            self._check_replacing(engine, there, key, extra)
            self._check_order(key, extra[0])
        elif not engine.endswith("MergeTree") or engine.endswith(_MERGING):
            raise SinkError(
                f"table {self.name} is a {engine}; rows can be appended exactly once to a "
                "MergeTree or a ReplacingMergeTree"
            )
        self.replaces = engine.endswith("ReplacingMergeTree")
        self.takes_tokens = self._client.version >= (22, 3) and (
            engine.startswith("Replicated") or self._window()
        )
        return there

    def _window(self) -> bool:
        statement = self._client.rows(f"SHOW CREATE TABLE {self.name}")
        text = " ".join(" ".join(row) for row in statement)
        found = re.search(r"non_replicated_deduplication_window = (\d+)", text)
        return found is not None and int(found[1]) > 0

    def _missing(self) -> str:
        rows = self._client.rows(
            f"SELECT name FROM system.tables WHERE database = {literal(self.database)}"
        )
        hint = meant(self._plain, [row[0] for row in rows])
        return (
            f"there is no table {self.name}{hint}Create it, or set create_table to true for a "
            "table with the view's columns"
        )

    def _check_column(
        self, field: t.StructField, there: dict[str, str], narrowing: Narrowing, is_key: bool
    ) -> None:
        found = there.get(field.name)
        if found is None:
            raise missing(f"table {self.name}", field.name, there)
        if not re.fullmatch(_FITTING[_kind(field)], bare(found)):
            raise SinkError(
                f"column {field.name} of table {self.name} is a {found}, and the view gives "
                f"{field.dataType.simpleString()}: cast one of the two"
            )
        held = of_clickhouse(found)
        if is_key and _kind(field) == "text":
            plain = bare(found)
            exact = plain == "UUID" or isinstance(held, Text) or plain.startswith("Enum")
            check_text_key(f"table {self.name}", field.name, found, exact)
            held = Uuids() if plain == "UUID" else held
        narrowing.take(f"table {self.name}", field, found, held)

    def _check_order(self, key: Sequence[str], epoch: str) -> None:
        """One row stays of each value of what the table is ordered by: the newest of a key."""
        known = "database = 'system' AND table = 'tables' AND name = 'sorting_key'"
        if self._client.rows(f"SELECT count() FROM system.columns WHERE {known}") == [["0"]]:
            return  # an old server does not say it
        text, engine = self._client.rows(
            f"SELECT sorting_key, engine_full FROM system.tables WHERE database = "
            f"{literal(self.database)} AND name = {literal(self._plain)}"
        )[0]
        given = re.search(r"ReplacingMergeTree\(([^)]*)\)", engine)
        versions = [p for p in parts_of(given[1] if given else "") if p and not p.startswith("\\'")]
        if versions and versions[0].strip("`") != epoch:
            raise SinkError(
                f"table {self.name} keeps the row with the largest {versions[0]}, and must keep "
                f"that of the newest epoch: make it with ReplacingMergeTree({epoch})"
            )
        inner = text[1:-1] if text.startswith("(") and text.endswith(")") else text
        names = [part.strip("`") for part in parts_of(inner)]
        if set(names) != set(key):
            wanted = ", ".join(map(quoted, key))
            raise SinkError(
                f"table {self.name} is ordered by ({inner}), and the sink's key is "
                f"({', '.join(key)}). A ReplacingMergeTree keeps one row of each value of what it "
                "is ordered by, so rows would be lost, or old ones would stay: make the table with "
                f"ORDER BY ({wanted}), or name other columns in option key"
            )

    def _check_replacing(
        self, engine: str, there: dict[str, str], key: Sequence[str], extra: Sequence[str]
    ) -> None:
        epoch, deleted = extra
        missing = [name for name in extra if name not in there]
        if missing or not engine.endswith("ReplacingMergeTree"):
            lacks = f"without column {missing[0]}" if missing else f"of engine {engine}"
            raise SinkError(
                f"table {self.name} is {lacks}; changes want ENGINE = ReplacingMergeTree({epoch}) "
                f"ORDER BY ({', '.join(key)}) with columns {epoch} UInt64, {deleted} UInt8: set "
                "create_table to true for such a table"
            )


def _on_one_line(type_: str) -> str:
    """A type as ``DESCRIBE`` shows it; servers of today write the fields of tuples below it."""
    text = re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], type_)
    return re.sub(r"(,?)\n *", lambda m: ", " if m[1] else "", text)


_MERGING = ("SummingMergeTree", "AggregatingMergeTree", "CollapsingMergeTree")


def _kind(field: t.StructField) -> str:
    kind = field.dataType
    is_written = types_within(kind).isdisjoint(NOT_IN_ARROW)
    if isinstance(kind, t.NumericType | t.BooleanType):
        return "number"
    if isinstance(kind, t.TimestampType | t.TimestampNTZType):
        return "time"
    if isinstance(kind, t.DateType):
        return "date"
    if isinstance(kind, t.ArrayType) and is_written:
        return "list"
    if isinstance(kind, t.StructType | t.MapType) and is_written:
        return "object"
    if isinstance(kind, t.StringType):
        return "text"
    raise SinkError(
        f"column {field.name} is of type {kind.simpleString()}, which the sink cannot write to "
        "ClickHouse: cast it in the query"
    )
