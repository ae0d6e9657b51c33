"""What PostgreSQL's clients write and DuckDB reads otherwise, token by token. Pure.

Schemas that a statement may name are left out (``pg_catalog.``, ``public.``): all their names are
unambiguous here. ``information_schema.tables`` becomes one name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from groundswell.serve.errors import ServeError
from groundswell.serve.lexer import QUOTED, STRING, SYMBOL, WORD, Token, identifier, quoted, tokens
from groundswell.serve.values import ARRAY, array_items

INFORMATION = "information_schema"
_SCHEMAS = ("pg_catalog", "public")
_AS_TEXT = {
    "name",
    "regclass",
    "regtype",
    "regproc",
    "regprocedure",
    "regrole",
    "regnamespace",
    "bpchar",
}
_AS_NUMBER = {"oid", "xid", "cid"}
_MOST_DIGITS = 38
"""Of a decimal, to DuckDB. ORMs write numeric(1000, 15)."""

_TYPES = {
    **dict.fromkeys(_AS_TEXT, "VARCHAR"),
    **dict.fromkeys(_AS_NUMBER, "UINTEGER"),
    "jsonb": "JSON",
    "unknown": "VARCHAR",
    "float4": "FLOAT",
    "float8": "DOUBLE",
    "int2vector": "VARCHAR",
}
_RENAMED = {"json_build_object": "json_object", "jsonb_build_object": "json_object"}
_RENAMED |= {"json_agg": "json_group_array", "jsonb_agg": "json_group_array"}
_RENAMED |= {"json_build_array": "json_array", "jsonb_build_array": "json_array"}
_OF_ROWS = {"unnest", "generate_series", "string_to_array"}
_CLAUSES = {"SELECT", "FROM", "JOIN", "LATERAL", "ON", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT"}
_NO_ALIAS = _CLAUSES | {"WITH", "CROSS", "LEFT", "RIGHT", "FULL", "INNER", "NATURAL", "UNION"}
_NO_ALIAS |= {"EXCEPT", "INTERSECT", "OFFSET", "FETCH", "WINDOW", "USING", "AS"}
_OF_DUCKDB = {"AT", "DESCRIBE", "LAMBDA", "SHOW", "SUMMARIZE"}
"""Words that DuckDB keeps for itself and PostgreSQL does not: here they are names."""
_WITHOUT_PARENTHESES = {"current_user", "session_user", "user"}
_RESERVED = """
all analyse analyze and any array as asc asymmetric both case cast check collate column constraint
create current_catalog current_date current_role current_time current_timestamp current_user default
deferrable desc distinct do else end except false fetch for foreign from grant group having in
initially intersect into lateral leading limit localtime localtimestamp not null offset on only or
order placing primary references returning select session_user some symmetric system_user table then
to trailing true union unique user using variadic when where window with
""".split()
_KEYWORDS = (
    f"(SELECT unnest([{', '.join(map(quoted, _RESERVED))}]) AS word, 'R' AS catcode, "
    "false AS barelabel, 'reserved' AS catdesc)"
)
"""``pg_get_keywords()``: the reserved words of PostgreSQL."""


@dataclass(frozen=True)
class Names:
    """What a statement's names mean to the session that it is of.

    Attributes:
        database: its name, which may stand before a schema's.
        oid: the object id of a relation, for ``'v'::regclass``; None: there is no such relation.
        setting: the value of a setting, for ``current_setting('x')``; None: there is none.
        values: what functions without arguments give, as SQL, by name.
        indexes: the definition and then the columns of each index, by its object id.
    """

    database: str
    oid: Callable[[str], int | None]
    setting: Callable[[str], str | None]
    values: Mapping[str, str]
    indexes: Callable[[], Mapping[int, Sequence[str]]]


def translated(sql: str, names: Names) -> str:
    """A SELECT of PostgreSQL's as DuckDB reads it.

    Args:
        sql: one statement.
        names: what its names mean.

    Raises:
        ServeError: a quote is not closed, or there is no such relation.
    """
    found = tokens(sql)
    parts: list[str] = []
    at = index = 0
    while index < len(found):
        taken, replacement = _at(found, index, names)
        if taken:
            parts += [sql[at : found[index].start], replacement]
            at = found[index + taken - 1].end
            index += taken
        else:
            index += 1
    return "".join([*parts, sql[at:]])


def _at(found: Sequence[Token], index: int, names: Names) -> tuple[int, str]:
    """How many tokens are replaced from a place on, and by what."""
    token = found[index]
    after = found[index + 1] if index + 1 < len(found) else None
    before = found[index - 1] if index else None
    if token.upper == "OPERATOR" and after is not None and after.text == "(":
        end = _closing(found, index + 1)
        symbols = [x.text for x in found[index + 2 : end] if x.kind == SYMBOL and x.text != "."]
        return end - index + 1, f" {''.join(symbols)} "
    if token.upper in _OF_DUCKDB and not (
        token.upper == "AT" and after is not None and after.upper in ("TIME", "LOCAL")
    ):
        return 1, identifier(token.name)
    if token.upper == "COLLATE" and after is not None:
        end = index + 1
        while end + 2 < len(found) and found[end + 1].text == ".":
            end += 2
        return end - index + 1, ""
    if before is None or before.text != "." or _qualified(found, index, names):
        if after is not None and after.text == "." and index + 2 < len(found):
            if token.name == names.database and _is_schema(found, index + 2):
                taken, rest = _at(found, index + 2, names)
                return taken + 2, rest
            if token.name in _SCHEMAS:
                return 2, ""
            if token.name == INFORMATION and found[index + 2].name == "_pg_expandarray":
                return 2, ""
            if token.name == INFORMATION:
                return 3, identifier(f"{INFORMATION}.{found[index + 2].name}")
        if token.kind == WORD and after is not None and after.text == "(":
            if token.name in _RENAMED:
                return 1, _RENAMED[token.name]
            if token.name == "pg_get_indexdef":
                return 2, f"pg_get_indexdef({_map(names.indexes())}, "
            if token.name == "pg_get_keywords" and _in_from(found, index):
                return _closing(found, index + 1) - index + 1, _KEYWORDS
            if token.name in _OF_ROWS and _in_from(found, index):
                return _source(found, index, names)
        if token.kind == WORD:
            value = _value(found, index, names)
            if value is not None:
                return value
    if token.kind == SYMBOL and token.text == "::":
        return _cast(found, index)
    if token.kind == STRING and after is not None and after.text == "::":
        return _regclass(found, index, names.oid) or _array_literal(found, index)
    if token.kind == STRING and token.text[0] in "eE":
        return 1, quoted(token.value)
    if token.upper == "AS" and before is not None and _in_cast(found, index):
        return _type(found, index + 1, "AS ")
    return 0, ""


def _value(found: Sequence[Token], index: int, names: Names) -> tuple[int, str] | None:
    """A function whose value the session knows: ``current_user``, ``current_setting('x')``."""
    name = found[index].name
    called = [token.text for token in found[index + 1 : index + 3]] == ["(", ")"]
    if name in names.values and (called or name in _WITHOUT_PARENTHESES):
        return 3 if called else 1, names.values[name]
    if name not in ("current_setting", "to_regclass") or index + 3 >= len(found):
        return None
    if found[index + 1].text != "(" or found[index + 2].kind != STRING:
        return None
    end = _closing(found, index + 1)
    if name == "to_regclass":
        return end - index + 1, str(_relation(found[index + 2].value, names.oid) or "NULL")
    value = names.setting(found[index + 2].value)
    if value is None and end == index + 3:
        text = f'unrecognized configuration parameter "{found[index + 2].value}"'
        raise ServeError("42704", text)
    return end - index + 1, "NULL" if value is None else quoted(value)


def _in_from(found: Sequence[Token], index: int) -> bool:
    """Whether a place is in FROM, and not in a condition of a join there."""
    depth = 0
    for token in reversed(found[:index]):
        depth += {")": 1, "(": -1}.get(token.text, 0) if token.kind == SYMBOL else 0
        if depth < 0:
            return False
        if depth == 0 and token.upper in _CLAUSES:
            return token.upper in ("FROM", "JOIN", "LATERAL")
    return False


def _source(found: Sequence[Token], index: int, names: Names) -> tuple[int, str]:
    """A function in FROM, whose alias names its column, too."""
    end = _closing(found, index + 1)
    name = found[index].name
    if name == "unnest":
        several = _unnest(found, index, end, names)
        if several[0]:
            return several
    inner = _text(found[index : end + 1], names)
    place = end + 1
    if place < len(found) and found[place].upper == "AS":
        place += 1
    alias = found[place] if place < len(found) else None
    if alias is None or alias.kind not in (WORD, QUOTED) or alias.upper in _NO_ALIAS:
        return 0, ""
    if place + 1 < len(found) and found[place + 1].text == "(":
        return 0, ""
    if name == "string_to_array":
        return place - index + 1, f"(SELECT {inner} AS {alias.text}) AS {alias.text}"
    return place - index + 1, f"{inner} AS {alias.text}({alias.text})"


def _text(found: Sequence[Token], names: Names) -> str:
    """Some tokens as DuckDB reads them."""
    return translated(" ".join(token.text for token in found), names)


def _unnest(found: Sequence[Token], index: int, end: int, names: Names) -> tuple[int, str]:
    """``unnest(a, b) WITH ORDINALITY`` as a subquery; of one list it stays."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in found[index + 2 : end]:
        depth += {"(": 1, ")": -1, "[": 1, "]": -1}.get(token.text, 0)
        if token.text == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    if len(parts) < 2:
        return 0, ""
    lists = [_text(part, names) for part in parts]
    columns = [f"unnest({each})" for each in lists]
    if [token.upper for token in found[end + 1 : end + 3]] == ["WITH", "ORDINALITY"]:
        columns.append(f"unnest(range(1, len({lists[0]}) + 1))")
        end += 2
    return end - index + 1, f"(SELECT {', '.join(columns)})"


def _qualified(found: Sequence[Token], index: int, names: Names) -> bool:
    """Whether what stands before a name is a schema or, before a schema, the database."""
    if index < 2:
        return False
    before = found[index - 2].name
    if before == names.database and _is_schema(found, index):
        return True
    alone = index < 4 or found[index - 3].text != "." or found[index - 4].name == names.database
    return before in _SCHEMAS and alone


def _is_schema(found: Sequence[Token], index: int) -> bool:
    return found[index].name in (*_SCHEMAS, INFORMATION)


def _cast(found: Sequence[Token], index: int) -> tuple[int, str]:
    return _type(found, index + 1, "::")


def _type(found: Sequence[Token], index: int, prefix: str) -> tuple[int, str]:
    """A type's name behind ``::`` or ``AS``."""
    taken = 1
    while index + 2 < len(found) and found[index].name in _SCHEMAS and found[index + 1].text == ".":
        index += 2
        taken += 2
    if index >= len(found) or found[index].kind not in (WORD, QUOTED):
        return 0, ""
    name = found[index].name
    if found[index].kind == QUOTED and name == "char":
        return taken + 1, f"{prefix}VARCHAR"
    if name in _TYPES:
        return taken + 1, prefix + _TYPES[name]
    if name in ("numeric", "decimal", "dec"):
        given = _digits(found, index + 1)
        if given is None:
            return taken + 1, f"{prefix}DECIMAL(38,9)"
        if given[0] > _MOST_DIGITS:
            scale = min(given[1], _MOST_DIGITS - 8)
            size = 5 if found[index + 3].text == "," else 3
            return taken + 1 + size, f"{prefix}DECIMAL({_MOST_DIGITS},{scale})"
    return (taken + 1, f"{prefix}{found[index].text}") if taken > 1 else (0, "")


def _digits(found: Sequence[Token], index: int) -> tuple[int, int] | None:
    """Precision and scale in brackets; None: there are none."""
    texts = [token.text for token in found[index : index + 5]]
    if texts[:1] != ["("]:
        return None
    match texts[1:]:
        case [precision, ",", scale, ")"] if precision.isdecimal() and scale.isdecimal():
            return int(precision), int(scale)
        case [precision, ")", *_] if precision.isdecimal():
            return int(precision), 0
    return 0, 0


def _in_cast(found: Sequence[Token], index: int) -> bool:
    """Whether an AS stands directly in a CAST."""
    depth = 0
    for token in reversed(found[:index]):
        if token.text == ")" and token.kind == SYMBOL:
            depth += 1
        elif token.text == "(" and token.kind == SYMBOL:
            if depth == 0:
                place = found.index(token)
                return place > 0 and found[place - 1].upper in ("CAST", "TRY_CAST")
            depth -= 1
    return False


def _regclass(
    found: Sequence[Token], index: int, oids: Callable[[str], int | None]
) -> tuple[int, str] | None:
    """``'v'::regclass`` as the relation's object id."""
    end = index + 2
    while end + 2 < len(found) and found[end + 1].text == ".":
        end += 2
    if end >= len(found) or found[end].name != "regclass":
        return None
    text = found[index].value
    oid = int(text) if text.isdecimal() else _relation(text, oids)
    if oid is None:
        raise ServeError("42P01", f'relation "{text}" does not exist')
    return end - index + 1, str(oid)


def _relation(text: str, oids: Callable[[str], int | None]) -> int | None:
    """The object id of a relation by its name, with or without a schema."""
    return oids(tokens(text)[-1].name if text.strip() else "")


def _map(lists: Mapping[int, Sequence[str]]) -> str:
    """Lists of texts by number, as DuckDB writes a map."""
    entries = (f"{key}: [{', '.join(map(quoted, each))}]" for key, each in lists.items())
    return f"MAP {{{', '.join(entries)}}}" if lists else "MAP {0: ['']}"


def _array_literal(found: Sequence[Token], index: int) -> tuple[int, str]:
    """``'{1,2}'::int[]`` as a list; other casts of texts stay."""
    text = found[index].value
    end = index + 3
    if not (ARRAY.fullmatch(text) and end + 1 < len(found)):
        return (1, quoted(text)) if found[index].text[0] in "eE" else (0, "")
    if found[end].text != "[" or found[end + 1].text != "]":
        return 0, ""
    try:
        items = array_items(text)
    except ServeError:
        return 0, ""
    return 1, "[" + ", ".join("NULL" if i is None else quoted(i) for i in items) + "]"


def _closing(found: Sequence[Token], index: int) -> int:
    depth = 0
    for at in range(index, len(found)):
        if found[at].kind == SYMBOL and found[at].text in "()":
            depth += 1 if found[at].text == "(" else -1
            if depth == 0:
                return at
    raise ServeError("42601", "a parenthesis is not closed", position=found[index].start + 1)
