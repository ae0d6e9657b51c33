"""Documents in a checkpoint location, and the decisions made over them."""

import re
import zlib

import pytest

from groundswell import config
from groundswell.catalog.names import check_name
from groundswell.contract.capture.plan import SourceDescription
from groundswell.errors import (
    ConfigurationError,
    Corruption,
    DefinitionChanged,
    EpochUnavailable,
    FormatTooNew,
    SourceError,
)
from groundswell.format.envelope import seal
from groundswell.plan.sources import Mode, SourceTable
from groundswell.runtime.gc.retention import is_due, needed, oldest_wanted, retired
from groundswell.runtime.planning import changes
from groundswell.runtime.planning.sources import declare, resolve
from groundswell.runtime.record import definition
from groundswell.runtime.record.epochs import EpochLog, EpochManifest
from groundswell.runtime.record.slots import slot_name, slot_of
from unit.runtime.folders import Claim, MemoryFolder

PLAN = ["TopN (n DESC) limit 10", "  Source votes (rows) -> id: long c0"]
OLD = definition.Definition(
    {"v": PLAN},
    {"votes": {"mode": "append", "key": [], "columns": {"id": "long"}}},
    {"timezone": "UTC", "ansi": True},
    4,
    {"v": {"columns": []}},
)
STRUCT = {
    "type": "struct",
    "fields": [
        {"name": "a", "type": "integer", "nullable": True, "metadata": {}},
        {
            "name": "b",
            "type": {"type": "array", "elementType": "string", "containsNull": True},
            "nullable": True,
            "metadata": {},
        },
    ],
}
"""A type as Spark's JSON says it."""


def test_epoch_names() -> None:
    assert slot_name(7, 0) == "00000000000000000007.json", "as release 0.1 called it"
    assert slot_name(7, 2) == "00000000000000000007-00000000000000000002.json"
    for slot in ((7, 0), (7, 2)):
        assert slot_of(slot_name(*slot)) == slot
    for foreign in ("7.json", ".00000000000000000007.json.crc", "x", "7"):
        assert slot_of(foreign) is None


def test_a_torn_manifest_is_corruption_that_names_the_file() -> None:
    folder = MemoryFolder("mem:/c/epochs")
    folder.put(slot_name(3, 0), b'{"formatVersion": 1, "epoch"')
    with pytest.raises(Corruption, match=r"mem:/c/epochs/0+3\.json"):
        EpochLog(folder).get(3)
    folder.put(slot_name(3, 0), b'{"formatVersion": 1, "epoch": 3}')
    with pytest.raises(Corruption, match="lacks 'commits'"):
        EpochLog(folder).get(3)


def test_a_newer_format_is_refused() -> None:
    folder = MemoryFolder()
    body = seal("epoch", {}).replace(b":2,", b":9,", 1)[:-10]
    folder.put(slot_name(3, 0), body + f'{zlib.crc32(body):08x}"}}'.encode())
    with pytest.raises(FormatTooNew, match=r"0+3\.json has format 9"):
        EpochLog(folder).get(3)


def test_missing_epochs_are_named_with_what_is_there() -> None:
    folder = MemoryFolder()
    with pytest.raises(EpochUnavailable, match="no epoch is published"):
        EpochLog(folder).newest()
    EpochLog(folder, Claim(folder)).publish(EpochManifest(3, {}, "", {}, {}, 0, 0, 0))
    with pytest.raises(EpochUnavailable, match=r"epoch 9 is not in .*kept are 3 to 3"):
        EpochLog(folder).get(9)


def test_definition_round_trip() -> None:
    folder = MemoryFolder()
    assert definition.load(folder) is None
    definition.store(folder, OLD, 1)
    loaded = definition.load(folder)
    assert loaded == OLD
    changes.check_change("here", OLD, OLD, (), False)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            {"views": {"v": [PLAN[0].replace("10", "5"), PLAN[1]]}},
            r"view v:\n +- TopN \(n DESC\) limit 10\n +\+ TopN \(n DESC\) limit 5\nGo back",
        ),
        ({"views": {"w": PLAN}}, "view v is gone; drop it by name"),
        (
            {"sources": {"votes": {"mode": "append", "key": [], "columns": {"id": "string"}}}},
            "source votes: id was bigint, is string",
        ),
        (
            {"sources": {"votes": {"mode": "append", "key": [], "columns": {"id": STRUCT}}}},
            "source votes: id was bigint, is struct<a:int,b:array<string>>",
        ),
        (
            {"sources": {"votes": {"mode": "upsert", "key": ["id"], "columns": {"id": "long"}}}},
            "source votes: key was none, is id; mode was 'append', is 'upsert'",
        ),
        ({"pinned": {"timezone": "CET", "ansi": True}}, "timezone: was 'UTC', is 'CET'"),
    ],
)
def test_a_change_is_said_exactly(change: dict[str, object], says: str) -> None:
    new = definition.Definition(**{**vars(OLD), **change})
    with pytest.raises(DefinitionChanged, match=says):
        changes.check_change("here", OLD, new, (), False)


def test_views_may_come_go_if_dropped_and_change_if_rebuilt() -> None:
    more = definition.Definition(**{**vars(OLD), "views": {**OLD.views, "w": PLAN[1:]}})
    changes.check_change("here", OLD, more, (), False)
    changes.check_change("here", more, OLD, ["w"], False)
    other = definition.Definition(**{**vars(OLD), "views": {"v": PLAN[1:]}})
    changes.check_change("here", OLD, other, (), True)


A, B, C = "source_1", "source_2", "source_3"


@pytest.mark.parametrize(
    ("before", "after", "doubtful"),
    [
        ({"v": (A,)}, {"v*": (A,)}, set()),
        ({"v": (A,)}, {"w": (A,)}, {A}),
        ({"v": (A,), "w": (A,)}, {"w": (A,)}, set()),
        ({"v": (A,), "w": (B,)}, {"v": (A,), "w": (B,), "x": (C,)}, set()),
        ({"v": (A,), "w": (B,)}, {"x": (A,), "v*": (B,), "w*": (C,)}, {A, B}),
        ({"v": (A,), "w": (B,)}, {"w*": (A,)}, {A}),
        ({"v": (A,), "w": (B,)}, {"w": (B,)}, set()),
        ({"v": (A,), "w": (B,)}, {"v": (A,), "w*": (A,)}, {A}),
        ({"v": (A,), "w": (B,)}, {"v": (A,), "w*": (A, B)}, {B}),
        ({"v": (A, B)}, {"v": (A, B), "w": (B,)}, set()),
        ({"v": (A, B)}, {"v*": (A, B)}, {A, B}),
        ({"v": (A, B), "index w": (B,)}, {"v*": (A, B), "index w": (B,)}, {A}),
    ],
)
def test_sources_without_a_name_may_not_change_their_numbers(
    before: dict[str, tuple[str, ...]], after: dict[str, tuple[str, ...]], doubtful: set[str]
) -> None:
    """By view: the sources it reads, those that have a name left out; ``*``: it is rebuilt."""

    def told(reads: dict[str, tuple[str, ...]]) -> definition.Definition:
        sources: dict[str, dict[str, object]] = {}
        for view, names in reads.items():
            for name in names:
                source = {"mode": "upsert", "key": ["id"], "columns": {"id": "long"}}
                readers = sources.setdefault(name, {**source, "readers": []})["readers"]
                assert isinstance(readers, list)
                readers.append(view.removesuffix("*"))
        views = {v.removesuffix("*"): [v] for v in reads if not v.startswith("index")}
        return definition.Definition(**{**vars(OLD), "views": views, "sources": sources})

    old, new = told(before), told(after)
    dropped = old.views.keys() - new.views.keys()
    if not doubtful:
        changes.check_change("here", old, new, dropped, True)
        return
    with pytest.raises(
        DefinitionChanged, match=f'give each the name .*name="{min(doubtful)}"'
    ) as e:
        changes.check_change("here", old, new, dropped, True)
    assert set(re.findall(r"source (\w+) may be another one", str(e.value))) == doubtful


def test_rows_set_aside_do_not_come_back_by_themselves() -> None:
    """A view that diverted and now fails has states without the rows that failed."""
    diverted = definition.Definition(
        **{**vars(OLD), "views": {**OLD.views, "v_diverted": ["Failures labels c0 id"]}}
    )
    changes.check_change("here", OLD, diverted, (), False)
    for rebuild in (False, True):
        with pytest.raises(DefinitionChanged, match='view v: errors was "divert", is "fail"'):
            changes.check_change("here", diverted, OLD, ["v_diverted"], rebuild)
    other = definition.Definition(**{**vars(OLD), "views": {"v": PLAN[1:]}})
    changes.check_change("here", diverted, other, (), True)
    empty = definition.Definition(**{**vars(OLD), "views": {}})
    changes.check_change("here", diverted, empty, ["v", "v_diverted"], False)


def test_the_orders_of_joins_are_kept_for_views_that_stand_still() -> None:
    begun = definition.Definition(**{**vars(OLD), "orders": {"v": [[0, [1, 2]]]}})
    folder = MemoryFolder()
    definition.store(folder, begun, 1)
    assert definition.load(folder) == begun
    still = definition.Definition(**{**vars(OLD), "views": {}})
    assert definition.after(begun, still).orders == begun.orders
    assert definition.after(begun, OLD).orders == {}  # it was begun again, as it is written
    assert definition.after(OLD, begun).orders == begun.orders


def test_the_forms_of_joins_are_kept_for_views_that_stand_still() -> None:
    forms = {"v": [{"columns": [0, 2], "lifted": [1]}]}
    begun = definition.Definition(**{**vars(OLD), "forms": forms})
    folder = MemoryFolder()
    definition.store(folder, begun, 1)
    assert definition.load(folder) == begun
    still = definition.Definition(**{**vars(OLD), "views": {}})
    assert definition.after(begun, still).forms == forms
    assert definition.after(begun, OLD).forms == {}


def test_a_view_that_is_planned_again_may_have_another_plan() -> None:
    other = definition.Definition(**{**vars(OLD), "views": {"v": PLAN[1:]}})
    with pytest.raises(DefinitionChanged, match="view v"):
        changes.check_change("here", OLD, other, (), False, ["w"])
    changes.check_change("here", OLD, other, (), False, ["v"])


def test_retention() -> None:
    assert retired([0, 1, 2], oldest_wanted([0, 1, 2], 2, 5)) == []
    assert retired([0, 1, 2, 3], oldest_wanted([0, 1, 2, 3], 3, 2)) == [0, 1]
    assert [epoch for epoch in range(30) if is_due(epoch, 10)] == [9, 19, 29]


def test_an_epoch_stays_while_its_number_or_its_time_keeps_it() -> None:
    kept, asked = list(range(4, 10)), []

    def published(epoch: int) -> int:
        asked.append(epoch)
        return 1000 * epoch

    assert oldest_wanted(kept, 9, 2, 6000, published) == 6
    assert asked == [4, 5, 6], "no more than those that go, and the first that stays"
    assert oldest_wanted(kept, 9, 5, 8000, published) == 5
    assert oldest_wanted(kept, 9, 1, 99_000, published) == 9, "the newest always stays"


def test_retain_alone_counts_and_with_retain_epochs_both_do() -> None:
    assert config.check({})["retainEpochs"] == 100
    assert config.check({"retain": "7 days"})["retainEpochs"] == 1
    both = config.check({"RETAIN": "7 days", "retainepochs": "20"})
    assert (both["retain"], both["retainEpochs"]) == ("7 days", 20)
    for wrong in ("7", "seven days", "0 days", "7 moons", 7):
        with pytest.raises(ConfigurationError, match="retain"):
            config.check({"retain": wrong})


def test_only_what_readers_name_is_needed_from_the_oldest_epoch_on() -> None:
    old = {"view-v": [{"version": 1}], "join-1": [{"version": 1}], "join-gone": [{"version": 4}]}
    new = {"view-v": [{"version": 9}], "join-1": [{"version": 8}], "index-i": [{"version": 2}]}
    assert needed(old, new, {"view-v", "index-i"}) == {
        "view-v": [{"version": 1}],
        "join-1": [{"version": 8}],
        "join-gone": [{"version": 4}],
    }


def test_options() -> None:
    values = config.check({"checkpointlocation": "/x", "retainEpochs": "7"})
    assert values["checkpointLocation"] == "/x"
    assert values["retainEpochs"] == 7
    assert values["partitions"] is None
    for bad in (
        {"retainEpochs": 0},
        {"retainEpochs": "many"},
        {"retainEpochs": True},
        {"partitions": 1.5},
        {"checkpointLocation": ""},
        {"foo": 1},
    ):
        with pytest.raises(ConfigurationError, match=next(iter(bad))):
            config.check(bad)


def said(key: str, name: str | None) -> SourceDescription:
    """A source of which nothing else is known."""
    return SourceDescription(key, name, {}, False, ("",), (), None, None)


def test_source_names() -> None:
    declare("jvm", SourceTable("d1", "", Mode.UPSERT, ("id",)))
    declare("jvm", SourceTable("d2", "source_1", Mode.APPEND))
    tables = resolve(
        "jvm",
        [
            said("d1", None),
            said("d2", None),
            said("d1", None),
            said("p", "people"),
            said("q", None),
        ],
    )
    assert [t.name for t in tables.values()] == ["source_2", "source_1", "people", "source_3"]
    assert tables["d1"].mode is Mode.UPSERT
    assert resolve("another", [said("d1", None)])["d1"].mode is Mode.APPEND
    with pytest.raises(SourceError, match="two different sources are named 'a'"):
        resolve("jvm", [said("x", "a"), said("y", "a")])
    for bad in ("", "a b", "ü", "a/b"):
        with pytest.raises(SourceError):
            check_name("view", bad)
