"""Stream keys and changelog kinds, operator by operator."""

import pytest

from groundswell.plan import nodes as n
from groundswell.plan.explain import key_text
from groundswell.plan.stream import Kind, Stream, scans
from unit.plan.planned import planned


@pytest.mark.parametrize(
    ("query", "key", "kind"),
    [
        ("filter_project", "_row_id", Kind.APPEND_ONLY),
        ("drops_key", "id", Kind.RETRACT),
        ("aggregate", "story", Kind.RETRACT),
        ("group_by_expression", "b", Kind.RETRACT),
        ("global", "single row", Kind.RETRACT),
        ("distinct", "story, user", Kind.RETRACT),
        ("aggregate_of_aggregate", "n", Kind.RETRACT),
        ("join_by_key", "_row_id", Kind.RETRACT),
        ("join_keys_both", "id", Kind.RETRACT),
        ("join_many", "id, id", Kind.RETRACT),
        ("join_expression", "_row_id, id", Kind.RETRACT),
        ("self_join", "_row_id, _row_id", Kind.APPEND_ONLY),
        ("left_join", "_row_id", Kind.RETRACT),
        ("left_join_residual", "_row_id, id", Kind.RETRACT),
        ("right_join", "id, _row_id", Kind.RETRACT),
        ("full_join", "_row_id, id, _side", Kind.RETRACT),
        ("cross_join", "_row_id", Kind.RETRACT),
        ("semi_join", "_row_id", Kind.RETRACT),
        ("semi_join_append_only", "_row_id", Kind.APPEND_ONLY),
        ("anti_join", "_row_id", Kind.RETRACT),
        ("existence_join", "id", Kind.RETRACT),
        ("scalar_subquery", "id", Kind.RETRACT),
        ("not_in", "id", Kind.RETRACT),
        ("intersect_all", "id, _position", Kind.RETRACT),
        ("explode", "_row_id, _position", Kind.APPEND_ONLY),
        ("constants", "_row_id, _row_number", Kind.RETRACT),
        ("union", "_branch, id, _key, _key", Kind.RETRACT),
        ("union_of_keyed", "_branch, id, _key", Kind.RETRACT),
        ("window", "_row_id", Kind.RETRACT),
        ("top_of_group", "_row_id", Kind.RETRACT),
        ("sliding", "id, _branch", Kind.RETRACT),
        ("top_n", "id", Kind.RETRACT),
        ("top_n_offset", "_row_id", Kind.RETRACT),
        ("python_udf", "_row_id", Kind.APPEND_ONLY),
    ],
)
def test_key_and_kind(query: str, key: str, kind: Kind) -> None:
    stream = planned(query)
    assert (key_text(stream), stream.kind) == (key, kind)


def test_a_key_is_only_derived_where_it_is_needed() -> None:
    (votes,) = scans(planned("aggregate"))
    assert votes.key is None
    assert votes.hidden == ()


def test_a_join_by_the_whole_key_of_one_side_needs_only_the_other_key() -> None:
    def join(stream: Stream) -> Stream:
        return stream if isinstance(stream.node, n.Join) else join(stream.input)

    found = join(planned("join_by_key"))
    assert found.key == found.inputs[0].key


def test_two_occurrences_of_a_source_have_row_ids_of_their_own() -> None:
    left, right = scans(planned("self_join"))
    assert left.source == right.source
    assert not {c.ref for c in left.columns} & {c.ref for c in right.columns}


def test_a_dropped_key_is_carried_hidden() -> None:
    stream = planned("drops_key")
    assert [c.name for c in stream.node.output] == ["title"]
    assert [c.name for c in stream.hidden] == ["id"]


def test_every_key_column_is_a_column() -> None:
    def check(stream: Stream) -> None:
        assert set(stream.key or ()) <= {c.ref for c in stream.columns}
        assert len({c.ref for c in stream.columns}) == len(stream.columns)
        for below in stream.inputs:
            check(below)

    for query in ("union", "self_join", "top_n", "join_expression", "aggregate_of_aggregate"):
        check(planned(query))
