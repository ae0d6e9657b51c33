"""A pipeline on S3: what it asks of the server, and what it makes of a server that fails."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from crash.storage import S3Storage
from groundswell import confs
from systems.s3_proxy import Faults, Proxy
from systems.whole_log import whole_log

SEED = int(os.environ.get("GROUNDSWELL_SEED", random.randrange(1 << 30)))
SECRET = "s3cret-of-the-bucket"
EVENT = "id long, product int, n long"


class Bucket:
    """A bucket behind a proxy."""

    def __init__(self, storage: S3Storage, proxy: Proxy) -> None:
        self.storage, self.proxy = storage, proxy

    def uri(self, name: str) -> str:
        return self.storage.location(name)

    def environment(self) -> dict[str, str]:
        """What readers without a JVM find the bucket by."""
        return {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.proxy.port}",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": SECRET,
        }


@pytest.fixture(scope="module")
def bucket() -> Iterator[Bucket]:
    with S3Storage.start() as storage:
        port = int(storage.confs["spark.hadoop.fs.s3a.endpoint"].rpartition(":")[2])
        with Proxy(port) as proxy:
            yield Bucket(storage, proxy)


@pytest.fixture(scope="module")
def session(_contexts: Any, jar: Path, bucket: Bucket) -> Iterator[SparkSession]:
    given = {
        **bucket.storage.confs,
        "spark.jars": f"{jar},{bucket.storage.confs['spark.jars']}",
        "spark.hadoop.fs.s3a.endpoint": f"http://127.0.0.1:{bucket.proxy.port}",
        "spark.hadoop.fs.s3a.secret.key": SECRET,
    }
    spark = _contexts.get(given, own_jvm=True).newSession()
    spark.conf.set(confs.FILE_MANAGER_KEY, confs.FILE_MANAGER)
    yield spark
    for query in spark.streams.active:
        query.stop()


def write(folder: Path, number: int, rng: random.Random) -> None:
    """One barrier's events."""
    folder.mkdir(exist_ok=True)
    rows = [
        {"id": number * 20 + i, "product": rng.randrange(3), "n": rng.randrange(100)}
        for i in range(20)
    ]
    whole = folder / f".{number}"
    whole.write_text("".join(json.dumps(row) + "\n" for row in rows))
    whole.rename(folder / f"{number:03d}.json")


def totals(spark: SparkSession, events: Any) -> Any:
    return events.groupBy("product").agg({"n": "sum", "id": "count"}).toDF("product", "s", "c")


def started(spark: SparkSession, bucket: Bucket, name: str, folder: Path, **options: Any) -> Any:
    events = spark.readStream.schema(EVENT).json(str(folder))
    pipeline = gs.pipeline(spark, bucket.uri(name), **options)
    pipeline.view("totals", totals(spark, events))
    return pipeline.start(queryName=name)


def place(key: str, name: str) -> str:
    """Where in a location a key is: its folder, without numbers."""
    below = key.partition(f"{name}/")[2] or "."
    return "/".join("#" if part.isdigit() else part for part in below.split("/")[:3])


class Counted:
    """The requests of a stretch of time, by kind and place; a file source's own log is apart."""

    def __init__(self, bucket: Bucket, name: str) -> None:
        self.seen, self.name = bucket.proxy.seen, name

    def __enter__(self) -> Counted:
        self.seen.clear()
        return self

    def __exit__(self, *error: Any) -> None:
        self.places: Counter[tuple[str, str]] = Counter()
        self.kinds: Counter[str] = Counter()
        for request in list(self.seen):
            where = place(request.key, self.name)
            self.places[request.kind, where] += 1
            if not where.startswith("sources/"):
                self.kinds[request.kind] += 1

    def show(self, what: str, by: int = 1) -> float:
        """Prints them; gives how many there were, divided by ``by``."""
        for (kind, where), count in sorted(self.places.items()):
            print(f"{count / by:6.1f} {kind:6} {where}")
        total = sum(self.kinds.values()) / by
        kinds = {kind: round(count / by, 1) for kind, count in sorted(self.kinds.items())}
        print(f"{what}: {total:.1f} requests, {kinds}")
        return total


def test_requests_in_the_steady_state(
    session: SparkSession, bucket: Bucket, tmp_path: Path
) -> None:
    """What a barrier asks of the server, with one executor; a round of retirement is apart.

    A round works beside the barriers after it, and is over when they say so, or when the query has
    stopped. The first one is not counted: it looks into each partition's folder, later ones do not.
    """
    rng = random.Random(1)
    folder = tmp_path / "events"
    write(folder, 0, rng)
    run = started(session, bucket, "counted", folder, retireEvery=15)

    def barriers(last: int) -> None:
        """Runs them up to that one: each file is a barrier."""
        for number in range(run.lastProgress["epoch"] + 1, last + 1):
            write(folder, number, rng)
            run.processAllAvailable()
        assert run.lastProgress["epoch"] == last

    def at_rest() -> bool:
        told = run.lastProgress["retirement"]
        return told["partitions"] > 0 and told["behindEpochs"] == 0

    try:
        run.processAllAvailable()
        barriers(14)
        while not at_rest():
            barriers(run.lastProgress["epoch"] + 1)
        first = run.lastProgress["epoch"]
        with Counted(bucket, "counted") as quiet:
            barriers(first + 7)
        assert first + 7 < 29, "the next round begins with epoch 29"
        barriers(28)
        with Counted(bucket, "counted") as retiring:
            barriers(31)
            run.stop()
    finally:
        run.stop()
    assert quiet.show("a barrier", 7) <= 1 + 6
    assert quiet.places["PUT", "groundswell/state/_packs"] == 7, "a pack a barrier"
    assert not quiet.kinds["LIST"]
    assert retiring.show("three barriers, one of which retires") < 3 * 7 + 12
    assert retiring.kinds["LIST"] <= 4

    with Counted(bucket, "counted") as opening:
        run = started(session, bucket, "counted", folder)
        run.processAllAvailable()
    run.stop()
    # About 30 of these are Spark's own: it asks for its logs, and for their folders, several times.
    assert opening.show("starting it again, without news") <= 78
    assert opening.kinds["LIST"] <= 31
    with Counted(bucket, "counted") as reading:
        assert gs.read_view(session, bucket.uri("counted"), "totals").count() == 3
    assert reading.show("reading the view") <= 10

    pipeline = gs.pipeline(session, bucket.uri("tables"))
    table = pipeline.table("products", "product int, price long", key="product")
    pipeline.view("prices", table.df)
    for price in (1, 2):
        with Counted(bucket, "tables") as inserting:
            table.upsert(session.createDataFrame([(1, price)], "product int, price long"))
    assert inserting.show("an insert into a table") <= 14
    assert inserting.kinds["LIST"] <= 4


FAULTS = Faults(busy=0.05, slow=0.05, broken=0.03, lost=0.05)


def check_with_faults(spark: SparkSession, bucket: Bucket, folder: Path, seed: int) -> None:
    """A table and files through a join, with a restart, while the server fails."""
    print(f"GROUNDSWELL_SEED={seed}")
    rng, name, events = random.Random(seed), f"faults-{seed}", folder / "events"
    proxy = bucket.proxy
    proxy._rng.seed(seed)
    proxy.wrong.clear()
    proxy.faults = FAULTS
    prices: dict[int, int] = {}

    def begun() -> tuple[Any, Any]:
        pipeline = gs.pipeline(spark, bucket.uri(name))
        products = pipeline.table("products", "product int, price long", key="product")
        stream = gs.appends(spark.readStream.schema(EVENT).json(str(events)), name="events")
        pipeline.view("totals", totals(spark, stream))
        worth = stream.join(products.df, "product").selectExpr("id", "n * price AS worth")
        pipeline.view("worth", worth)
        return pipeline.start(queryName=name), products

    try:
        write(events, 0, rng)
        run, products = begun()
        for number in range(1, 7):
            write(events, number, rng)
            price = {rng.randrange(3): rng.randrange(1, 9)}
            prices |= price
            products.upsert(spark.createDataFrame(list(price.items()), "product int, price long"))
            run.processAllAvailable()
            if number == 3:
                run.stop()
                run, products = begun()
        run.stop()
    finally:
        proxy.faults = Faults()
    print(dict(proxy.wrong))
    assert {"busy", "slow", "lost"} <= {*proxy.wrong}
    found = gs.read_views(spark, bucket.uri(name))
    batch = spark.read.schema(EVENT).json(str(events))
    known = spark.createDataFrame(list(prices.items()), "product int, price long")
    worth = batch.join(known, "product").selectExpr("id", "n * price AS worth")
    for view, wanted in (("totals", totals(spark, batch)), ("worth", worth)):
        rows = sorted(tuple(row) for row in found[view].collect())
        assert rows == sorted(tuple(row) for row in wanted.collect()), f"{view}, seed {seed}"


@pytest.mark.parametrize("number", range(2))
def test_a_server_that_fails_only_makes_it_slower(
    session: SparkSession, bucket: Bucket, tmp_path: Path, number: int
) -> None:
    check_with_faults(session, bucket, tmp_path, SEED + number)


@pytest.mark.soak
@pytest.mark.parametrize("number", range(2, 22))
def test_twenty_seeds_of_a_server_that_fails(
    session: SparkSession, bucket: Bucket, tmp_path: Path, number: int
) -> None:
    check_with_faults(session, bucket, tmp_path, SEED + number)


def test_copies_within_a_bucket_go_on(
    session: SparkSession, bucket: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in bucket.environment().items():
        monkeypatch.setenv(name, value)
    rng, events = random.Random(2), tmp_path / "events"
    write(events, 0, rng)
    run = started(session, bucket, "original", events)
    try:
        run.processAllAvailable()
        gs.backup(bucket.uri("original"), bucket.uri("copy"))
        write(events, 1, rng)
        run.processAllAvailable()
        gs.clone(bucket.uri("original"), bucket.uri("clone"))
    finally:
        run.stop()
    write(events, 2, rng)
    batch = session.read.schema(EVENT).json(str(events))
    wanted = sorted(tuple(row) for row in totals(session, batch).collect())
    for copy in ("copy", "clone"):
        run = started(session, bucket, copy, events)
        try:
            run.processAllAvailable()
        finally:
            run.stop()
        rows = gs.read_view(session, bucket.uri(copy), "totals").collect()
        assert sorted(tuple(row) for row in rows) == wanted, copy


def test_credentials_are_in_no_log_error_or_object(
    bucket: Bucket, tmp_path: Path, jar: Path
) -> None:
    """In a process of its own, whose whole log at INFO is looked at."""
    rng, events = random.Random(3), tmp_path / "events"
    write(events, 0, rng)
    given = {
        **bucket.storage.confs,
        "spark.master": "local[2]",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.jars": f"{jar},{bucket.storage.confs['spark.jars']}",
        "spark.hadoop.fs.s3a.endpoint": f"http://127.0.0.1:{bucket.proxy.port}",
        "spark.hadoop.fs.s3a.access.key": "access-of-the-bucket",
        "spark.hadoop.fs.s3a.secret.key": SECRET,
    }
    script = Path(__file__).with_name("s3_secrets.py")
    command = [sys.executable, str(script), json.dumps(given), str(events)]
    command += [bucket.uri("secrets"), "s3a://no-such-bucket/here"]
    log, environment = whole_log(tmp_path)
    bucket.proxy.faults = Faults(busy=0.1, lost=0.1)
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=300
        )
    finally:
        bucket.proxy.faults = Faults()
    said = done.stdout + done.stderr + log.read_text("utf-8")
    assert done.returncode == 0, said[-4000:]
    for needed in ("the plan is", "no-such-bucket", " INFO "):
        assert needed in said, f"{needed!r} is not in the last of {said[-3000:]}"
    contents = bucket.storage.contents(bucket.uri("secrets"))
    assert contents
    for secret in (SECRET, "access-of-the-bucket"):
        assert secret not in said
        assert not [name for name, text in contents.items() if secret.encode() in text]
