"""Plans the recorded queries: what every test of this folder starts from."""

import json
from functools import cache
from pathlib import Path

from groundswell.contract.capture.plan import PlanDescription
from groundswell.contract.codec import decode
from groundswell.errors import NotIncremental
from groundswell.physical.lower import Dataflow, lower
from groundswell.plan import capture, explain
from groundswell.plan.sources import Mode, SourceTable
from groundswell.plan.stream import Hidden, Stream, derive

HERE = Path(__file__).resolve().parent
CAPTURED = json.loads((HERE / "captured.json").read_text("utf-8"))


@cache
def described(name: str) -> PlanDescription:
    return decode(PlanDescription, json.dumps(CAPTURED[name]))


def tables(name: str, votes: Mode = Mode.APPEND) -> dict[str, SourceTable]:
    found = {}
    for source in CAPTURED[name]["sources"]:
        key = source["key"]
        found[key] = {
            "votes": SourceTable(key, "votes", votes, () if votes is Mode.APPEND else ("id",)),
            "stories": SourceTable(key, "stories", Mode.UPSERT, ("id",), "_groundswell_delete"),
            "ledger": SourceTable(key, "ledger", Mode.CHANGELOG, (), None, "_change_type"),
        }[source["name"]]
    return found


def planned(name: str, hidden: Hidden | None = None, votes: Mode = Mode.APPEND) -> Stream:
    (query,) = capture.read(described(name))
    if query.root is None:
        raise NotIncremental(list(query.refusals))
    return derive(query.root, tables(name, votes), hidden or Hidden())


def dataflow(name: str, votes: Mode = Mode.APPEND) -> Dataflow:
    hidden = Hidden()
    return lower({name: planned(name, hidden, votes)}, hidden, [name])


def explained() -> str:
    parts = []
    for name in CAPTURED:
        (query,) = capture.read(described(name))
        try:
            parts.append(explain.tree(name, planned(name), query.notes))
        except NotIncremental as e:
            parts.append(f"View {name}\n{e}")
    return "\n\n".join(parts) + "\n"
