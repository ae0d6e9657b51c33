"""Spark's logs of file sources, cut at every entry."""

import json

import pytest

from groundswell.errors import EpochUnavailable
from groundswell.migrate.file_logs import logged, the_cut
from groundswell.runtime.record.file_logs import log_offsets
from groundswell.runtime.record.relocation import moved
from unit.runtime.folders import MemoryFolder


def line(n: int) -> str:
    return json.dumps({"path": f"file:///in/{n}.json", "timestamp": n, "batchId": n})


def log_of(entries: int, interval: int = 10, cleaned: bool = False) -> MemoryFolder:
    """As Spark leaves it; ``cleaned``: without what the last compact file holds."""
    folder = MemoryFolder("mem:/sources/s")
    for n in range(entries):
        is_compact = (n + 1) % interval == 0
        lines = [line(m) for m in range(n + 1)] if is_compact else [line(n)]
        folder.put(f"{n}.compact" if is_compact else str(n), "\n".join(["v1", *lines]).encode())
    if cleaned:
        last = entries // interval * interval - 1
        for name in folder.names():
            if int(name.removesuffix(".compact")) < last:
                folder.delete(name)
    return folder


@pytest.mark.parametrize("interval", [3, 10])
@pytest.mark.parametrize("cleaned", [False, True])
def test_a_log_is_cut_as_spark_would_have_left_it(interval: int, cleaned: bool) -> None:
    for entries in (1, 9, 10, 11, 31):
        folder = log_of(entries, interval, cleaned and entries > 2 * interval)
        for last in range(entries):
            if cleaned and interval != 10:
                continue  # one compact file alone does not tell the interval
            expected = log_of(last + 1, interval)
            keep = (last + 1) // interval * interval - 1
            wanted = {
                name: data
                for name, data in expected.objects.items()
                if int(name.removesuffix(".compact")) >= keep
            }
            assert dict(the_cut(folder, last)) == wanted, (entries, last)


def test_an_entry_that_spark_has_deleted_is_named() -> None:
    folder = log_of(25)
    folder.delete("22")
    with pytest.raises(EpochUnavailable, match="lacks 22, which entry 23 needs"):
        list(the_cut(folder, 23))


def test_offsets_of_both_forms() -> None:
    named = b'v2\n{"conf":{}}\nev:{"logOffset":6}\nkafka:{"t":{"0":3}}\nclock:4'
    assert log_offsets(named) == {"ev": 6}
    assert log_offsets(b'v1\n{"conf":{}}\n{"logOffset":6}\n-\n{"logOffset":2}') == {"0": 6, "2": 2}


def test_names_of_logged_files() -> None:
    assert logged(log_of(12)) == {f"{n}.json" for n in range(12)}


def test_a_log_is_moved_with_its_files() -> None:
    below = "/groundswell/tables/votes/rows/"
    lines = [json.dumps({"path": f"{at}x.parquet"}) for at in (f"s3a://b/a{below}", "file:///in/")]
    data = moved("\n".join(["v1", *lines]).encode(), below, "s3://b/copy")
    paths = [json.loads(each)["path"] for each in data.decode().splitlines()[1:]]
    assert paths == [f"s3a://b/copy{below}x.parquet", "file:///in/x.parquet"]
