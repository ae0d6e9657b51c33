"""Models of dbt as incremental views, by dbt-spark's session method, in dbt's own environment."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import groundswell as gs
from groundswell.cli.main import DBT
from systems.servers import missing
from systems.spark_servers import THRIFT, running

ROOT = Path(__file__).resolve().parents[2]
ADA = {"customer": "Ada", "total": 90.0, "orders": 2}
GRACE = {"customer": "Grace", "total": 200.0, "orders": 1}
TABLE = "CREATE TABLE groundswell.shop.kept (customer STRING PRIMARY KEY, total DOUBLE)"
SINK = "CREATE SINK groundswell.shop.to_kept INTO groundswell.shop.kept FROM groundswell.shop.best"
SAY = "{% macro say(statement) %}{% do run_query(statement) %}{% endmacro %}"
PYTHON = ROOT / ".venv-dbt" / "bin" / "python"


class Project:
    """A copy of the example, with a process that runs dbt there."""

    def __init__(self, folder: Path) -> None:
        if not PYTHON.is_file():
            missing("dbt (make .venv-dbt/installed)")
        self.folder = folder / "project"
        self.home = folder / "shop"
        (self.home / "orders").mkdir(parents=True)
        shutil.copytree(ROOT / "examples" / "dbt", self.folder)
        (self.folder / "macros" / "say.sql").write_text(SAY)
        self.process: subprocess.Popen[str] | None = None
        self.confs: dict[str, str] = {}

    def run(self, *words: str) -> tuple[bool, str]:
        """Whether a command ended well, and what it printed."""
        if self.process is None:
            self.process = self._start()
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps(["--no-use-colors", *words]) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"dbt's process ended: {self.process.wait(60)}"
        done = json.loads(line)
        return done["green"], done["said"]

    def green(self, *words: str) -> str:
        green, said = self.run(*words)
        assert green, said[-6000:]
        return said

    def red(self, *words: str) -> str:
        green, said = self.run(*words)
        assert not green, said[-6000:]
        return said

    def _start(self) -> subprocess.Popen[str]:
        made = {
            **os.environ,
            "SHOP": str(self.home),
            "GROUNDSWELL_JAR": str(gs.jar_path()),
            "GROUNDSWELL_DBT": str(DBT),
            "PYSPARK_PYTHON": sys.executable,
            "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
            "SPARK_LOCAL_IP": "127.0.0.1",
            **self.confs,
        }
        return subprocess.Popen(
            [str(PYTHON), str(ROOT / "tests" / "systems" / "dbt_runs.py")],
            cwd=self.folder,
            env=made,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def close(self) -> None:
        """The next command is run by another process."""
        process, self.process = self.process, None
        if process is not None:
            process.communicate(timeout=120)

    def orders(self, name: str, *rows: str) -> None:
        """A new file of orders."""
        lines = ["id,customer,amount", *rows]
        (self.home / "orders" / name).write_text("\n".join(lines) + "\n")

    def model(self, name: str, text: str) -> None:
        (self.folder / "models" / f"{name}.sql").write_text(text)

    def text(self, name: str) -> str:
        return (self.folder / "models" / f"{name}.sql").read_text()

    def rows(self, view: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = gs.view_to_arrow(str(self.home / "views"), view).to_pylist()
        return sorted(found, key=str)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """After its first runs; each test leaves models that are as their views."""
    made = Project(tmp_path_factory.mktemp("dbt"))
    made.orders("1.csv", "1,1,70.0", "2,2,200.0", "3,1,20.0")
    made.green("deps")
    said = made.green("run")
    for view in ("revenue", "best"):
        assert f"{view}: recomputed, the view was not there" in said
        assert made.rows(view) == []
    made.green("run-operation", "add_customers", "--args", "{rows: \"(1, 'Ada'), (2, 'Grace')\"}")
    said = made.green("run")
    assert "revenue: 2 rows read, 2 changed" in said
    assert "incremental" in said
    assert made.rows("revenue") == [ADA, GRACE]
    yield made
    made.close()


def made_by(shop: Project, view: str) -> list[Any]:
    """Every statement about a view that was kept."""
    kept = sorted((shop.home / "views" / "groundswell" / "sql").glob("*.json"))
    texts = [json.loads(path.read_text())["content"]["statement"] for path in kept]
    return [text for text in texts if f"`{view}`" in text]


def test_an_unchanged_model_is_left_as_it_is(shop: Project) -> None:
    before = made_by(shop, "revenue")
    shop.close()  # another process has to recognise it
    shop.orders("2.csv", "4,2,5.0")
    said = shop.green("run")
    assert "revenue: 1 rows read, 2 changed" in said
    assert "recomputed" not in said
    assert shop.rows("best") == [{"customer": "Grace", "total": 205.0}]
    assert made_by(shop, "revenue") == before
    assert "revenue: 0 rows read, 0 changed" in shop.green("run")


def test_comments_and_spaces_are_no_change(shop: Project) -> None:
    text, before = shop.text("best"), made_by(shop, "best")
    lines = "-- don't count\n" + text.replace(" from", "\n\n  /* nor 'this' */ from") + ";\n"
    shop.model("best", lines)
    settings = shop.folder / "dbt_project.yml"
    project = settings.read_text()
    settings.write_text(project + "query-comment: {comment: behind, append: true}\n")
    assert "recomputed" not in shop.green("run", "--select", "best")
    settings.write_text(project)
    shop.model("best", text)
    assert made_by(shop, "best") == before


def test_a_changed_model_is_replaced(shop: Project) -> None:
    text = shop.text("best")
    shop.model("best", text.replace("customer, total", "total, upper(customer) as customer"))
    assert "best: recomputed, the model changed" in shop.green("run", "--select", "best")
    assert [row["customer"] for row in shop.rows("best")] == ["GRACE"]
    shop.model("best", text)
    assert "best: recomputed, the model changed" in shop.green("run", "--select", "best")
    assert [row["customer"] for row in shop.rows("best")] == ["Grace"]


def test_a_text_with_other_spaces_is_a_change(shop: Project) -> None:
    text = shop.text("best")
    for spaces in (" ", "  "):
        shop.model("best", f"select 'a{spaces}b' as customer, total from {{{{ ref('revenue') }}}}")
        assert "best: recomputed, the model changed" in shop.green("run", "--select", "best")
        assert {row["customer"] for row in shop.rows("best")} == {f"a{spaces}b"}
    shop.model("best", text)
    shop.green("run", "--select", "best")


def test_a_changed_model_that_others_read(shop: Project) -> None:
    text, rows = shop.text("revenue"), shop.rows("revenue")
    shop.model("revenue", text.replace("sum(o.amount)", "2 * sum(o.amount)"))
    said = shop.red("run")
    assert "cannot be replaced: it is read by best" in said
    assert "dbt run --full-refresh --select revenue+" in said
    assert shop.rows("revenue") == rows
    said = shop.red("run", "--full-refresh", "--select", "revenue")
    assert "model best reads it, and is not part of this run" in said
    assert shop.rows("revenue") == rows
    best = shop.text("best")
    shop.model("best", "{{ config(full_refresh=false) }} " + best)
    said = shop.red("run", "--full-refresh", "--select", "revenue+")
    assert "model best reads it, and has full_refresh: false" in said
    assert shop.rows("revenue") == rows
    shop.model("best", best)
    said = shop.green("run", "--full-refresh", "--select", "revenue+")
    assert "revenue: recomputed, --full-refresh" in said
    assert [row["total"] for row in shop.rows("revenue")] == [2 * row["total"] for row in rows]
    assert [row["customer"] for row in shop.rows("best")] == ["Ada", "Grace"]
    shop.model("revenue", text)
    shop.green("run", "--full-refresh")
    assert shop.rows("revenue") == rows


def test_the_view_of_a_removed_model_is_told_before_anything_is_dropped(shop: Project) -> None:
    rows = {view: shop.rows(view) for view in ("revenue", "best")}
    shop.model("old", "select customer, orders from {{ ref('revenue') }}")
    shop.green("run", "--select", "old")
    (shop.folder / "models" / "old.sql").unlink()
    shop.green("run")  # the others go on
    said = shop.red("run", "--full-refresh")
    assert "view old reads it, and is not a model of this project" in said
    assert "DROP MATERIALIZED VIEW groundswell.`shop`.`old`" in said
    assert {view: shop.rows(view) for view in rows} == rows
    said = shop.red("run", "--full-refresh", "--select", "revenue")
    assert "model best reads it, and is not part of this run" in said
    shop.green("run", "--full-refresh", "--select", "best")  # which it does not read
    gone = {"statement": "DROP MATERIALIZED VIEW groundswell.shop.old"}
    shop.green("run-operation", "say", "--args", json.dumps(gone))
    assert "revenue: recomputed, --full-refresh" in shop.green("run", "--full-refresh")
    assert {view: shop.rows(view) for view in rows} == rows


def test_a_sink_keeps_its_view(shop: Project) -> None:
    """It follows a view that is replaced. It is no model, so nobody would make it again."""
    text, rows = shop.text("best"), shop.rows("best")
    for statement in (TABLE, SINK):
        shop.green("run-operation", "say", "--args", json.dumps({"statement": statement}))
    try:
        said = shop.red("run", "--select", "best", "--full-refresh")
        assert "sink to_kept reads it, and is not a model of this project" in said
        said = shop.red("run", "--full-refresh")
        assert "DROP SINK groundswell.`shop`.`to_kept`" in said
        assert shop.rows("best") == rows
        shop.model("best", text.replace("100", "50"))
        assert "recomputed, the model changed" in shop.green("run", "--select", "best")
        assert shop.rows("kept") == shop.rows("best") != rows
    finally:
        gone = {"statement": "DROP SINK groundswell.shop.to_kept"}
        shop.green("run-operation", "say", "--args", json.dumps(gone))
        shop.model("best", text)
        shop.green("run", "--select", "best")
    assert shop.rows("best") == rows


def test_options_of_the_view(shop: Project) -> None:
    text = shop.text("best")
    shop.model("best", "{{ config(options={'changelog': 'true'}) }}" + text)
    assert "best: recomputed, the model changed" in shop.green("run", "--select", "best")
    assert "`changelog` = 'true'" in made_by(shop, "best")[-1]
    assert "best: 0 rows read" in shop.green("run", "--select", "best")
    shop.model("best", text)
    shop.green("run", "--select", "best")


def test_tests_and_docs(shop: Project) -> None:
    assert "PASS=9" in shop.green("test")
    shop.green("docs", "generate")
    catalog = json.loads((shop.folder / "target" / "catalog.json").read_text())
    columns = catalog["nodes"]["model.shop.revenue"]["columns"]
    assert {name: each["type"] for name, each in columns.items()} == {
        "customer": "string",
        "total": "double",
        "orders": "long",
    }
    assert "name" in catalog["sources"]["source.shop.shop.customers"]["columns"]
    assert "Grace" in shop.green("show", "--select", "best")


def test_a_model_over_an_ephemeral_one(shop: Project) -> None:
    many = "select * from {{ ref('revenue') }} where orders > 1"
    shop.model("many", "{{ config(materialized='ephemeral') }} " + many)
    shop.model("often", "select customer from {{ ref('many') }} where customer < 'B'")
    assert "often: recomputed, the view was not there" in shop.green("run", "--select", "often")
    assert shop.rows("often") == [{"customer": "Ada"}]
    text = shop.text("revenue")
    shop.model("revenue", text.replace("join", "left join"))
    assert "it is read by best, often" in shop.red("run", "--select", "revenue")
    shop.model("revenue", text)
    assert "ERROR=0" in shop.green("run", "--threads", "4")


def test_models_are_kept_by_a_thrift_server(tmp_path: Path) -> None:
    """Each of dbt's connections is a session of its own there, and ends before the next."""
    made = Project(tmp_path)
    confs = {
        "spark.sql.defaultCatalog": "groundswell",
        "spark.groundswell.pipeline.shop": str(made.home / "views"),
    }
    made.orders("1.csv", "1,1,70.0", "2,2,200.0", "3,1,20.0")
    with running(THRIFT, tmp_path, **confs) as port:
        made.confs["THRIFT_PORT"] = str(port)
        made.green("deps")
        rows = "{rows: \"(1, 'Ada'), (2, 'Grace')\"}"
        said = made.green("run", "--target", "thrift")
        assert "revenue: recomputed, the view was not there" in said
        made.green("run-operation", "add_customers", "--args", rows, "--target", "thrift")
        said = made.green("run", "--target", "thrift")
        assert "revenue: 2 rows read, 2 changed" in said
        assert "incremental" in said
        assert made.rows("revenue") == [ADA, GRACE]
        made.green("test", "--target", "thrift", "--exclude-resource-type", "unit_test")
        assert "revenue: 0 rows read, 0 changed" in made.green("run", "--target", "thrift")
        made.close()
