"""The demos on real servers, which check themselves."""

from __future__ import annotations

import json
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from systems.chromium import browse, chromium
from systems.servers import ClickHouse, Kafka, Postgres

sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "systems"))


def test_carts(
    streams: SparkSession,
    kafka: Kafka,
    clickhouse: ClickHouse,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    import carts

    topic = f"cart-events-{clickhouse.port}"
    picture = carts.main(streams, tmp_path, kafka, clickhouse, topic)
    assert picture.stat().st_size > 20_000
    assert "what batch Spark makes" in capsys.readouterr().out


def test_orders(
    streams: SparkSession, postgres: Postgres, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import orders

    picture = orders.main(streams, tmp_path, postgres)
    assert picture.stat().st_size > 20_000
    assert "what batch Spark makes" in capsys.readouterr().out


def test_votes(
    streams: SparkSession,
    kafka: Kafka,
    postgres: Postgres,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    import votes

    picture = votes.main(streams, tmp_path, kafka, postgres, "votes-of-the-test")
    assert picture.stat().st_size > 20_000
    assert "what batch Spark makes" in capsys.readouterr().out


def test_promotions(
    streams: SparkSession, postgres: Postgres, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import promotions

    picture = promotions.main(streams, tmp_path, postgres, rounds=6)
    assert picture.stat().st_size > 20_000
    assert "what batch Spark makes" in capsys.readouterr().out


@contextmanager
def in_front_of(address: str, before_second: Callable[[], None]) -> Iterator[str]:
    """A server that hands on what it is asked, and acts before the second refresh of a page."""
    refreshes = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.endswith("charts.json"):
                refreshes.append(self.path)
                if len(refreshes) == 2:
                    before_second()
            with urllib.request.urlopen(address + self.path, timeout=60) as answer:
                body = answer.read()
                self.send_response(answer.status)
                self.send_header("Content-Type", answer.headers["Content-Type"])
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, *args: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_the_dashboard_in_a_browser_follows_the_orders(
    streams: SparkSession, postgres: Postgres, tmp_path: Path
) -> None:
    import orders

    chromium()
    shop = orders.Shop(streams, tmp_path, postgres)
    try:
        shop.put(*orders.FIRST)
        new = (1000002, 100006, 7, Decimal("1000.50"), date(2020, 6, 26), "<b>T</b>")

        with in_front_of(shop.dashboard.address, lambda: shop.put(new)) as address:
            url = f"{address}/orders/"
            page = browse(tmp_path, "--virtual-time-budget=4000", "--dump-dom", url)
        assert page.count("<section>") == 4
        assert "Espresso machine" in page  # a name of the shop's own database
        assert "$6,974" in page  # 3 * 993.99 + 3 * 751.99 + 4 * 433.99: the turnover of FM
        assert "$7,004" in page and "Coffee beans" in page  # came after the page was loaded
        assert "&lt;b&gt;T&lt;/b&gt;" in page  # a name is no markup
        assert 'class="lost"' not in page
        assert shop.check() == 4
        with urllib.request.urlopen(f"{shop.dashboard.address}/orders/charts.json") as answer:
            charts = json.load(answer)["charts"]
        assert charts[0]["bars"] == [["<b>T</b>", 7003.5], ["FM", 6973.9]]
    finally:
        shop.close()


def test_views_are_read_from_their_own_database_and_never_written(postgres: Postgres) -> None:
    from dashboard.server import Dashboard

    board = Dashboard(postgres, "apart")
    try:
        board.start()
        told = board.manage(
            "shell",
            "--command",
            "from dashboard.models import Item, TopStates\n"
            "from django.db import connections\n"
            "print(Item.objects.db, TopStates.objects.db)\n"
            "print(connections['default'].introspection.table_names())\n"
            "print(connections['views'].introspection.table_names())\n"
            "try:\n    TopStates(state='CA', turnover=1).save()\n"
            "except NotImplementedError as e:\n    print(e)\n",
        )
        assert "default views" in told
        assert "['dashboard_item', 'django_migrations']" in told
        assert "[]" in told  # no table of Django's is beside the views
        assert "a view changes when" in told
    finally:
        board.close()
