"""The list of errors in the documentation is the list of errors, and messages hold no stacks."""

import inspect
import pickle
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import groundswell as gs
from groundswell import errors
from groundswell.jvm.errors import summary, translate

ROOT = Path(__file__).resolve().parents[2]
CODES = ROOT / "jvm-shim/src/main/java/io/groundswell/error/ErrorCode.java"
PYTHON, JAVA = (ROOT / "docs" / "errors.md").read_text("utf-8").split("## Java")


def rows(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def classes() -> list[type[errors.GroundswellError]]:
    return [
        made
        for _, made in inspect.getmembers(errors, inspect.isclass)
        if issubclass(made, errors.GroundswellError)
    ]


def test_every_class_is_listed_with_its_code_and_what_it_says() -> None:
    listed = {cells[0].strip("`"): cells[1:3] for cells in rows(PYTHON)}
    said = {}
    for made in classes():
        first = " ".join(inspect.getdoc(made).split("\n\n")[0].split()).replace("``", "`")
        code = getattr(made, "code", "")
        said[made.__name__] = [f"`{code}`" if code else "", first]
    assert listed == said
    assert all(cells[3] for cells in rows(PYTHON)), "what to do"


def test_every_class_can_be_caught_by_users() -> None:
    for made in classes():
        assert getattr(gs, made.__name__) is made
        assert made.__name__ in gs.__all__


def test_every_code_of_java_is_listed_with_what_it_says() -> None:
    text = CODES.read_text("utf-8")
    found = re.findall(r"/\*\*\s*(.*?)\s*\*/\s*([A-Z_]+)[,;\s]", text[text.index("enum") :], re.S)
    said = {code: re.sub(r"\s*\n\s*\*?\s*", " ", doc) for doc, code in found}
    assert {cells[0].strip("`"): cells[1] for cells in rows(JAVA)} == said


class Java:
    """A Java exception as py4j shows it."""

    def __init__(self, text: str, cause: Any = None) -> None:
        self.toString = lambda: text
        self.getCause = lambda: cause


def failed(java: Java) -> Exception:
    error = RuntimeError("An error occurred while calling o1.go.\n: text\n\tat a.B.c(B.java:1)")
    error.java_exception = java  # type: ignore[attr-defined]
    return error


@pytest.mark.parametrize(
    ("java", "says"),
    [
        (Java("a.Failed: no room\n\tat a.B.c(B.java:1)\n\tat a.B.d"), "a.Failed: no room"),
        (
            Java("a.Failed: no room", Java("a.Middle: between", Java("b.Full: disk is full"))),
            "a.Failed: no room; caused by b.Full: disk is full",
        ),
        (Java("a.Failed: b.Full: disk is full", Java("b.Full: disk is full")), "a.Failed: b.Full"),
        (
            Java("a.Ended: it ended\n=== Streaming Query ===\nIdentifier x\nPlan"),
            "a.Ended: it ended",
        ),
        (
            Java(
                "a.Analysis: no column x; line 1 pos 7;\n'Project ['x]\n+- Plan [id#1L]\n   :- Plan"
            ),
            "a.Analysis: no column x; line 1 pos 7;",
        ),
        (
            Java("\n".join(["a.Py: Traceback", *map(str, range(50)), "ValueError: v"])),
            "ValueError: v",
        ),
    ],
)
def test_messages_hold_no_stacks_and_plans(java: Java, says: str) -> None:
    said = summary(failed(java))
    assert says in said
    assert not any(part in said for part in ("\tat ", "Plan", "Project", "o1.go"))
    assert len(said.splitlines()) <= 8


def test_a_python_error_says_its_class() -> None:
    assert summary(ValueError("no")) == "ValueError: no"


NAMES = ("a, b", "source_rows", "x; source y", 'it\'s "z": ', "")


def test_an_error_names_the_views_that_fail_and_not_by_its_text() -> None:
    text = "[ROW_FAILED] view a, source_rows, source orders: x"
    made = errors.RowFailed(text, views=NAMES, sources=["orders"])
    assert (made.views, made.sources, str(made)) == (NAMES, ("orders",), text)
    again = pickle.loads(pickle.dumps(made))
    assert (again.views, again.sources, str(again)) == (NAMES, ("orders",), text)
    assert errors.RowFailed(text).views == ()


def test_names_come_from_the_exception_of_java(monkeypatch: pytest.MonkeyPatch) -> None:
    class JavaList:
        def __init__(self, values: Sequence[str]) -> None:
            self.size = lambda: len(values)
            self.get = values.__getitem__

    class Place:
        views = staticmethod(lambda: JavaList(NAMES))
        sources = staticmethod(lambda: JavaList(["orders"]))

    said = "io.groundswell.error.EngineException: [ROW_FAILED] view v; no source: x"
    inner = Java(said)
    inner.place = lambda: Place  # type: ignore[attr-defined]
    outer = Java(f"a.Failed: {said}", inner)
    monkeypatch.setattr("groundswell.jvm.errors.is_instance_of", lambda _, java, __: java is inner)
    monkeypatch.setattr("groundswell.jvm.errors.SparkContext._gateway", object())
    made = translate(failed(outer))
    assert isinstance(made, errors.RowFailed)
    assert (made.views, made.sources) == (NAMES, ("orders",))
    assert str(made) == "[ROW_FAILED] view v; no source: x"
