"""``CHANGES`` of views and tables, at once and as streams."""

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import groundswell as gs
from groundswell.sql.executor import REGISTRY
from sql.conftest import rows

NONE = "WITH (deduplicationMode = 'none')"


def newest(spark: SparkSession) -> int:
    pipeline = REGISTRY.find(spark, "p")
    assert pipeline is not None
    epoch = pipeline.newest()
    assert epoch is not None
    return epoch


def taken(stream: DataFrame, name: str, place: Path) -> list[tuple[object, ...]]:
    writer = stream.writeStream.format("memory").queryName(name).trigger(availableNow=True)
    writer.option("checkpointLocation", str(place / name)).start().awaitTermination()
    return rows(stream.sparkSession, f"SELECT * FROM {name}")


@pytest.fixture
def shop(session: SparkSession, tmp_path: Path) -> SparkSession:
    """Pipeline ``p`` with table ``t``."""
    session.sql(f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}'")
    session.sql("USE groundswell.p")
    session.sql("CREATE TABLE t (id int PRIMARY KEY, v string)")
    session.sql("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    session.sql("FLUSH")
    return session


def test_changes_of_a_view_at_once_and_as_a_stream(shop: SparkSession, tmp_path: Path) -> None:
    shop.sql("CREATE MATERIALIZED VIEW logged AS SELECT id, v FROM t WITH (changelog = 'true')")
    shop.sql("CREATE MATERIALIZED VIEW v AS SELECT id, v FROM t")
    start = newest(shop)
    shop.sql("UPDATE t SET v = 'c' WHERE id = 1")
    shop.sql("FLUSH")
    shop.sql("UPDATE t SET v = 'd' WHERE id = 1")
    shop.sql("DELETE FROM t WHERE id = 2")
    (last,) = shop.sql("FLUSH").collect()
    changes = [
        (1, "a", "update_preimage"),
        (1, "c", "update_postimage"),
        (1, "c", "update_preimage"),
        (1, "d", "update_postimage"),
        (2, "b", "delete"),
    ]
    of_range = f"CHANGES FROM VERSION {start} TO VERSION {last.epoch} {NONE}"
    found = rows(shop, f"SELECT id, v, _change_type FROM v {of_range}")
    assert found == sorted([(1, "a", "insert"), (2, "b", "insert"), *changes])
    assert rows(shop, f"SELECT id, v, _change_type FROM logged {of_range}") == found
    for view in ("v", "logged"):
        net = rows(
            shop, f"SELECT id, v, _change_type FROM {view} CHANGES FROM VERSION {start} "
            f"EXCLUSIVE WITH (deduplicationMode = 'netChanges')"
        )  # fmt: skip
        gone = {(i, v) for i, v, kind in net if kind in ("delete", "update_preimage")}
        come = {(i, v) for i, v, kind in net if kind in ("insert", "update_postimage")}
        assert (gone, come) == ({(1, "a"), (2, "b")}, {(1, "d")})
    stream = shop.sql(
        f"SELECT id, v, _change_type FROM STREAM v CHANGES FROM VERSION {start} {NONE}"
    )
    assert taken(stream, "taken", tmp_path) == found
    with pytest.raises(gs.EpochUnavailable, match="epochs 0 to 999 of v are asked for, and epochs"):
        shop.sql("SELECT * FROM v CHANGES FROM VERSION 0 TO VERSION 999")


@pytest.mark.rest
def test_changes_bring_each_epoch_to_the_next(shop: SparkSession) -> None:
    """Of a table, a view by key, first rows of groups and rows that are only added."""
    shop.sql("CREATE TABLE log (g int, n int) APPEND ONLY")
    shop.sql("CREATE MATERIALIZED VIEW sums AS SELECT v, count(*) c, sum(id) s FROM t GROUP BY v")
    shop.sql("CREATE MATERIALIZED VIEW big AS SELECT g, n FROM log WHERE n > 10")
    shop.sql(
        "CREATE MATERIALIZED VIEW top AS SELECT g, n FROM (SELECT *, row_number() OVER "
        "(PARTITION BY g ORDER BY n DESC) r FROM log) WHERE r <= 2"
    )
    draw = random.Random(4)
    first = newest(shop)
    for _ in range(2):
        ids = draw.sample(range(20), 6)
        values = ", ".join(f"({i}, '{draw.choice('abc')}')" for i in ids)
        shop.sql(f"INSERT INTO t VALUES {values}")
        shop.sql(f"DELETE FROM t WHERE id % 7 = {draw.randrange(7)}")
        added = ", ".join(f"({draw.randrange(3)}, {draw.randrange(40)})" for _ in range(5))
        shop.sql(f"INSERT INTO log VALUES {added}")
        shop.sql("FLUSH")
    last = newest(shop)
    for view in ("t", "sums", "big", "top"):
        state = Counter(rows(shop, f"SELECT * FROM {view} VERSION AS OF {first}"))
        found: dict[int, list[Any]] = {}
        changes = shop.sql(
            f"SELECT * FROM {view} CHANGES FROM VERSION {first} EXCLUSIVE {NONE}"
        ).collect()
        for *row, kind, epoch, _ in changes:
            found.setdefault(epoch, []).append((tuple(row), kind))
        assert found
        assert {*found} <= {*range(first + 1, last + 1)}
        for epoch, changed in sorted(found.items()):
            for row, kind in changed:
                state[row] += 1 if kind in ("insert", "update_postimage") else -1
            assert all(n >= 0 for n in state.values()), (view, epoch)
            at = rows(shop, f"SELECT * FROM {view} VERSION AS OF {epoch}")
            assert sorted(state.elements()) == at, (view, epoch)
        net = shop.sql(
            f"SELECT * FROM {view} CHANGES FROM VERSION {first} EXCLUSIVE "
            "WITH (deduplicationMode = 'netChanges')"
        ).collect()
        state = Counter(rows(shop, f"SELECT * FROM {view} VERSION AS OF {first}"))
        for *row, kind, _, _ in net:
            state[tuple(row)] += 1 if kind in ("insert", "update_postimage") else -1
        assert sorted(state.elements()) == rows(shop, f"SELECT * FROM {view}"), view
        assert len(net) <= sum(len(found[epoch]) for epoch in found)


@pytest.mark.rest
def test_a_stream_of_a_view_has_its_rows_and_those_that_come(
    shop: SparkSession, tmp_path: Path
) -> None:
    shop.sql("CREATE MATERIALIZED VIEW v AS SELECT id, v FROM t")
    stream = shop.readStream.table("groundswell.p.v").select("v", "id")
    assert taken(stream, "once", tmp_path) == [("a", 1), ("b", 2)]
    changes = shop.readStream.changes("groundswell.p.v").select("id", "_change_type")
    assert taken(changes, "both", tmp_path) == [(1, "insert"), (2, "insert")]
    shop.sql("INSERT INTO t VALUES (3, 'c')")
    shop.sql("FLUSH")
    query = stream.writeStream.format("noop").option("checkpointLocation", str(tmp_path / "once"))
    done = query.trigger(availableNow=True).start()
    done.awaitTermination()
    assert sum(p["numInputRows"] for p in done.recentProgress) == 1, "it goes on where it stopped"
    shop.sql("DELETE FROM t WHERE id = 1")
    shop.sql("FLUSH")
    done = query.trigger(availableNow=True).start()
    with pytest.raises(Exception, match=r"groundswell.p.v changed a row \(delete\) at epoch \d+"):
        done.awaitTermination()
    lasting = changes.writeStream.format("noop")
    lasting = lasting.option("checkpointLocation", str(tmp_path / "lasting")).start()
    lasting.processAllAvailable()
    shop.sql("DROP MATERIALIZED VIEW v")
    with pytest.raises(Exception, match=r"\[GROUNDSWELL.SourceLost\] p.v was dropped"):
        lasting.awaitTermination(60)
    assert not lasting.isActive


def change_until_cut(shop: SparkSession) -> None:
    """Changes a table until its first epoch is gone: epochs are retired beside the barriers."""
    for i in range(1000):
        shop.sql(f"INSERT INTO t VALUES ({i % 4}, 'x{i}')")
        shop.sql("FLUSH")
        shop.sql("SELECT * FROM v CHANGES FROM VERSION 0")


@pytest.mark.rest
def test_what_retention_has_cut_is_named(session: SparkSession, tmp_path: Path) -> None:
    shop = session
    shop.sql(f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}' WITH (retainEpochs = 4)")
    shop.sql("USE groundswell.p")
    shop.sql("CREATE TABLE t (id int PRIMARY KEY, v string)")
    shop.sql("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    shop.sql("CREATE MATERIALIZED VIEW v AS SELECT id, v FROM t")
    shop.sql("CREATE MATERIALIZED VIEW logged AS SELECT id FROM t WITH (changelog = 'true')")
    shop.sql("FLUSH")
    stream = shop.sql(f"SELECT id FROM STREAM v CHANGES FROM VERSION 0 {NONE}")
    assert taken(stream, "behind", tmp_path) == [(1,), (2,)]
    kept = r"epochs (\d+) to \d+ are kept; option retainEpochs"
    with pytest.raises(gs.EpochUnavailable, match=kept):
        change_until_cut(shop)
    pipeline = REGISTRY.find(shop, "p")
    assert pipeline is not None
    pipeline.stop()  # so that epochs stay as they are
    try:
        shop.sql("SELECT * FROM v CHANGES FROM VERSION 0")
    except gs.EpochUnavailable as e:
        oldest = int(str(e).split(", and epochs ")[1].split()[0])
    with pytest.raises(
        gs.EpochUnavailable, match=rf"those of epochs {oldest + 1} to \d+ are there"
    ):
        shop.sql(f"SELECT * FROM v CHANGES FROM VERSION {oldest}")
    assert rows(shop, f"SELECT * FROM v CHANGES FROM VERSION {oldest} EXCLUSIVE {NONE}")
    assert rows(shop, f"SELECT * FROM logged CHANGES FROM VERSION {oldest} {NONE}") is not None
    query = stream.writeStream.format("noop").option("checkpointLocation", str(tmp_path / "behind"))
    with pytest.raises(Exception, match=kept):
        query.trigger(availableNow=True).start().awaitTermination()
