"""Each rule of the optimizer does something to its example, and can be switched off."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.optimizer.reorder import Ordering
from groundswell.optimizer.rules import RULES, Rule, without
from groundswell.runtime import program
from incremental.harness import five_tables
from incremental.test_indexes import SCHEMA

ROWS = {"a": 10_000.0, "b": 10_000.0, "c": 3.0}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_the_example_of_a_rule(
    session: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rule: Rule
) -> None:
    five_tables(session, tmp_path, SCHEMA).as_sources()
    search = Ordering(search=rule.name == "join order", sizes=ROWS)
    monkeypatch.setattr(program, "orders_of", lambda *_: search)

    def states() -> set[str]:
        p = gs.pipeline(session, str(tmp_path / "checkpoint"))
        if rule.name == "indexes":
            for name in "ab":
                p.index(session.table(name), "k", name=f"{name}_by_k")
        for i, text in enumerate(rule.example):
            p.view(f"v{i}", session.sql(text))
        return {s for s in p.program.planned().dataflow().states if s.startswith("join-")}

    found = states()
    with without(rule.name):
        apart = states()
    assert found != apart
    assert len(found) <= len(apart)
    assert states() == found


def test_only_rules_that_there_are_can_be_switched_off() -> None:
    with pytest.raises(KeyError, match="none"), without("join order", "none"):
        pass
