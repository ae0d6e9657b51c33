"""Unit tests of a dbt project by ``python -m groundswell test``, with dbt's own environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from groundswell.cli.main import DBT
from systems.servers import missing

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv-dbt" / "bin" / "python"
MODELS = {
    "raw_clicks.sql": "select cast(id as bigint) as id, upper(page) as page, price, at "
    "from {{ source('web', 'clicks') }}",
    "pages.sql": "select page, {{ var('what', 'count(*)') }} as n, {{ cents('sum(price)') }} as c, "
    "max(at) as last from {{ ref('raw_clicks') }} where {{ rule() }} group by page",
    "old.sql": "{{ config(materialized='incremental', alias='older') }} select id from "
    "{{ source('web', 'clicks') }} {% if is_incremental() %} where id not in "
    "(select id from {{ this }}) {% endif %}",
    "curious.sql": "select * from {{ source('web', 'clicks') }} where id = "
    "{% if execute %}{{ run_query('select 1').rows[0][0] }}{% else %}1{% endif %}",
    "schema.yml": """
sources:
  - name: web
    tables:
      - name: clicks
        columns:
          - {name: id, data_type: int}
          - {name: page, data_type: string}
          - {name: price, data_type: "decimal(10,2)"}
          - {name: at, data_type: timestamp}
      - name: bare
""",
    "bare.sql": "select id from {{ source('web', 'bare') }}",
}
MACROS = """
{% macro cents(x) %} cast(100 * {{ x }} as bigint) {% endmacro %}
{% macro rule() %} price > 0 {% endmacro %}
"""
TESTS = """
unit_tests:
  - name: columns of a model are those of its query
    model: pages
    given:
      - input: ref('raw_clicks')
        rows:
          - {page: A, price: 1.25, at: 2024-01-01 10:00:00}
          - {page: A, price: 2}
          - {page: B, price: 0, id: 7}
    expect:
      rows: [{page: A, n: 2, c: 325, last: "2024-01-01 10:00:00"}]
  - name: overrides
    model: pages
    overrides:
      vars: {what: min(id)}
      macros: {rule: "true", cents: "99"}
    given:
      - input: ref('raw_clicks')
        format: csv
        rows: |
          id,page
          5,A
          7,
    expect:
      rows: [{page: A, n: 5, c: 99}, {page: null, n: 7, c: 99}]
  - name: sql and a fixture
    model: raw_clicks
    given:
      - input: source('web', 'clicks')
        format: sql
        rows: select 1 as id, 'a' as page, 2.5 as price, timestamp'2024-01-01 10:00:00' as at
    expect: {format: csv, fixture: clicks_there}
  - name: incremental
    model: old
    overrides: {macros: {is_incremental: true}}
    given:
      - {input: this, rows: [{id: 1}]}
      - {input: "source('web', 'clicks')", rows: [{id: 1}, {id: 2}]}
    expect: {rows: [{id: 2}]}
  - name: types by sql
    model: bare
    given:
      - {input: "source('web', 'bare')", format: sql, rows: select 3L as id}
    expect: {format: sql, rows: select 3 as id}
  - name: other rows
    model: bare
    given:
      - {input: "source('web', 'bare')", format: sql, rows: select 3L as id}
    expect: {rows: [{id: 4}]}
  - name: no types
    model: bare
    given:
      - {input: "source('web', 'bare')", rows: [{id: 3}]}
    expect: {rows: [{id: 3}]}
  - name: asks the database
    model: curious
    given:
      - {input: "source('web', 'clicks')", rows: [{id: 3}]}
    expect: {rows: [{id: 3}]}
  - name: no such column
    model: raw_clicks
    given:
      - {input: "source('web', 'clicks')", rows: [{ident: 3}]}
    expect: {rows: []}
"""
PROJECT = "name: web\nversion: '1.0'\nprofile: web\nmodels: {+materialized: table}\n"
PROFILE = "web: {target: t, outputs: {t: {type: spark, method: session, host: h, schema: web}}}\n"
PASSES = (
    "pages: columns of a model are those of its query",
    "pages: overrides",
    "raw_clicks: sql and a fixture",
    "old: incremental",
    "bare: types by sql",
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    if not PYTHON.is_file():
        missing("dbt (make .venv-dbt/installed)")
    return tmp_path / "project"


def output_of(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    made = {
        **os.environ,
        "SHOP": str(folder / "no_such_folder"),
        "GROUNDSWELL_JAR": "none",
        "GROUNDSWELL_DBT": str(DBT),
        "PYSPARK_PYTHON": sys.executable,
        **variables,
    }
    command = [str(PYTHON), "-m", "groundswell", "test", str(folder), *words]
    return subprocess.run(command, env=made, text=True, capture_output=True, timeout=600)


def test_the_example_passes_without_a_location(project: Path) -> None:
    shutil.copytree(ROOT / "examples" / "dbt", project)
    (project / "packages.yml").unlink()  # what tests need is not in the package
    said = output_of(project)
    assert said.returncode == 0, said.stdout + said.stderr[-3000:]
    assert "2 tests, 0 failed" in said.stdout
    assert not (project / "no_such_folder").exists()


def test_what_dbts_unit_tests_say(project: Path) -> None:
    for name, text in {
        "dbt_project.yml": PROJECT,
        "profiles.yml": PROFILE,
        "macros/m.sql": MACROS,
        "models/tests.yml": TESTS,
        "tests/fixtures/clicks_there.csv": "id,page,price,at\n1,A,2.50,2024-01-01 10:00:00\n",
        **{f"models/{name}": text for name, text in MODELS.items()},
    }.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    said = output_of(project)
    assert said.returncode == 1, said.stdout + said.stderr[-3000:]
    passed = {line.split(" ", 2)[2].rsplit(" (", 1)[0] for line in said.stdout.splitlines()
              if line.startswith("passed")}  # fmt: skip
    assert passed == set(PASSES), said.stdout
    told = said.stdout[said.stdout.index("bare: other rows") :].splitlines()
    assert told[1:6] == [
        "  after the given rows: 1 missing, 1 unexpected, 0 as expected",
        "               | id",
        "    -----------+---",
        "    unexpected | 3",
        "    missing    | 4",
    ]
    assert "the types of the columns of source bare are not known. Give its columns" in said.stdout
    assert "the model asks the database while it is rendered" in said.stdout
    assert "there is no column 'ident'; there are id, page, price, at" in said.stdout
    assert "9 tests, 4 failed" in said.stdout


def test_a_project_that_dbt_cannot_read(project: Path) -> None:
    project.mkdir()
    (project / "dbt_project.yml").write_text(PROJECT)
    (project / "profiles.yml").write_text(PROFILE.replace("web:", "other:"))
    said = output_of(project)
    assert (said.returncode, said.stdout) == (1, "")
    assert "dbt cannot read the project: Runtime Error Could not find profile" in said.stderr
    (project / "profiles.yml").write_text(PROFILE)
    assert "has no unit_tests that are enabled" in output_of(project).stderr
