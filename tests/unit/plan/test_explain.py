"""explain() of every recorded query; regenerate with record.py and read the diff."""

from unit.plan.planned import CAPTURED, HERE, explained


def test_explained_as_recorded() -> None:
    assert explained() == (HERE / "explained.txt").read_text("utf-8")


def test_the_record_covers_views_and_refusals() -> None:
    text = explained()
    assert text.count("this query cannot be maintained incrementally") >= 6
    assert len(CAPTURED) >= 40
