"""How watermarks move from barrier to barrier."""

from groundswell.contract.barrier import EventTimes, Watermarks
from groundswell.runtime.record.watermarks import WatermarkRules, message

S = 1_000_000


def test_a_barriers_own_rows_count_from_the_next_one_on() -> None:
    rules = WatermarkRules({"a": 10_000})
    assert rules.in_force({}, 0) == {}
    first = rules.after({}, {}, {"a": 3}, {"a": EventTimes(0, 50 * S)}, 7)
    assert first == {"a": {"seenMillis": 7, "late": 0, "newest": 50 * S}}
    assert rules.in_force(first, 8) == {"a": 40 * S}


def test_it_never_goes_back() -> None:
    rules = WatermarkRules({"a": 10_000})
    before = {"a": {"seenMillis": 0, "late": 0, "newest": 50 * S, "watermark": 45 * S}}
    assert rules.in_force(before, 1) == {"a": 45 * S}
    after = rules.after(before, {"a": 45 * S}, {"a": 1}, {"a": EventTimes(1, 20 * S)}, 2)
    assert after == {"a": {"seenMillis": 2, "late": 1, "newest": 50 * S, "watermark": 45 * S}}


def test_an_idle_source_takes_over_the_watermark_of_the_others() -> None:
    rules = WatermarkRules({"a": 0, "b": 0, "c": 0}, idle_millis=100)
    before = {
        "a": {"seenMillis": 1000, "late": 0, "newest": 9 * S},
        "b": {"seenMillis": 850, "late": 0, "newest": 2 * S},
        "c": {"seenMillis": 850, "late": 0},
    }
    assert rules.in_force(before, 950) == {"a": 9 * S, "b": 2 * S}
    assert rules.in_force(before, 951) == {"a": 9 * S, "b": 9 * S, "c": 9 * S}
    assert rules.in_force(before, 5000) == {"a": 9 * S, "b": 9 * S, "c": 9 * S}
    alone = {"a": before["a"]}
    assert rules.in_force(alone, 5000) == {"a": 9 * S}


def test_the_jvm_knows_sources_by_id() -> None:
    before = {"a": {"seenMillis": 0, "late": 0, "watermark": 1}, "gone": {"watermark": 5}}
    assert message(before, {"a": 2}, {"s7": "a"}, 3) == Watermarks({"s7": 1}, {"s7": 2}, 3)
