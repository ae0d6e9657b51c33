"""Debezium's events as it writes them: times, decimals, values left out, and keys that change."""

import base64
import json
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import groundswell as gs
from incremental.harness import Table

WORD = "__debezium_unavailable_value"
BYTES = base64.b64encode(WORD.encode()).decode()


def event(op: str, before: Any, after: Any, fields: Sequence[dict[str, Any]] = ()) -> str:
    body = {"op": op, "before": before, "after": after}
    if not fields:
        return json.dumps(body)
    rows = [{"type": "struct", "fields": list(fields), "field": f} for f in ("before", "after")]
    op_field = {"type": "string", "field": "op"}
    return json.dumps({"schema": {"type": "struct", "fields": [*rows, op_field]}, "payload": body})


def frozen(value: Any) -> Any:
    if isinstance(value, bytearray):
        return bytes(value)
    return tuple(value) if isinstance(value, list) else value


class Events:
    """A pipeline with one view of what gs.debezium makes of texts."""

    def __init__(self, session: SparkSession, folder: Path, schema: str, **options: Any) -> None:
        self.session, self.location = session, folder / "c"
        self.schema, self.options = schema, options
        self.table = Table(session, folder, "cdc", "value string")

    def source(self) -> DataFrame:
        given = {"key": "id", **self.options}
        return gs.debezium(self.table.stream(), schema=self.schema, name="t", **given)

    def barrier(self, *texts: str) -> set[Any]:
        self.table.put([{"value": text} for text in texts])
        p = gs.pipeline(self.session, str(self.location))
        run = p.view("v", self.source(), errors="divert").start(availableNow=True)
        run.awaitTermination()
        return {tuple(map(frozen, row)) for row in run.view("v").collect()}

    def errors(self) -> list[str]:
        found = gs.read_view(self.session, str(self.location), "v_diverted")
        return sorted(row.error for row in found.collect())


@pytest.mark.rest
def test_numbers_in_timestamps_need_a_unit_and_stay_within_the_years(
    session: SparkSession, tmp_path: Path
) -> None:
    schema = "id bigint, a timestamp, b timestamp_ntz, d date"
    (tmp_path / "one").mkdir()
    plain = Events(session, tmp_path / "one", schema)
    at = datetime(2024, 1, 2, 3, 4, 5, 678901)
    micros, text = 1704164645678901, "2024-01-02T03:04:05.678901"
    of = lambda id_, **row: event("c", None, {"id": id_, **row})  # noqa: E731
    found = plain.barrier(
        of(1, a=text + "Z", b=text, d="2024-01-02"),
        of(2, a=micros),
        of(3, b=micros),
        of(4, d=19724),
        of(5, d=-719163),
        of(6, a="12:34:56"),
        of(7, a="+12024-01-02 00:00:00"),
    )
    assert {(row[0], *row[2:]) for row in found} == {
        (1, at, date(2024, 1, 2)),
        (4, None, date(2024, 1, 2)),
    }
    assert [row[1].timestamp() for row in found if row[0] == 1] == [micros / 1e6]
    errors = plain.errors()
    assert len(errors) == 5
    for part in (f"column a: {micros} is not a valid timestamp", "timestamps='micros'"):
        assert any(part in error for error in errors), errors
    assert any(f"column b: {micros} is not a valid timestamp_ntz" in error for error in errors)
    assert any("column d: -719163 is not a valid date" in error for error in errors)

    (tmp_path / "two").mkdir()
    units = {"a": "millis", "b": "nanos"}
    told = Events(session, tmp_path / "two", schema, timestamps=units)
    found = told.barrier(
        of(1, a=micros // 1000, b=micros * 1000),
        of(2, a=-1, b=-1),
        of(3, a=text + "Z", b=text),
        of(4, a=2**63 - 1),
        of(5, a=253402300800000),
        of(6, b=2**63),
    )
    assert {(row[0], round(row[1].timestamp(), 6), row[2]) for row in found} == {
        (1, 1704164645.678, at),
        (2, -0.001, datetime(1969, 12, 31, 23, 59, 59, 999999)),
        (3, 1704164645.678901, at),
    }
    assert len(told.errors()) == 3


@pytest.mark.rest
def test_the_schema_of_an_event_says_what_its_values_mean(
    session: SparkSession, tmp_path: Path
) -> None:
    schema = "id bigint, a timestamp, b timestamp, z timestamp, d date, n decimal(10,2), m decimal"
    connect, debezium = "org.apache.kafka.connect.data.", "io.debezium.time."
    names = {
        "id": None,
        "a": debezium + "MicroTimestamp",
        "b": connect + "Timestamp",
        "z": debezium + "ZonedTimestamp",
        "d": debezium + "Date",
        "n": connect + "Decimal",
        "m": None,
    }
    fields: list[dict[str, Any]] = [{"field": f, "name": name} for f, name in names.items()]
    fields[5]["parameters"] = {"scale": "3"}
    events = Events(session, tmp_path, schema, timestamps="seconds", decimals="base64")
    row = {"id": 1, "a": 1704164645678901, "b": 1704164645678, "z": "2024-01-02T03:04:05Z"}
    row |= {"d": 19724, "n": "AeIy", "m": "1234"}
    (found,) = events.barrier(
        event("r", None, row, fields), event("r", None, {"id": 2, "z": 1704164645}, fields)
    )
    assert [at.timestamp() for at in found[1:4]] == [1704164645.678901, 1704164645.678, 1704164645]
    assert found[4:] == (date(2024, 1, 2), Decimal("123.44"), Decimal(1234))
    (error,) = events.errors()
    assert "column z: 1704164645 is not a valid timestamp" in error


@pytest.mark.rest
def test_decimals_are_read_as_base64_where_it_is_said(
    session: SparkSession, tmp_path: Path
) -> None:
    def base64_of(n: int) -> str:
        size = (n if n >= 0 else ~n).bit_length() // 8 + 1
        return base64.b64encode(n.to_bytes(size, "big", signed=True)).decode()

    most = 10**38 - 1
    numbers = [0, 1, -1, 127, 128, -128, -129, 12345, -12345, 2**64, -(2**64), most, -most]
    (tmp_path / "one").mkdir()
    coded = Events(session, tmp_path / "one", "id int, n decimal(38,2)", decimals="base64")
    found = coded.barrier(
        *(event("c", None, {"id": i, "n": base64_of(n)}) for i, n in enumerate(numbers)),
        event("c", None, {"id": 50, "n": {"scale": 1, "value": base64_of(15)}}),
        event("c", None, {"id": 51, "n": base64_of(most + 1)}),
        event("c", None, {"id": 52, "n": ""}),
        event("c", None, {"id": 53, "n": "!"}),
    )
    right = {(i, Decimal(n).scaleb(-2)) for i, n in enumerate(numbers) if abs(n) < most}
    assert {row for row in found if abs(row[1]) < 10**35} == right | {(50, Decimal("1.50"))}
    assert {(row[0], str(row[1])) for row in found if abs(row[1]) > 10**35} == {
        (11, "9" * 36 + ".99"),
        (12, "-" + "9" * 36 + ".99"),
    }
    assert len(coded.errors()) == 3

    (tmp_path / "two").mkdir()
    plain = Events(session, tmp_path / "two", "id int, n decimal(10,2)")
    found = plain.barrier(
        event("c", None, {"id": 1, "n": 123.45}),
        event("c", None, {"id": 2, "n": "123.45"}),
        event("c", None, {"id": 3, "n": "1234"}),
        event("c", None, {"id": 4, "n": "MDk="}),
    )
    assert found == {(1, Decimal("123.45")), (2, Decimal("123.45")), (3, Decimal(1234))}
    (error,) = plain.errors()
    assert "column n: MDk= is not a valid decimal(10,2); base64 needs decimals='base64'" in error


@pytest.mark.rest
def test_a_value_that_an_update_leaves_out_stays_as_it_is(
    session: SparkSession, tmp_path: Path
) -> None:
    schema = "id bigint, n int, doc string, data binary, tags array<string>, at array<bigint>"
    events = Events(session, tmp_path, schema)
    data, numbers = base64.b64encode(b"abc").decode(), list(WORD.encode())
    whole = {"doc": "long", "data": data, "tags": ["x", "y"], "at": [7]}
    none = {"doc": WORD, "data": BYTES, "tags": [WORD], "at": numbers}
    kept = ("long", b"abc", ("x", "y"), (7,))

    def rows(found: set[Any]) -> dict[int, Any]:
        return {row[0]: row[1:] for row in found}

    made = [event("c", None, {"id": i, "n": 0, **whole}) for i in (1, 2, 3)]
    made.append(event("r", None, {"id": 4, "n": 0, "doc": WORD}))
    found = rows(events.barrier(*made, event("u", None, {"id": 3, "n": 1, **none})))
    assert found == {
        1: (0, *kept),
        2: (0, *kept),
        3: (1, *kept),
        4: (0, WORD, None, None, None),
    }, "an insert means the words, and the order in one barrier counts"
    found = rows(
        events.barrier(
            event("u", None, {"id": 1, "n": 1, **none}),
            event("u", None, {"id": 1, "n": 2, **none, "doc": "short"}),
            event("u", None, {"id": 1, "n": 3, **none}),
            event("u", {"id": 2, "doc": "of before"}, {"id": 2, "n": 4, **none}),
            event("d", {"id": 3, **none}, None),
            event("u", None, {"id": 3, "n": 5, **none}),
            event("u", {"id": 9, **whole}, {"id": 9, "n": 6, **none}),
        )
    )
    assert found == {
        1: (3, "short", *kept[1:]),
        2: (4, "of before", *kept[1:]),
        4: (0, WORD, None, None, None),
        9: (6, *kept),
    }
    (error,) = events.errors()
    assert "without the value of column doc, data, tags, at, which is not known" in error
    found = rows(events.barrier(event("u", None, {"id": 3, "n": 6, **none})))
    assert 3 not in found, "it is as unknown as before"
    assert len(events.errors()) == 1
    found = rows(events.barrier(event("u", None, {"id": 3, "n": 7, **whole})))
    assert found[3] == (7, *kept)
    assert not events.errors()


@pytest.mark.rest
def test_the_words_for_a_value_left_out_can_be_others_or_none(
    session: SparkSession, tmp_path: Path
) -> None:
    for word, other in (("gone", WORD), (None, WORD)):
        folder = tmp_path / str(word)
        folder.mkdir()
        events = Events(session, folder, "id bigint, doc string", unavailable_value=word)
        found = events.barrier(
            event("c", None, {"id": 1, "doc": "a"}),
            event("c", None, {"id": 2, "doc": "b"}),
            event("u", None, {"id": 1, "doc": other}),
            event("u", None, {"id": 2, "doc": "gone"}),
        )
        assert found == {(1, other), (2, "b" if word else "gone")}


def test_an_update_that_changes_the_key_deletes_the_old_row(
    session: SparkSession, tmp_path: Path
) -> None:
    events = Events(session, tmp_path, "id bigint, at date, doc string", key=["id", "at"])
    row = lambda id_, at, doc: {"id": id_, "at": at, "doc": doc}  # noqa: E731
    day, next_day = date(2024, 1, 2), date(2024, 1, 3)
    found = events.barrier(
        event("c", None, row(1, 19724, "a")),
        event("c", None, row(5, 19724, "b")),
        event("u", {"id": 1, "at": 19724}, row(2, 19724, "a")),
    )
    assert found == {(2, day, "a"), (5, day, "b")}
    found = events.barrier(
        event("u", row(2, 19724, "a"), row(2, 19725, WORD)),
        event("u", {"id": 5, "at": 19724}, row(6, 19724, WORD)),
    )
    assert found == {(2, next_day, "a")}, "the kept row of another key is not this one's"
    (error,) = events.errors()
    assert "without the value of column doc" in error


@pytest.mark.rest
def test_what_is_no_change_of_a_row_is_nothing_or_is_named(
    session: SparkSession, tmp_path: Path
) -> None:
    events = Events(session, tmp_path, "id bigint, v string")
    wrapped = lambda body: json.dumps({"schema": {}, "payload": body})  # noqa: E731
    begin = {"status": "BEGIN", "id": "9:1", "ts_ms": 1, "event_count": None}
    nothing = [
        None,
        wrapped(None),
        '{"ts_ms": 5}',
        wrapped({"ts_ms": 5}),
        json.dumps(begin | {"data_collections": None}),
        wrapped(begin | {"status": "END", "event_count": 1}),
        json.dumps({"op": "m", "message": {"prefix": "x", "content": "AA=="}}),
        json.dumps({"databaseName": "d", "ddl": "CREATE TABLE t", "tableChanges": []}),
    ]
    assert events.barrier(
        event("r", None, {"id": 1, "v": "a"}),
        *nothing,  # type: ignore[arg-type]
        wrapped({"op": "c", "before": None, "after": {"id": 2, "v": "b"}}),
    ) == {(1, "a"), (2, "b")}
    assert events.errors() == []
    flat = ['{"id": 7, "v": "flat"}', wrapped({"id": 8, "v": "flat"}), "{}"]
    signal = json.dumps({"type": "execute-snapshot", "data": {}})
    unknown = [event("x", None, {"id": 9, "v": "x"}), event(None, None, {"id": 9})]  # type: ignore[arg-type]
    found = events.barrier(*flat, signal, *unknown, event("u", None, {"id": 1, "v": "c"}))
    assert found == {(1, "c"), (2, "b")}
    errors = events.errors()
    for text in (*flat, signal):
        assert any("without op" in e and f"gs.upserts): {text}" in e for e in errors), errors
    # Both have one key: the later one stands.
    assert len(errors) == 5
    assert sum("without op" in error for error in errors) == 5


@pytest.mark.rest
def test_a_key_that_comes_and_goes_within_a_barrier_ends_as_in_the_database(
    session: SparkSession, tmp_path: Path
) -> None:
    events = Events(session, tmp_path, "id bigint, v string")
    row = lambda id_, v: {"id": id_, "v": v}  # noqa: E731
    first = [event("r", None, row(n, "a")) for n in (1, 2, 3)]
    assert events.barrier(*first) == {(1, "a"), (2, "a"), (3, "a")}
    found = events.barrier(
        event("u", None, row(1, "b")),  # REPLICA IDENTITY DEFAULT: without before
        event("u", row(1, None), row(1, None)),
        event("d", row(2, None), None),
        None,  # type: ignore[arg-type]
        event("d", row(3, None), None),
        event("c", None, row(4, "moved")),
        event("c", None, row(3, "again")),
        event("c", None, row(5, "short")),
        event("d", row(5, "short"), None),
    )
    assert found == {(1, None), (3, "again"), (4, "moved")}
    assert events.errors() == []


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"timestamps": "hours"}, "timestamps must be one of micros, millis, nanos, seconds, got"),
        ({"timestamps": {"id": "micros"}}, "timestamps names 'id', which is not a column of type"),
        ({"timestamps": {"ts": None}}, "timestamps must be one of"),
        ({"decimals": "hex"}, "decimals must be one of plain, base64, got 'hex'"),
        ({"unavailable_value": ""}, "unavailable_value must be a text, or None"),
    ],
)
def test_options_that_there_are_not_are_refused(
    session: SparkSession, tmp_path: Path, options: dict[str, Any], says: str
) -> None:
    with pytest.raises(gs.SourceError, match=says):
        Events(session, tmp_path, "id bigint, ts timestamp", **options).source()
