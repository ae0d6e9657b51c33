"""Fills that were cut off: who notes them, when they go on, and when they are given up."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from groundswell import config
from groundswell.contract.commits import CommitRef
from groundswell.errors import ConfigurationError, Corruption, Fenced, OperatorFailed, RowFailed
from groundswell.format.envelope import seal
from groundswell.marks import Mark
from groundswell.runtime.backfill import unfinished
from groundswell.runtime.backfill.journal import (
    JournalSettings,
    at_work,
    give_up,
    hindrance,
    is_hopeless,
    journal_settings,
)
from groundswell.runtime.backfill.rescale import Scale
from groundswell.runtime.gc.fills import removable
from groundswell.runtime.ownership.leases import (
    LEASES,
    WHOLE,
    Lease,
    LowWaterMark,
    RetentionHolds,
    release,
)
from groundswell.runtime.record.epochs import EpochManifest
from groundswell.runtime.record.fills import (
    FILLS,
    BackfillKey,
    BackfillLog,
    UnderWay,
    as_json,
    with_fill,
    without,
)
from groundswell.runtime.record.location import numbered_name
from reaching import reaches
from unit.runtime.folders import MemoryFolder

HOUR = 3_600_000
KEY = BackfillKey(("v",), ("join-1", "scratch-join-2", "view-v-1"), ("source-t",), "{}", 2, 0)
ID = "0" * 31 + "1"
SCALE = Scale(0, 2)


def fill(done: int = 3, **more: Any) -> UnderWay:
    commits = {"join-1": (CommitRef(3, "a", 5, 90), CommitRef(0, None, 0, 0))}
    return replace(UnderWay(KEY, 7, "f", done, 4, 800, commits, ID, 1_000), **more)


def journal(home: MemoryFolder, token: int = 1, now: int = 2_000) -> JournalSettings:
    return JournalSettings(home, lambda: token, 3_600, lambda: now)


def noted(*fills: UnderWay) -> MemoryFolder:
    home = MemoryFolder()
    BackfillLog(home).change(1, lambda _: fills)
    return home


def test_what_is_noted_is_read_again_and_one_document_stays() -> None:
    home = MemoryFolder()
    log = BackfillLog(home)
    assert log.read() == ()
    other = fill(lease="2" * 32, key=replace(KEY, views=("w",)))
    for now in (fill(0), fill(1), fill(2)):
        log.change(1, lambda fills, now=now: with_fill(fills, now))
    log.change(1, lambda fills: with_fill(fills, other))
    assert BackfillLog(home, "elsewhere").read() == (fill(2), other)
    assert home.child(FILLS).names() == [numbered_name(4)]
    assert log.change(1, lambda fills: without(fills, ID)) == (other,)
    assert (fill(2).percent, fill(2).how_far) == (50, "part 2 of 4, 50 %")


def test_where_nothing_is_filled_nothing_is_written() -> None:
    home = MemoryFolder()
    assert BackfillLog(home).change(5, lambda fills: fills) == ()
    assert home.child(FILLS).names() == []


def test_of_two_runs_the_older_one_ends() -> None:
    home = noted(fill(1))
    older, later = BackfillLog(home, "older"), BackfillLog(home, "later")
    older.change(1, lambda fills: with_fill(fills, fill(2)))
    later.change(2, lambda fills: fills)  # as every start does
    with pytest.raises(Fenced, match=r"the run 2 of later has the fills of .* this is run 1"):
        older.change(1, lambda fills: with_fill(fills, fill(3)))
    assert later.read() == (fill(2),)
    later.change(1, lambda fills: fills)  # of a run of the same process that has begun again


def test_an_older_run_that_creates_a_removed_number_again_does_not_count() -> None:
    """It read number 1, and while it waits, the later run writes 2 and 3 and removes 2."""
    home = noted(fill(1))
    later = BackfillLog(home, "later")

    def overtaken(fills: Any) -> Any:
        later.change(2, lambda now: with_fill(now, fill(2)))
        later.change(2, lambda now: with_fill(now, fill(3)))
        return with_fill(fills, fill(4))

    with reaches(Mark.FILLS_NUMBER_CAME_AGAIN, Mark.FILLS_OF_A_LATER_RUN), pytest.raises(Fenced):
        BackfillLog(home, "older").change(1, overtaken)
    assert BackfillLog(home).read() == (fill(3),)
    later.change(2, lambda now: with_fill(now, fill(4)))
    assert home.child(FILLS).names() == [numbered_name(4)]


def test_a_number_that_another_thread_wrote_is_tried_again() -> None:
    home = noted()
    log, other, once = BackfillLog(home), fill(lease="2" * 32), [True]

    def edit(fills: Any) -> Any:
        if once.pop() if once else False:
            log.change(1, lambda now: with_fill(now, other))
        return with_fill(fills, fill())

    with reaches(Mark.FILLS_WRITTEN_MEANWHILE):
        assert log.change(1, edit) == (other, fill())


def test_a_document_that_lacks_something_is_named() -> None:
    home = noted(fill())
    (name,) = home.child(FILLS).names()
    home.child(FILLS).put(name, seal("fills", {"token": 1, "process": "p", "fills": [{}]}))
    with pytest.raises(Corruption, match="lacks 'views'"):
        BackfillLog(home).read()


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ({}, None),
        ({"views": ("v", "w")}, "v was filled in one change, and now that is v, w"),
        ({"states": ("view-v-2",)}, "its query is another one now"),
        ({"snapshots": ("source-u",)}, "its query is another one now, or what it reads"),
        ({"partitions": 3}, "states have 3 partitions now, and had 2"),
        ({"generation": 1}, "its states were given other partitions since"),
        ({"pinned": as_json({"zone": "UTC"})}, 'the settings {}, and they are {"zone": "UTC"} now'),
    ],
)
def test_a_fill_goes_on_only_as_the_same_one(other: dict[str, Any], reason: str | None) -> None:
    found = hindrance(KEY, replace(KEY, **other))
    assert found is None if reason is None else found is not None and reason in found


@pytest.mark.parametrize(
    ("noted", "now", "scale", "dropped", "reason"),
    [
        (fill(), 2_000, SCALE, (), None),
        (fill(0), 2_000, SCALE, (), "no part was complete"),
        (fill(), 2_000, SCALE, ("u", "v"), "v was dropped"),
        (fill(), 2_000, Scale(0, 3), (), "states have 3 partitions now, and had 2"),
        (fill(), 2_000, Scale(1, 2), (), "its states were given other partitions since"),
        (fill(), 24 * HOUR + 1_000, SCALE, (), None),
        (fill(), 24 * HOUR + 1_001, SCALE, (), "no process resumed it for a day"),
    ],
)
def test_what_a_start_gives_up(
    noted: UnderWay, now: int, scale: Scale, dropped: Any, reason: str | None
) -> None:
    found = unfinished.futile(noted, scale, dropped, now)
    assert found is None if reason is None else found is not None and reason in found


def test_a_fill_is_complete_when_an_epoch_has_all_that_it_makes() -> None:
    assert unfinished.is_complete(fill(), ["join-1", "view-v-1", "view-w"])
    assert not unfinished.is_complete(fill(), ["join-1", "view-w"])
    assert not unfinished.is_complete(fill(4), [])


def test_a_start_keeps_what_can_go_on_for_as_long_again() -> None:
    home = noted(fill())
    dead = Lease(home, 7, WHOLE, 60, lambda: 1_000, ID)
    assert unfinished.settle(journal(home, 2), ["source-t"], SCALE, ()) == (fill(),)
    (told,) = unfinished.told(journal(home, 2))
    assert (told["views"], told["epoch"], told["percent"]) == (["v"], 7, 75)
    assert told["until"] == "1970-01-01T01:00:02+00:00" and told["until"] in told["text"]
    assert dead.name not in home.child(LEASES).names()
    assert RetentionHolds(home, 2, lambda: 3_000).floor(9, 9, 5) == LowWaterMark(7, 7, 2)


def test_a_start_after_its_end_lets_its_epoch_go() -> None:
    home = noted(fill(4))
    Lease(home, 7, WHOLE, 60, lambda: 1_000, ID)
    there = ["source-t", "join-1", "view-v-1"]
    with reaches(Mark.FILL_HAS_ENDED):
        assert unfinished.settle(journal(home, 2), there, SCALE, ()) == ()
    assert home.child(LEASES).names() == []


@pytest.mark.parametrize("gone", [True, False])
def test_a_start_gives_up_what_cannot_go_on(gone: bool) -> None:
    home = noted(fill())
    if gone:  # nobody kept its epoch
        RetentionHolds(home, 1).floor(9, 9, 8)
    else:
        Lease(home, 7, WHOLE, 60, lambda: 1_000, ID)
    dropped = () if gone else ("v",)
    assert unfinished.settle(journal(home, 2), [], SCALE, dropped) == ()
    assert [name for name in home.child(LEASES).names() if name.startswith(WHOLE)] == []


def test_a_start_leaves_alone_what_this_process_is_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """A query that begins again by itself does not wait for a fill."""
    monkeypatch.setitem(at_work, ID, frozenset(KEY.states))
    home = noted(fill(0))
    assert unfinished.settle(journal(home, 2), [], SCALE, ()) == (fill(0),)
    assert unfinished.told(journal(home, 2)) == []


@pytest.mark.parametrize(
    ("failure", "made", "taken", "hopeless"),
    [
        (None, 2, False, False),
        (OSError("no network"), 0, False, False),
        (RowFailed("bad row"), 2, False, True),
        (RowFailed("bad row"), 2, True, False),
        (OperatorFailed("lost file"), 0, False, True),
        (OperatorFailed("no network"), 1, False, False),
    ],
)
def test_what_would_fail_again(failure: Any, made: int, taken: bool, hopeless: bool) -> None:
    at = EpochManifest(7, {}, "", {}, {}, 0, 0, 0) if taken else None
    stopped: Any = SimpleNamespace(at=at, done=3, made=made)
    assert is_hopeless(failure, stopped) == hopeless
    stopped.done = 0
    assert is_hopeless(failure, stopped) != taken, "nothing is there"


def test_what_went_on_meanwhile_is_not_given_up() -> None:
    home = noted(fill(2))
    log = BackfillLog(home)
    with reaches(Mark.FILL_WENT_ON_MEANWHILE):
        assert not give_up(journal(home), log, fill(1), "it was too slow")
    assert log.read() == (fill(2),)
    assert give_up(journal(home), log, fill(2), "it was too slow")
    assert log.read() == ()


def test_only_states_that_nobody_else_has_are_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert removable(fill(), ["join-1"], []) == ["scratch-join-2", "view-v-1"]
    assert removable(fill(), [], [fill()]) == []
    monkeypatch.setitem(at_work, "b", frozenset(["view-v-1"]))
    assert removable(fill(), [], []) == ["join-1", "scratch-join-2"]


def test_leases_of_one_id_are_found_and_ended_by_others() -> None:
    home = MemoryFolder()
    times = iter(range(1_000, 2_000))
    one = Lease(home, 7, WHOLE, 60, lambda: next(times), ID)
    Lease(home, 7)
    two = Lease(home, 8, WHOLE, 60, lambda: next(times), ID)
    release(home, ID, two)
    names = home.child(LEASES).names()
    assert len(names) == 2 and two.name in names and one.name not in names
    release(home, ID)
    assert len(home.child(LEASES).names()) == 1


@pytest.mark.parametrize("given", ["0 hours", "2 days", "soon", "900 milliseconds"])
def test_a_time_that_no_lease_can_last_is_refused(given: str) -> None:
    with pytest.raises(ConfigurationError, match="option fillLease must be"):
        config.check({"fillLease": given})


def test_the_time_is_an_option() -> None:
    options = config.check({})
    assert journal_settings(MemoryFolder(), lambda: 1, options).seconds == 3_600
    options = config.check({"fillLease": "90 seconds"})
    assert journal_settings(MemoryFolder(), lambda: 1, options).seconds == 90
