"""The tab of Spark's UI, as far as Python draws it."""

from pathlib import Path

from groundswell.ui.spark_tab import Tab
from unit.ui.location import SCRIPT, make


class NoSession:
    """Has no context: a tab cannot be attached."""


def test_one_pipeline_is_shown_at_once_and_several_are_listed(tmp_path: Path) -> None:
    tab = Tab()
    first = make(tmp_path / "first")
    tab.opened(NoSession(), first)  # type: ignore[arg-type]
    assert "Dataflow" in tab.answer("/", "") and tab.answer("/", "").startswith("text/html")
    assert tab.answer("/style.css", "").startswith("text/css")
    assert tab.answer("/nothing", "") == tab.answer("/7/", "") == ""
    second = make(tmp_path / SCRIPT.replace("/", ""))
    tab.opened(NoSession(), second)  # type: ignore[arg-type]
    listed = tab.answer("/", "")
    assert 'href="1/"' in listed and "<script>alert" not in listed
    assert "Dataflow" in tab.answer("/1/", "") and "Dataflow" in tab.answer("/1/body", "a=b")
