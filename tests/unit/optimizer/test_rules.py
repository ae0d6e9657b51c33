"""The optimizer's rules are what the RFC says."""

from pathlib import Path

from groundswell.optimizer.rules import RULES

RFC = Path(__file__).resolve().parents[3] / "docs" / "rfcs" / "0009-optimizer.md"


def test_the_rfc_has_all_rules_in_their_order() -> None:
    rows = [
        f"| {rule.name} | `{rule.pattern}` | {rule.condition} | `{rule.result}` | {rule.doc} |"
        for rule in RULES
    ]
    assert "\n".join(rows) in RFC.read_text("utf-8")
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert all(rule.example for rule in RULES)
