"""What a user is told when the storage fails: one line, with the place and the way on."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from incremental.harness import bag

pytestmark = pytest.mark.rest


def votes(session: SparkSession, location: Path) -> tuple[gs.Pipeline, gs.Table]:
    p = gs.pipeline(session, str(location))
    table = p.table("votes", "id bigint, story bigint", key="id")
    p.view("counts", table.df.groupBy("story").count())
    return p, table


def test_a_pipeline_whose_folder_is_removed_ends_by_name(
    session: SparkSession, tmp_path: Path
) -> None:
    """It went on, made the folder again and published epochs that nobody could restart from."""
    location, events = tmp_path / "c", tmp_path / "events"
    events.mkdir()
    (events / "0.json").write_text('{"a": 1}')
    rows = session.readStream.schema("a int").json(str(events))
    p = gs.pipeline(session, str(location))
    p.view("v", rows.groupBy("a").count())
    run = p.start()
    try:
        run.processAllAvailable()
        shutil.rmtree(location)
        time.sleep(0.2)  # a check counts for a tenth of a second
        (events / "1.json").write_text('{"a": 2}')
        with pytest.raises(gs.GroundswellError, match="removed or moved while it was used") as e:
            run.processAllAvailable()
        assert str(location) in str(e.value)
        assert not (location / "groundswell" / "epochs").exists()
    finally:
        run.stop()


def test_a_copied_location_starts_elsewhere(session: SparkSession, tmp_path: Path) -> None:
    """Spark's log of a table's files has absolute paths: "Wrong basePath"."""
    first, second = tmp_path / "first", tmp_path / "second"
    p, table = votes(session, first)
    run = p.start()
    table.insert(session.createDataFrame([(1, 1), (2, 1)], "id bigint, story bigint"))
    run.processAllAvailable()
    run.stop()
    table.insert(session.createDataFrame([(3, 2)], "id bigint, story bigint"))  # not taken yet
    shutil.copytree(first, second)
    shutil.rmtree(first)

    p, table = votes(session, second)
    run = p.start()
    try:
        run.processAllAvailable()
        assert bag(run.view("counts")) == {(1, 2): 1, (2, 1): 1}
        table.insert(session.createDataFrame([(4, 2)], "id bigint, story bigint"))
        run.processAllAvailable()
        assert bag(run.view("counts")) == {(1, 2): 1, (2, 2): 1}
    finally:
        run.stop()
    p, table = votes(session, second)
    run = p.start()  # a moved location stays moved
    try:
        run.processAllAvailable()
        assert bag(run.view("counts")) == {(1, 2): 1, (2, 2): 1}
    finally:
        run.stop()


def test_a_write_that_cannot_be_stored_names_the_place(
    session: SparkSession, tmp_path: Path
) -> None:
    """It raised Py4JJavaError with a page of Java."""
    _, table = votes(session, tmp_path / "c")
    staging = tmp_path / "c" / "groundswell" / "tables" / "votes" / "staging"
    staging.write_text("a file in the place of the folder")
    with pytest.raises(gs.GroundswellError, match="cannot write to table votes") as e:
        table.insert(session.createDataFrame([(1, 1)], "id bigint, story bigint"))
    assert str(staging) in str(e.value)
    assert "Nothing of this write was stored" in str(e.value)
    assert len(str(e.value).splitlines()) == 1


def test_a_barrier_that_cannot_be_stored_names_the_file_and_the_way_on(
    session: SparkSession, tmp_path: Path
) -> None:
    location = tmp_path / "c"
    p, table = votes(session, location)
    run = p.start()
    try:
        table.insert(session.createDataFrame([(1, 1)], "id bigint, story bigint"))
        run.processAllAvailable()
        packs = location / "groundswell" / "state" / "_packs"
        assert packs.is_dir()
        shutil.move(packs, tmp_path / "packs")
        packs.write_text("a file in the place of the folder")
        table.insert(session.createDataFrame([(2, 1)], "id bigint, story bigint"))
        with pytest.raises(gs.GroundswellError, match=r"\[STORAGE\] cannot write") as e:
            run.processAllAvailable()
        assert str(packs) in str(e.value)
        assert "start again: what was published before is not lost" in str(e.value)
    finally:
        run.stop()
    packs.unlink()
    shutil.move(tmp_path / "packs", packs)
    p, table = votes(session, location)
    run = p.start()
    try:
        run.processAllAvailable()
        assert bag(run.view("counts")) == {(1, 2): 1}
    finally:
        run.stop()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of three megabytes; only root may make one."""
    path = tmp_path / "disk"
    path.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(path)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    yield path
    subprocess.run(["umount", "-l", str(path)], check=True)


def test_a_full_disk_is_named_with_the_way_on(session: SparkSession, small_disk: Path) -> None:
    """Spark's log of offsets said "No space left on device", and nothing else was told."""
    location = small_disk / "c"
    p, table = votes(session, location)
    run = p.start()
    table.insert(session.createDataFrame([(1, 1)], "id bigint, story bigint"))
    run.processAllAvailable()
    table.insert(session.createDataFrame([(2, 1)], "id bigint, story bigint"))
    ballast = small_disk / "ballast"
    fill = ["dd", "if=/dev/zero", f"of={ballast}", "bs=4096"]
    assert b"No space left" in subprocess.run(fill, capture_output=True, check=False).stderr
    try:
        with pytest.raises(gs.StorageFailed, match="No space left on device") as told:
            run.processAllAvailable()
        assert str(location) in str(told.value)
        assert "Make room there, and start again: what was published" in str(told.value)
        assert len(str(told.value).splitlines()) == 1
    finally:
        run.stop()
    ballast.unlink()
    p, _ = votes(session, location)
    run = p.start()
    try:
        run.processAllAvailable()
        assert bag(run.view("counts")) == {(1, 2): 1}
    finally:
        run.stop()


@pytest.mark.parametrize("kind", ["a file", "below a file", "no scheme"])
def test_a_location_that_cannot_be_one_is_refused_in_one_line(
    session: SparkSession, tmp_path: Path, kind: str
) -> None:
    """Each was 50 lines of Java or more."""
    (tmp_path / "file").write_text("x")
    location, says = {
        "a file": (str(tmp_path / "file"), "is a file, not a folder"),
        "below a file": (str(tmp_path / "file" / "c"), "cannot be made"),
        "no scheme": ("s3a://bucket/c", "hadoop-aws"),
    }[kind]
    with pytest.raises(gs.ConfigurationError, match=says) as e:
        gs.pipeline(session, location)
    assert location in str(e.value)
    assert len(str(e.value).splitlines()) == 1


def test_no_reader_takes_the_epoch_before_for_the_newest(
    session: SparkSession, tmp_path: Path
) -> None:
    location = tmp_path / "c"
    p, table = votes(session, location)
    run = p.start()
    for number in range(2):
        table.insert(session.createDataFrame([(number, 1)], "id bigint, story bigint"))
        run.processAllAvailable()
    run.stop()
    assert gs.view_to_arrow(location, "counts").to_pylist() == [{"story": 1, "count": 2}]
    *_, newest = sorted((location / "groundswell" / "epochs").glob("*.json"))
    newest.unlink()
    for read in (
        lambda: gs.view_to_arrow(location, "counts"),
        lambda: gs.read_view(session, str(location), "counts").collect(),
        lambda: gs.backup(location, tmp_path / "backup"),
    ):
        with pytest.raises(gs.EpochUnavailable, match=r"epoch 1 was published, .* is not there"):
            read()
    before = gs.view_to_arrow(location, "counts", epoch=0)
    assert before.to_pylist() == [{"story": 1, "count": 1}], "who asks for it, gets it"
