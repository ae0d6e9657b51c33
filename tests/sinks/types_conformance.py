"""What a sink makes of every type of Spark: each value arrives, or is refused by name.

A sink's test subclasses :class:`TypesConformance`, says which ``door`` of the matrix it is, and how
its target is read. What comes out is compared with ``tests/matrix/cells.json``.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from matrix import cells, kinds
from matrix.kinds import KINDS, Kind
from matrix.values import pairs
from sinks.conformance import Driven, InArrow, Row, Target

Pairs = list[tuple[Any, str]]


class Typed(Target, ABC):
    """A target with the columns ``id`` and ``v``."""

    @abstractmethod
    def pairs(self, kind: Kind, key: bool) -> Pairs:
        """What a reader sees, as :func:`matrix.values.pairs` gives it."""

    def rows(self) -> list[Row]:
        """Nothing: the columns are others than those of the other tests."""
        return []

    def expected(self, table: pa.Table, kind: Kind, key: bool) -> Pairs:
        """What a reader should see of these rows: the same, if nothing else is said."""
        del kind
        return pairs(table["id"], table["v"], key)


class TypesConformance:
    """Every type as a value, and as a key."""

    door: ClassVar[str]
    skipped: ClassVar[tuple[str, ...]] = ()

    @pytest.fixture
    def fresh(self) -> Callable[[], Typed]:
        """Makes an empty target."""
        raise NotImplementedError

    @pytest.mark.parametrize("role", ["value", pytest.param("key", marks=pytest.mark.rest)])
    def test_every_type(self, session: SparkSession, fresh: Callable[[], Typed], role: str) -> None:
        found, wrong = {}, []
        with kinds.with_times(session):
            for kind in KINDS:
                try:
                    found[kind.name] = verdict(session, fresh, kind, role == "key")
                except Exception as e:  # noqa: BLE001 - all that is wrong is shown at once
                    wrong.append(f"{kind.name}: {type(e).__name__}: {e}"[:600])
        assert not wrong, "\n".join(wrong)
        cells.check(self.door, role, found)


def verdict(session: SparkSession, fresh: Callable[[], Typed], kind: Kind, key: bool) -> str:
    """``equal``, ``refused`` or ``row``; anything else is an AssertionError."""
    if key and not kind.key:
        return f"{cells.REFUSED}: Spark itself has no keys of this type"
    frame = kinds.keys(session, kind) if key else kinds.frame(session, kind)
    driven = start(fresh(), frame, key)
    if isinstance(driven, str):
        return f"{cells.REFUSED}: {driven}"
    try:
        if not kind.arrow:  # a sink that takes it writes with Spark
            driven.sink.write(0, gs.Changes(frame.withColumn("_change_type", F.lit("insert"))))
            driven.sink.commit(0)
            got, want = driven.target.pairs(kind, key), as_texts(frame)  # type: ignore[attr-defined]
            assert got == want, f"{kind.name}: {got} in place of {want}"
            return cells.EQUAL
        table = frame.toArrow()
        try:
            run(driven, table, frame, kind, key)
            return cells.EQUAL
        except gs.SinkRowRefused:
            return row_by_row(fresh, table, frame, kind, key)
    finally:
        driven.sink.close()


def as_texts(frame: DataFrame) -> Pairs:
    """Rows whose type Arrow does not have: values as Spark's texts."""
    is_variant = dict(frame.dtypes)["v"] == "variant"
    shown = frame.selectExpr("id", "to_json(v)" if is_variant else "CAST(v AS STRING)")
    return sorted(((row[0], repr(row[1])) for row in shown.collect()), key=repr)


def start(target: Typed, frame: DataFrame, key: bool) -> Driven | str:
    """The sink, started; or why it refuses the view."""
    driven = Driven(target)
    driven.schema = frame.schema
    if not target.append_only:
        driven.key = ("v",) if key else ("id",)
    try:
        driven.start()
    except gs.SinkError as e:
        driven.sink.close()
        why = str(e)
        assert "column v" in why, f"does not name the column: {why}"
        return reason(why)
    driven.target = target  # type: ignore[attr-defined]
    return driven


def reason(error: object) -> str:
    """An error's first sentence, without what differs from run to run."""
    text = re.sub(r"127\.0\.0\.1:\d+", "the server", str(error))
    text = re.sub(r"\b(out|types)-?\d+", r"\1", text)
    text = re.sub(r"\(conn=\d+\) ", "", text)
    text = text.split(". ")[0].split("\n")[0]
    return text if len(text) < 200 else f"{text[:200]}..."


def run(driven: Driven, table: pa.Table, frame: DataFrame, kind: Kind, key: bool) -> None:
    """Inserts, changes and deletes; each time the target must hold the view."""
    target: Typed = driven.target  # type: ignore[attr-defined]

    def epoch(number: int, *changes: tuple[str, pa.Table]) -> None:
        parts = [
            rows.append_column("_change_type", pa.array([change] * rows.num_rows, pa.string()))
            for change, rows in changes
        ]
        whole = pa.concat_tables(parts)
        whole = whole.cast(pa.schema([f.with_nullable(True) for f in whole.schema]))
        if driven.spark:
            made = driven.spark.createDataFrame(whole, _with_change(frame))
            driven.sink.write(number, gs.Changes(made))
        else:
            driven.sink.write(number, InArrow(whole))
        driven.sink.commit(number)

    def check(rows: pa.Table, what: str) -> None:
        want, got = target.expected(rows, kind, key), target.pairs(kind, key)
        assert got == want, f"{kind.name} after the {what}: {got} in place of {want}"[:1500]

    epoch(0, ("insert", table))
    check(table, "insert")
    if target.append_only:
        return
    if key:
        ids = pa.array([i + 100 for i in table["id"].to_pylist()], pa.int64())
        changed = table.set_column(table.schema.get_field_index("id"), "id", ids)
    else:
        values = table["v"].combine_chunks()
        turned = pa.concat_arrays([values.slice(1), values.slice(0, 1)])
        changed = table.set_column(table.schema.get_field_index("v"), "v", turned)
    epoch(1, ("update_preimage", table), ("update_postimage", changed))
    check(changed, "update")
    epoch(2, ("delete", changed.slice(0, 1)))
    check(changed.slice(1), "delete")


def row_by_row(
    fresh: Callable[[], Typed], table: pa.Table, frame: DataFrame, kind: Kind, key: bool
) -> str:
    """Which values are refused; all others must arrive."""
    first = ""
    good = []
    for i in range(table.num_rows):
        alone = start(fresh(), frame, key)
        assert isinstance(alone, Driven)
        try:
            run(alone, table.slice(i, 1), frame, kind, key)
            good.append(i)
        except gs.SinkRowRefused as e:
            first = first or reason(e)
        finally:
            alone.sink.close()
    assert first, f"{kind.name}: refused together, and taken one by one"
    if good:
        rest = start(fresh(), frame, key)
        assert isinstance(rest, Driven)
        try:
            run(rest, table.take(good), frame, kind, key)
        finally:
            rest.sink.close()
    return f"{cells.ROW}: {first}"


def _with_change(frame: DataFrame) -> Any:
    return frame.withColumn("_change_type", F.lit("")).schema
