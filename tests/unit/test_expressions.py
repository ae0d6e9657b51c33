"""The table of facts, and that the JVM judges by the same one."""

import zipfile
from importlib.resources import files
from pathlib import Path

import pytest

from groundswell import expressions
from groundswell.expressions import accumulated, of_function, parse, table

ROW = "catalyst.Guess | nothing | again | bytes | no | guess"


def test_the_jar_has_the_same_tables(jar: Path) -> None:
    with zipfile.ZipFile(jar) as archive:
        for name in ("facts.txt", "settings.txt"):
            packed = archive.read(f"io/groundswell/spark/views/facts/{name}")
            assert packed == files(expressions).joinpath(name).read_bytes(), "run `make jar`"


def test_rows_say_what_expressions_do() -> None:
    (guess,) = parse(f"# words\nclass | varies_with\n\n{ROW} estimate | because\n")
    assert guess.sql == ("guess", "estimate") and guess.why == "because"
    now, rand = of_function("now"), of_function("RAND")
    assert now is not None and now.varies_with == "clock"
    assert rand is not None and rand.varies_with == "task" and rand.retractable == "no"
    assert accumulated("sum") and not accumulated("median") and not accumulated("mine")
    assert of_function("mine") is None


def test_a_word_that_no_column_knows_is_an_error() -> None:
    with pytest.raises(ValueError, match="'sometimes' is none of nothing, clock"):
        parse(ROW.replace("nothing", "sometimes"))
    with pytest.raises(ValueError, match="two rows"):
        parse(f"{ROW}\n{ROW}")


def test_what_varies_is_taken_back_only_where_its_value_is_kept() -> None:
    for row in table():
        if row.varies_with in ("clock", "task"):
            assert row.retractable in ("no", "values"), row
        if row.varies_with == "absent":
            assert row.retractable == "no" and row.can_fail == "yes", row
