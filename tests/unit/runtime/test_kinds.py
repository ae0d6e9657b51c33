"""Every file of a location has a kind, and one alone."""

import pytest

from groundswell.runtime.gc.kinds import KINDS, OTHER, kind_of, usage
from groundswell.runtime.record.location import numbered_name, owned_name
from groundswell.runtime.record.slots import base_name, slot_name

HOME = "groundswell"
FILES = {
    "half-written": [
        f"{HOME}/epochs/.{slot_name(1, 1)}.a1.gstmp",
        "offsets/.7.0b6f.tmp",
        "commits/..7.0b6f.tmp.crc",
    ],
    "checksums": ["offsets/.7.crc", "sources/t/.9.compact.crc", ".metadata.crc"],
    "logs of Spark": ["metadata", "offsets/7", "commits/7", "sources/t/9.compact", "sources/0/0"],
    "states of Spark's operators": [f"state/0/3/{1:020d}-a.commit", "state/0/_metadata/metadata"],
    "claims": [f"{HOME}/owners/{numbered_name(3)}"],
    "documents of an owner": [
        *(f"{HOME}/{owned_name(name, 3)}" for name in ("definition", "graph", "sinks")),
        f"{HOME}/{owned_name('merges/open', 3)}",
        f"{HOME}/definition.json",
    ],
    "epochs": [f"{HOME}/epochs/{name}" for name in (slot_name(1, 0), base_name(1, 2))],
    "leases": [f"{HOME}/leases/floor-1-1-3.json", f"{HOME}/leases/read-1-99-a.json"],
    "log of fills": [f"{HOME}/fills/{numbered_name(1)}"],
    "log of merges": [f"{HOME}/merges/{numbered_name(1)}"],
    "statements": [f"{HOME}/sql/{numbered_name(1)}", f"{HOME}/sql-owner-{numbered_name(1)}"],
    "requests": [f"{HOME}/sql/requests/{1:020d}-taken.json"],
    "files of a project": [f"{HOME}/pipelines-files.json"],
    "tables": [f"{HOME}/tables/a b/table.json"],
    "progress of sinks": [f"{HOME}/tables/t/sink-43bcb8.json"],
    "rows of tables": [f"{HOME}/tables/t/rows/1.parquet", f"{HOME}/tables/t/rows/.marker"],
    "staged rows": [f"{HOME}/tables/t/staging/1/part-0.parquet", f"{HOME}/transactions/1/0/x"],
    "transactions": [f"{HOME}/transactions/commit-1-a.json"],
    "rows aside": [f"{HOME}/rows-aside/s/1.json"],
    "schemas of messages": [
        f"{HOME}/schemas/0123456789ab-17.json",
        f"{HOME}/schemas/0123456789ab-of-ba9876543210.json",
    ],
    "packs": [f"{HOME}/state/_packs/{1:020d}-a.pack"],
    "states": [
        f"{HOME}/state/join-1/0/{1:020d}-a.commit",
        f"{HOME}/generation-2/state/view-v/31/{1:020d}-a.sst",
    ],
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_has_one_kind(name: str) -> None:
    for path in FILES[name]:
        assert [kind.name for kind in KINDS if kind.path.fullmatch(path)] == [name], path
        assert kind_of(path).name == name


def test_every_kind_has_an_example() -> None:
    assert [kind.name for kind in KINDS] == list(FILES)


def test_what_somebody_else_has_put_there_is_told() -> None:
    strange = ["notes.txt", f"{HOME}/epochs/copy of 1.json", f"{HOME}/state/join-1/x"]
    assert all(kind_of(path) is OTHER for path in strange)
    found = usage([("notes.txt", 5), ("offsets/1", 7), ("offsets/2", 9)])
    told = [(each.kind.name, each.files, each.bytes) for each in found]
    assert told == [("logs of Spark", 2, 16), ("not ours", 1, 5)]
    assert found[1].example == "notes.txt"
