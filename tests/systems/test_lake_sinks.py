"""The sinks of Delta Lake and Iceberg, on tables in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from sinks.conformance import (
    AppendConformance,
    Driven,
    KeyedConformance,
    Pipelines,
    RefusedRows,
    Row,
    Target,
    insert,
    row,
    take_a_million_rows,
)

pytest.importorskip("deltalake", reason="deltalake is not installed: pip install '.[delta]'")
pytest.importorskip("pyiceberg", reason="pyiceberg is not installed: pip install '.[iceberg]'")

NAMES = ["customer", "n", "total", "name"]
NARROW = pa.schema(
    [("customer", pa.int64()), ("n", pa.int32()), ("total", pa.float64()), ("name", pa.string())]
)


class Delta(Target):
    format = "delta"

    def __init__(self, path: Path, **options: Any) -> None:
        self.path = str(path)
        self.options = {"path": self.path, "create_table": True, **options}

    def rows(self) -> list[Row]:
        from deltalake import DeltaTable

        if not DeltaTable.is_deltatable(self.path):
            return []
        found = DeltaTable(self.path).to_pyarrow_table().select(NAMES).to_pylist()
        return sorted(tuple(r.values()) for r in found)


class GrowingDelta(Delta):
    append_only = True


class NarrowDelta(GrowingDelta):
    """A table of others whose column ``n`` does not hold every value of the view's."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, mode="append", create_table=False, narrowing="fail")
        from deltalake import DeltaTable

        DeltaTable.create(self.path, schema=NARROW)

    @property
    def refused(self) -> list[Row]:
        return [row(7, 3_000_000_000)]


class Iceberg(Target):
    format = "iceberg"

    def __init__(self, path: Path, **options: Any) -> None:
        path.mkdir(exist_ok=True)
        self.settings = {
            "type": "sql",
            "uri": f"sqlite:///{path}/catalog.db",
            "warehouse": f"file://{path}",
        }
        self.options = {"table": "shop.out", **self.settings, "create_table": True, **options}

    def rows(self) -> list[Row]:
        from pyiceberg.catalog import load_catalog

        catalog = load_catalog("default", **self.settings)
        if not catalog.namespace_exists("shop") or not catalog.table_exists("shop.out"):
            return []
        found = catalog.load_table("shop.out").scan().to_arrow().select(NAMES).to_pylist()
        return sorted(tuple(r.values()) for r in found)


class GrowingIceberg(Iceberg):
    append_only = True


class NarrowIceberg(GrowingIceberg):
    """A table of others whose column ``n`` does not hold every value of the view's."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, mode="append", create_table=False, narrowing="fail")
        from pyiceberg.catalog import load_catalog

        catalog = load_catalog("default", **self.settings)
        catalog.create_namespace("shop")
        catalog.create_table("shop.out", schema=NARROW)

    @property
    def refused(self) -> list[Row]:
        return [row(7, 3_000_000_000)]


class TestDelta(KeyedConformance, Pipelines):
    @pytest.fixture
    def target(self, tmp_path: Path) -> Delta:
        return Delta(tmp_path / "out")


class TestGrowingDelta(AppendConformance):
    @pytest.fixture
    def target(self, tmp_path: Path) -> GrowingDelta:
        return GrowingDelta(tmp_path / "out", mode="append")


class TestIceberg(KeyedConformance, Pipelines):
    @pytest.fixture
    def target(self, tmp_path: Path) -> Iceberg:
        return Iceberg(tmp_path / "out")


class TestGrowingIceberg(AppendConformance):
    @pytest.fixture
    def target(self, tmp_path: Path) -> GrowingIceberg:
        return GrowingIceberg(tmp_path / "out", mode="append")


class TestNarrowDelta(RefusedRows):
    @pytest.fixture
    def target(self, tmp_path: Path) -> NarrowDelta:
        return NarrowDelta(tmp_path / "out")


class TestNarrowIceberg(RefusedRows):
    @pytest.fixture
    def target(self, tmp_path: Path) -> NarrowIceberg:
        return NarrowIceberg(tmp_path / "out")


def test_of_two_writers_of_delta_one_is_refused(tmp_path: Path) -> None:
    """Both have looked at the token before either commits."""
    target = Delta(tmp_path / "out")
    driven, later = Driven(target), Driven(target, token=2)
    driven.start()
    driven.epoch(0, insert(1))
    later.start()
    driven.sink.recover = lambda: None  # type: ignore[method-assign]
    stale = driven.sink
    driven.write(1, [insert(2)])
    later.epoch(1, insert(2))
    with pytest.raises(gs.SinkUnavailable, match=r"(?i)concurrent transaction"):
        stale.commit(1)
    assert target.rows() == [row(1), row(2)]


def test_bad_input_is_named(tmp_path: Path) -> None:
    import pyarrow as pa
    from deltalake import DeltaTable

    with pytest.raises(gs.SinkError, match=r"there is no Delta table at .*create_table"):
        Driven(Delta(tmp_path / "none", create_table=False)).start()
    schema = pa.schema([(n, pa.int64()) for n in ("customer", "n", "totals", "name")])
    DeltaTable.create(str(tmp_path / "other"), schema=schema)
    with pytest.raises(gs.SinkError, match="no column 'total'; did you mean 'totals'"):
        Driven(Delta(tmp_path / "other")).start()
    with pytest.raises(gs.SinkError, match=r"no Iceberg table shop\.out; create it"):
        Driven(Iceberg(tmp_path / "ice", create_table=False)).start()
    with pytest.raises(gs.SinkError, match="lacks its namespace"):
        Driven(Iceberg(tmp_path / "ice", table="out")).start()


def test_keys_of_two_columns(tmp_path: Path) -> None:
    for target in (Delta(tmp_path / "out"), Iceberg(tmp_path / "ice")):
        driven = Driven(target)
        driven.key = ("customer", "n")
        driven.start()
        driven.epoch(0, insert(1, 1), insert(1, 2), insert(2, 1))
        driven.epoch(
            1,
            ("delete", row(1, 1)),
            ("update_preimage", row(1, 2)),
            ("update_postimage", row(1, 2, "new")),
        )
        assert target.rows() == [row(1, 2, "new"), row(2, 1)]


@pytest.mark.soak
@pytest.mark.parametrize("kind", [Delta, Iceberg])
def test_a_million_rows_in_one_epoch(session: SparkSession, tmp_path: Path, kind: Any) -> None:
    target = kind(tmp_path / "out")
    driven = Driven(target)
    take_a_million_rows(session, driven)
    assert len(target.rows()) == 1_000_000
