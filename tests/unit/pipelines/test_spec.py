"""Specs of projects; pure."""

from pathlib import Path

import pytest

from groundswell.errors import ConfigurationError
from groundswell.pipelines.files import changed
from groundswell.pipelines.running import check_options
from groundswell.pipelines.spec import find_spec, unpack

HERE = Path("spark-pipeline.yml")


def test_a_spec_as_spark_makes_it() -> None:
    given = {
        "name": "p",
        "storage": "file:///tmp/p",
        "schema": "db",
        "libraries": [{"glob": {"include": "transformations/**"}}],
    }
    spec = unpack(HERE, given)
    assert spec.include == ("transformations/**/*",)
    assert spec.database == "db"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (None, "has no fields"),
        ({"name": "p"}, "has no storage"),
        ({"name": "p", "storage": "s", "librarys": []}, "did you mean 'libraries'"),
        ({"name": "p", "storage": "s", "configuration": {"a": 1}}, "value of a .* write a: '1'"),
        ({"name": "p", "storage": "s", "libraries": ["x"]}, "glob: include"),
        (
            {"name": "p", "storage": "s", "libraries": [{"glob": {"include": "a/*/b.py"}}]},
            "a file, or a folder",
        ),
    ],
)
def test_a_spec_that_is_none(given: object, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        unpack(HERE, given)


def test_the_spec_is_found_above(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a" / "b")
    with pytest.raises(ConfigurationError, match="give --spec"):
        find_spec(None)
    (tmp_path / "spark-pipeline.yml").touch()
    assert find_spec(None) == tmp_path / "spark-pipeline.yml"
    (tmp_path / "spark-pipeline.yaml").touch()
    with pytest.raises(ConfigurationError, match="two specs"):
        find_spec(None)
    with pytest.raises(ConfigurationError, match="there is no spec nowhere"):
        find_spec("nowhere")


def test_files_that_are_added_change_nothing() -> None:
    before = {"a": [1, 10]}
    assert changed(before, {"a": [1, 10], "b": [1, 11]}) is None
    assert changed(before, {"a": [2, 10]}) == "a was changed"
    assert changed(before, {"a": [1, 12]}) == "a was changed"
    assert changed(before, {}) == "a was removed"


def test_options_of_sparks_command_that_have_no_form_here() -> None:
    with pytest.raises(ConfigurationError, match="--refresh a,b is not supported"):
        check_options(["a", "b"], [])
    with pytest.raises(ConfigurationError, match=r"--full-refresh a is .*--full-refresh-all"):
        check_options([], ["a"])
    check_options([], [])
