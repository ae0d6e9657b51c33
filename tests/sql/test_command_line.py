"""``python -m groundswell run`` and ``sql``, as they are typed."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT

pytestmark = pytest.mark.rest


def groundswell(*arguments: str, lines: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "groundswell", *arguments]
    return subprocess.run(command, input=lines, capture_output=True, text=True, timeout=300)


def test_a_file_is_run_to_its_end(jar: Path, tmp_path: Path) -> None:
    file = str(ROOT / "examples" / "votes.sql")
    done = groundswell(
        "run", file, "--once", "--checkpoint", str(tmp_path / "c"), "--master", "local[2]"
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "1         2\n2         2\n(2 rows)" in done.stdout
    assert "epoch 0: " in done.stdout


def test_an_error_of_syntax_ends_before_spark_starts(tmp_path: Path) -> None:
    file = tmp_path / "wrong.sql"
    file.write_text("SELECT 1;\nCREATE PIPELINE p;\n")
    done = groundswell("run", str(file))
    assert done.returncode == 1
    assert f"error: {file}, line 2, column 18: expected LOCATION" in done.stderr
    assert groundswell("run", str(tmp_path / "none.sql")).returncode == 1


def test_the_files_of_the_page_on_tests_pass(jar: Path, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "how-to" / "test-a-view.md").read_text("utf-8")
    votes, shop = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    (statements,) = re.findall(r"```sql\n(.*?)```", page, re.DOTALL)
    (tmp_path / "votes_test.yml").write_text(votes)
    (tmp_path / "shop.sql").write_text(statements)
    (tmp_path / "shop_test.yml").write_text(shop.replace("[[bob, 11]]", "[[bob, 12]]"))
    done = groundswell("test", str(tmp_path), "--filter", "VOTES are")
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    assert "votes_test.yml: votes are counted (" in done.stdout
    assert "1 test, 0 failed" in done.stdout
    done = groundswell("test", str(tmp_path))
    assert done.returncode == 1
    assert "3 tests, 1 failed" in done.stdout
    assert f"FAILED {tmp_path}/shop_test.yml: best of given revenues (" in done.stdout
    assert "  missing    | bob  | 12.0" in done.stdout
    done = groundswell("test", str(tmp_path), "--filter", "nobody")
    assert done.returncode == 1 and "error: no test has 'nobody'" in done.stderr


def test_the_shell_reads_a_pipe(jar: Path) -> None:
    done = groundswell("sql", "--master", "local[1]", lines="SELECT 40 +\n2 AS n;\nquit\n")
    assert done.returncode == 0, done.stderr[-3000:]
    assert "n\n--\n42\n(1 row)" in done.stdout


def test_a_write_that_is_refused_is_told_without_stacks(jar: Path, tmp_path: Path) -> None:
    lines = (
        f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}';\nCREATE TABLE t (id int CHECK (id > 0));\n"
        "INSERT INTO t VALUES (-1);\nquit\n"
    )
    done = groundswell("sql", "--master", "local[1]", lines=lines)
    assert "1 row does not meet constraint id_check" in done.stdout + done.stderr
    assert "Aborting" not in done.stderr and "\tat " not in done.stderr, done.stderr[-3000:]


@pytest.mark.parametrize(
    ("conf", "told"),
    [
        (
            "spark.groundswell.memtableSize=lots",
            "spark.groundswell.memtableSize = lots: a size such as 512m is wanted",
        ),
        ("spark.sql.shuffle.partitions=x", "The value 'x' in the config"),
        ("spark.driver.memory=10q", "its JVM has ended, and says why above"),
    ],
)
def test_what_spark_does_not_start_with_is_told_in_a_line(jar: Path, conf: str, told: str) -> None:
    done = groundswell("sql", "--master", "local[1]", "--conf", conf)
    last = done.stderr.splitlines()[-1]
    assert done.returncode == 1 and last.startswith("error: Spark does not start: "), done.stderr
    assert told in last and last.endswith(f"{conf.replace('=', ' = ')})")
    assert "Traceback" not in done.stderr and "\tat " not in done.stderr


@pytest.mark.parametrize(
    ("how", "group"),
    [(signal.SIGTERM, False), (signal.SIGINT, False), (signal.SIGTERM, True)],
    ids=["SIGTERM", "SIGINT", "SIGTERM-to-all"],
)
def test_a_job_goes_on_until_it_is_stopped(
    jar: Path, tmp_path: Path, how: signal.Signals, group: bool
) -> None:
    file = tmp_path / "rate.sql"
    file.write_text(
        "CREATE SOURCE r WITH (connector = 'rate', rowsPerSecond = 10);\n"
        "CREATE MATERIALIZED VIEW n AS SELECT count(*) n FROM r;\n"
    )
    arguments = ["run", str(file), "--checkpoint", str(tmp_path / "c"), "--trigger", "1 second"]
    command = [sys.executable, "-m", "groundswell", *arguments, "--master", "local[2]"]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdout=pipe, stderr=pipe, text=True, start_new_session=True
    ) as job:
        assert job.stdout is not None
        seen = ""
        while "epoch 1: " not in seen:
            line = job.stdout.readline()
            assert line, job.stderr.read()[-3000:] if job.stderr else ""
            seen += line
        os.killpg(job.pid, how) if group else job.send_signal(how)
        _, told = job.communicate(timeout=120)
    assert job.returncode == 0, told[-3000:]
    lines = [line for line in told.splitlines() if "incubator modules" not in line]
    said = ["stopping; what is not done is done by the next start"]
    assert lines == said or (group and said[0] in lines)  # a JVM that is ended has its own words
    assert "Traceback" not in told
    assert "rows in (r " in seen


def test_views_are_refreshed_again_and_again(jar: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows"
    rows.mkdir()
    (rows / "1.json").write_text('{"n": 1}')
    for name in ("a", "b"):
        (tmp_path / f"{name}.sql").write_text(
            f"CREATE PIPELINE {name} LOCATION '{tmp_path / name}';\n"
            f"CREATE SOURCE r (n int) WITH (connector = 'json', path = '{rows}');\n"
            f"CREATE MATERIALIZED VIEW {name}_sum AS SELECT sum(n) AS n FROM r;\n"
        )
    files = [str(tmp_path / "a.sql"), str(tmp_path / "b.sql")]
    command = [sys.executable, "-m", "groundswell", "refresh", *files, "--every", "1 second"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as job:
        assert job.stdout is not None
        seen, rounds = "", 0
        while rounds < 3:
            line = job.stdout.readline()
            assert line, job.stderr.read()[-3000:] if job.stderr else ""
            seen += line
            if line.startswith("b_sum"):
                rounds += 1
                (rows / f"{rounds + 1}.json").write_text(f'{{"n": {rounds}}}')
        job.send_signal(signal.SIGTERM)
        rest, told = job.communicate(timeout=120)
    assert job.returncode in (0, 130), told[-3000:]
    assert "error" not in told
    assert seen.count("CREATE MATERIALIZED VIEW") == 2, "only the first round defines"
    assert len(re.findall(r"^b_sum +\d", seen + rest, re.MULTILINE)) >= 3


def test_a_refresh_that_cannot_be_is_told_before_spark_starts(tmp_path: Path) -> None:
    file = tmp_path / "a.sql"
    file.write_text("CREATE PIPELINE a LOCATION 'x';\n")
    done = groundswell("refresh", str(file), "--every", "5m")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "--every takes a number and a unit, as '5 minutes', got '5m'" in done.stderr
    done = groundswell("refresh", str(file), str(file), "--checkpoint", "x")
    assert "name one file with it" in done.stderr
