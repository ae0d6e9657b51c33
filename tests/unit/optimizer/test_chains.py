"""The order of lookups: least shuffles, then least expected rows."""

from groundswell.optimizer.chains import Candidate, Relation, chain, solve


def relation(*indexes: Candidate, classes: set[int] | None = None) -> Relation:
    own = {c for index in indexes for c in index.columns} if classes is None else classes
    return Relation(frozenset(own), indexes)


def star(b_keys: float, c_keys: float) -> list[Relation]:
    """A(x, y) joins B by x and C by y; both need a shuffle."""
    return [
        relation(classes={0, 1}),
        relation(Candidate("b", (0,), 1000, b_keys)),
        relation(Candidate("c", (1,), 1000, c_keys)),
    ]


def test_the_more_selective_index_comes_first_and_statistics_flip_the_order() -> None:
    names = {}
    for keys in ((1000, 10), (10, 1000)):
        found = chain(0, star(*keys))
        assert found is not None
        names[keys] = [step.index.name for step in found.steps]
        assert found.steps[-1].rows == 100
    assert names == {(1000, 10): ["b", "c"], (10, 1000): ["c", "b"]}


def test_a_lookup_where_the_rows_are_beats_a_selective_one() -> None:
    relations = star(10, 1000)
    relations[0] = relation(Candidate("a", (0,)), classes={0, 1})
    found = chain(0, relations)
    assert found is not None
    assert found.source == "a"
    assert [(s.index.name, s.shuffle) for s in found.steps] == [("b", False), ("c", True)]
    assert found.shuffles == 1


def test_what_is_joined_on_one_key_is_never_shuffled() -> None:
    found = solve([relation(Candidate(name, (0,))) for name in "abcd"])
    assert found is not None
    assert [c.shuffles for c in found] == [0, 0, 0, 0]


def test_an_index_needs_all_its_columns() -> None:
    pair = relation(Candidate("b", (0, 1)))
    assert chain(0, [relation(classes={0}), pair]) is None
    both = chain(0, [relation(classes={0, 1}), pair])
    assert both is not None
    assert both.steps[0].shuffle
    assert solve([relation(classes={0}), relation(Candidate("b", (0,)))]) is None


def test_the_first_index_column_decides_where_rows_are() -> None:
    other = chain(0, [relation(Candidate("a", (0, 1))), relation(Candidate("b", (1, 0)))])
    assert other is not None
    assert other.source is None
    assert other.steps[0].shuffle
    same = chain(
        0, [relation(Candidate("a", (0,)), classes={0, 1}), relation(Candidate("b", (0, 1)))]
    )
    assert same is not None
    assert same.source == "a"
    assert not same.steps[0].shuffle
