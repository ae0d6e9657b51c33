"""A location whose views have states of a form that is not made any more."""

import pytest

import groundswell as gs
from groundswell.runtime.planning.orders import check_forms
from groundswell.runtime.record import definition
from groundswell.runtime.record.definition import Definition
from unit.runtime.folders import MemoryFolder

FORMS = {"pairs": [[[0, 1], []]], "sums": [None]}


def noted() -> Definition:
    home = MemoryFolder()
    made = Definition({"pairs": [], "sums": [], "rest": []}, {}, {}, 1, {}, forms=FORMS)
    definition.store(home, made, 1)
    found = definition.load(home)
    assert found is not None
    return found


def test_views_in_a_form_that_is_gone_are_refused_until_they_are_rebuilt() -> None:
    refused = {"onChange": "refuse"}
    told = r"views pairs, sums began with sharing='canonical'.*onChange='rebuild'"
    with pytest.raises(gs.DefinitionChanged, match=told):
        check_forms(noted(), (), refused)
    with pytest.raises(gs.DefinitionChanged, match="views sums began"):
        check_forms(noted(), {"pairs"}, refused)
    check_forms(noted(), {"pairs", "sums"}, refused)
    check_forms(noted(), (), {"onChange": "rebuild"})
    check_forms(None, (), refused)
