"""One process that starts a pipeline of TPC-H's 22 views again, and where its fixed time goes.

``python -m start.restart statements FILE`` refreshes a file of statements, as ``python -m
groundswell refresh`` does; ``program FOLDER LOCATION`` defines the views by DataFrames over the
tables in a folder. What a step calls of another step is counted there, not twice. Of each step it
tells seconds, those of processor time, and how much of that the JVM's compilers took; at last what
Spark has compiled of generated code.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from functools import wraps
from pathlib import Path
from typing import Any

from pyspark import SparkContext
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell import jvm
from groundswell.cli import main as command
from groundswell.cli import session
from groundswell.jvm.dataflow import Dataflow
from groundswell.runtime import program
from groundswell.runtime.launch import Launch
from groundswell.runtime.query import IncrementalQuery
from groundswell.sources import delta
from groundswell.sql.console.script import Script
from groundswell.sql.defining import building
from shared.process import tell
from tpch import tables
from tpch.queries import QUERIES

SESSION, OPENED, READ, ANALYSED = "session", "tables opened", "statements read", "queries analysed"
CAPTURED, PLANNED, COMPILED = "queries captured", "planned", "operators compiled"
BEGUN, BARRIER, REST = "decided, claimed, begun", "first barrier", "the rest"
STEPS = (SESSION, OPENED, READ, ANALYSED, CAPTURED, PLANNED, COMPILED, BEGUN, BARRIER, REST)
TICKS = os.sysconf("SC_CLK_TCK")
CONFS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.log.level": "ERROR",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def used(stat: str) -> float:
    """Seconds of processor time, of the text of a ``stat`` file in /proc."""
    fields = stat.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def of_jvm() -> tuple[float, float]:
    """Seconds of processor time of the JVM, and those of its compilers."""
    gateway: Any = SparkContext._gateway
    if gateway is None:
        return 0.0, 0.0
    process, compilers = Path(f"/proc/{gateway.proc.pid}"), 0.0
    for thread in (process / "task").iterdir():
        try:
            stat = (thread / "stat").read_text()
        except OSError:  # it has ended
            continue
        compilers += used(stat) if "CompilerThre" in stat else 0.0
    return used((process / "stat").read_text()), compilers


class Steps:
    """What each step of this thread took without the steps that it called."""

    def __init__(self) -> None:
        self.taken = {step: [0.0, 0.0, 0.0] for step in STEPS}
        self.calls = dict.fromkeys(STEPS, 0)
        self.code = 0.0, 0
        self._within = [REST]
        self._at = self._now()

    @staticmethod
    def _now() -> tuple[float, float, float]:
        whole, compilers = of_jvm()
        return time.perf_counter(), time.process_time() + whole, compilers

    def settle(self) -> None:
        """Counts what has passed for the step that is at work."""
        now, of = self._now(), self.taken[self._within[-1]]
        for i, (new, old) in enumerate(zip(now, self._at, strict=True)):
            of[i] += max(0.0, new - old)
        self._at = now

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Counts for a step what passes within."""
        if self._within[-1] == name:
            yield
            return
        self.settle()
        self._within.append(name)
        self.calls[name] += 1
        try:
            yield
        finally:
            self.settle()
            self._within.pop()

    def over(self, owner: Any, name: str, step: str) -> None:
        """Counts the calls of a function for a step."""
        function: Callable[..., Any] = getattr(owner, name)

        @wraps(function)
        def counted(*given: Any, **named: Any) -> Any:
            with self.step(step):
                return function(*given, **named)

        setattr(owner, name, counted)

    def ended(self, spark: SparkSession) -> None:
        """Looks at what Spark has compiled: seconds, and classes."""
        java: Any = spark.sparkContext._jvm
        codegen = java.org.apache.spark.sql.catalyst.expressions.codegen.CodeGenerator
        metrics = java.org.apache.spark.metrics.source.CodegenMetrics
        self.code = codegen.compileTime() / 1e9, metrics.METRIC_COMPILATION_TIME().getCount()


def watched() -> Steps:
    """Counts from now on."""
    steps = Steps()
    steps.over(session, "start", SESSION)
    steps.over(building, "source", OPENED)
    steps.over(delta, "inspect", OPENED)
    steps.over(Script, "_enter", READ)
    steps.over(Script, "_run", READ)
    steps.over(building, "definition", ANALYSED)
    steps.over(jvm.Capture, "__init__", CAPTURED)
    steps.over(program, "plan_views", PLANNED)
    steps.over(program.Program, "planned", PLANNED)
    steps.over(Dataflow, "__init__", COMPILED)
    steps.over(Launch, "start", BEGUN)
    steps.over(IncrementalQuery, "awaitTermination", BARRIER)
    stop = SparkSession.stop

    def stopped(spark: SparkSession) -> None:
        steps.ended(spark)
        stop(spark)

    SparkSession.stop = stopped  # type: ignore[assignment, method-assign]
    return steps


def statements(path: str) -> None:
    """Refreshes a file of statements."""
    given = ["refresh", path, "--master", "local[2]"]
    for name, value in CONFS.items():
        given += ["--conf", f"{name}={value}"]
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):
        assert not command.main(given)


def view_program(steps: Steps, folder: str, location: str) -> None:
    """Defines the views by DataFrames, and brings them up to date."""
    with steps.step(SESSION):
        builder = SparkSession.builder.master("local[2]")
        for name, value in CONFS.items():
            builder = builder.config(name, value)
        spark = gs.configure(builder).getOrCreate()
    with steps.step(OPENED):
        for name, key in tables.KEYS.items():
            gs.delta(spark, f"{folder}/{name}", key=key).createOrReplaceTempView(name)
    pipeline = gs.Pipeline(spark, location)
    for name, text in QUERIES.items():
        with steps.step(ANALYSED):
            frame = spark.sql(text)
        pipeline.view(name, frame)
    pipeline.start(availableNow=True).awaitTermination()
    spark.stop()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("kind", choices=("statements", "program"))
    options.add_argument("paths", nargs="+")
    given = options.parse_args()
    steps = watched()
    if given.kind == "statements":
        statements(*given.paths)
    else:
        view_program(steps, *given.paths)
    steps.settle()
    tell({"taken": steps.taken, "calls": steps.calls, "code": steps.code})


if __name__ == "__main__":
    main()
