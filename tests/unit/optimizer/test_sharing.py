"""Canonical forms of joins: what is kept, what is lifted, and what is noted of it."""

from collections.abc import Mapping
from dataclasses import replace

from groundswell.optimizer.sharing import Form, Shaped, Sharing, shape
from groundswell.plan import nodes as n
from groundswell.plan.definition import digest
from groundswell.plan.stream import Hidden, Stream, derive
from unit.optimizer.test_reorder import SOURCES, column, expr, join, key, scan


def only(node: n.Node, *shown: n.Column) -> n.Project:
    """Some of its columns, as Catalyst leaves the others out."""
    exprs = tuple(replace(expr(c.name, c, plain=True), out=c.ref) for c in shown)
    return n.Project(id=5, output=shown, children=(node,), exprs=exprs)


def where(node: n.Node, *parts: n.Expression) -> n.Filter:
    refs = tuple(ref for part in parts for ref in part.refs)
    whole = replace(expr("all of it"), refs=refs, parts=parts if len(parts) > 1 else ())
    condition = whole if len(parts) > 1 else parts[0]
    return n.Filter(id=6, output=node.output, children=(node,), condition=condition)


BIG, MID = scan("big"), scan("mid")
K, ID = key("big", "k"), key("mid", "id")
POSITIVE = expr("v > 0", column("big", "v"))
SMALL = expr("v < 9", column("big", "v"))


def shaped(
    roots: Mapping[str, n.Node], begun: Mapping[str, list[dict[str, list[int]]]] | None = None
) -> dict[str, Shaped]:
    streams: dict[str, Stream] = {}
    for name, root in roots.items():
        streams[name] = derive(root, SOURCES, Hidden(), streams)
    return shape(roots, streams, SOURCES, Sharing(True, begun))


def states(found: Mapping[str, Shaped]) -> list[str]:
    """The digests of all joins."""

    def joins(stream: Stream) -> list[str]:
        below = [d for s in stream.inputs for d in joins(s)]
        return [digest(stream), *below] if isinstance(stream.node, n.Join) else below

    return [d for each in found.values() for d in joins(derive(each.root, SOURCES, Hidden()))]


def test_commuted_joins_with_other_columns_are_one() -> None:
    big = only(BIG, column("big", "id"), column("big", "k"))
    mid = only(MID, column("mid", "id"), column("mid", "v"))
    found = shaped({"a": join(big, MID, K, ID), "b": join(mid, BIG, ID, K)})
    assert len(states(found)) == 2
    assert len(set(states(found))) == 1
    assert found["a"].forms == found["b"].forms == (Form((0, 1, 2, 3, 4, 5)),)
    assert [c.name for c in found["a"].root.output] == ["id", "k", "id", "k", "v"]
    assert [c.name for c in found["b"].root.output] == ["id", "v", "id", "k", "v"]


def test_the_key_of_a_view_is_that_of_its_query() -> None:
    root = join(MID, BIG, key("mid", "k"), key("big", "v"))
    found = shaped({"a": root})["a"].root
    assert derive(found, SOURCES, Hidden()).key == derive(root, SOURCES, Hidden()).key


def test_a_filter_is_lifted_to_what_another_view_keeps() -> None:
    plain = join(BIG, MID, K, ID)
    one = join(where(BIG, POSITIVE), MID, K, ID)
    both = join(where(BIG, SMALL, POSITIVE), MID, K, ID)
    found = shaped({"plain": plain, "one": one, "both": both})
    assert len(set(states(found))) == 1
    assert [found[name].forms[0].lifted for name in found] == [(), (0,), (0, 1)]
    found = shaped({"one": one, "both": both})
    assert len(set(states(found))) == 1
    assert [found[name].forms[0].lifted for name in found] == [(), (0,)]
    other = join(where(BIG, SMALL), MID, K, ID)
    found = shaped({"one": one, "other": other})
    assert len(set(states(found))) == 2
    assert [found[name].forms[0].lifted for name in found] == [(), ()]


def test_a_part_that_may_fail_stays_where_it_is() -> None:
    fails = expr("1 / v > 0", column("big", "v"), fails=True)
    found = shaped(
        {"plain": join(BIG, MID, K, ID), "one": join(where(BIG, fails, POSITIVE), MID, K, ID)}
    )
    assert len(set(states(found))) == 2
    assert found["one"].forms[0].lifted == ()


def test_a_view_that_is_there_keeps_its_form_and_others_take_it() -> None:
    few = (column("big", "id"), column("big", "k"))
    narrow = join(only(BIG, *few), only(MID, column("mid", "id")), K, ID)
    (begun,) = shaped({"narrow": narrow}).values()
    noted = {"narrow": [form.json() for form in begun.forms]}
    wide = join(BIG, MID, K, ID)
    found = shaped({"narrow": narrow, "wide": wide}, noted)
    assert found["narrow"].forms == begun.forms
    assert len(set(states(found))) == 2
    same = join(only(MID, column("mid", "id")), only(where(BIG, POSITIVE), *few), ID, K)
    found = shaped({"narrow": narrow, "same": same}, noted)
    assert len(set(states(found))) == 2  # the filter reads what the other does not keep
    exchanged = join(only(MID, column("mid", "id")), only(BIG, *few), ID, K)
    found = shaped({"narrow": narrow, "exchanged": exchanged}, noted)
    assert len(set(states(found))) == 1
    assert shaped({"narrow": narrow}, {"narrow": []}) == {}  # begun as it is written
    assert shaped({"narrow": narrow}, {"narrow": noted["narrow"] * 2}) == {}  # another query's
