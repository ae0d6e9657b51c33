"""``SUBSCRIBE``, and server-sent events: every change once, in order, resumable by epoch."""

from __future__ import annotations

import http.client
import json
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from serve.conftest import Shop, psycopg

Rows = list[tuple[Any, ...]]


@pytest.fixture
def port(shop: Shop) -> Iterator[int]:
    server = shop.serve()
    yield server.port
    server.stop()


def connect(port: int) -> Any:
    return psycopg.connect(host="127.0.0.1", port=port, user="ann", autocommit=True)


def upsert(shop: Shop, *rows: tuple[Any, ...]) -> None:
    shop.orders.upsert([(*row, None) for row in rows])
    shop.run.processAllAvailable()


def fetch(connection: Any, name: str, timeout: str = "20s") -> Rows:
    """All that is at hand, once there is some."""
    rows: Rows = connection.execute(
        f"FETCH ALL FROM {name} WITH (timeout = '{timeout}')"
    ).fetchall()
    return rows


def replayed(rows: Rows, onto: Counter[Any] | None = None) -> Counter[Any]:
    """The rows of a view, from its changes: (epoch, change_type, column …)."""
    found = Counter() if onto is None else Counter(onto)
    for _, kind, *row in rows:
        found[tuple(row)] += 1 if kind in ("insert", "update_postimage") else -1
    return +found


def current(connection: Any, view: str) -> Counter[Any]:
    return Counter(connection.execute(f"SELECT * FROM {view}").fetchall())


def test_all_rows_first_then_each_change_once(shop: Shop, port: int) -> None:
    with connect(port) as connection:
        connection.execute("DECLARE c CURSOR WITH HOLD FOR SUBSCRIBE TO per_customer")
        state = replayed(fetch(connection, "c"))
        assert state == current(connection, "per_customer")
        assert fetch(connection, "c", "200ms") == []
        upsert(shop, (1, "c1", 1000), (90_000, "new", 5))
        shop.orders.delete([(2,)])
        shop.run.processAllAvailable()
        changes: Rows = []
        while replayed(changes, state) != current(connection, "per_customer"):
            more = fetch(connection, "c")
            assert more, "changes are missing"
            changes += more
        assert [row[0] for row in changes] == sorted(row[0] for row in changes)
        new = [(kind, *row) for _, kind, *row in changes if row[0] == "new"]
        assert new == [("insert", "new", 1, 5)]
        c2 = [kind for _, kind, *row in changes if row[0] == "c2"]
        assert c2 == ["update_preimage", "update_postimage"]
        assert fetch(connection, "c", "200ms") == []
        connection.execute("CLOSE c")
        shop.orders.delete([(90_000,)])
        shop.run.processAllAvailable()


@pytest.mark.rest
def test_an_upsert_of_the_same_row_is_no_change(shop: Shop, port: int) -> None:
    with connect(port) as connection:
        row = connection.execute("SELECT * FROM large WHERE id = 9").fetchone()
        connection.execute("DECLARE c CURSOR WITH HOLD FOR SUBSCRIBE TO large WITH (PROGRESS)")
        while not [found for found in fetch(connection, "c") if found[1] == "progress"]:
            pass
        upsert(shop, (9, "other", 1))
        upsert(shop, (9, "other", 1))
        shop.orders.upsert([row])
        shop.run.processAllAvailable()
        rows: Rows = []
        while not rows or rows[-1][2:] != (None,) * 4 or rows[-2][2:] != row:
            rows += fetch(connection, "c")
        told = [(kind, *found) for _, kind, *found in rows if kind != "progress"]
        other = (9, "other", 1, None)
        assert told == [
            ("update_preimage", *row), ("update_postimage", *other),
            ("update_preimage", *other), ("update_postimage", *row),
        ]  # fmt: skip


def test_from_an_epoch_on(shop: Shop, port: int) -> None:
    with connect(port) as connection:
        connection.execute("DECLARE a CURSOR WITH HOLD FOR SUBSCRIBE TO per_customer")
        first = fetch(connection, "a")
        epoch = first[0][0]
        for amount in (1, 2, 3):
            upsert(shop, (3, "c3", amount))
        seen: Rows = []
        while len(seen) < 6:
            seen += fetch(connection, "a")
        middle = seen[2][0]
        assert middle > epoch
        connection.execute(
            f"DECLARE b CURSOR WITH HOLD FOR SUBSCRIBE TO per_customer FROM EPOCH {middle}"
        )
        again: Rows = []
        while len(again) < 4:
            again += fetch(connection, "b")
        assert again == seen[2:]


def test_a_fetch_waits_for_the_change(shop: Shop, port: int) -> None:
    with connect(port) as connection:
        connection.execute("DECLARE c CURSOR WITH HOLD FOR SUBSCRIBE TO per_customer")
        fetch(connection, "c")
        got: Rows = []
        thread = threading.Thread(target=lambda: got.extend(fetch(connection, "c", "60s")))
        thread.start()
        upsert(shop, (4, "c4", 77))
        thread.join(60)
        assert {row[2] for row in got} == {"c4"}


def test_a_fetch_waits_no_longer_than_a_statement_may(shop: Shop, port: int) -> None:
    with connect(port) as connection:
        connection.execute("DECLARE c CURSOR WITH HOLD FOR SUBSCRIBE TO per_customer")
        fetch(connection, "c")
        connection.execute("SET statement_timeout = '300ms'")
        with pytest.raises(psycopg.errors.QueryCanceled):
            connection.execute("FETCH ALL FROM c")
        assert connection.execute("FETCH ALL FROM c WITH (timeout = '10ms')").fetchall() == []
        with pytest.raises(psycopg.errors.FeatureNotSupported):
            connection.execute("MOVE 1 FROM c")
        upsert(shop, (5, "c5", 78))
        connection.execute("RESET statement_timeout")
        assert {row[2] for row in fetch(connection, "c", "60s")} == {"c5"}


@pytest.mark.rest
def test_a_stream_without_a_cursor_and_by_copy(shop: Shop, port: int) -> None:
    with connect(port) as connection, connect(port) as other:
        stream = connection.cursor().stream("SUBSCRIBE TO per_customer")
        rows = [next(stream) for _ in current(other, "per_customer")]
        assert replayed(rows) == current(other, "per_customer")
        upsert(shop, (5, "c5", 55))
        assert next(stream)[1:3] == ("update_preimage", "c5")
        connection.cancel_safe()
        with pytest.raises(psycopg.errors.QueryCanceled):
            list(stream)
    copied: list[Any] = []

    def copy(connection: Any) -> None:
        with connection.cursor().copy("COPY (SUBSCRIBE TO per_customer) TO STDOUT") as lines:
            for line in lines.rows():
                copied.append(line)
                if len(copied) == 3:
                    connection.cancel_safe()

    with connect(port) as connection, pytest.raises(psycopg.errors.QueryCanceled):
        copy(connection)
    assert len(copied) >= 3


@pytest.mark.rest
def test_what_cannot_be_subscribed_to(shop: Shop, port: int) -> None:
    with connect(port) as connection:
        with pytest.raises(psycopg.errors.UndefinedTable):
            connection.execute("SUBSCRIBE TO nothing")
        with pytest.raises(psycopg.errors.InvalidParameterValue, match="is not published yet"):
            connection.execute("SUBSCRIBE TO large FROM EPOCH 1000000")
        with pytest.raises(psycopg.errors.SyntaxError):
            connection.execute("SUBSCRIBE large")


@pytest.mark.rest
def test_a_slow_reader_is_told_and_holds_nothing(shop: Shop) -> None:
    from groundswell.runtime.ownership.leases import LEASES, leases_of
    from groundswell.serve.changes import Changes
    from groundswell.serve.errors import ServeError
    from groundswell.serve.snapshots import Snapshots

    snapshots = Snapshots(shop.location, "groundswell", look=0.0)
    changes = Changes(snapshots, "per_customer", seconds=0.2)
    whole = changes.whole()
    assert whole is not None
    changes.release(whole)
    held = leases_of(snapshots.home.child(LEASES).names())
    assert changes.epoch in {lease.epoch for lease in held}
    for amount in (1, 2):
        upsert(shop, (6, "c6", amount))
    log = snapshots.log
    gone = changes.epoch + 1
    real, log.find = log.find, lambda epoch: None if epoch == gone else real(epoch)  # type: ignore[method-assign]
    with pytest.raises(ServeError, match=f"epoch {gone} is not kept any more") as error:
        changes.next()
    assert error.value.code == "72000"
    changes.close()
    assert not [
        lease for lease in leases_of(snapshots.home.child(LEASES).names()) if lease.epoch < gone - 1
    ]
    snapshots.close()


@pytest.mark.rest
def test_parts_of_a_first_load_are_left_out(shop: Shop, port: int) -> None:
    from groundswell.serve.changes import Changes
    from groundswell.serve.snapshots import Snapshots

    for amount in (11, 12):
        upsert(shop, (6, "c6", amount))
    snapshots = Snapshots(shop.location, "groundswell", look=0.0)
    last = snapshots.log.epochs()[-1]
    real = snapshots.log.find

    def find(epoch: int) -> Any:
        found = real(epoch)
        return replace(found, loaded=50.0) if found and epoch == last - 1 else found

    snapshots.log.find = find  # type: ignore[method-assign]
    for first in (last - 1, last):
        changes = Changes(snapshots, "per_customer", first)
        step = changes.next()
        assert step is not None and step.epoch == last
        assert changes.next() is None
        rows = [tuple(row.values()) for row in step.rows.to_pylist()]
        if first == last:  # nothing before it was ever seen
            with connect(port) as connection:
                assert replayed(rows) == current(connection, "per_customer")
        else:
            assert [row[1:3] for row in rows] == [
                ("update_preimage", "c6"), ("update_postimage", "c6"),
            ]  # fmt: skip
        changes.close()
    snapshots.close()


def events(response: Any) -> Iterator[dict[str, Any]]:
    """The events of a stream: their fields, data parsed."""
    fields: dict[str, Any] = {}
    for line in iter(response.readline, b""):
        text = line.decode().rstrip("\n")
        if not text:
            if fields:
                yield fields
            fields = {}
        elif not text.startswith(":"):
            name, _, value = text.partition(": ")
            fields[name] = json.loads(value) if name == "data" else value


def opened(port: int, path: str, **headers: str) -> Any:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path, headers={k.replace("_", "-"): v for k, v in headers.items()})
    return connection.getresponse()


def test_server_sent_events_go_on_behind_an_epoch(shop: Shop) -> None:
    server = shop.serve(http_port=0)
    try:
        port = server.events.port
        stream = opened(port, "/subscribe/per_customer")
        assert stream.getheader("Content-Type", "").startswith("text/event-stream")
        told = events(stream)
        first = next(told)
        with connect(server.port) as connection:
            there = connection.execute("SELECT customer, n FROM per_customer").fetchall()
        assert sorted((c["row"]["customer"], c["row"]["n"]) for c in first["data"]["changes"]) == (
            sorted(there)
        )
        upsert(shop, (8, "c1", 8))
        second = next(told)
        assert int(second["id"]) == second["data"]["epoch"] > int(first["id"])
        assert {c["type"] for c in second["data"]["changes"]} == {
            "update_preimage", "update_postimage",
        }  # fmt: skip
        stream.close()
        upsert(shop, (8, "c1", 9))
        again = events(opened(port, "/subscribe/per_customer", Last_Event_ID=first["id"]))
        assert next(again)["data"] == second["data"]
        third = next(again)
        assert third["data"]["epoch"] > second["data"]["epoch"]
    finally:
        server.stop()


@pytest.mark.rest
def test_server_sent_events_refuse(shop: Shop) -> None:
    server = shop.serve(http_port=0, password="s3cret")
    try:
        port = server.events.port
        good = {"Authorization": "Bearer s3cret"}
        assert opened(port, "/subscribe/large").status == 401
        assert opened(port, "/subscribe/large", Authorization="Bearer other").status == 401
        assert opened(port, "/subscribe/nothing", **good).status == 404
        assert opened(port, "/nothing", **good).status == 404
        assert opened(port, "/subscribe/large", Last_Event_ID="x", **good).status == 400
        assert opened(port, "/subscribe/large", Authorization="Basic OnMzY3JldA==").status == 200
    finally:
        server.stop()
    server = shop.serve(http_port=0)
    try:
        foreign = opened(server.events.port, "/subscribe/large", Host="evil.example")
        assert foreign.status == 421
    finally:
        server.stop()
