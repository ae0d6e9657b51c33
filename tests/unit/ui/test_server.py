"""Who may read a page, and what the server gives."""

import http.client
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from groundswell.cli.main import main
from groundswell.ui import metrics
from groundswell.ui.documents import PipelineReader
from groundswell.ui.server import Server, has_several_users, is_loopback
from unit.ui.location import SCRIPT, START, make

ROOT = Path(__file__).resolve().parents[3]
Open = Callable[..., Server]
Answer = tuple[int, dict[str, str], str]


@pytest.fixture
def open_server(tmp_path: Path) -> Iterator[Open]:
    servers: list[Server] = []

    def opened(host: str = "127.0.0.1", **more: str) -> Server:
        more.setdefault("token", "")
        servers.append(Server(make(tmp_path, view=SCRIPT), host, 0, **more).start())
        return servers[-1]

    yield opened
    for server in servers:
        server.stop()


def ask(server: Server, path: str, method: str = "GET", **headers: str) -> Answer:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    connection.request(method, path, headers={k.replace("_", "-"): v for k, v in headers.items()})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, dict(answer.getheaders()), text


def test_a_page_and_its_parts(open_server: Open) -> None:
    server = open_server()
    status, headers, page = ask(server, "/")
    assert status == 200 and "<!doctype html>" in page and SCRIPT not in page
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert headers["Cache-Control"] == "no-store"
    for path in ("/style.css", "/page.js", "/body", "/body?state=view-1&partition=0"):
        assert ask(server, path)[0] == 200, path
    assert "no partition 7" in ask(server, "/body?state=nix&partition=7")[2]
    assert ask(server, "/../../etc/passwd")[0] == 404
    assert ask(server, "/", "POST")[0] == 501
    assert ask(server, "/", "HEAD")[2] == ""


def test_a_foreign_name_for_this_machine_gets_nothing(open_server: Open) -> None:
    server = open_server()
    assert ask(server, "/", Host="evil.example")[0] == 421
    assert ask(server, "/", Host=f"localhost:{server.port}")[0] == 200
    assert ask(server, "/", Host="[::1]:1")[0] == 200


def test_elsewhere_a_token_is_needed(open_server: Open) -> None:
    server = open_server("0.0.0.0")
    token = server.link.partition("?token=")[2]
    assert len(token) >= 32
    assert ask(server, "/")[0] == 401
    assert ask(server, "/metrics/prometheus")[0] == 401
    assert ask(server, "/?token=wrong")[0] == 401
    status, headers, _ = ask(server, f"/?token={token}")
    assert (status, headers["Location"]) == (303, "/")
    cookie = headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
    assert ask(server, "/", Cookie=cookie.partition(";")[0])[0] == 200
    assert ask(server, "/", Authorization=f"Bearer {token}")[0] == 200
    assert ask(server, "/", Cookie="groundswell=é".encode().decode("latin-1"))[0] == 401


def test_on_a_host_with_several_users_a_token_is_needed_by_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every user of the machine could read the page."""
    location = make(tmp_path, view=SCRIPT)
    for several, status in [(True, 401), (False, 200)]:
        monkeypatch.setattr("groundswell.ui.server.has_several_users", lambda s=several: s)
        server = Server(location).start()
        try:
            assert ask(server, "/")[0] == status
            assert ("?token=" in server.link) == several
            token = server.link.partition("?token=")[2]
            assert ask(server, "/", Authorization=f"Bearer {token}")[0] == 200
        finally:
            server.stop()
    assert has_several_users() in (True, False)


def test_people_are_counted_by_their_accounts(monkeypatch: pytest.MonkeyPatch) -> None:
    def account(uid: int, shell: str = "/bin/bash") -> SimpleNamespace:
        return SimpleNamespace(pw_uid=uid, pw_shell=shell)

    accounts = [account(0), account(33, "/usr/sbin/nologin"), account(65534)]
    monkeypatch.setattr("pwd.getpwall", lambda: accounts)
    monkeypatch.setattr("os.getuid", lambda: 1000)
    assert not has_several_users()
    accounts.append(account(1000))
    assert not has_several_users()
    accounts.append(account(1001, "/bin/false"))
    assert not has_several_users()
    accounts.append(account(1002))
    assert has_several_users()


def test_a_token_can_be_asked_for_here_too(open_server: Open) -> None:
    server = open_server(token="s3cret")
    assert ask(server, "/")[0] == 401
    assert ask(server, "/", Authorization="Bearer s3cret")[0] == 200


def test_loopback_names() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "127.9.9.9", "::1", "[::1]", "localhost")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "10.0.0.1", "127.0.0.1.evil.example", "")))


def test_the_command_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ui", str(tmp_path)]) == 1
    assert "not the checkpointLocation" in capsys.readouterr().err


LINE = re.compile(
    r'([a-z_]+)(\{[a-z]+="(?:[^"\\\n]|\\.)*"(?:,[a-z]+="(?:[^"\\\n]|\\.)*")*\})? (\S+)'
)


def test_metrics_are_of_prometheus_format(open_server: Open) -> None:
    status, headers, text = ask(open_server(), "/metrics/prometheus")
    assert status == 200 and headers["Content-Type"] == metrics.CONTENT_TYPE
    for line in text.splitlines():
        assert line.startswith("# ") or LINE.fullmatch(line), line
    assert "groundswell_up 1" in text


def test_expectations_and_what_stores_did_are_exported(tmp_path: Path) -> None:
    text = metrics.exposition(PipelineReader(make(tmp_path)).picture(START + 9000))
    for line in (
        'groundswell_expectation_rows{of="pages",constraint="positive",outcome="passed"} 165',
        'groundswell_expectation_rows{of="pages",constraint="positive",outcome="failed"} 15',
        'groundswell_cache_blocks{outcome="hit"} 270',
        'groundswell_cache_blocks{outcome="miss"} 30',
        'groundswell_state_lookups{operator="1",kind="aggregate"} 150',
        'groundswell_filter_negatives{operator="1",kind="aggregate"} 120',
        'groundswell_filter_false_positives{operator="1",kind="aggregate"} 6',
        'groundswell_compactions{operator="1",kind="aggregate"} 3',
        'groundswell_compaction_bytes{operator="1",kind="aggregate"} 12288',
    ):
        assert line in text.splitlines()


def exported(location: str) -> set[str]:
    text = metrics.exposition(PipelineReader(location).picture(START + 9000))
    return {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")}


def test_every_metric_is_exported_and_documented(tmp_path: Path) -> None:
    names = {metric.name for metric in metrics.ALL}
    assert exported(make(tmp_path)) | {"groundswell_failing_rows"} == names
    page = (ROOT / "docs" / "metrics.md").read_text("utf-8")
    assert {name for name in names if f"`{name}`" not in page} == set()
    assert metrics.exposition("gone").splitlines()[-1] == "groundswell_up 0"


@pytest.mark.parametrize("name", ["groundswell-dashboard.json", "groundswell-alerts.yml"])
def test_dashboard_and_alerts_name_metrics_that_there_are(name: str) -> None:
    text = (ROOT / "docs" / "monitoring" / name).read_text("utf-8")
    used = set(re.findall(r"groundswell_\w+", text))
    assert used and used <= {metric.name for metric in metrics.ALL}
    if name.endswith(".json"):
        panels = json.loads(text)["panels"]
        assert len({panel["id"] for panel in panels}) == len(panels) > 5
