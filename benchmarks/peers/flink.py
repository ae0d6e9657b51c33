"""Flink's SQL, streaming mode with mini-batches, in a process of its own; see ``peers``."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from typing import Any

from pyflink.common import Configuration
from pyflink.java_gateway import get_gateway
from pyflink.table import EnvironmentSettings, TableDescriptor, TableEnvironment

from peers import data
from peers.inputs import Input, Topics, parsed
from peers.queries import QUERIES, Query
from shared import process

COMMON = {
    "parallelism.default": "2",
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "500 ms",
    "table.exec.mini-batch.size": "50000",
    "taskmanager.memory.managed.size": "1g",
    "taskmanager.memory.network.max": "256m",
    "taskmanager.numberOfTaskSlots": "2",
}
STATES = {
    "heap": {"state.backend.type": "hashmap"},
    "rocksdb": {
        "state.backend.type": "rocksdb",
        "execution.checkpointing.incremental": "true",
        "execution.checkpointing.interval": "500 ms",
    },
}


def environment(state: str, checkpoints: str, connector: str = "") -> TableEnvironment:
    """A table environment; state on the heap and lost, or in RocksDB with checkpoints.

    ``connector`` is the jar of Flink's connector for Kafka, where it is read.
    """
    confs = Configuration()
    if connector:
        confs.set_string("pipeline.jars", f"file://{connector}")
    for key, value in {**COMMON, **STATES[state]}.items():
        confs.set_string(key, value)
    if state == "rocksdb":
        confs.set_string("execution.checkpointing.dir", f"file://{checkpoints}")
    settings = EnvironmentSettings.new_instance().in_streaming_mode().with_configuration(confs)
    return TableEnvironment.create(settings.build())


def sources(env: TableEnvironment, query: Query, source: Input) -> None:
    """Tables over the events; each ends when all have been read."""
    for stream in query.sources:
        columns = ", ".join(f"{name} {kind}" for name, kind in data.types(stream).items())
        options = ", ".join(f"'{key}' = '{value}'" for key, value in reader(source, stream).items())
        env.execute_sql(f"DROP TEMPORARY TABLE IF EXISTS {stream}")
        env.execute_sql(f"CREATE TEMPORARY TABLE {stream} ({columns}) WITH ({options})")


def reader(source: Input, stream: str) -> dict[str, str]:
    """Options of Flink's connector."""
    if isinstance(source, Topics):
        return {
            "connector": "kafka",
            "topic": source.of(stream),
            "properties.bootstrap.servers": source.servers,
            "scan.startup.mode": "earliest-offset",
            "scan.bounded.mode": "latest-offset",
            "format": "json",
        }
    path = f"file://{source.of(stream)}"
    return {"connector": "filesystem", "path": path, "format": "json"}


def timed(env: TableEnvironment, query: Query, source: Input, sql: str) -> float:
    """Seconds until the last change has left for a sink that does nothing, as Flink counts them:
    a cluster inside the process is started again for each job, before that."""
    sources(env, query, source)
    nowhere = TableDescriptor.for_connector("blackhole").build()
    client = env.sql_query(sql).execute_insert(nowhere).get_job_client()
    assert client is not None
    took: int = client.get_job_execution_result().result().get_net_runtime()
    return took / 1000


def final(env: TableEnvironment, query: Query, source: Input, sql: str) -> list[list[Any]]:
    """The rows that are left when all changes have been applied."""
    sources(env, query, source)
    rows: Counter[tuple[Any, ...]] = Counter()
    with env.sql_query(sql).execute().collect() as changes:
        for change in changes:
            weight = 1 if change.get_row_kind().name in ("INSERT", "UPDATE_AFTER") else -1
            rows[tuple(change)] += weight
    return [list(row) for row, many in rows.items() for _ in range(many)]


def main(name: str, large: str, small: str, state: str, connector: str = "") -> None:
    """Runs the small input cold, the large one warm; prints what that took, and small answers.

    Without a small input: the large one cold.
    """
    query, much, little = QUERIES[name], parsed(large), parsed(small)
    sql = query.flink or query.sql
    with tempfile.TemporaryDirectory(prefix="peers-") as checkpoints:
        env = environment(state, checkpoints, connector)
        if not small:
            process.tell({"cold": timed(env, query, much, sql)})
            return
        cold = timed(env, query, little, sql)
        warm = timed(env, query, much, sql)
        memory = process.peak_memory(get_gateway().jvm.java.lang.ProcessHandle.current().pid())
        timed(env, query, little, query.reading)
        reading = timed(env, query, much, query.reading)
        answer = final(env, query, little, sql)
    process.tell(
        {"cold": cold, "seconds": warm, "reading": reading, "memory": memory, "answer": answer}
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
