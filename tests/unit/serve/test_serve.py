"""The parts of the server that need no location: tokens, statements, values, literals, SCRAM."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import random
import threading
from decimal import Decimal

import duckdb
import pytest

from groundswell.serve import commands as c
from groundswell.serve.dialect import Names, translated
from groundswell.serve.engine import Deadlines
from groundswell.serve.errors import ServeError
from groundswell.serve.lexer import statements, tokens
from groundswell.serve.parameters import bound, literal
from groundswell.serve.portals import line
from groundswell.serve.scram import ITERATIONS, MECHANISM, Exchange, Verifier
from groundswell.serve.statement import TREE, Select, parameter_types, read_by
from groundswell.serve.values import array_items, array_text, numeric_bytes, numeric_text

NAMES = Names(
    "groundswell",
    {"v": 77}.get,
    {"search_path": "public"}.get,
    {"current_user": "'a'"},
    lambda: {78: ["an index", "id"]},
)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT c FROM pg_catalog.pg_class c", "SELECT c FROM pg_class c"),
        ("SELECT 'a' OPERATOR(pg_catalog.~) '^(v)$'", "SELECT 'a'  ~  '^(v)$'"),
        ("SELECT a COLLATE pg_catalog.default", "SELECT a "),
        ('SELECT * FROM "public"."v" x', 'SELECT * FROM "v" x'),
        ("SELECT * FROM groundswell.public.v", "SELECT * FROM v"),
        ("SELECT 'v'::regclass::oid", "SELECT 77::UINTEGER"),
        ("SELECT * FROM information_schema.tables", 'SELECT * FROM "information_schema.tables"'),
        ("SELECT '{1,2}'::int[]", "SELECT ['1', '2']::int[]"),
        (r"SELECT E'a\'b'", "SELECT 'a''b'"),
        ("SELECT current_setting('search_path')", "SELECT 'public'"),
        ("SELECT CURRENT_USER", "SELECT 'a'"),
        ("SELECT x.at AT TIME ZONE 'UTC', show", 'SELECT x."at" AT TIME ZONE \'UTC\', "show"'),
        ("SELECT x.current_user FROM x", "SELECT x.current_user FROM x"),
        ("SELECT 'pg_catalog.x', \"public.y\"", "SELECT 'pg_catalog.x', \"public.y\""),
        ("SELECT 1 -- pg_catalog.x", "SELECT 1 -- pg_catalog.x"),
        ("SELECT i FROM unnest(a) AS i", "SELECT i FROM unnest ( a ) AS i(i)"),
        ("SELECT generate_series(1, 2) AS i", "SELECT generate_series(1, 2) AS i"),
    ],
)  # fmt: skip
def test_postgresqls_words_as_duckdb_reads_them(sql: str, expected: str) -> None:
    assert translated(sql, NAMES) == expected


def test_a_relation_that_is_not_there_has_no_number() -> None:
    with pytest.raises(ServeError) as error:
        translated("SELECT 'nothing'::regclass", NAMES)
    assert error.value.code == "42P01"


def test_statements_end_at_semicolons_of_their_own() -> None:
    assert statements("a; 'b;' ; /* c; /* d; */ */ $x$;$x$ -- ;\n;;") == ["a", "'b;'", "$x$;$x$"]
    assert [t.value for t in tokens(r"E'\n' 'it''s' $$a$$ " + '"A""b" Ab')] == [
        "\n", "it's", "a", 'A"b', "ab",
    ]  # fmt: skip
    for text in ("'a", '"a', "/* a"):
        with pytest.raises(ServeError) as error:
            tokens(text)
        assert error.value.code == "42601"


@pytest.mark.parametrize(
    ("sql", "command"),
    [
        ("start transaction read only", c.Begin()),
        ("END", c.End(commit=True)),
        ("ROLLBACK TO SAVEPOINT a", c.Savepoint("ROLLBACK")),
        ("set session a.b to 'x', y", c.Set("a.b", "x, y")),
        ("SET TIME ZONE DEFAULT", c.Set("timezone", None)),
        ("SET x = -3", c.Set("x", "-3")),
        ("declare c no scroll cursor with hold for select 1", c.Declare("c", "select 1", True)),
        ("FETCH FORWARD ALL FROM \"C\"", c.Fetch("C", None, False)),
        ("fetch c", c.Fetch("c", 1, False)),
        ("MOVE 7 IN c", c.Fetch("c", 7, True)),
        ("execute p (1, f(2, 3), 'a,b')", c.Execute("p", ("1", "f(2, 3)", "'a,b'"))),
        ("COPY v (a, b) TO STDOUT", c.Copy("SELECT a, b FROM v")),
        ("copy (select (1)) to stdout with (format csv, header, delimiter ';', null 'x')",
         c.Copy("select (1)", True, True, ";", "x")),
        ("SUBSCRIBE TO public.v FROM EPOCH 7", c.Subscribe("v", 7)),
        ("explain (analyze, costs off) select 1", c.Explain("select 1")),
        ("(select 1)", c.Query("(select 1)")),
    ],
)  # fmt: skip
def test_a_statement_is_taken_apart(sql: str, command: c.Command) -> None:
    assert c.read(sql) == command


def test_numerics_go_and_come_back() -> None:
    seed = random.randrange(1 << 32)
    print("seed", seed)
    chance = random.Random(seed)
    texts = ["0", "-1", "0.00", "9" * 38, "-0." + "9" * 38, "10000", "0.0001", "NaN", "-Infinity"]
    for _ in range(500):
        digits = str(chance.randrange(10 ** chance.randint(1, 38)))
        cut = chance.randint(0, len(digits))
        texts.append(f"{digits[:cut] or '0'}.{digits[cut:]}" if digits[cut:] else digits)
    for text in texts:
        found = numeric_text(numeric_bytes(text))
        assert found == text or Decimal(found) == Decimal(text), text


def test_arrays_go_and_come_back() -> None:
    elements = [b"a", b"", b"NULL", None, b'"', b"\\", b"a,b", b"{}", b" x "]
    text = array_text(elements).decode()
    assert array_items(text) == [None if e is None else e.decode() for e in elements]
    assert array_items("{ 1 , null }") == ["1", None]
    assert array_items("{ 2026-01-01 12:00 , a\\ , b}") == ["2026-01-01 12:00", "a ", "b"]
    for wrong in ("1", "{1", "{1,}", "{{1},{2}}", '{"a}'):
        with pytest.raises(ServeError):
            array_items(wrong)


def test_types_of_parameters_are_told_by_their_places() -> None:
    tree = json.loads(duckdb.execute(TREE, [
        "SELECT 1 FROM v WHERE s = ANY($1) AND n <> ALL($2) AND tags @> $3 AND lower(s) = ANY($4) "
        "AND tags IN ($5) AND n = $6"
    ]).fetchall()[0][0])["statements"][0]  # fmt: skip
    select = Select(tuple(read_by(tree)), tree)
    found = parameter_types(select, 6, {"s": 25, "n": 20, "tags": 1009})
    assert found == [1009, 1016, 1009, 1009, 1009, 20]
    assert select.relations == ("v",)


def test_parameters_are_quoted() -> None:
    assert literal(0, 0, b"it's; DROP TABLE x --") == "'it''s; DROP TABLE x --'"
    assert literal(23, 0, b"1); DELETE FROM x; --") == "CAST('1); DELETE FROM x; --' AS INTEGER)"
    assert literal(1700, 0, b"-1.5E-3") == "(-0.0015)"
    assert literal(1700, 0, b"1e99999999999") == "CAST('1e99999999999' AS DOUBLE)"
    assert bound("SELECT $1::DECIMAL(38,9)", ["'1e-10'"]) == "SELECT (0.0000000001)"
    assert literal(1700, 0, b"1); x") == "CAST('1); x' AS DOUBLE)"
    assert literal(23, 1, b"\0\0\0\7") == "CAST('7' AS INTEGER)"
    assert literal(17, 0, rb"\x00FF") == "unhex('00FF')"
    assert literal(20, 0, None) == "CAST(NULL AS BIGINT)"
    assert bound("SELECT $1, '$1', \"$1\", $2 -- $1", ["7", "'a'"]) == (
        "SELECT 7, '$1', \"$1\", 'a' -- $1"
    )
    for oid, form, data in ((23, 1, b"\0"), (1082, 1, b"\x7f\xff\xff\x00"), (25, 0, b"\xff")):
        with pytest.raises(ServeError):
            literal(oid, form, data)


def test_deadlines_are_forgotten_with_what_they_were_for() -> None:
    deadlines = Deadlines()
    stopped: list[int] = []
    for number in range(1000):
        with deadlines.within(3600, lambda number=number: stopped.append(number)) as passed:
            assert not passed.is_set()
    assert deadlines.noted <= 250
    late = threading.Event()
    with deadlines.within(0.0, late.set) as passed:
        assert late.wait(30)
    assert passed.is_set()
    assert not stopped


def test_lines_of_copy() -> None:
    row = (b"a\tb\\\n", None, b"")
    assert line(row, c.Copy("")) == b"a\\tb\\\\\\n\t\\N\t\n"
    csv = c.Copy("", csv=True, delimiter=",", null="")
    assert line((b'a"b', None, b"", b"x,y"), csv) == b'"a""b",,"","x,y"\n'


def client_proof(password: str, first: str, challenge: str) -> tuple[str, bytes]:
    """A client of RFC 5802, written from the standard: its last message, the server's proof."""
    facts = dict(part.split("=", 1) for part in challenge.split(","))
    salt = base64.b64decode(facts["s"])
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, int(facts["i"]))
    key = hmac.digest(salted, b"Client Key", "sha256")
    without = f"c=biws,r={facts['r']}"
    signed = f"{first},{challenge},{without}".encode()
    signature = hmac.digest(hashlib.sha256(key).digest(), signed, "sha256")
    proof = bytes(a ^ b for a, b in zip(key, signature, strict=True))
    server = hmac.digest(hmac.digest(salted, b"Server Key", "sha256"), signed, "sha256")
    return f"{without},p={base64.b64encode(proof).decode()}", server


def test_scram() -> None:
    verifier = Verifier.of("s3cret")
    exchange = Exchange(verifier)
    challenge = exchange.challenge(MECHANISM, b"n,,n=,r=abc").decode()
    assert f"i={ITERATIONS}" in challenge and challenge.startswith("r=abc")
    last, server = client_proof("s3cret", "n=,r=abc", challenge)
    assert exchange.proved(last.encode()) == b"v=" + base64.b64encode(server)
    wrong, _ = client_proof("other", "n=,r=abc", challenge)
    for message in (
        wrong,
        last[:-8] + "AAAAAAA=",
        "c=biws,r=abc,p=AAAA",
        "",
        last.replace("p=", "q="),
    ):
        with pytest.raises(ServeError):
            exchange.proved(message.encode())
    for first in (b"p=tls,,n=,r=a", b"n,,n=", b"", b"\xff"):
        with pytest.raises(ServeError):
            Exchange(verifier).challenge(MECHANISM, first)
