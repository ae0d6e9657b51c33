"""``groundswell refresh``: one file over a topic, a server, a folder and a lake table."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import groundswell as gs
from systems.bank import Bank
from systems.jars import connector
from systems.servers import Kafka, Postgres
from systems.topics import Input
from unit.sources import iceberg_tables as lake

pytest.importorskip("pyiceberg", reason="not installed: pip install '.[iceberg]'")

VIEWS = """
CREATE MATERIALIZED VIEW by_account AS
  SELECT a.owner, sum(o.v) AS v FROM orders o JOIN accounts a ON a.id = o.account GROUP BY a.owner;
CREATE MATERIALIZED VIEW clicks_n AS SELECT count(*) AS n, sum(n) AS s FROM clicks;
CREATE MATERIALIZED VIEW stock_n AS SELECT count(*) AS n, sum(v) AS s FROM stock;
"""
"""One view for each source but the first, which joins two: so all are read to the same barrier."""


def sources(topic: Input, bank: Bank, clicks: Path, folder: Path) -> str:
    of_lake = lake.properties(folder)
    return f"""
CREATE TABLE orders (id bigint, account int, v bigint, PRIMARY KEY (id)) WITH (connector = 'kafka',
  topic = '{topic.name}', properties.bootstrap.server = '{topic.server.servers}')
  FORMAT UPSERT ENCODE JSON;
CREATE TABLE accounts (*) WITH (connector = 'postgres', hostname = '127.0.0.1',
  port = '{bank.server.port}', username = 'owner', password_env = 'BANK_PASSWORD',
  database.name = 'postgres', table.name = 'accounts');
CREATE SOURCE clicks (n bigint) WITH (connector = 'parquet', path = '{clicks}');
CREATE SOURCE stock WITH (connector = 'iceberg', table = 'shop.stock', catalog = 'test',
  type = 'sql', uri_env = 'LAKE_URI', warehouse = '{of_lake["warehouse"]}');
"""


def refresh(file: Path, jars: str) -> dict[str, list[str]]:
    """What the command printed of each view: its cells."""
    command = [sys.executable, "-m", "groundswell", "refresh", str(file), "--master", "local[2]"]
    command += ["--conf", f"spark.jars={jars}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    lines = (line.split() for line in done.stdout.splitlines() if line)
    return {line[0]: line[1:] for line in lines if line[0] in ("by_account", "clicks_n", "stock_n")}


def check(
    location: Path,
    orders: dict[int, tuple[int, int]],
    owners: dict[int, str],
    numbers: list[int],
    stock: list[int],
) -> None:
    """The views as the rows of all sources say, computed here."""
    sums: Counter[str] = Counter()
    for account, v in orders.values():
        sums[owners[account]] += v

    def view(name: str) -> list[tuple[object, ...]]:
        found = gs.view_to_arrow(str(location), name).to_pylist()
        return sorted(tuple(row.values()) for row in found)

    assert view("by_account") == sorted(sums.items())
    assert view("clicks_n") == [(len(numbers), sum(numbers))]
    assert view("stock_n") == [(len(stock), sum(stock))]


def test_a_refresh_reads_every_source_to_its_end(
    postgres: Postgres,
    kafka: Kafka,
    jar: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bank, topic, clicks, folder = Bank(postgres), Input(kafka), tmp_path / "clicks", tmp_path / "l"
    monkeypatch.setenv("BANK_PASSWORD", postgres.PASSWORD)
    monkeypatch.setenv("LAKE_URI", lake.properties(folder)["uri"])
    clicks.mkdir()
    file = tmp_path / "refreshed.sql"
    table = lake.create(folder, pa.schema([("id", pa.int64()), ("v", pa.int64())]), "shop.stock")
    barriers = "maxBarrierRows = 7"  # so that no source is at its end after one barrier
    file.write_text(
        f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}' WITH ({barriers});\n"
        + sources(topic, bank, clicks, folder)
        + VIEWS
    )
    orders = {i: (i % 10 + 1, i) for i in range(40)}
    topic.send(*(({"id": i}, {"id": i, "account": a, "v": v}) for i, (a, v) in orders.items()))
    owners = {i: f"o{i}" for i in range(1, 11)}
    numbers = list(range(30))
    pq.write_table(pa.table({"n": numbers[:15]}), clicks / "1.parquet")
    pq.write_table(pa.table({"n": numbers[15:]}), clicks / "2.parquet")
    for part in range(3):
        table.append(pa.table({"id": [part] * 10, "v": list(range(10))}))
    stock = [v for _ in range(3) for v in range(10)]
    jars = f"{jar},{connector()}"

    first = refresh(file, jars)
    assert all("full" in " ".join(cells) for cells in first.values())
    check(tmp_path / "p", orders, owners, numbers, stock)

    topic.send(*(({"id": i}, {"id": i, "account": 3, "v": 1000 + i}) for i in range(20)))
    topic.send(*(({"id": i}, None) for i in range(30, 40)))
    orders = {i: (3, 1000 + i) if i < 20 else orders[i] for i in range(30)}
    bank.run("UPDATE accounts SET owner = 'nobody' WHERE id > 5")
    owners = {i: "nobody" if i > 5 else f"o{i}" for i in owners}
    numbers = [*numbers, *range(100, 120)]
    pq.write_table(pa.table({"n": numbers[30:]}), clicks / "3.parquet")
    table.append(pa.table({"id": [9] * 9, "v": [7] * 9}))
    table.delete("id = 0")
    stock = [*range(10), *range(10), *[7] * 9]
    second = refresh(file, jars)
    assert "incremental" in second["by_account"]
    check(tmp_path / "p", orders, owners, numbers, stock)
    assert all("nothing" in cells for cells in refresh(file, jars).values())
