"""Which generations of states may go, what a rescale is refused, what an epoch says of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import groundswell as gs
from groundswell.contract.commits import CommitRef
from groundswell.format.envelope import RESCALED_VERSION
from groundswell.runtime.backfill.generations import (
    MOST_PARTITIONS,
    first_of,
    next_generation,
)
from groundswell.runtime.backfill.rescale import check_partitions, check_rescale
from groundswell.runtime.gc.states import unneeded
from groundswell.runtime.record.epochs import EpochLog
from groundswell.runtime.record.location import state_path, state_root
from groundswell.runtime.record.manifests import EpochManifest
from unit.runtime.folders import MemoryFolder


class Owner:
    """The claim of a run that nobody follows."""

    def __init__(self, token: int) -> None:
        self.token = token

    def check(self) -> None:
        pass


def epoch(number: int, generation: int = 0, partitions: int = 0) -> EpochManifest:
    commits = {"view-v": tuple(CommitRef(1, f"1{p:019x}", 1, 10) for p in range(2))}
    return EpochManifest(
        number, commits, "", {}, {}, 0, 0, 0, generation=generation, partitions=partitions
    )


def test_a_number_that_a_broken_off_rescale_had_is_not_given_again() -> None:
    assert next_generation(["state", "epochs"], 0) == 1
    assert next_generation(["state", "generation-3", "generation-x"], 1) == 4
    assert next_generation([], 5) == 6


def test_only_generations_go() -> None:
    folders = ["state", "generation-1", "generation-2", "generation-old", "epochs", "tables"]
    assert unneeded(folders, {2}) == ["state", "generation-1"]
    assert unneeded(folders, {0, 2}) == ["generation-1"]
    assert unneeded(folders, {0, 1, 2}) == []


def test_where_a_generation_stands() -> None:
    assert (state_path(0), state_path(2)) == (("state",), ("generation-2", "state"))
    assert (state_root("/p", 0), state_root("/p", 2)) == ("/p", "/p/generation-2")


@pytest.mark.parametrize("wrong", [0, -3, MOST_PARTITIONS + 1, True, 2.0, "8"])
def test_numbers_that_there_cannot_be(wrong: Any) -> None:
    with pytest.raises(gs.ConfigurationError, match="1 to 4096 partitions"):
        check_partitions(wrong)


def test_a_rescale_is_refused_beside_what_is_filled_or_stands_still() -> None:
    check_rescale("/p", 2, 3, (), {}, ())
    with pytest.raises(gs.ConfigurationError, match=r"2 partitions .* v is to be filled"):
        check_rescale("/p", 2, 3, ("v",), {}, ())
    with pytest.raises(gs.ConfigurationError, match="w is set aside"):
        check_rescale("/p", 2, 3, (), {"w": None}, ())


def test_an_epoch_says_what_it_stands_on_and_older_releases_refuse_it() -> None:
    folder = MemoryFolder()
    EpochLog(folder, Owner(1)).publish(epoch(4))
    EpochLog(folder, Owner(1)).publish(epoch(5))
    EpochLog(folder, Owner(2)).publish(epoch(5, 1, 3))
    EpochLog(folder, Owner(2)).publish(epoch(6, 1, 3))
    log = EpochLog(folder)
    assert [(m.generation, m.partitions) for m in map(log.get, log.epochs())] == [
        (0, 0),
        (1, 3),
        (1, 3),
    ]
    assert first_of(log, 1, log.epochs()).epoch == 5
    before = log.of_generation(5, 0)
    assert before == replace(epoch(5), token=1)
    assert log.of_generation(6, 0) is None
    versions = [f'"formatVersion":{v},' for v in (2, 2, RESCALED_VERSION, RESCALED_VERSION)]
    for name, version in zip(folder.names(), versions, strict=True):
        assert version in (folder.read(name) or b"").decode(), name
