"""Passwords in statements: what is refused, what is shown with stars."""

from pathlib import Path
from urllib.parse import quote

import pytest

from groundswell.errors import ConfigurationError
from groundswell.sinks.options import SinkOption
from groundswell.sinks.registry import register_sink
from groundswell.sql.connecting.references import resolved
from groundswell.sql.defining.masking import check_no_secrets, check_statement, masked
from unit.sql.reading import read


def test_secrets_are_stars() -> None:
    text = (
        "CREATE SINK k FROM v WITH (connector = 'jdbc', password = 'a''b', "
        "clickhouse.password = \"c\", user = 'd', aws.secret_key='e', "
        "dsn = 'host=h password=f user=g', url = 'postgresql://app:i@db/shop')"
    )
    assert masked(text) == (
        "CREATE SINK k FROM v WITH (connector = 'jdbc', password = '***', "
        "clickhouse.password = '***', user = 'd', aws.secret_key='***', "
        "dsn = 'host=h password=*** user=g', url = 'postgresql://app:***@db/shop')"
    )


ODD = ["p w", "a%b", "a@b", "a:b", "it's", 'q"q', "b\\s", "pä€", "x;y", "a&b", "a#b/c", "{a b}"]


@pytest.mark.parametrize("password", [*ODD, *(quote(each, safe="") for each in ODD)])
@pytest.mark.parametrize(
    ("option", "form"),
    [
        ("url", "https://me:{}@host/p"),
        ("url", "jdbc:postgresql://h/db?user=u&password={}"),
        ("url", "jdbc:oracle:thin:scott/{}@//h:1521/x"),
        ("url", "jdbc:mysql://me:{}@h/db"),
        ("dsn", "host=h password={}"),
        ("dsn", "postgresql://me:{}@h/db"),
        ("schema.registry", "https://me:{}@h:8081"),
        ("path", "s3a://key:{}@bucket/x"),
        ("servers", "me:{}@h:9092,h2:9092"),
        ("kafka.bootstrap.servers", "h2:9092, me:{}@h:9092"),
        ("kafka.sasl.jaas.config", "x.Module required password={};"),
        ("api_key", "{}"),
    ],
)
def test_an_odd_password_is_neither_kept_nor_shown(option: str, form: str, password: str) -> None:
    value = form.format(password)
    with pytest.raises(ConfigurationError) as e:
        check_no_secrets("sink k", {option: value})
    shown = masked(f"CREATE SINK k FROM v WITH ({option} = {in_quotes(value)})")
    assert password not in str(e.value)
    assert in_quotes(password)[1:-1] not in shown
    last = in_quotes(password.split(" ")[-1])[1:-1]
    assert f"{last}@" not in shown


def in_quotes(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def test_secrets_are_refused_and_references_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for options in [
        {"password": "hush"},
        {"kafka.sasl.jaas.config": "x password='hush'"},
        {"dsn": "host=h password=hush"},
        {"url": "https://me:hush@host"},
    ]:
        with pytest.raises(ConfigurationError, match=r"_env = .*_file = ") as e:
            check_no_secrets("sink k", options)
        assert "hush" not in str(e.value)
    file = tmp_path / "secret"
    file.write_text("from a file\n", "utf-8")
    monkeypatch.setenv("SHOP_TOKEN", "from outside")
    given = {"path": "/a", "token_env": "SHOP_TOKEN", "kafka.ssl.key.password_file": str(file)}
    check_no_secrets("source s", given)
    assert resolved("source s", given) == {
        "path": "/a",
        "token": "from outside",
        "kafka.ssl.key.password": "from a file",
    }
    with pytest.raises(ConfigurationError, match="NOT_THERE, which is not set"):
        resolved("source s", {"token_env": "NOT_THERE"})


@pytest.mark.parametrize(
    "option",
    [
        "kafka.ssl.keystore.key",
        "properties.ssl.key.password",
        "kafka.basic.auth.user.info",
        "properties.sasl.jaas.config",
        "properties.sasl.oauthbearer.client.credentials.secret",
    ],
)
def test_what_is_not_on_the_list_of_plain_options_is_not_kept(option: str) -> None:
    """A pattern of names that sound like secrets let these, and others, into the log."""
    kept = f"{option} = 'hush'" if "." not in option else f"\"{option}\" = 'hush'"
    text = f"CREATE SOURCE s WITH (connector = 'kafka', topic = 't', {kept})"
    with pytest.raises(ConfigurationError, match=r"_env = .*_file = ") as e:
        check_statement(read(text))
    assert "hush" not in str(e.value)
    assert "hush" not in masked(text)


@pytest.mark.parametrize(
    "option",
    [
        "sslpassword",
        "basic.auth.user.info",
        "api_key",
        "account_key",
        "passphrase",
        "pwd",
        "passwd",
        "pasword",
    ],
)
def test_unknown_options_are_taken_for_secrets(option: str) -> None:
    with pytest.raises(ConfigurationError, match="may hold a secret") as e:
        check_no_secrets("sink k", {option: "hush"})
    assert "hush" not in str(e.value)
    check_no_secrets("sink k", {option: "", f"{option}_env": "NAME"})
    assert "'hush'" not in masked(f"CREATE SINK k FROM v WITH (connector = 'x', {option} = 'hush')")


def test_what_a_sink_declares_a_secret_is_one_whatever_it_is_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("groundswell.sinks.registry._users", {})
    register_sink("safe", lambda _: None, [SinkOption("user", "a pass phrase", secret=True)])  # type: ignore[arg-type,return-value]
    with pytest.raises(ConfigurationError, match="option user may hold a secret") as e:
        check_statement(read("CREATE SINK k FROM v WITH (connector = 'safe', user = 'hush')"))
    assert "hush" not in str(e.value)
    check_statement(read("CREATE SINK k FROM v WITH (connector = 'safe', user_env = 'NAME')"))
    given = "connector = 'jdbc', url = 'jdbc:h2:mem:x', table = 't', password = 'hush'"
    with pytest.raises(ConfigurationError, match=r"password_file = '\.\.\.'\.$"):  # it is no slip
        check_statement(read(f"CREATE SINK k FROM v WITH ({given})"))


def test_a_statement_with_an_unknown_option_is_refused_before_it_is_kept() -> None:
    for text, error in [
        ("CREATE SOURCE s (a int) WITH (connector = 'csv', path = '/a', sepp = ';')", "'sep'"),
        ("CREATE SINK k FROM v WITH (connector = 'kafka', topick = 'x')", "mean 'topic'"),
        ("CREATE TABLE t WITH (connector = 'postgres', hostnam = 'h')", "mean 'hostname'"),
        ("CREATE MATERIALIZED VIEW v WITH (errorz = 'x') AS SELECT 1", "mean 'errors'"),
    ]:
        with pytest.raises(ConfigurationError, match=error):
            check_statement(read(text))
    plain = (
        "CREATE SOURCE s WITH (connector = 'kafka', topic = 't', "
        "properties.bootstrap.server = 'h:9092', \"kafka.fetch.max.wait.ms\" = '5', "
        "\"kafka.security.protocol\" = 'SASL_SSL')"
    )
    check_statement(read(plain))
    assert masked(plain) == plain


def test_only_options_are_masked() -> None:
    text = "CREATE MATERIALIZED VIEW v AS SELECT * FROM t WHERE token = 'a' AND password = 'b'"
    assert masked(text) == text
    text = "CREATE SINK k FROM v WITH (connector = 'x', password_env = 'E', secret = 'c')"
    assert masked(text) == text.replace("'c'", "'***'")
