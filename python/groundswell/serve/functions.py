"""Functions of PostgreSQL's that clients call and DuckDB lacks, as macros."""

from __future__ import annotations

from groundswell.serve.lexer import quoted
from groundswell.serve.pgcatalog import OWNER, TYPES
from groundswell.serve.pgtypes import ARRAYS, NUMERIC
from groundswell.version import VERSION

SERVER_VERSION = "16.0"
SERVER_VERSION_NUMBER = "160000"
FULL_VERSION = f"PostgreSQL {SERVER_VERSION} (Groundswell {VERSION})"

_PRIVILEGES = """
    has_any_column_privilege has_column_privilege has_database_privilege has_function_privilege
    has_schema_privilege has_sequence_privilege has_table_privilege has_tablespace_privilege
    pg_has_role
""".split()
_VISIBLE = """
    pg_table_is_visible pg_type_is_visible pg_function_is_visible pg_opclass_is_visible
    pg_operator_is_visible pg_collation_is_visible
""".split()

_QUOTED = """CASE WHEN regexp_full_match(text, '[a-z_][a-z0-9_$]*') THEN text
ELSE '"' || replace(text, '"', '""') || '"' END"""
_LIKES = {
    "~~": "like_escape",
    "!~~": "not_like_escape",
    "~~*": "ilike_escape",
    "!~~*": "not_ilike_escape",
}
"""By the operator that LIKE is, what takes an escape: to PostgreSQL it is a backslash, if none is
given, to DuckDB there is none. Of a constant pattern without one DuckDB sees its own operator."""

_LITERAL = """CASE WHEN contains(value::VARCHAR, chr(92)) THEN 'E' ELSE '' END || chr(39) ||
replace(replace(value::VARCHAR, chr(92), chr(92) || chr(92)), chr(39), chr(39) || chr(39)) ||
chr(39)"""


def macros(database: str) -> list[str]:
    """Statements that define them.

    Args:
        database: its name.
    """
    found = [
        _macro("version()", quoted(FULL_VERSION)),
        _macro("current_database()", quoted(database)),
        _macro("current_catalog()", quoted(database)),
        _macro("current_schema()", "'public'"),
        _macro("current_schemas(implicit)", "['pg_catalog', 'public']"),
        _macro("current_user()", quoted(OWNER)),
        _macro("session_user()", quoted(OWNER)),
        _macro("pg_backend_pid()", "0"),
        _macro("pg_is_in_recovery()", "false"),
        _macro("pg_get_userbyid(id)", quoted(OWNER)),
        _macro("pg_encoding_to_char(encoding)", "'UTF8'"),
        _macro("pg_char_to_encoding(encoding)", "6"),
        _macro("pg_client_encoding()", "'UTF8'"),
        _macro("pg_get_viewdef(view)", "''", "view, pretty"),
        _macro(
            "pg_get_expr(expression, relation)", "NULL::VARCHAR", "expression, relation, pretty"
        ),
        _macro("pg_get_constraintdef(id)", "'PRIMARY KEY'", "id, pretty"),
        "CREATE OR REPLACE MACRO main.pg_get_indexdef(indexes, id) AS "
        "indexes[CAST(id AS BIGINT)][1], "
        '(indexes, id, "column", pretty) AS indexes[CAST(id AS BIGINT)]["column" + 1]',
        _macro("pg_get_partkeydef(id)", "NULL::VARCHAR"),
        _macro("pg_get_serial_sequence(relation, col)", "NULL::VARCHAR"),
        _macro("pg_get_statisticsobjdef_columns(id)", "NULL::VARCHAR"),
        _macro("pg_get_function_arguments(id)", "''"),
        _macro("pg_get_function_result(id)", "''"),
        _macro("pg_relation_is_publishable(id)", "false"),
        _macro("pg_relation_size(id)", "0", "id, fork"),
        _macro("pg_table_size(id)", "0"),
        _macro("pg_total_relation_size(id)", "0"),
        _macro("pg_size_pretty(size)", "CAST(size AS VARCHAR) || ' bytes'"),
        _macro("pg_advisory_unlock_all()", "NULL::VARCHAR"),
        _macro("pg_postmaster_start_time()", "now()"),
        _macro("obj_description(id)", "NULL::VARCHAR", "id, catalog"),
        _macro("col_description(id, col)", "NULL::VARCHAR"),
        _macro("shobj_description(id, catalog)", "NULL::VARCHAR"),
        _macro("set_config(name, value, is_local)", "value"),
        _macro("quote_ident(text)", _QUOTED),
        *(
            _macro(
                f'"{operator}"(text, pattern)',
                f"CASE WHEN contains(pattern, chr(92)) THEN {escaping}(text, pattern, chr(92)) "
                f'ELSE system.main."{operator}"(text, pattern) END',
            )
            for operator, escaping in _LIKES.items()
        ),
        _macro("quote_literal(value)", _LITERAL),
        _macro("quote_nullable(value)", f"coalesce({_LITERAL}, 'NULL')"),
        _macro(
            "parse_ident(text)", "list_transform(string_split(text, '.'), lambda x : trim(x, '\"'))"
        ),
        _macro(
            "_pg_expandarray(list)",
            "unnest(list_transform(list, lambda x, i : struct_pack(x := x, n := i)))",
        ),
        _macro("array_upper(list, dimension)", "nullif(len(list), 0)"),
        _macro("array_lower(list, dimension)", "if(len(list) > 0, 1, NULL)"),
        _macro("format_type(id, modifier)", _format_type()),
        _macro("to_regtype(name)", _to_type()),
        _macro("to_regclass(name)", "NULL::UINTEGER"),
        _macro("current_setting(name)", "NULL::VARCHAR", "name, missing_ok"),
    ]
    found += [
        _macro(f"{name}(object, privilege)", "privilege NOT IN ('INSERT', 'UPDATE', 'DELETE')",
               "role, object, privilege")
        for name in _PRIVILEGES
    ]  # fmt: skip
    return found + [_macro(f"{name}(id)", "true") for name in _VISIBLE]


def _macro(head: str, body: str, other: str = "") -> str:
    """A function, and with ``other`` the same with these parameters instead."""
    name, _, parameters = head.partition("(")
    more = f", ({other}) AS {body}" if other else ""
    return f"CREATE OR REPLACE MACRO main.{name}({parameters} AS {body}{more}"


def _to_type() -> str:
    """The number of a type by either of its names; null: there is none."""
    cases = [
        f"WHEN lower(name) IN ({quoted(short)}, {quoted(long)}) THEN {oid}"
        for oid, (short, long, _, _) in TYPES.items()
    ]
    return f"CASE {' '.join(cases)} ELSE NULL END"


def _format_type() -> str:
    cases = [
        f"WHEN {NUMERIC} THEN if(modifier >= 4, 'numeric(' || ((modifier - 4) >> 16) || ',' || "
        "((modifier - 4) & 65535) || ')', 'numeric')"
    ]
    for oid, (_, name, _, _) in TYPES.items():
        if oid != NUMERIC:
            cases.append(f"WHEN {oid} THEN {quoted(name)}")
    cases += [f"WHEN {array} THEN {quoted(TYPES[oid][1] + '[]')}" for oid, array in ARRAYS.items()]
    return f"CASE CAST(id AS BIGINT) {' '.join(cases)} ELSE '???' END"
