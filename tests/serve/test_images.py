"""Rows by key, and images of later versions, beside the whole scan of each version."""

from __future__ import annotations

import random
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.format import States, Store, Version, open_folder
from groundswell.format.lookup import OpenFiles
from groundswell.runtime.record.epochs import EpochLog
from groundswell.runtime.record.location import EPOCHS, FOLDER, states_in
from groundswell.runtime.record.published import Published
from groundswell.serve import image
from groundswell.serve.changes import Changes
from groundswell.serve.errors import ServeError
from groundswell.serve.snapshots import Snapshots
from groundswell.state.documents import open_documents
from groundswell.state.types import arrow_type
from serve.conftest import ORDERS, Shop, psycopg

pytestmark = pytest.mark.rest

VIEWS = ("per_customer", "large")


def versions(location: str, view: str) -> Iterator[tuple[int, Any, Version]]:
    """All partitions' versions of a view that are kept, epoch by epoch."""
    home = open_documents(location).child(FOLDER)
    log = EpochLog(home.child(EPOCHS))
    folder = open_folder(location).child(FOLDER)
    for epoch in log.epochs():
        published = Published(home, location, epoch, log)
        state = published.state(view)
        states = States(states_in(folder, published.generation), folder)
        for number, commit in enumerate(published.commits(state)):
            if commit.version:
                store = Store(states.store(state, number))
                layout = published.layout(state)["columns"]
                yield number, layout, store.version(commit.version, commit.id)


@pytest.fixture(scope="module")
def changed(shop: Shop) -> Shop:
    seed = random.randrange(1 << 32)
    print("seed", seed)
    chance = random.Random(seed)
    for _ in range(12):
        ids = chance.sample(range(600), 60)
        shop.orders.upsert([(i, f"c{chance.randrange(9)}", i, None) for i in ids[:40]])
        shop.orders.delete([(i,) for i in ids[40:]])
        shop.run.processAllAvailable()
    return shop


@pytest.mark.parametrize("view", VIEWS)
def test_a_row_by_its_key_and_what_a_commit_wrote(changed: Shop, view: str) -> None:
    files = OpenFiles()
    before: dict[int, tuple[int, dict[bytes, bytes]]] = {}
    seen = 0
    for number, _, version in versions(changed.location, view):
        rows = dict(version.stems("rows"))
        for stem, value in rows.items():
            assert version.get("rows", stem, files) == value
            assert version.get("rows", stem + b"\0", files) is None
        if number in before:
            since, replayed = before[number]
            for stem in set(replayed) - set(rows):
                assert version.get("rows", stem, files) is None
            for stem, written in version.written("rows", since).items():
                if written is None:
                    replayed.pop(stem, None)
                else:
                    replayed[stem] = written
            assert replayed == rows
        before[number] = version.manifest.version, rows
        seen += len(rows)
    assert seen > 100


@pytest.mark.parametrize("in_file", [False, True])
@pytest.mark.parametrize("view", VIEWS)
def test_the_next_image_is_the_image_of_the_next_version(
    changed: Shop, view: str, in_file: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(image, "BATCH_ROWS", 16)
    if in_file:
        monkeypatch.setattr(image, "MEMORY_BYTES", 1)
    home = open_documents(changed.location).child(FOLDER)
    published = Published(home, changed.location)
    last: dict[int, image.Image] = {}
    shared = 0
    for number, layout, version in versions(changed.location, view):
        schema = pa.schema([(c["name"], arrow_type(c["type"], c["name"])) for c in layout])
        makes = image.ImageMaker(layout, schema)
        whole = makes.first(version)
        if number in last:
            following = makes.next(last[number], version)
            assert rows_of(following) == rows_of(whole)
            shared += sum(b is a for b in following.batches for a in last[number].batches)
            whole = following
        assert bool(whole.mapped) == (in_file and bool(whole.batches))
        last[number] = whole
    assert published.epoch > 0
    if view == "large" and not in_file:
        assert shared > 0, "no batch is shared with the version before"


@pytest.mark.parametrize("view", VIEWS)
def test_rows_are_counted_without_being_decoded(
    changed: Shop, view: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = changed.serve()
    count = f"SELECT count(*) AS n FROM {view}"
    try:
        with psycopg.connect(f"host=127.0.0.1 port={server.port}", autocommit=True) as connection:
            with monkeypatch.context() as patched:
                patched.setattr(image.ImageMaker, "first", lambda *_: pytest.fail("decodes rows"))
                counted = connection.execute(count)
                assert counted.description is not None
                assert [column.name for column in counted.description] == ["n"]
                (number,) = counted.fetchone() or (None,)
            rows = connection.execute(f"SELECT * FROM {view}").fetchall()
            assert number == len(rows) > 0
            assert connection.execute(count).fetchall() == [(len(rows),)]
            assert connection.execute(f"{count} WHERE true").fetchall() == [(len(rows),)]
    finally:
        server.stop()


def test_what_merges_have_dropped_is_not_told_as_the_difference(
    session: SparkSession, tmp_path: Path
) -> None:
    """Merges have dropped deletes that came after it."""
    p = gs.pipeline(session, str(tmp_path / "p"), partitions=1, retainEpochs=1, retireEvery=1)
    items = p.table("items", "id bigint, v bigint", key="id")
    p.view("large", items.df)
    run = p.start()
    items.insert([(i, i) for i in range(300)])
    run.processAllAvailable()
    ((_, layout, version),) = versions(str(tmp_path / "p"), "large")
    schema = pa.schema([(c["name"], arrow_type(c["type"], c["name"])) for c in layout])
    makes = image.ImageMaker(layout, schema)
    old = makes.first(version)
    items.delete([(i,) for i in range(290)])
    for turn in range(12):
        items.upsert([(i, turn) for i in range(290, 300)])
        run.processAllAvailable()
    run.stop()
    *_, (_, _, newest) = versions(str(tmp_path / "p"), "large")
    lost = set(range(290)) - {
        int.from_bytes(stem[-8:], "little") for stem in newest.written("rows", old.version)
    }
    assert lost, "no merge has dropped a delete"
    assert newest.manifest.safe_epoch > old.version
    assert sorted(row["id"] for row in rows_of(makes.next(old, newest))) == list(range(290, 300))
    snapshots = Snapshots(str(tmp_path / "p"), "groundswell")
    changes = Changes(snapshots, "large")
    try:
        with pytest.raises(ServeError, match="not kept any more"):
            list(changes._of_partition(version, newest))
    finally:
        changes.close()
        snapshots.close()


def test_the_next_server_finds_rows_that_are_decoded(
    session: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Shop(session, str(tmp_path / "p"))
    made.insert(range(ORDERS, ORDERS + 50))
    cache = tmp_path / "cache"
    real, decoded = image.ImageMaker.first, []

    def first(self: image.ImageMaker, version: Any, path: Path | None = None) -> image.Image:
        decoded.append(version)
        return real(self, version, path)

    monkeypatch.setattr(image.ImageMaker, "first", first)

    def asked() -> list[Any]:
        server = made.serve(cache=cache)
        try:
            with psycopg.connect(f"host=127.0.0.1 port={server.port}", autocommit=True) as client:
                return client.execute("SELECT id, amount FROM large ORDER BY id").fetchall()
        finally:
            server.stop()

    begun = asked()
    assert len(begun) == ORDERS + 50
    assert len(decoded) == len(list(cache.iterdir())) > 0
    decoded.clear()
    assert asked() == begun
    assert not decoded
    made.orders.delete([(i,) for i in range(5)])  # the older version is still kept
    made.run.processAllAvailable()
    assert asked() == begun[5:]
    assert not decoded
    damaged = sorted(cache.iterdir())[0]
    damaged.write_bytes(damaged.read_bytes()[:-100])
    assert asked() == begun[5:]
    assert len(decoded) == 1
    made.run.stop()
    shutil.rmtree(tmp_path / "p")
    again = Shop(session, str(tmp_path / "p"))  # other commits of the same numbers
    made.location = again.location
    decoded.clear()
    assert len(asked()) == ORDERS
    assert decoded
    again.run.stop()
    (tmp_path / "file").touch()
    with pytest.raises(gs.ConfigurationError, match=r"--cache .* cannot be written there"):
        again.serve(cache=tmp_path / "file")


def rows_of(found: image.Image) -> list[Any]:
    return [row for batch in found.batches for row in batch.to_pylist()]


def test_decoding_goes_on_without_the_statement_that_waited_for_it(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = threading.Event()
    made: list[Any] = []
    real = image.ImageMaker.first

    def first(self: image.ImageMaker, version: Version | None) -> image.Image:
        assert go.wait(60)
        made.append(version)
        return real(self, version)

    monkeypatch.setattr(image.ImageMaker, "first", first)
    server = shop.serve()
    dsn = f"host=127.0.0.1 port={server.port} user=ann"
    try:
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute("SET statement_timeout = '200ms'")
            for _ in range(2):
                with pytest.raises(psycopg.errors.QueryCanceled, match="statement timeout"):
                    connection.execute("SELECT count(customer) FROM large")
            connection.execute("SET statement_timeout = 0")
            timer = threading.Timer(0.2, connection.cancel_safe)
            timer.start()
            with pytest.raises(psycopg.errors.QueryCanceled, match="user request"):
                connection.execute("SELECT count(customer) FROM large")
            timer.join()
            assert connection.execute("SELECT 1").fetchone() == (1,)
            go.set()
            assert connection.execute("SELECT count(customer) > 0 FROM large").fetchone() == (True,)
        assert len(made) == len(set(map(id, made))) <= 2, "a partition was decoded again"
    finally:
        go.set()
        server.stop()
