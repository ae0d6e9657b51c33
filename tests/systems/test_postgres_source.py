"""Tables of PostgreSQL as sources, on a real server."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import groundswell as gs
from groundswell.errors import EpochUnavailable
from groundswell.sources.postgres_reader import Follow
from groundswell.sources.postgres_server import PgPlan
from systems.bank import Bank, Transfers
from systems.servers import Postgres, wait_for

SECONDS = int(os.environ.get("GROUNDSWELL_SECONDS", 20))
SEED = int(os.environ.get("GROUNDSWELL_SEED", random.randrange(1 << 30)))


@pytest.fixture
def bank(postgres: Postgres) -> Bank:
    if postgres.process is None:
        postgres.start()
    return Bank(postgres)


def started(spark: SparkSession, bank: Bank, location: Path, **options: Any) -> Any:
    tables = bank.frames(spark)
    pipeline = gs.pipeline(spark, str(location), **options)
    pipeline.view("accounts_now", tables["accounts"])
    pipeline.view("money", tables["accounts"].selectExpr("sum(balance) s", "count(*) n"))
    pipeline.view("branches_now", tables["branches"])
    return pipeline.start(queryName="bank")


def rows(spark: SparkSession, location: Path, view: str) -> list[tuple[Any, ...]]:
    return sorted(tuple(r) for r in gs.read_view(spark, str(location), view).collect())


def test_a_snapshot_then_every_change(session: SparkSession, bank: Bank, tmp_path: Path) -> None:
    query = started(session, bank, tmp_path)
    try:
        query.processAllAvailable()
        assert rows(session, tmp_path, "accounts_now") == bank.run("SELECT * FROM accounts")
        bank.run("UPDATE accounts SET balance = balance - 5, owner = NULL WHERE id = 1")
        bank.run("UPDATE accounts SET id = 77 WHERE id = 2")
        bank.run("DELETE FROM accounts WHERE id = 3")
        bank.run("INSERT INTO accounts VALUES (99, '', 5)")
        bank.run("UPDATE branches SET total = 7")
        query.processAllAvailable()
        want = sorted(bank.run("SELECT * FROM accounts"))
        assert rows(session, tmp_path, "accounts_now") == want
        assert rows(session, tmp_path, "money") == [(900, 10)]
        assert rows(session, tmp_path, "branches_now") == [(1, 7)]
    finally:
        query.stop()
    bank.run("UPDATE accounts SET balance = 0 WHERE id = 4")
    query = started(session, bank, tmp_path)
    try:
        query.processAllAvailable()
        assert rows(session, tmp_path, "money") == [(800, 10)]
    finally:
        query.stop()


def test_a_table_first_read_by_a_later_view_is_refused(
    session: SparkSession, bank: Bank, tmp_path: Path
):
    tables = bank.frames(session)
    pipeline = gs.pipeline(session, str(tmp_path))
    pipeline.view("accounts_now", tables["accounts"])
    query = pipeline.start(queryName="first")
    try:
        query.processAllAvailable()
    finally:
        query.stop()
    tables = bank.frames(session)
    pipeline = gs.pipeline(session, str(tmp_path))
    pipeline.view("accounts_now", tables["accounts"])
    pipeline.view("branches_now", tables["branches"])
    with pytest.raises(gs.DefinitionChanged, match="no view has read branches so far"):
        pipeline.start(queryName="second")


def test_a_transfer_is_never_seen_half(session: SparkSession, bank: Bank, tmp_path: Path) -> None:
    print(f"GROUNDSWELL_SEED={SEED}")
    bank.fill(1000)
    seen: dict[int, list[tuple[int, int]]] = {}

    def note(changes: DataFrame, epoch: int) -> None:
        there = changes.where("_change_type IN ('insert', 'update_postimage')")
        seen[epoch] = [(row.s, row.n) for row in there.collect()]

    tables = bank.frames(session, "accounts")
    pipeline = gs.pipeline(session, str(tmp_path))
    pipeline.view("accounts_now", tables["accounts"])
    money = tables["accounts"].selectExpr("sum(balance) s", "count(*) n", "max(balance) most")
    pipeline.view("money", money, note)
    query = pipeline.start(queryName="bank")
    try:
        query.processAllAvailable()
        transfers = Transfers(bank, 1000, SEED)
        transfers.start()
        time.sleep(SECONDS)
        transfers.over.set()
        transfers.join(30)
        assert not transfers.is_alive() and transfers.done > 100
        query.processAllAvailable()
        wrong = {epoch: sums for epoch, sums in seen.items() if set(sums) - {(100_000, 1000)}}
        assert not wrong, f"GROUNDSWELL_SEED={SEED}: {wrong}"
        assert len(seen) > 3, f"{transfers.done} transfers in {len(seen)} epochs"
        want = sorted(bank.run("SELECT * FROM accounts"))
        assert rows(session, tmp_path, "accounts_now") == want
        [(end,)] = bank.run("SELECT pg_current_wal_lsn()::text")
        for owner in ("first", "second", "third"):
            time.sleep(1.2)  # the slot is moved at most once a second
            bank.run(f"UPDATE accounts SET owner = '{owner}' WHERE id = 1")
            query.processAllAvailable()
        slots = f"SELECT confirmed_flush_lsn >= '{end}' FROM pg_replication_slots"
        assert bank.run(slots) == [(True,)], "the slot holds back what is durable"
    finally:
        query.stop()


def test_a_slot_that_does_not_follow_is_told_of_once(caplog: pytest.LogCaptureFixture) -> None:
    away = {"host": "127.0.0.1", "port": "1", "dbname": "bank"}
    follow = Follow(PgPlan(away, (), "slot_of_bank", "bank", 1, 1.0, "error", "a-secret"))
    for _ in range(3):
        follow('{"lsn": "0/1"}')
    [told] = [r.getMessage() for r in caplog.records if "does not follow" in r.getMessage()]
    assert "slot_of_bank" in told and "a-secret" not in told


def test_values_of_all_kinds(session: SparkSession, bank: Bank, tmp_path: Path) -> None:
    bank.run(
        "CREATE TABLE kinds (id int PRIMARY KEY, n numeric(12,3), t timestamptz, d date, j jsonb, "
        "a int[], u uuid, b boolean, f double precision, long text)"
    )
    bank.run("ALTER TABLE kinds ALTER long SET STORAGE EXTERNAL")
    bank.run("ALTER TABLE kinds REPLICA IDENTITY FULL")
    values = (
        "(1, 12.345, '2026-01-02 03:04:05.678901+02', '2026-01-02', '{\"a\": [1, null]}', "
        "'{1,2,NULL}', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', true, 0.1, repeat('x', 9000))"
    )
    bank.run(f"INSERT INTO kinds VALUES {values}")
    bank.run("INSERT INTO kinds (id) VALUES (2)")
    frames = bank.frames(session, "kinds")
    pipeline = gs.pipeline(session, str(tmp_path))
    shown = frames["kinds"].selectExpr(
        "id", "CAST(n AS STRING) n", "unix_micros(t) t", "CAST(d AS STRING) d",
        "CAST(j AS STRING) j", "CAST(a AS STRING) a", "CAST(u AS STRING) u", "b", "f",
        "length(long) long",
    )  # fmt: skip
    pipeline.view("kinds_now", shown)
    query = pipeline.start(queryName="kinds")
    first = (
        1, "12.345", 1767315845678901, "2026-01-02", '{"a": [1, null]}', "[1, 2, null]",
        "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", True, 0.1, 9000,
    )  # fmt: skip
    nothing = (2, *[None] * 9)
    try:
        query.processAllAvailable()
        assert rows(session, tmp_path, "kinds_now") == [first, nothing]
        bank.run("UPDATE kinds SET n = 1.000 WHERE id = 1")  # the long text is not sent again
        bank.run("UPDATE kinds SET b = false WHERE id = 2")
        query.processAllAvailable()
        changed = [(1, "1.000", *first[2:]), (*nothing[:7], False, *nothing[8:])]
        assert rows(session, tmp_path, "kinds_now") == changed
        bank.run("TRUNCATE kinds")
        with pytest.raises(Exception, match=r"(?i)truncate"):
            query.processAllAvailable()
    finally:
        query.stop()


def test_a_long_value_that_is_not_sent_again_is_named(
    session: SparkSession, bank: Bank, tmp_path: Path
) -> None:
    bank.run("CREATE TABLE texts (id int PRIMARY KEY, n int, long text)")
    bank.run("ALTER TABLE texts ALTER long SET STORAGE EXTERNAL")
    bank.run("INSERT INTO texts VALUES (1, 1, repeat('x', 9000))")
    pipeline = gs.pipeline(session, str(tmp_path))
    pipeline.view("v", bank.frames(session, "texts")["texts"])
    query = pipeline.start(queryName="texts")
    try:
        query.processAllAvailable()
        bank.run("UPDATE texts SET n = 2")
        with pytest.raises(gs.GroundswellError, match="REPLICA IDENTITY FULL"):
            query.processAllAvailable()
    finally:
        query.stop()


def test_a_new_column_ends_the_pipeline_by_name(
    session: SparkSession, bank: Bank, tmp_path: Path
) -> None:
    query = started(session, bank, tmp_path)
    try:
        query.processAllAvailable()
        bank.run("UPDATE accounts SET balance = 1 WHERE id = 1")
        bank.run("ALTER TABLE accounts ADD COLUMN more int")
        bank.run("UPDATE accounts SET more = 2 WHERE id = 1")
        with pytest.raises(gs.GroundswellError, match="more is new"):
            query.processAllAvailable()
    finally:
        query.stop()


def test_a_new_column_is_taken_in_by_the_next_start(
    session: SparkSession, bank: Bank, tmp_path: Path
) -> None:
    def begun(wide: bool) -> Any:
        tables = bank.frames(session, "accounts", new_columns="add")
        pipeline = gs.pipeline(session, str(tmp_path))
        pipeline.view("money", tables["accounts"].selectExpr("sum(balance) s", "count(*) n"))
        if wide:
            pipeline.view("more", tables["accounts"].select("id", "more"))
        return pipeline.start()

    query = begun(wide=False)
    try:
        query.processAllAvailable()
        bank.run("UPDATE accounts SET balance = 1 WHERE id = 1")
        bank.run("ALTER TABLE accounts ADD COLUMN more int DEFAULT 5")
        bank.run("UPDATE accounts SET more = 2 WHERE id = 1")
        with pytest.raises(gs.GroundswellError, match=r"has got more.*Start again"):
            query.processAllAvailable()
    finally:
        query.stop()
    query = begun(wide=True)
    try:
        query.processAllAvailable()
        assert rows(session, tmp_path, "more") == sorted(bank.run("SELECT id, more FROM accounts"))
        want = sorted(bank.run("SELECT sum(balance), count(*) FROM accounts"))
        assert rows(session, tmp_path, "money") == want
    finally:
        query.stop()


@pytest.mark.parametrize(
    ("dsn", "tables", "said"),
    [
        ("postgresql://owner@127.0.0.1:1/postgres", ("accounts",), "127.0.0.1"),
        (None, ("nowhere",), "nowhere"),
        (None, ("keyless",), "(?i)primary key"),
    ],
)
def test_bad_input_is_named_before_anything_is_made(
    session: SparkSession, bank: Bank, dsn: str | None, tables: tuple[str, ...], said: str
) -> None:
    bank.run("CREATE TABLE keyless (a int)")
    with pytest.raises(gs.GroundswellError, match=said):
        gs.postgres(session, dsn or bank.dsn, tables, password=bank.server.PASSWORD)
    assert bank.run("SELECT count(*) FROM pg_replication_slots") == [(0,)]
    assert bank.run("SELECT count(*) FROM pg_publication") == [(0,)]


def test_a_wrong_password_is_named_and_not_shown(session: SparkSession, bank: Bank) -> None:
    with pytest.raises(gs.GroundswellError) as raised:
        gs.postgres(session, bank.dsn, ["accounts"], password="not-the-one")
    assert "password" in str(raised.value)
    assert "not-the-one" not in str(raised.value)


CHANGES = {
    "scale": (
        "CREATE TABLE t (id int PRIMARY KEY, n numeric(12,3))",
        ["ALTER TABLE t ALTER n TYPE numeric(14,5)", "UPDATE t SET n = 2"],
        "n has another type",
    ),
    "dropped": (
        "CREATE TABLE t (id int PRIMARY KEY, n int)",
        ["DROP TABLE t"],
        "t.* was dropped or renamed",
    ),
    "renamed": (
        "CREATE TABLE t (id int PRIMARY KEY, n int)",
        ["ALTER TABLE t RENAME TO t2", "UPDATE t2 SET n = 2"],
        "t.* was dropped or renamed",
    ),
    "rebuilt": (
        "CREATE TABLE t (id int PRIMARY KEY, n int)",
        ["DROP TABLE t", "CREATE TABLE t (id int PRIMARY KEY, n int)"],
        "t.* was dropped(, and recreated| or renamed)",
    ),
    "unpublished": (
        "CREATE TABLE t (id int PRIMARY KEY, n int)",
        ["ALTER PUBLICATION groundswell_postgres DROP TABLE t", "UPDATE t SET n = 2"],
        "does not have .*t.* any more",
    ),
    "slot": (
        "CREATE TABLE t (id int PRIMARY KEY, n int)",
        ["SELECT pg_drop_replication_slot('groundswell_postgres')", "UPDATE t SET n = 2"],
        "given up the changes that this pipeline has not read yet",
    ),
    "slot rebuilt": (
        "CREATE TABLE t (id int PRIMARY KEY, n int)",
        [
            "SELECT pg_drop_replication_slot('groundswell_postgres')",
            "UPDATE t SET n = 2",
            "SELECT pg_create_logical_replication_slot('groundswell_postgres', 'pgoutput')",
            "UPDATE t SET n = 3",
        ],
        "the changes between are gone|given up the changes",  # it may look in between
    ),
    "a partition dropped": (
        "CREATE TABLE t (id int PRIMARY KEY, n int) PARTITION BY RANGE (id); "
        "CREATE TABLE t0 PARTITION OF t FOR VALUES FROM (0) TO (10)",
        ["CREATE TABLE t1 PARTITION OF t FOR VALUES FROM (10) TO (20)", "DROP TABLE t0"],
        "1 partition of .*t.* went",
    ),
    "a partition detached": (
        "CREATE TABLE t (id int PRIMARY KEY, n int) PARTITION BY RANGE (id); "
        "CREATE TABLE t0 PARTITION OF t FOR VALUES FROM (0) TO (10)",
        ["ALTER TABLE t DETACH PARTITION t0"],
        "1 partition of .*t.* went",
    ),
    "inherited": (
        "CREATE TABLE t (id int PRIMARY KEY, n int)",
        ["CREATE TABLE child () INHERITS (t)", "INSERT INTO child VALUES (7, 7)"],
        "child inherits from table t: PostgreSQL",
    ),
    "role": (
        "CREATE TABLE t (id int PRIMARY KEY, n int)",
        ["ALTER ROLE reader NOREPLICATION", "UPDATE t SET n = 2"],
        "(?i)replication",
    ),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_goes_under_us_is_named(
    session: SparkSession, bank: Bank, tmp_path: Path, what: str
) -> None:
    create, change, said = CHANGES[what]
    bank.run(create)
    bank.run("INSERT INTO t (id) VALUES (1)")
    user = {}
    if what == "role":
        with_reader(bank, "REPLICATION", "GRANT SELECT ON t TO reader")
        bank.run("CREATE PUBLICATION groundswell_postgres FOR TABLE t")
        user = {"user": "reader"}
    pipeline = gs.pipeline(session, str(tmp_path))
    pipeline.view("v", frames_of(session, bank, "t", **user))
    query = pipeline.start(queryName="under")
    try:
        query.processAllAvailable()
        bank.run("UPDATE t SET id = 2")
        query.processAllAvailable()  # not the snapshot's epoch any more
        for statement in change:
            bank.run(statement)
        bank.run("INSERT INTO accounts VALUES (1000)")
        with pytest.raises(gs.GroundswellError, match=said):
            query.processAllAvailable()
    finally:
        query.stop()
    assert [key for key, *_ in rows(session, tmp_path, "v")] == [2]


def test_rows_of_partitions_come_and_go(session: SparkSession, bank: Bank, tmp_path: Path) -> None:
    bank.run("CREATE TABLE t (id int PRIMARY KEY, n int) PARTITION BY RANGE (id)")
    bank.run("CREATE TABLE t0 PARTITION OF t FOR VALUES FROM (0) TO (10)")
    bank.run("CREATE TABLE t1 PARTITION OF t FOR VALUES FROM (10) TO (20)")
    bank.run("INSERT INTO t VALUES (1, 1), (11, 1), (2, 1)")
    pipeline = gs.pipeline(session, str(tmp_path))
    pipeline.view("v", frames_of(session, bank, "t"))
    query = pipeline.start(queryName="parts")
    try:
        for statement in (
            "INSERT INTO t0 VALUES (3, 3)",
            "UPDATE t SET id = 12 WHERE id = 1",
            "CREATE TABLE t2 PARTITION OF t FOR VALUES FROM (20) TO (30)",
            "INSERT INTO t2 VALUES (21, 2)",
            "DELETE FROM t1 WHERE id = 11",
        ):
            bank.run(statement)
            query.processAllAvailable()
            assert rows(session, tmp_path, "v") == sorted(bank.run("SELECT * FROM t"))
    finally:
        query.stop()
    bank.run("DROP TABLE t2")
    query = pipeline.start(queryName="parts")
    try:
        bank.run("UPDATE t SET n = 9")
        with pytest.raises(gs.GroundswellError, match=r"1 partition of .*t.* went, by DROP TABLE"):
            query.processAllAvailable()
    finally:
        query.stop()


def test_a_table_that_others_inherit_from_is_refused(session: SparkSession, bank: Bank) -> None:
    bank.run("CREATE TABLE base (id int PRIMARY KEY)")
    bank.run("CREATE TABLE child (n int) INHERITS (base)")
    with pytest.raises(gs.GroundswellError, match=r"child inherits from table base"):
        frames_of(session, bank, "base")


def with_reader(bank: Bank, attributes: str, *grants: str) -> None:
    """A role of few rights."""
    if bank.run("SELECT 1 FROM pg_roles WHERE rolname = 'reader'"):
        bank.run("DROP OWNED BY reader")
        bank.run("DROP ROLE reader")
    bank.run(f"CREATE ROLE reader LOGIN {attributes} PASSWORD '{bank.server.PASSWORD}'")
    bank.run("GRANT USAGE ON SCHEMA public TO reader")
    for grant in grants:
        bank.run(grant)


def frames_of(session: SparkSession, bank: Bank, table: str, user: str = "owner") -> DataFrame:
    dsn = bank.dsn.replace("owner@", f"{user}@")
    return gs.postgres(session, dsn, [table], password=bank.server.PASSWORD)[table]


@pytest.mark.parametrize(
    ("attributes", "grants", "said"),
    [
        ("", ("GRANT SELECT ON accounts TO reader",), "ALTER ROLE .*REPLICATION"),
        ("REPLICATION", (), "GRANT SELECT ON .*accounts"),
        ("REPLICATION", ("GRANT SELECT ON accounts TO reader",), "CREATE PUBLICATION"),
    ],
)
def test_missing_privileges_are_named_with_what_grants_them(
    session: SparkSession, bank: Bank, attributes: str, grants: tuple[str, ...], said: str
) -> None:
    with_reader(bank, attributes, *grants)
    with pytest.raises(gs.SourceError, match=said):
        frames_of(session, bank, "accounts", "reader")
    assert bank.run("SELECT count(*) FROM pg_replication_slots") == [(0,)]
    assert bank.run("SELECT count(*) FROM pg_publication") == [(0,)]


def test_whole_old_rows_do_not_make_up_for_a_key(session: SparkSession, bank: Bank) -> None:
    bank.run("CREATE TABLE keyless (a int)")
    bank.run("ALTER TABLE keyless REPLICA IDENTITY FULL")
    with pytest.raises(gs.SourceError, match="ADD PRIMARY KEY"):
        frames_of(session, bank, "keyless")


@pytest.mark.rest
def test_a_snapshot_in_parts_over_a_restart(
    session: SparkSession, bank: Bank, tmp_path: Path
) -> None:
    bank.fill(accounts=9_000)  # about sixty pages
    print(f"seed {SEED}")
    transfers = Transfers(bank, 9_000, SEED, pause=0.002)
    transfers.start()
    try:
        for _ in range(2):
            query = started(session, bank, tmp_path, maxBarrierBytes=120_000)
            assert query.loads, (query.status, query.recentProgress)
            wait_for("a part", lambda q=query: bool(q.recentProgress or not q.isActive))
            assert query.status["views"]["money"]["state"].startswith("loading ")
            with pytest.raises(EpochUnavailable, match="% of the first load"):
                rows(session, tmp_path, "money")
            query.stop()
        bank.run("DELETE FROM accounts WHERE id = 9000")  # it was read before, and will not be
        query = started(session, bank, tmp_path, maxBarrierBytes=120_000)
        wait_for("the whole", lambda: not query.loads)
        assert sum(each["loading"] is not None for each in query.recentProgress) > 2
        transfers.over.set()
        transfers.join()
        query.processAllAvailable()
        found = rows(session, tmp_path, "accounts_now")
        assert found == sorted(bank.run("SELECT * FROM accounts"))
        assert len(found) == 8_999
        query.stop()
    finally:
        transfers.over.set()
    held = bank.run("SELECT slot_name FROM pg_replication_slots WHERE slot_name LIKE '%snapshot%'")
    assert held == []
