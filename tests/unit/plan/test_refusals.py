"""What cannot be kept is refused by name, with the reason and a way round."""

import pytest

from groundswell.errors import NotIncremental
from unit.plan.planned import planned


@pytest.mark.parametrize(
    ("query", "operator", "says"),
    [
        ("refuse_offset", "Offset", "add limit(n)"),
        ("refuse_sample", "Sample", "filter on a hash of the key"),
        ("refuse_constant", "Range (0, 5, step=1)", "reads no stream"),
        ("refuse_keyless_rows", "changelog source 'ledger'", "give gs.changelog(df, key=...)"),
        ("refuse_map_in_key", "Aggregate on _groupingmapsort", "use array_sort(map_entries(...))"),
        ("refuse_rand", "rand()", "another value whenever it is computed"),
        ("refuse_clock", "current_timestamp()", "its value changes"),
    ],
)
def test_refused_by_name_with_a_reason(query: str, operator: str, says: str) -> None:
    with pytest.raises(NotIncremental) as refused:
        planned(query)
    assert refused.value.operator == operator
    assert says in str(refused.value)


def test_all_reasons_are_given_at_once() -> None:
    error = NotIncremental([("Window", "why not"), ("cross join", "why not either")])
    assert "Window: why not\n" in str(error)
    assert "cross join: why not either" in str(error)
