"""The text that a checkpoint belongs to: the same for the same query, whatever its ids are."""

import json
import re

from groundswell.contract.capture.plan import PlanDescription
from groundswell.contract.codec import decode
from groundswell.plan import capture
from groundswell.plan.definition import definition
from groundswell.plan.stream import Hidden, derive
from unit.plan.planned import CAPTURED, planned, tables


def test_attribute_ids_do_not_matter() -> None:
    text = json.dumps(CAPTURED["top_n"])
    shifted = re.sub(r'"a(\d+)"', lambda m: f'"a{int(m[1]) + 1000}"', text)
    shifted = re.sub(r"#(\d+)", lambda m: f"#{int(m[1]) + 1000}", shifted)
    assert shifted != text
    (query,) = capture.read(decode(PlanDescription, shifted))
    assert query.root is not None
    again = derive(query.root, tables("top_n"), Hidden())
    assert definition(again) == definition(planned("top_n"))


def test_different_queries_have_different_texts() -> None:
    names = ["aggregate", "filtered_calls", "global", "distinct", "union", "top_n", "self_join"]
    assert len({tuple(definition(planned(name))) for name in names}) == len(names)


def test_swapped_columns_of_one_type_are_another_definition() -> None:
    text = json.dumps(CAPTURED["self_join"])
    left, right = json.loads(text)["nodes"][0]["exprs"]
    swapped = json.loads(text)
    swapped["nodes"][0]["exprs"] = [
        {**left, "refs": right["refs"], "reads": right["reads"]},
        {**right, "refs": left["refs"], "reads": left["reads"]},
    ]
    (query,) = capture.read(decode(PlanDescription, json.dumps(swapped)))
    assert query.root is not None
    other = derive(query.root, tables("self_join"), Hidden())
    assert definition(other) != definition(planned("self_join"))
