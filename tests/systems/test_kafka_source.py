"""Topics as tables, from a real broker."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.sql.executor import REGISTRY
from systems.servers import Kafka
from systems.topics import Input, text

SCHEMA = "id bigint, s string"


def event(op: str, before: Any, after: Any) -> dict[str, Any]:
    return {"op": op, "before": before, "after": after, "source": {"table": "t"}, "ts_ms": 1}


def source(spark: SparkSession, topic: Input, **more: Any) -> Any:
    given = {"schema": SCHEMA, "name": "t", **more}
    return gs.kafka(spark, topic.server.servers, topic.name, **given)


def once(spark: SparkSession, folder: Path, table: Any, errors: str = "fail") -> set[Any]:
    p = gs.pipeline(spark, str(folder / "checkpoint"))
    run = p.view("v", table, errors=errors).start(availableNow=True)
    run.awaitTermination()
    return {tuple(row) for row in run.view("v").collect()}


def diverted(spark: SparkSession, folder: Path) -> list[str]:
    found = gs.read_view(spark, str(folder / "checkpoint"), "v_diverted")
    return sorted(row.error for row in found.collect())


def test_debezium_events(streams: SparkSession, kafka: Kafka, tmp_path: Path) -> None:
    topic = Input(kafka)
    topic.send(
        ({"id": 1}, event("r", None, {"id": 1, "s": "a"})),
        (
            {"schema": {}, "payload": {"id": 2}},
            {"schema": {}, "payload": event("c", None, {"id": 2, "s": "b"})},
        ),
        ({"id": 3}, event("c", None, {"id": 3, "s": "c"})),
        ({"id": "tx"}, {"status": "BEGIN", "id": "tx"}),
        ({"id": "tx"}, {"status": "END", "id": "tx", "event_count": 3}),
        (None, event("m", None, None)),
    )  # fmt: skip
    read = lambda: source(streams, topic, key="id")  # noqa: E731
    assert once(streams, tmp_path, read()) == {(1, "a"), (2, "b"), (3, "c")}
    topic.send(
        ({"id": 1}, event("u", None, {"id": 1, "s": "z"})),
        ({"id": 2}, event("d", {"id": 2, "s": "b"}, None)),
        ({"id": 2}, None),
        ({"id": 3}, event("d", None, None)),
    )
    assert once(streams, tmp_path, read()) == {(1, "z")}


def test_upserts_by_key_and_null_deletes(
    streams: SparkSession, kafka: Kafka, tmp_path: Path
) -> None:
    topic = Input(kafka)
    topic.send(
        ({"id": 1}, {"id": 1, "s": "a"}),
        ({"id": 2}, {"s": "b"}),
        ("3", {"schema": {}, "payload": {"s": "c"}}),
        (None, {"id": 4, "s": "d"}),
    )
    read = lambda: source(streams, topic, format="upsert", key="id")  # noqa: E731
    assert once(streams, tmp_path, read()) == {(1, "a"), (2, "b"), (3, "c"), (4, "d")}
    topic.send(("1", None), ({"schema": {}, "payload": {"id": 2}}, None), ("3", {"id": 3}))
    assert once(streams, tmp_path, read()) == {(3, None), (4, "d")}


def test_json_is_append_only_and_may_feed_a_join(
    streams: SparkSession, kafka: Kafka, tmp_path: Path
) -> None:
    carts, items = Input(kafka), Input(kafka)
    carts.send((None, {"id": 1, "s": "x"}), (None, {"id": 1, "s": "x"}), (None, None))
    items.send(("1", {"n": 5}))
    left = source(streams, carts, format="json")
    right = source(streams, items, format="upsert", key="id", schema="id int, n int", name="i")
    joined = left.join(right, "id")
    assert once(streams, tmp_path, joined.groupBy("s").sum("n")) == {("x", 10)}


@pytest.mark.parametrize("kind", ["debezium", "upsert", "json"])
def test_messages_that_are_none_are_named_or_set_aside_each(
    streams: SparkSession, kafka: Kafka, tmp_path: Path, kind: str
) -> None:
    topic = Input(kafka, 1)

    def good(n: int, s: str) -> Any:
        row = {"id": n, "s": s}
        return {"id": n}, event("c", None, row) if kind == "debezium" else row

    read = lambda: source(streams, topic, format=kind, key=None if kind == "json" else "id")  # noqa: E731
    topic.send(good(1, "a"), ("?", "{oops"), ({"id": 2}, '{"op": "c", "id": "much'))
    with pytest.raises(gs.RowFailed) as failed:
        once(streams, tmp_path, read())
    for part in ("view v", "source t", "a malformed", f"{topic.name}, partition 0, offset"):
        assert part in str(failed.value)
    assert once(streams, tmp_path, read(), "divert") == {(1, "a")}
    assert len(diverted(streams, tmp_path)) == 2
    topic.send(("!", "nothing"), ("!", "[]"), good(2, "b"))
    assert once(streams, tmp_path, read(), "divert") == {(1, "a"), (2, "b")}
    at = diverted(streams, tmp_path)
    assert len(at) == (4 if kind == "json" else 3), "the next message of key 2 took its place"
    for offset, said in ((1, "{oops"), (3, "nothing"), (4, "[]")):
        assert any(f"{topic.name}, partition 0, offset {offset}: {said}" in e for e in at), at


def test_a_truncate_is_named(streams: SparkSession, kafka: Kafka, tmp_path: Path) -> None:
    topic = Input(kafka)
    topic.send(({"id": 1}, event("c", None, {"id": 1, "s": "a"})), (None, event("t", None, None)))
    with pytest.raises(gs.RowFailed, match="TRUNCATE"):
        once(streams, tmp_path, source(streams, topic, key="id"))


def test_a_key_of_several_columns_that_a_sink_takes(
    streams: SparkSession, kafka: Kafka, tmp_path: Path
) -> None:
    topic = Input(kafka)
    topic.send(({"a": 1, "b": "x"}, {"n": 1}), ({"a": 1, "b": "y"}, {"n": 2}))
    table = source(streams, topic, format="upsert", key=["a", "b"], schema="a int, b string, n int")
    p = gs.pipeline(streams, str(tmp_path / "checkpoint"))
    p.view("v", table).sink(
        "out", "v", "kafka", servers=kafka.servers, topic=f"{topic.name}-out", create_topic=True
    )
    p.start(availableNow=True).awaitTermination()
    again = gs.kafka(
        streams, kafka.servers, f"{topic.name}-out", "upsert", key=["a", "b"],
        schema="a int, b string, n int", name="again",
    )  # fmt: skip
    assert once(streams, tmp_path / "again", again) == {(1, "x", 1), (1, "y", 2)}


def test_messages_of_aborted_transactions_are_not_read(
    streams: SparkSession, kafka: Kafka, tmp_path: Path
) -> None:
    from confluent_kafka import Producer

    topic = Input(kafka, 1)
    producer = Producer(
        {"bootstrap.servers": kafka.servers, "transactional.id": topic.name, "log_level": 0}
    )
    producer.init_transactions(30)
    for n, end in ((1, producer.abort_transaction), (2, producer.commit_transaction)):
        producer.begin_transaction()
        producer.produce(topic.name, value=text({"id": n, "s": "a"}))
        producer.flush(30)
        end(30)
    assert once(streams, tmp_path, source(streams, topic, format="json")) == {(2, "a")}


def test_a_new_pipeline_may_start_at_the_end(
    streams: SparkSession, kafka: Kafka, tmp_path: Path
) -> None:
    topic = Input(kafka, 1)
    topic.send((None, {"id": 1, "s": "a"}), (None, {"id": 2, "s": "b"}))
    offsets = json.dumps({topic.name: {"0": 1}})
    table = source(streams, topic, format="json", starting=offsets)
    assert once(streams, tmp_path, table) == {(2, "b")}


def test_a_topic_that_is_made_again_is_named(
    streams: SparkSession, kafka: Kafka, tmp_path: Path
) -> None:
    topic = Input(kafka, 1)
    topic.send(*((None, {"id": n, "s": "a"}) for n in range(3)))
    assert len(once(streams, tmp_path, source(streams, topic, format="json"))) == 3
    topic.delete()
    with pytest.raises(gs.SourceError, match=f"there is no topic '{topic.name}'"):
        source(streams, topic, format="json")
    again = Input(kafka, 1)
    again.delete()
    again.name = topic.name
    from confluent_kafka.admin import NewTopic

    again.admin.create_topics([NewTopic(again.name, 1)])[again.name].result(30)
    again.send((None, {"id": 9, "s": "a"}))
    with pytest.raises(gs.SourceLost, match=rf"{topic.name}-0 .*from 3 to 1.*failOnDataLoss"):
        once(streams, tmp_path, source(streams, again, format="json"))


def test_messages_that_retention_deleted_are_named(
    streams: SparkSession, kafka: Kafka, tmp_path: Path
) -> None:
    from confluent_kafka import TopicPartition

    topic = Input(kafka, 1)
    topic.send(*((None, {"id": n, "s": "a"}) for n in range(3)))
    assert len(once(streams, tmp_path, source(streams, topic, format="json"))) == 3
    topic.send(*((None, {"id": n, "s": "a"}) for n in range(3, 9)))
    at = TopicPartition(topic.name, 0, 6)
    topic.admin.delete_records([at])[at].result(30)
    with pytest.raises(gs.SourceLost, match="lost messages"):
        once(streams, tmp_path, source(streams, topic, format="json"))
    loose = source(streams, topic, format="json", options={"failOnDataLoss": "false"})
    assert {n for n, _ in once(streams, tmp_path, loose)} == {0, 1, 2, 6, 7, 8}


def test_the_page(streams: SparkSession, kafka: Kafka, tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "how-to" / "read-from-kafka.md"
    orders, customers = Input(kafka, 1, "shop.orders"), Input(kafka, 1, "customers")
    order = {"id": 1, "customer": 10, "amount": 7.0}
    orders.send(({"id": 1}, event("c", None, order)), ({"id": 1}, None), ("?", "{oops"))
    customers.send(("10", {"name": "Ann"}))
    names = {"gs": gs, "spark": streams, "servers": kafka.servers, "location": str(tmp_path / "c")}
    for code in re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
        exec(compile(code, str(page), "exec"), names)


def test_sql_reads_topics(streams: SparkSession, kafka: Kafka, tmp_path: Path) -> None:
    topics = {kind: Input(kafka, 1) for kind in ("PLAIN", "UPSERT", "DEBEZIUM")}
    topics["PLAIN"].send((None, {"id": 1, "s": "a"}), (None, {"id": 1, "s": "b"}))
    topics["UPSERT"].send(("1", {"s": "a"}), ("2", {"s": "b"}), ("1", None))
    topics["DEBEZIUM"].send((None, event("c", None, {"id": 3, "s": "c"})))
    streams.sql(f"CREATE PIPELINE of_topics LOCATION '{tmp_path}/p'")
    streams.sql("USE groundswell.of_topics")
    try:
        for kind, topic in topics.items():
            streams.sql(f"""
                CREATE TABLE {kind}_t (id BIGINT, s STRING, PRIMARY KEY (id))
                WITH (connector = 'kafka', topic = '{topic.name}',
                      properties.bootstrap.server = '{kafka.servers}',
                      scan.startup.mode = 'earliest') FORMAT {kind} ENCODE JSON""")
        streams.sql("FLUSH")
        found = {
            kind: [tuple(r) for r in streams.sql(f"SELECT * FROM {kind}_t").collect()]
            for kind in topics
        }
        assert found == {"PLAIN": [(1, "b")], "UPSERT": [(2, "b")], "DEBEZIUM": [(3, "c")]}
        with pytest.raises(gs.SourceError, match="no topic 'none'"):
            streams.sql(f"""
                CREATE SOURCE x (id BIGINT) WITH (connector = 'kafka', topic = 'none',
                properties.bootstrap.server = '{kafka.servers}') FORMAT PLAIN ENCODE JSON""")
    finally:
        streams.sql("USE spark_catalog.default")
        for pipeline in REGISTRY.all(streams):
            pipeline.stop()
            REGISTRY.remove(streams, pipeline.name)


def test_wrong_names_are_told_at_once(streams: SparkSession, kafka: Kafka) -> None:
    topic = Input(kafka)
    near = topic.name.replace("in-", "im-")
    with pytest.raises(gs.SourceError, match=f"no topic '{near}'.*mean '{topic.name}'"):
        gs.kafka(streams, kafka.servers, near, "json", schema=SCHEMA)
    with pytest.raises(gs.SourceError, match=r"Kafka at 127\.0\.0\.1:1 cannot be asked"):
        gs.kafka(streams, "127.0.0.1:1", topic.name, "json", schema=SCHEMA)
    with pytest.raises(gs.ConfigurationError, match=r"'latest', or .*got 'first'"):
        source(streams, topic, format="json", starting="first")
    with pytest.raises(gs.ConfigurationError, match="mean 'failOnDataLoss'"):
        source(streams, topic, format="json", options={"failOnLoss": "false"})
    with pytest.raises(gs.ConfigurationError, match=r"refuses the options: .*key"):
        source(streams, topic, format="json", options={"kafka.key.deserializer": "x"})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"format": "avro"}, "format must be one of debezium, upsert, json"),
        ({"key": None}, "needs key="),
        ({"key": "no"}, "key column 'no' is not there; the columns are id, s"),
        ({"format": "json"}, "takes no key="),
        ({"schema": None}, "needs schema="),
        ({"schema": "id bigin"}, "is not a list of columns in DDL"),
        ({"ttl": "1 hour"}, "go with format='upsert'"),
    ],
)
def test_bad_arguments(
    streams: SparkSession, kafka: Kafka, given: dict[str, Any], said: str
) -> None:
    arguments = {"key": "id", "schema": SCHEMA, **given}
    with pytest.raises(gs.GroundswellError, match=said):
        gs.kafka(streams, kafka.servers, "t", **arguments)


def test_a_backlog_in_parts(streams: SparkSession, kafka: Kafka, tmp_path: Path) -> None:
    topic = Input(kafka)
    topic.send(*((None, {"id": i, "s": str(i)}) for i in range(50)))
    rows = source(streams, topic, format="json")
    p = gs.pipeline(streams, str(tmp_path / "checkpoint"), maxBarrierRows=8)
    p.view("v", rows)
    p.view("n", rows.groupBy().count())
    run = p.start(availableNow=True)
    run.awaitTermination()
    loaded = [each["inputRows"] for each in run.recentProgress if each["loading"] is not None]
    assert sum(loaded) == 50
    assert max(loaded) <= 8
    assert run.view("n").first()[0] == 50  # type: ignore[index]
    assert run.view("v").count() == 50
