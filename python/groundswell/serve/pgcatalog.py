"""``pg_catalog`` and ``information_schema`` of one epoch, as far as clients read them.

``catalog_columns.txt`` has their columns. Views are shown as views, readable tables as tables; a
key of either is shown as its primary key.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from groundswell.serve import pgtypes as t
from groundswell.serve.engine import Column, Relation
from groundswell.serve.lexer import identifier
from groundswell.serve.pgtypes import codec_of

OWNER, OWNER_OID, DATABASE_OID = "groundswell", 10, 5
CATALOG, PUBLIC, INFORMATION = 11, 2200, 13_000
FIRST_OID = 16_384
CLASS_OF_TABLES, CLASS_OF_DATABASES = 1259, 1262

_KINDS = {
    "i": pa.int64(),
    "o": pa.uint32(),  # which no view has
    "s": pa.string(),
    "b": pa.bool_(),
    "f": pa.float64(),
    "l": pa.list_(pa.int64()),
    "t": pa.list_(pa.string()),
}
_PLAIN = re.compile("[a-z_][a-z0-9_$]*")
_NOTHING = {"i": 0, "o": 0, "b": False, "f": 0.0}
_NULLABLE = {"relpartbound", "character_maximum_length", "character_octet_length", "sourceline"}
_NULLABLE |= {"numeric_precision", "numeric_precision_radix", "numeric_scale"}
_NULLABLE |= {"datetime_precision", "position_in_unique_constraint"}

TYPES: Mapping[int, tuple[str, str, int, str]] = {
    t.BOOL: ("bool", "boolean", 1, "B"),
    t.BYTEA: ("bytea", "bytea", -1, "U"),
    18: ("char", '"char"', 1, "Z"),
    19: ("name", "name", 64, "S"),
    t.INT8: ("int8", "bigint", 8, "N"),
    t.INT2: ("int2", "smallint", 2, "N"),
    t.INT4: ("int4", "integer", 4, "N"),
    t.TEXT_OID: ("text", "text", -1, "S"),
    t.OID: ("oid", "oid", 4, "N"),
    t.JSON: ("json", "json", -1, "U"),
    t.FLOAT4: ("float4", "real", 4, "N"),
    t.FLOAT8: ("float8", "double precision", 8, "N"),
    705: ("unknown", "unknown", -2, "X"),
    1042: ("bpchar", "character", -1, "S"),
    1043: ("varchar", "character varying", -1, "S"),
    t.DATE: ("date", "date", 4, "D"),
    t.TIME: ("time", "time without time zone", 8, "D"),
    t.TIMESTAMP: ("timestamp", "timestamp without time zone", 8, "D"),
    t.TIMESTAMPTZ: ("timestamptz", "timestamp with time zone", 8, "D"),
    t.INTERVAL: ("interval", "interval", 16, "T"),
    t.NUMERIC: ("numeric", "numeric", -1, "N"),
    2249: ("record", "record", -1, "P"),
    t.UUID: ("uuid", "uuid", 16, "U"),
    3802: ("jsonb", "jsonb", -1, "U"),
}
"""By object id: PostgreSQL's short name, SQL's, bytes of a value, category."""


def type_name(oid: int) -> tuple[str, str]:
    """PostgreSQL's short name of a type, and SQL's."""
    for element, array in t.ARRAYS.items():
        if array == oid:
            return f"_{TYPES[element][0]}", f"{TYPES[element][1]}[]"
    return TYPES[oid][:2]


@dataclass(frozen=True)
class ViewFacts:
    """A view, or a readable table.

    Attributes:
        schema: of its columns as they are stored.
        shown: expressions for columns that are shown in another way, by name.
        key: columns that identify a row; none: not known.
        is_table: whether it is a table.
    """

    name: str
    schema: pa.Schema
    shown: Mapping[str, str]
    key: tuple[str, ...]
    is_table: bool


@cache
def layouts() -> Mapping[str, Mapping[str, str]]:
    """Columns and their kinds by relation."""
    found = {}
    for line in (Path(__file__).parent / "catalog_columns.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            name, *columns = line.split()
            found[name] = dict(column.split(":") for column in columns)
    return found


def relation(name: str, rows: Iterable[Mapping[str, Any]]) -> Relation:
    """A relation of the catalog from its rows; what a row does not say is 0, false or null."""
    columns = layouts()[name]
    schema = pa.schema([pa.field(column, _KINDS[kind]) for column, kind in columns.items()])
    nothing = {
        column: None if column in _NULLABLE else _NOTHING.get(kind)
        for column, kind in columns.items()
    }

    def table(*_: object) -> pa.Table:
        kept = [{**nothing, **{k: v for k, v in row.items() if k in columns}} for row in rows]
        return pa.Table.from_pylist(kept, schema)

    return Relation(schema, table, {})


def columns_of(facts: ViewFacts) -> list[Column]:
    """Its columns as clients see them."""
    with duckdb.connect(":memory:") as connection:
        connection.register("stored", facts.schema.empty_table())
        shown = ", ".join(
            f"{facts.shown.get(name, identifier(name))} AS {identifier(name)}"
            for name in facts.schema.names
        )
        found = connection.sql(f"SELECT {shown or 'NULL AS nothing'} FROM stored")
        kinds = found.types
    return [
        Column(name, codec_of(kind)) for name, kind in zip(facts.schema.names, kinds, strict=False)
    ]


def _shown(name: str) -> str:
    """A name as PostgreSQL shows it: in quotes where it needs them."""
    return name if _PLAIN.fullmatch(name) else identifier(name)


class Catalog:
    """The catalog of an epoch.

    Args:
        database: its name.
        views: all views and tables.
    """

    def __init__(self, database: str, views: Sequence[ViewFacts]) -> None:
        self.database = database
        self._views = views
        self._oids: dict[str, int] = {}
        self._columns: dict[str, list[Column]] = {}
        taken: set[int] = set()
        for each in sorted(views, key=lambda view: view.name):
            oid = FIRST_OID + 2 * (zlib.crc32(each.name.encode()) >> 2)
            while oid in taken:
                oid += 2
            taken.add(oid)
            self._oids[each.name] = oid

    def oid(self, name: str) -> int | None:
        """The object id of a relation."""
        for known, oid in self._oids.items():
            if known.lower() == name.lower():
                return oid
        fixed = {"pg_class": CLASS_OF_TABLES, "pg_database": CLASS_OF_DATABASES, "pg_type": 1247}
        fixed |= {"pg_proc": 1255, "pg_namespace": 2615, "pg_constraint": 2606}
        return fixed.get(name, zlib.crc32(name.encode()) % 4096 if name in layouts() else None)

    def columns(self, facts: ViewFacts) -> list[Column]:
        """The columns of a view as clients see them."""
        if facts.name not in self._columns:
            self._columns[facts.name] = columns_of(facts)
        return self._columns[facts.name]

    def column_types(self, names: Sequence[str]) -> dict[str, int]:
        """The type of each column of some views, by name in lower case; for parameters."""
        wanted = {name.lower() for name in names}
        return {
            column.name.lower(): column.codec.oid
            for facts in self._views
            if facts.name.lower() in wanted
            for column in self.columns(facts)
        }

    def indexes(self) -> dict[int, list[str]]:
        """By object id of an index, its definition and then its columns."""
        return {
            self._oids[view.name] + 1: [self._definition(view), *map(_shown, view.key)]
            for view, _ in self._keys()
        }

    def _definition(self, view: ViewFacts) -> str:
        name, columns = _shown(f"{view.name}_pkey"), ", ".join(map(_shown, view.key))
        return f"CREATE UNIQUE INDEX {name} ON public.{_shown(view.name)} USING btree ({columns})"

    def find(self, name: str) -> Relation | None:
        """A relation by its name; None: there is none."""
        known = name.lower()
        if known not in layouts():
            return None
        rows = getattr(self, "_" + known.replace(".", "_"), None)
        return relation(known, rows() if rows is not None else ())

    def _pg_namespace(self) -> list[dict[str, Any]]:
        named = ((CATALOG, "pg_catalog"), (PUBLIC, "public"), (INFORMATION, "information_schema"))
        return [{"oid": oid, "nspname": name, "nspowner": OWNER_OID} for oid, name in named]

    def _pg_class(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for view in self._views:
            base = {"relnamespace": PUBLIC, "relowner": OWNER_OID, "relpersistence": "p"}
            base |= {"relreplident": "d", "relispopulated": True, "reltuples": -1.0}
            oid, columns = self._oids[view.name], len(view.schema.names)
            kind = "r" if view.is_table else "v"
            found.append(
                {**base, "oid": oid, "relname": view.name, "relkind": kind, "reltype": 0,
                 "relnatts": columns, "relhasindex": bool(view.key)}
            )  # fmt: skip
            if view.key:
                name = f"{view.name}_pkey"
                found.append(
                    {**base, "oid": oid + 1, "relname": name, "relkind": "i", "relam": 403,
                     "relnatts": len(view.key)}
                )  # fmt: skip
        for at, name in enumerate(n for n in layouts() if "." not in n):
            found.append(
                {"oid": self.oid(name) or at, "relname": name, "relnamespace": CATALOG,
                 "relowner": OWNER_OID, "relkind": "r", "relpersistence": "p",
                 "relispopulated": True}
            )  # fmt: skip
        return found

    def _pg_attribute(self) -> list[dict[str, Any]]:
        found = []
        for view in self._views:
            for number, column in enumerate(self.columns(view), start=1):
                found.append(
                    {
                        "attrelid": self._oids[view.name],
                        "attname": column.name,
                        "atttypid": column.codec.oid,
                        "attlen": column.codec.size,
                        "attnum": number,
                        "attndims": int(column.codec.oid in t.ARRAYS.values()),
                        "atttypmod": column.codec.modifier,
                        "attstattarget": -1,
                        "attnotnull": not view.schema.field(column.name).nullable,
                        "attidentity": "",
                        "attgenerated": "",
                        "attislocal": True,
                        "attstorage": "p",
                        "attalign": "i",
                        "attcompression": "",
                    }
                )
        return found

    def _pg_type(self) -> list[dict[str, Any]]:
        found = []
        base = {"typnamespace": CATALOG, "typowner": OWNER_OID, "typtype": "b"}
        base |= {"typisdefined": True, "typdelim": ",", "typtypmod": -1, "typalign": "i"}
        for oid, (name, _, size, category) in TYPES.items():
            facts = {"oid": oid, "typname": name, "typlen": size, "typcategory": category}
            facts |= {"typarray": t.ARRAYS.get(oid, 0), "typinput": f"{name}in"}
            facts |= {"typtype": "p"} if category == "P" else {}
            found.append({**base, **facts})
        for oid, array in t.ARRAYS.items():
            facts = {"oid": array, "typname": f"_{TYPES[oid][0]}", "typlen": -1, "typelem": oid}
            facts |= {"typcategory": "A", "typinput": "array_in"}
            found.append({**base, **facts})
        return found

    def _keys(self) -> list[tuple[ViewFacts, list[int]]]:
        return [
            (view, [view.schema.names.index(name) + 1 for name in view.key])
            for view in self._views
            if view.key
        ]

    def _pg_constraint(self) -> list[dict[str, Any]]:
        return [
            {
                "oid": self._oids[view.name] + 1,
                "conname": f"{view.name}_pkey",
                "connamespace": PUBLIC,
                "contype": "p",
                "convalidated": True,
                "conrelid": self._oids[view.name],
                "conindid": self._oids[view.name] + 1,
                "conislocal": True,
                "conkey": key,
            }
            for view, key in self._keys()
        ]

    def _pg_index(self) -> list[dict[str, Any]]:
        return [
            {
                "indexrelid": self._oids[view.name] + 1,
                "indrelid": self._oids[view.name],
                "indnatts": len(key),
                "indnkeyatts": len(key),
                "indisunique": True,
                "indisprimary": True,
                "indimmediate": True,
                "indisvalid": True,
                "indisready": True,
                "indislive": True,
                "indkey": key,
                "indoption": [0] * len(key),
                "indclass": [0] * len(key),
                "indcollation": [0] * len(key),
            }
            for view, key in self._keys()
        ]

    def _pg_database(self) -> list[dict[str, Any]]:
        return [
            {"oid": DATABASE_OID, "datname": self.database, "datdba": OWNER_OID, "encoding": 6,
             "datlocprovider": "c", "datallowconn": True, "datconnlimit": -1, "datcollate": "C",
             "datctype": "C", "dattablespace": 1663}
        ]  # fmt: skip

    def _pg_roles(self) -> list[dict[str, Any]]:
        return [{"oid": OWNER_OID, "rolname": OWNER, "rolinherit": True, "rolcanlogin": True}]

    def _pg_user(self) -> list[dict[str, Any]]:
        return [{"usename": OWNER, "usesysid": OWNER_OID}]

    def _pg_am(self) -> list[dict[str, Any]]:
        return [
            {"oid": 2, "amname": "heap", "amtype": "t"},
            {"oid": 403, "amname": "btree", "amtype": "i"},
        ]

    def _pg_tablespace(self) -> list[dict[str, Any]]:
        return [{"oid": 1663, "spcname": "pg_default", "spcowner": OWNER_OID}]

    def _pg_tables(self) -> list[dict[str, Any]]:
        return [
            {"schemaname": "public", "tablename": v.name, "tableowner": OWNER,
             "hasindexes": bool(v.key)}
            for v in self._views
            if v.is_table
        ]  # fmt: skip

    def _pg_views(self) -> list[dict[str, Any]]:
        return [
            {"schemaname": "public", "viewname": v.name, "viewowner": OWNER, "definition": ""}
            for v in self._views
            if not v.is_table
        ]

    def _pg_indexes(self) -> list[dict[str, Any]]:
        return [
            {"schemaname": "public", "tablename": v.name, "indexname": f"{v.name}_pkey",
             "indexdef": self._definition(v)}
            for v, _ in self._keys()
        ]  # fmt: skip

    def _information_schema_schemata(self) -> list[dict[str, Any]]:
        return [
            {"catalog_name": self.database, "schema_name": row["nspname"], "schema_owner": OWNER}
            for row in self._pg_namespace()
        ]

    def _place(self, view: ViewFacts) -> dict[str, Any]:
        return {
            "table_catalog": self.database,
            "table_schema": "public",
            "table_name": view.name,
        }

    def _information_schema_tables(self) -> list[dict[str, Any]]:
        return [
            {**self._place(view), "table_type": "BASE TABLE" if view.is_table else "VIEW",
             "is_insertable_into": "NO", "is_typed": "NO"}
            for view in self._views
        ]  # fmt: skip

    def _information_schema_views(self) -> list[dict[str, Any]]:
        no = {"check_option": "NONE", "is_updatable": "NO", "is_insertable_into": "NO"}
        return [{**self._place(view), **no} for view in self._views if not view.is_table]

    def _information_schema_columns(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for view in self._views:
            for number, column in enumerate(self.columns(view), start=1):
                codec = column.codec
                short, long = type_name(codec.oid)
                row: dict[str, Any] = {
                    **self._place(view),
                    "column_name": column.name,
                    "ordinal_position": number,
                    "is_nullable": "YES" if view.schema.field(column.name).nullable else "NO",
                    "data_type": "ARRAY" if short.startswith("_") else long,
                    "udt_catalog": self.database,
                    "udt_schema": "pg_catalog",
                    "udt_name": short,
                    "dtd_identifier": str(number),
                    "is_identity": "NO",
                    "is_generated": "NEVER",
                    "is_updatable": "NO",
                }
                if codec.oid == t.NUMERIC and codec.modifier >= 0:
                    row["numeric_precision"] = (codec.modifier - 4) >> 16
                    row["numeric_scale"] = (codec.modifier - 4) & 0xFFFF
                    row["numeric_precision_radix"] = 10
                elif codec.oid in (t.INT2, t.INT4, t.INT8):
                    row["numeric_precision"] = codec.size * 8
                    row["numeric_precision_radix"], row["numeric_scale"] = 2, 0
                elif codec.oid in (t.TIME, t.TIMESTAMP, t.TIMESTAMPTZ, t.INTERVAL):
                    row["datetime_precision"] = 6
                found.append(row)
        return found

    def _constraint(self, view: ViewFacts) -> dict[str, Any]:
        return {
            "constraint_catalog": self.database,
            "constraint_schema": "public",
            "constraint_name": f"{view.name}_pkey",
            **self._place(view),
        }

    def _information_schema_table_constraints(self) -> list[dict[str, Any]]:
        no = {"constraint_type": "PRIMARY KEY", "is_deferrable": "NO", "initially_deferred": "NO"}
        return [{**self._constraint(view), **no, "enforced": "YES"} for view, _ in self._keys()]

    def _information_schema_key_column_usage(self) -> list[dict[str, Any]]:
        return [
            {**self._constraint(view), "column_name": name, "ordinal_position": at}
            for view, _ in self._keys()
            for at, name in enumerate(view.key, start=1)
        ]

    _information_schema_constraint_column_usage = _information_schema_key_column_usage
