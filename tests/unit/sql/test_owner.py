"""Which process has a pipeline."""

import os
import subprocess
import sys
from dataclasses import asdict, replace

import pytest

import groundswell as gs
from groundswell.format.envelope import seal
from groundswell.runtime.ownership.processes import seen
from groundswell.runtime.record.location import owned_name
from groundswell.sql.owning import owner
from unit.runtime.folders import MemoryFolder


def put(home: MemoryFolder, who: owner.Owner) -> None:
    assert home.put_new(owned_name(owner.STEM, who.token), seal(owner.KIND, asdict(who)))


def test_a_pipeline_is_claimed_and_given_up() -> None:
    home = MemoryFolder()
    assert owner.load(home) is None
    mine = owner.claim(home, "p")
    assert (mine.token, mine.pid, owner.claim(home, "p")) == (1, os.getpid(), mine)
    owner.end(home, mine)
    assert owner.another(owner.load(home)) is None
    assert owner.claim(home, "p").token == 2
    assert owner.is_newest(home, mine) is False
    assert len(home.names(owner.STEM)) == 1


def test_of_two_that_claim_at_once_one_has_it() -> None:
    home = MemoryFolder()
    rival = replace(owner.current(), by="ann", host="elsewhere")
    raced = []

    def before(what: str, name: str) -> None:
        if what == "put" and not raced:
            raced.append(name)
            put(home, rival)

    home.before = before
    with pytest.raises(gs.ConfigurationError, match="pipeline p is run by ann since"):
        owner.claim(home, "p")
    assert raced
    assert owner.load(home) == rival


def test_a_claim_that_comes_after_its_successor_counts_for_nothing() -> None:
    """A process that stood still between its look and its claim."""
    home = MemoryFolder()
    rival = replace(owner.current(token=2), by="ann", host="elsewhere")
    raced = []

    def before(what: str, name: str) -> None:
        if what == "put" and not raced:
            raced.append(name)
            put(home, rival)  # the first claim is removed already

    home.before = before
    with pytest.raises(gs.ConfigurationError, match="is run by ann"):
        owner.claim(home, "p")


def test_dead_processes_have_nothing_and_their_numbers_come_again() -> None:
    home = MemoryFolder()
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    theirs = replace(owner.current(), pid=child.pid, born=seen(child.pid)[1], by="ann")
    put(home, theirs)
    assert owner.another(owner.load(home)) == theirs
    assert owner.another(replace(theirs, born="1")) is None, "another process of its number"
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert owner.another(theirs) is None, "it is dead, though its parent has not looked"
    child.communicate()
    assert owner.another(theirs) is None
    assert owner.claim(home, "p").token == 2


def test_a_process_elsewhere_counts_as_alive_until_it_is_taken_over() -> None:
    home = MemoryFolder()
    put(home, replace(owner.current(), host="elsewhere", by="ann"))
    with pytest.raises(gs.ConfigurationError, match="takeover = 'true'"):
        owner.claim(home, "p")
    owner.end(home, owner.claim(home, "p", force=True))
    assert owner.claim(home, "p").token == 3
