"""What is remembered of views that stood still, until all that take changes have the difference."""

from __future__ import annotations

from dataclasses import replace

from groundswell.catalog.suspended import Suspended
from groundswell.contract.commits import CommitRef
from groundswell.runtime.gc.fills import _still
from groundswell.runtime.record import definition
from groundswell.runtime.record.definition import Definition
from groundswell.runtime.record.sinks import Known, known_sinks, note
from groundswell.runtime.record.told import Told, still_told
from unit.runtime.folders import MemoryFolder

COMMITS = (CommitRef(3, "a", 2, 10),)
STOOD = Suspended("v", "why", 0, 7, "view-v-1", COMMITS, ("s",))
TOLD = Told(7, "view-v-1", COMMITS, ("s",))


def test_it_is_kept_from_when_a_view_stops_until_it_is_delivered() -> None:
    suspended = {"v": STOOD}
    known = still_told({}, {}, suspended, (), ("v",))
    assert known == {"v": TOLD}
    assert still_told({}, {}, suspended, (), ()) == {}, "nobody takes its changes"
    later = {"v": replace(STOOD, sinks=())}  # as the definition has it
    assert still_told(known, later, later, (), ("v",)) == known
    assert still_told(known, later, {}, ("v",), ("v",)) == known, "it is back"
    assert still_told(known, {}, {}, ("v",), ("v",)) == known, "a sink has not got it"
    assert still_told(known, {}, {}, (), ()) == {}, "the view or its sink was dropped"
    again = {"v": replace(STOOD, epoch=9, sinks=())}
    assert still_told(known, {}, again, (), ("v",)) == {"v": replace(TOLD, epoch=9, sinks=())}


def test_an_older_epoch_counts_of_those_alone_that_had_all() -> None:
    assert TOLD.has("s", 7)
    assert TOLD.has("other", 7)
    assert TOLD.has("s", 5), "it was idle"
    assert not TOLD.has("other", 5), "it had stopped"
    assert not TOLD.has("s", 8)


def test_its_state_outlives_a_fill_under_the_same_name() -> None:
    home = MemoryFolder()
    told = {"v": replace(TOLD, function=False)}
    note(home, Known({"s": "1"}, ("s",), {"s": "view-v-1"}, {}, told), 1)
    assert known_sinks(home).told == told
    assert _still(home).keys() == {"view-v-1"}
    aside = {"w": replace(STOOD, state="view-w-1")}
    definition.store(home, Definition({}, {}, {}, 1, {}, aside=aside), 1)
    assert _still(home).keys() == {"view-v-1", "view-w-1"}
