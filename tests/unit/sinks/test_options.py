"""What users say of a sink: names, values, passwords."""

from pathlib import Path

import pytest

import groundswell as gs
from groundswell.sinks import registry
from groundswell.sinks.options import SinkOption, SinkOptions, mask_text
from groundswell.sinks.registry import sink_spec

ROOT = Path(__file__).parents[3]
KNOWN = (
    SinkOption("table", "where to", required=True),
    SinkOption("password", "secret", secret=True),
    SinkOption("rows", "how many", int, 5, least=1),
    SinkOption("fast", "whether", bool, False),
    SinkOption("columns", "which", list, ()),
    SinkOption("mode", "how", choices=("a", "b")),
)


def options(**given: object) -> SinkOptions:
    return SinkOptions(KNOWN, {"table": "t", **given}, "sink s")


def test_values_are_of_their_types() -> None:
    made = options(rows="7", fast="TRUE", columns="a, b", Mode="a")
    assert [made[n] for n in ("rows", "fast", "columns", "mode")] == [7, True, ("a", "b"), "a"]
    assert options()["rows"] == 5 and not options().given("rows")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"tabel": "x"}, "no option 'tabel'; did you mean 'table'"),
        ({"xyzzy": "x"}, r"no option 'xyzzy'\. Its options are"),
        ({"rows": 0}, "rows must be a whole number from 1 on, got 0"),
        ({"rows": "x"}, "rows must be a whole number"),
        ({"fast": "yes"}, "fast must be true or false"),
        ({"mode": "c"}, "mode must be one of a, b, got 'c'"),
        ({"columns": [1]}, "columns must be names"),
        ({"table": " "}, "table must be a text"),
        ({"password": "x", "password_env": "Y"}, "password is given twice"),
    ],
)
def test_what_is_wrong_is_named(given: dict[str, object], message: str) -> None:
    with pytest.raises(gs.ConfigurationError, match=message):
        options(**given)


def test_what_is_missing_is_named() -> None:
    with pytest.raises(gs.ConfigurationError, match="sink s needs option table: where to"):
        SinkOptions(KNOWN, {}, "sink s")


def test_passwords_come_from_the_environment_or_a_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OF_A_TEST", "one-secret")
    assert options(password_env="OF_A_TEST")["password"] == "one-secret"
    (tmp_path / "secret").write_text("other-secret\n")
    assert options(password_file=str(tmp_path / "secret"))["password"] == "other-secret"
    with pytest.raises(gs.ConfigurationError, match="variable NOT_THERE, which is not set"):
        options(password_env="NOT_THERE")["password"]
    with pytest.raises(gs.ConfigurationError, match="cannot be read: No such file"):
        options(password_file=str(tmp_path / "none"))["password"]


def test_no_text_has_a_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OF_A_TEST", "one-secret")
    made = options(password="plain-secret")
    assert repr(made) == "table=t, password=***"
    assert made.mask("login of plain-secret failed") == "login of *** failed"
    made = options(password_env="OF_A_TEST")
    assert repr(made) == "table=t, password_env=OF_A_TEST"
    assert made.mask("one-secret?") == "***?"
    spec = sink_spec("s", "v", "postgres", {"table": "t", "dsn": "postgresql://me:pw@h/d"})
    assert "pw" not in str(spec) and "dsn=user=me password=*** host=h dbname=d" in str(spec)
    assert repr(options(password="")) == "table=t", "an empty secret is none"
    with pytest.raises(gs.ConfigurationError) as failed:
        options(password=7)
    assert "7" not in str(failed.value)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("postgresql://me:pw@h/d", "postgresql://me:***@h/d"),
        ("host=h password=pw user=me", "host=h password=*** user=me"),
        ("password='a b\\'c' x", "password=*** x"),
        ("http://h:8123/", "http://h:8123/"),
        ("http://me:a@b@h:8123/", "http://me:***@h:8123/"),
        ("http://me:@h:8123/", "http://me:@h:8123/"),
        ("sslpassword=abc passwd=x api_key=y", "sslpassword=*** passwd=*** api_key=***"),
    ],
)
def test_connection_strings_are_masked(text: str, masked: str) -> None:
    assert mask_text(text) == masked


def test_unknown_formats_are_named() -> None:
    with pytest.raises(
        gs.ConfigurationError, match="no sink of format 'parket'; did you mean 'parq"
    ):
        sink_spec("s", "v", "parket", {})
    with pytest.raises(gs.ConfigurationError, match=r"must be a name or a gs\.Sink, got int"):
        sink_spec("s", "v", 7, {})  # type: ignore[arg-type]
    with pytest.raises(gs.ConfigurationError, match="'json' is there already"):
        gs.register_sink("json", lambda _: None)  # type: ignore[arg-type,return-value]


@pytest.mark.parametrize("kind", registry._OURS)
def test_the_page_has_every_option(kind: str) -> None:
    page = (ROOT / "docs" / "sinks.md").read_text("utf-8")
    assert f"`{kind}`" in page or kind == "postgresql"
    _, known = registry._find(kind)
    missing = [o.name for o in (*known, *registry.COMMON) if f"`{o.name}`" not in page]
    assert missing == []
