"""Every type of Spark out of Avro and Protobuf behind a schema registry, without a broker.

`tests/systems/test_types_of_topics.py` sends messages in Avro to a real broker and registry.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from groundswell.api.decoded_events import check_columns, decoded_upserts
from groundswell.api.events import MALFORMED, Texts, row_type
from groundswell.errors import SourceError
from matrix import cells, kinds, messages, registered
from matrix.kinds import KINDS, Kind
from matrix.test_views import texts
from matrix.values import pairs
from sinks.conftest import session
from sinks.types_conformance import reason
from sources.registries import Registry, Topic, registry

__all__ = ["session"]

pytestmark = pytest.mark.rest


@pytest.fixture
def spark(session: SparkSession) -> Iterator[SparkSession]:
    with kinds.with_times(session):
        yield session


@pytest.fixture
def server() -> Iterator[Registry]:
    with registry() as found:
        yield found


def put(server: Registry, subject: str, taken: list[Kind], encode: str) -> tuple[int, object]:
    """A schema in the registry, and its number."""
    of = registered.schema(taken, encode)
    text = of if encode == "avro" else of.text
    return server.add(subject, text, encode.upper()), of


def columns(taken: list[Kind]) -> str:
    return ", ".join(["id bigint", *(f"{k.column} {k.type}" for k in taken)])


def refusal(topic: Topic, kind: Kind, encode: str) -> str | None:
    """Why no column of this type is taken out of a message, in the place of its nearest type."""
    put(topic.registry, f"{topic.name}-value", [kind], encode)
    try:
        check_columns("the test", row_type("the test", columns([kind])))
        topic.source("plain", columns([kind]), encode=encode)
    except SourceError as e:
        why = reason(e).partition("does not have the columns: ")[2]
    else:
        return None
    assert kind.column in why, why
    return why


def divided(
    spark: SparkSession, home: Path, server: Registry, encode: str
) -> tuple[list[Kind], cells.Verdicts]:
    """The kinds that messages may have, and the verdicts of the others."""
    home.mkdir()
    topic = Topic(spark, home, server, "t")
    refused = {kind.name: refusal(topic, kind, encode) for kind in KINDS}
    taken = [kind for kind in KINDS if refused[kind.name] is None]
    return taken, {n: f"{cells.REFUSED}: {why}" for n, why in refused.items() if why}


def in_order(found: cells.Verdicts) -> cells.Verdicts:
    return {kind.name: found[kind.name] for kind in KINDS if kind.name in found}


@pytest.mark.parametrize("encode", registered.ENCODINGS)
def test_every_type_of_registered_messages(
    spark: SparkSession, server: Registry, tmp_path: Path, encode: str
) -> None:
    taken, found = divided(spark, tmp_path / "none", server, encode)
    topic = Topic(spark, tmp_path, server, "rows")
    number, of = put(server, "rows-value", taken, encode)
    rows = messages.rows_of(spark, taken)
    topic.send(*((None, registered.message(number, of, encode, row)) for row in rows))
    p = gs.pipeline(spark, str(tmp_path / "p"))
    run = p.view("v", topic.source("plain", columns(taken), encode=encode)).start(availableNow=True)
    run.awaitTermination()
    want = registered.held(messages.expected(spark, taken), taken, encode)
    assert texts(run.view("v").select(*want.columns)) == texts(want)
    found |= {kind.name: cells.EQUAL for kind in taken}
    cells.check(f"source kafka {encode}", "value", in_order(found))


@pytest.mark.parametrize("encode", registered.ENCODINGS)
def test_every_type_as_the_key_of_a_registered_message(
    spark: SparkSession, server: Registry, tmp_path: Path, encode: str
) -> None:
    """A row by the key of its message, and its deletion, which has no more than the key."""
    taken, found = divided(spark, tmp_path / "none", server, encode)
    taken = [kind for kind in taken if kind in messages.comparable()]
    found = {n: why for n, why in found.items() if n in {k.name for k in messages.comparable()}}
    for kind in taken:
        of_value = put(server, f"{kind.column}-value", [kind], encode)
        of_key = put(server, f"{kind.column}-key", [kind], encode)
        topic = Topic(spark, tmp_path, server, kind.column)
        rows = [row for row in messages.rows_of(spark, [kind]) if row[kind.column] is not None]
        made = lambda of, row: registered.message(*of, encode, row)  # noqa: E731
        keys = [made(of_key, {kind.column: row[kind.column]}) for row in rows]
        values = [made(of_value, row) for row in rows]
        sent = list(zip(keys, values, strict=True))
        topic.send(*sent, (sent[0][0], None))
        got = rows_of_keys(spark, topic, kind, encode).persist()
        assert got.where(F.col(MALFORMED).isNotNull()).collect() == []
        deletes = got.where("_groundswell_delete").select(F.lit(-1).alias("id"), kind.column)
        both = got.where("NOT _groundswell_delete").select("id", kind.column).union(deletes)
        want = registered.held(messages.expected(spark, [kind]), [kind], encode)
        want = want.where(f"id IN ({', '.join(str(row['id']) for row in rows)})")
        first = want.where(f"id = {rows[0]['id']}").select(F.lit(-1).alias("id"), kind.column)
        a, b = both.toArrow(), want.union(first).toArrow()
        assert pairs(a["id"], a[kind.column]) == pairs(b["id"], b[kind.column]), kind.name
        got.unpersist()
        found[kind.name] = cells.EQUAL
    cells.check(f"source kafka {encode}", "key", in_order(found))


def rows_of_keys(spark: SparkSession, topic: Topic, kind: Kind, encode: str) -> DataFrame:
    """What a table with this key would be given by the messages."""
    row = row_type("the test", columns([kind]))
    frame = spark.read.parquet(str(topic.table.folder))
    place = F.format_string("%s, partition %d, offset %d", "topic", "partition", "offset")
    known = Texts(F.col("value").cast("string"), F.col("key").cast("string"), place)
    return decoded_upserts(frame, known, topic.registered(encode), row, (kind.column,))
