"""Hash or delta join: the least of work a change and state kept."""

from groundswell.optimizer.chains import Candidate, Relation
from groundswell.optimizer.cost import Estimate, estimate
from groundswell.optimizer.model import KEEP, Cost


def chain_of(a_rows: float, a_keys: float) -> list[Relation]:
    """A(0) joins B(0, 1) joins C(1); of B, a thousand rows have one value of column 1."""
    return [
        Relation(frozenset({0}), (Candidate("a", (0,), a_rows, a_keys),)),
        Relation(
            frozenset({0, 1}),
            (Candidate("b0", (0,), 1e6, 1e6), Candidate("b1", (1,), 1e6, 1e3)),
        ),
        Relation(frozenset({1}), (Candidate("c", (1,), 1e6, 1e3),)),
    ]


def test_a_selective_join_that_hash_joins_keep_is_not_looked_up_again_and_again() -> None:
    """Few rows of B have a match in A: A x B is small to keep, and B large to look through."""
    selective, whole = estimate(chain_of(10, 10)), estimate(chain_of(1e6, 1e6))
    assert selective is not None
    assert whole is not None
    assert not selective.prefers_delta
    assert selective.delta.work > 100 > selective.hashed.work
    assert whole.prefers_delta


def test_two_tables_on_one_key_touch_less_as_a_delta_join() -> None:
    two = [Relation(frozenset({0}), (Candidate(name, (0,), 1000, 100),)) for name in "ab"]
    found = estimate(two)
    assert found is not None
    assert (found.delta, found.hashed) == (
        Cost(11.0, 0.0, 30.0),
        Cost(12.0, 1.0, 30.0),
    )


def test_what_cannot_be_reached_cannot_be_compared() -> None:
    apart = [Relation(frozenset({at}), (Candidate(str(at), (at,)),)) for at in range(2)]
    assert estimate(apart) is None


def test_the_state_saved_is_worth_some_rows() -> None:
    hashed = Cost(2.0, 1.5)
    assert Estimate(Cost(2.0 + 1.5 * KEEP, 0.0), hashed).prefers_delta
    assert not Estimate(Cost(2.1 + 1.5 * KEEP, 0.0), hashed).prefers_delta
