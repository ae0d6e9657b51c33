"""What ``ALTER PIPELINE`` changes, what it does not, and whose value counts."""

import pytest

from groundswell import config
from groundswell.errors import ConfigurationError, SqlSyntaxError
from groundswell.sql.defining import pipeline_options as options
from groundswell.sql.history import log as logs
from groundswell.sql.parsing import statements as s
from unit.sql import reading


def read(text: str) -> s.AlterPipeline:
    made = reading.read(text)
    assert isinstance(made, s.AlterPipeline)
    return made


def folded(*texts: str) -> logs.Contents:
    return logs.fold(logs.entry(n, text, "", ()) for n, text in enumerate(texts, 1))


def test_a_statement_sets_or_resets() -> None:
    made = read("ALTER PIPELINE p SET (retainEpochs = 5, trigger = '2 seconds')")
    assert (made.name, dict(made.options)) == (
        ("p",),
        {"retainEpochs": "5", "trigger": "2 seconds"},
    )
    assert read("ALTER PIPELINE p RESET (retainEpochs, retain)").reset == ("retainEpochs", "retain")
    for text in ("SET ()", "SET (a = 1) b", "RESET", "RESET ()"):
        with pytest.raises(SqlSyntaxError):
            read(f"ALTER PIPELINE p {text}")


def test_the_last_statement_counts_whatever_the_case_of_letters() -> None:
    contents = folded(
        "CREATE PIPELINE p LOCATION '/p' WITH (retainEpochs = 50, retireEvery = 3)",
        "ALTER PIPELINE p SET (RETAINEPOCHS = 5, maxBarrierRows = 9)",
        "ALTER PIPELINE p RESET (retireevery)",
    )
    assert contents.options == {"RETAINEPOCHS": "5", "maxBarrierRows": "9"}
    values = options.values_of(contents.options, None)
    assert config.check(values)["retainEpochs"] == 5
    assert config.check(values)["retireEvery"] == 10
    assert options.values_of({"ownerLease": "9 seconds"}, "5 seconds")["ownerLease"] == "5 seconds"


def test_each_option_says_who_gave_it_and_when_another_counts() -> None:
    created = {"retainEpochs": "50", "retireEvery": "3", "joins": "hash", "retain": "1 day"}
    now = {"retainEpochs": "5", "joins": "hash", "retain": "1 day"}
    rows = {row[0]: row[1:] for row in options.shown(created, now, {"trigger": "1 second"})}
    assert rows.keys() == {"trigger", *config.OPTIONS} - {"clock", "checkpointLocation", "onChange"}
    assert rows["retainEpochs"] == ["5", "ALTER PIPELINE", "the next barrier"]
    assert rows["retireEvery"] == ["10", "RESET", "the next barrier"]
    assert rows["retain"] == ["1 day", "CREATE PIPELINE", "the next barrier"]
    assert rows["trigger"] == ["1 second", "this process", "the next barrier"]
    assert rows["checkpointEvery"] == ["1", "default", "the next barrier"]
    assert "SET PARALLELISM" in rows["partitions"][2]
    assert "when the pipeline is made" in rows["joins"][2]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("SET (retainEpoch = 5)", "no option 'retainEpoch'; did you mean 'retainEpochs'"),
        ("SET (retainEpochs = 0)", "must be a whole number from 1 on"),
        ("SET (retain = 'long')", "option retain must be a number"),
        ("SET (trigger = 'often')", "option trigger must be availableNow, or a number"),
        ("SET (joins = 'hash')", "does not change option joins: the plans of views follow it"),
        ("SET (partitions = 8)", "SET PARALLELISM n"),
        ("SET (clock = 'x')", "does not change option clock"),
        ("RESET (indexes)", "does not change option indexes"),
        ("RESET (triggers)", "did you mean 'trigger'"),
    ],
)
def test_what_cannot_be_changed_is_refused_by_name(text: str, told: str) -> None:
    with pytest.raises(ConfigurationError, match=told):
        options.check_altered(read(f"ALTER PIPELINE p {text}"))


def test_a_reset_gives_the_default_also_where_there_is_none() -> None:
    assert config.checked("retain", None) == {"retain": None}
    with pytest.raises(ConfigurationError):
        config.checked("retainEpochs", None)
