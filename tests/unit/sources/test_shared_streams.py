"""A table of a shared stream that is first read later."""

from __future__ import annotations

import pytest

from groundswell.errors import DefinitionChanged
from groundswell.runtime.planning.unfilled import check_shared_streams

ACCOUNTS = {"accounts": {"streams": ["bank"]}}
BRANCHES = {"branches": {"streams": ["bank"]}}


def test_a_table_first_read_later_is_refused():
    with pytest.raises(
        DefinitionChanged, match=r"no view has read branches so far.* accounts, has"
    ):
        check_shared_streams(ACCOUNTS, ACCOUNTS | BRANCHES, ["bank"])


def test_a_table_that_takes_the_place_of_another_is_refused():
    with pytest.raises(DefinitionChanged, match="no view has read branches"):
        check_shared_streams(ACCOUNTS, BRANCHES, ["bank"])


def test_tables_that_were_read_and_other_streams_are_not_refused():
    both = ACCOUNTS | BRANCHES
    check_shared_streams(both, both, ["bank"])
    check_shared_streams(both, ACCOUNTS, ["bank"])
    check_shared_streams(ACCOUNTS, both, ["other"])
    check_shared_streams(ACCOUNTS, ACCOUNTS | {"branches": {"streams": ["own"]}}, ["bank", "own"])
