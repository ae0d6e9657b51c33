"""Stored inputs of the views' benchmark, and what its report says of a run's growth."""

from pathlib import Path

from nexmark import stored
from views import plots, report


def test_an_input_is_written_once_and_the_oldest_go(tmp_path: Path) -> None:
    first = stored.stored(100, 2, tmp_path)
    file = first / "bid" / "00000.parquet"
    written = file.stat().st_mtime_ns
    assert stored.stored(100, 2, tmp_path) == first
    assert file.stat().st_mtime_ns == written
    second = stored.stored(200, 2, tmp_path, most=0)
    assert [path.name for path in tmp_path.iterdir()] == [second.name] == ["200-2"]


def test_an_unfinished_input_is_written_again(tmp_path: Path) -> None:
    (tmp_path / ".100-2" / "bid").mkdir(parents=True)
    folder = stored.stored(100, 2, tmp_path)
    assert len(list((folder / "bid").iterdir())) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["100-2"]


def test_the_report_tells_quarters_of_long_runs_and_events_a_core() -> None:
    results = report.Results(events=1_000, barriers=40, load_before=0)
    values = [10.0] * 10 + [20.0] * 10 + [30.0] * 10 + [40.0] * 10
    results.add("q4", "ours", report.Cell(seconds=5, cpu=8, series={"files": values}))
    text = report.markdown(results)
    assert "- q4, ours, files by quarter: 10, 20, 30, 40" in text
    assert "| 8.0 | 125 |" in text


def test_the_figure_has_an_axis_for_each_query_and_figure(tmp_path: Path) -> None:
    series = {"barrier (ms)": [1.0, 2.0], "files": [3.0, 4.0]}
    plots.draw({"q4": series, "q5": series}, 1_000, tmp_path / "run.svg")
    drawn = (tmp_path / "run.svg").read_text()
    assert all(drawn.count(f">{q}: {name}<") == 1 for q in ("q4", "q5") for name in series)


def test_a_run_that_was_stopped_counts_the_events_it_has_taken() -> None:
    results = report.Results(events=1_000, barriers=40, load_before=0)
    results.add("q4", "ours", report.Cell(seconds=5, cpu=8, done=10))
    text = report.markdown(results)
    assert "5.0 (stopped at 25%)" in text
    assert "| 50 | 8.0 | 31 |" in text
