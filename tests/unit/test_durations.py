"""The order of tests rests on figures that there are."""

import ast
from pathlib import Path

import durations

TESTS = durations.ROOT / "tests"


def runs_in_a_measured_part(path: Path) -> bool:
    """Whether it has a test that is not of `make soak` alone."""
    return any(
        isinstance(node, ast.FunctionDef)
        and node.name.startswith("test_")
        and "pytest.mark.soak" not in map(ast.unparse, node.decorator_list)
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
    )


def test_nearly_all_files_have_a_figure() -> None:
    known = durations.read(durations.KNOWN)
    files = [
        path.relative_to(durations.ROOT).as_posix()
        for path in sorted(TESTS.rglob("test_*.py"))
        if not path.is_relative_to(TESTS / "systems") and runs_in_a_measured_part(path)
    ]
    missing = [file for file in files if not any(file in known[part] for part in durations.PARTS)]
    assert len(missing) <= 0.05 * len(files), (
        f"run make test-all and make durations: {len(missing)} of {len(files)} files of tests "
        f"have no figure in tests/durations.json: {missing}"
    )


def test_only_files_that_were_run_get_new_figures_and_those_that_are_gone_leave() -> None:
    old = {"test": {"a": 1.0, "b": 2.0, "gone": 3.0}, "rest": {"b": 4.0}}
    new = {"test": {"b": 5.0, "c": 6.0}}
    assert durations.merged(old, new, lambda file: file != "gone") == {
        "test": {"a": 1.0, "b": 5.0, "c": 6.0},
        "rest": {"b": 4.0},
    }


def test_a_file_takes_as_long_as_its_tests_that_run() -> None:
    known = {"test": {"short": 1.0, "both": 3.0}, "rest": {"long": 9.0, "both": 7.0}}
    tests = [("short", "test"), ("both", "test"), ("both", "test"), ("new", "test")]
    unknown = durations.UNKNOWN
    assert durations.expected(tests, known) == {"short": 1.0, "both": 3.0, "new": unknown}
    assert durations.expected([("both", "test"), ("both", "rest")], known) == {"both": 10.0}


def test_marks_say_which_part_a_test_is_of() -> None:
    assert durations.part_of({"parametrize"}) == "test"
    assert durations.part_of({"rest"}) == "rest"
    assert durations.part_of({"rest", "soak"}) is None
    assert durations.part_of({"systems"}) is None


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "build" / "durations.json"
    one, two = "tests/unit/test_durations.py", "tests/unit/test_reference.py"
    durations.write(path, {"test": {one: 7.0, two: 8.0, "tests/gone.py": 1.0}})
    known = durations.read(path)
    durations.write(path, durations.merged(known, {"rest": {two: 2.0}}, durations.is_there))
    assert durations.read(path) == {"test": {one: 7.0, two: 8.0}, "rest": {two: 2.0}}
    assert [path.name for path in path.parent.iterdir()] == ["durations.json"]
