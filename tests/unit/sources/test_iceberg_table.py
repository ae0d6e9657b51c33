"""Real Iceberg tables, without Spark: what tasks read of them, and what is refused."""

from __future__ import annotations

import datetime
import decimal
import random
import uuid
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from groundswell.errors import SourceError, SourceLost
from groundswell.runtime.planning.sources import Size
from groundswell.sources.iceberg_reader import IcebergReader, backlog
from groundswell.sources.iceberg_table import IcebergPlan, inspect

from . import iceberg_tables as lake

pytest.importorskip("pyiceberg", reason="not installed: pip install '.[iceberg]'")
from pyiceberg.table.snapshots import Operation

NAME = "shop.orders"


def reader(folder: Path, *, columns: Any = None, most: Size = Size(), **more: Any) -> IcebergReader:  # noqa: B008
    wanted = IcebergPlan(NAME, "test", properties=lake.properties(folder), **more)
    return IcebergReader(inspect(wanted, columns), most)


def newest(of: IcebergReader, start: Any) -> Any:
    return of.latestOffset(start, of.getDefaultReadLimit())


def pairs(*ids: int, v: str = "v") -> pa.Table:
    return pa.table(
        {"id": pa.array(ids, pa.int64()), "v": pa.array([f"{v}{i}" for i in ids], pa.string())}
    )


def rows(*given: pa.Table) -> Counter[Any]:
    return Counter(repr(row) for table in given for row in table.to_pylist())


def in_files(table: Any) -> list[tuple[str, int, str]]:
    """Every row of the newest snapshot's data files, with its place."""
    found = []
    for entry in lake.live_entries(table):
        path = entry.data_file.file_path
        with table.io.new_input(path).open() as stream:
            read = pq.read_table(stream).to_pylist()
        found += [(path, at, repr(row)) for at, row in enumerate(read)]
    return found


@pytest.mark.parametrize(
    "seed", [*range(2), *(pytest.param(i, marks=pytest.mark.rest) for i in range(2, 8))]
)
def test_a_snapshot_and_the_changes_behind_it_are_the_table(seed: int, tmp_path: Path) -> None:
    print(f"seed {seed}")
    random_ = random.Random(seed)
    table = lake.create(tmp_path, pairs().schema)
    source = reader(tmp_path, max_snapshots=random_.choice([None, 1, 2]))
    at, have = IcebergReader.BEGIN, Counter[Any]()
    wanted = Counter[Any]()
    dead: set[tuple[str, int]] = set()  # deleted by position, or by value
    for step in range(14):
        i = random_.randrange(8)
        match random_.randrange(6):
            case 0 | 1:
                table.append(pairs(i, i + 1, 7))
            case 2 if not dead:  # pyiceberg rewrites files, and does not read deletes by value
                lake.quietly(table.delete, f"id = {i}")
            case 3 if not dead:
                lake.quietly(table.overwrite, pairs(i, 9))
            case 4 if wanted:
                places = [(path, n) for path, n, _ in in_files(table)]
                chosen = random_.sample(places, min(len(places), random_.randint(1, 3)))
                lake.delete_positions(table, chosen, bounds=random_.random() < 0.5)
                dead.update(chosen)
            case 5 if wanted:
                gone = pa.table({"id": pa.array([i, 7], pa.int64())})
                old = in_files(table)
                new = pairs(i, i, v="u") if random_.random() < 0.5 else None
                lake.delete_values(table, gone, [1], add=new)
                keys = {f"'id': {i},", "'id': 7,"}
                dead.update((p, n) for p, n, r in old if any(key in r for key in keys))
        table.refresh()
        wanted = Counter(r for p, n, r in in_files(table) if (p, n) not in dead)
        if random_.random() < 0.6 or step == 13:
            while (end := newest(source, at)) != at:
                have.update(lake.summed(source, at, end))
                at = end
                source.commit(end)
            assert +have == +wanted, f"seed {seed}, step {step}"
            assert not -have


def test_types_are_those_that_spark_is_told(tmp_path: Path) -> None:
    from pyiceberg.schema import Schema
    from pyiceberg.types import NestedField, UUIDType

    when = datetime.datetime(2026, 1, 2, 3, 4, 5, 678901)
    given = pa.table(
        {
            "s": pa.array(
                [{"p": 1, "q": ["x", None]}, None, {"p": None, "q": None}],
                pa.struct([("p", pa.int64()), ("q", pa.list_(pa.string()))]),
            ),
            "l": pa.array([[{"a": 1}], None, []], pa.list_(pa.struct([("a", pa.int32())]))),
            "m": pa.array(
                [[("k", {"b": 1.5})], None, []],
                pa.map_(pa.string(), pa.struct([("b", pa.float64())])),
            ),
            "ts": pa.array(
                [when.replace(tzinfo=datetime.UTC), None, None], pa.timestamp("us", "UTC")
            ),
            "ntz": pa.array([when, None, None], pa.timestamp("us")),
            "d": pa.array([decimal.Decimal("1.20"), None, None], pa.decimal128(10, 2)),
            "day": pa.array([when.date(), None, None]),
            "b": pa.array([b"\x00", None, None]),
            "f": pa.array([0.1, None, float("nan")], pa.float32()),
            "i": pa.array([1, None, -(2**31)], pa.int32()),
            "ok": pa.array([True, None, False]),
        }
    )
    table = lake.create(tmp_path, given.schema)
    # pyiceberg writes a null list of structs as an empty one, so the file is made here.
    names = {}
    schema = table.schema()

    def numbered(field: pa.Field, of: Any) -> pa.Field:
        type_ = field.type
        if pa.types.is_struct(type_):
            type_ = pa.struct([numbered(f, of.field_type.field_by_name(f.name)) for f in type_])
        elif pa.types.is_list(type_):
            type_ = pa.list_(numbered(type_.value_field, of.field_type.element_field))
        elif pa.types.is_map(type_):
            type_ = pa.map_(
                numbered(type_.key_field, of.field_type.key_field),
                numbered(type_.item_field, of.field_type.value_field),
            )
        return pa.field(field.name, type_, field.nullable, {"PARQUET:field_id": str(of.field_id)})

    names = pa.schema([numbered(f, schema.find_field(f.name)) for f in given.schema])
    path = f"{tmp_path}/own.parquet"
    pq.write_table(given.cast(names), path, row_group_size=2)
    _add_file(table, path, 3)
    source = reader(tmp_path)
    assert source._plan.schema.simpleString() == (
        "struct<s:struct<p:bigint,q:array<string>>,l:array<struct<a:int>>,"
        "m:map<string,struct<b:double>>,ts:timestamp,ntz:timestamp_ntz,d:decimal(10,2),day:date,"
        "b:binary,f:float,i:int,ok:boolean,_change_type:string>"
    )
    first = newest(source, IcebergReader.BEGIN)
    assert lake.summed(source, IcebergReader.BEGIN, first) == rows(given)
    # a uuid is a text, as in Spark
    other = lake.create(tmp_path, Schema(NestedField(1, "u", UUIDType())), "shop.ids")
    id_ = uuid.uuid4()
    raw = pa.array([id_.bytes, None], pa.binary(16))
    other.append(pa.table({"u": raw.cast(pa.uuid()) if hasattr(pa, "uuid") else raw}))
    plan = inspect(IcebergPlan("shop.ids", "test", properties=lake.properties(tmp_path)), None)
    source = IcebergReader(plan)
    assert lake.summed(source, IcebergReader.BEGIN, newest(source, IcebergReader.BEGIN)) == Counter(
        [repr({"u": str(id_)}), repr({"u": None})]
    )


def _add_file(table: Any, path: str, count: int) -> None:
    from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
    from pyiceberg.typedef import Record

    file = DataFile.from_args(
        _table_format_version=2,
        content=DataFileContent.DATA,
        file_path=path,
        file_format=FileFormat.PARQUET,
        partition=Record(),
        record_count=count,
        file_size_in_bytes=Path(path).stat().st_size,
    )
    file.spec_id = 0
    with table.transaction() as transaction, transaction.update_snapshot().fast_append() as update:
        update.append_data_file(file)


def test_partitions_whose_values_are_not_in_the_files(tmp_path: Path) -> None:
    from pyiceberg.partitioning import PartitionField, PartitionSpec
    from pyiceberg.schema import Schema
    from pyiceberg.transforms import IdentityTransform
    from pyiceberg.types import DateType, LongType, NestedField

    schema = Schema(NestedField(1, "id", LongType()), NestedField(2, "day", DateType()))
    spec = PartitionSpec(
        PartitionField(2, 1000, IdentityTransform(), "day"),
    )
    table = lake.create(tmp_path, schema, partition_spec=spec)
    day = datetime.date(2026, 1, 2)
    table.append(pa.table({"id": pa.array([1, 2], pa.int64()), "day": [day, None]}))
    for entry in lake.live_entries(table):  # as files that came from Hive
        path = entry.data_file.file_path.removeprefix("file://")
        pq.write_table(pq.read_table(path, partitioning=None).select(["id"]), path)
    source = reader(tmp_path)
    wanted = rows(pa.table({"id": [1, 2], "day": [day, None]}))
    assert lake.summed(source, IcebergReader.BEGIN, newest(source, IcebergReader.BEGIN)) == wanted


def test_a_compaction_changes_no_row_and_reads_no_file(tmp_path: Path) -> None:
    table = lake.create(tmp_path, pairs().schema)
    table.append(pairs(1))
    source = reader(tmp_path)
    first = newest(source, IcebergReader.BEGIN)
    lake.quietly(table.overwrite, pairs(1))
    after = newest(source, first)
    assert lake.summed(source, first, after) == Counter()
    assert [len(part.files) for part in source.partitions(first, after)] == [2]  # type: ignore[attr-defined]
    lake.relabel(table, Operation.REPLACE, first["snapshot"])
    source = reader(tmp_path)
    after = newest(source, first)
    assert after != first
    assert [part.files for part in source.partitions(first, after)] == [[]]  # type: ignore[attr-defined]


def test_only_new_rows(tmp_path: Path) -> None:
    table = lake.create(tmp_path, pairs().schema)
    table.append(pairs(1))
    source = reader(tmp_path, appends=True)
    first = newest(source, IcebergReader.BEGIN)
    table.append(pairs(2, 2))
    after = newest(source, first)
    found = lake.summed(source, IcebergReader.BEGIN, first) + lake.summed(source, first, after)
    assert found == rows(pairs(1, 2, 2))
    lake.quietly(table.delete, "id = 1")
    with pytest.raises(SourceError, match=r"deletes or updates rows .*appends=True"):
        newest(source, after)


def test_a_first_load_in_parts_goes_on_with_another_limit(tmp_path: Path) -> None:
    table = lake.create(
        tmp_path,
        pairs().schema,
        properties={"write.parquet.row-group-limit": "10"},
    )
    table.append(pairs(*range(100)))
    table.append(pairs(200, 201))
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    random_ = random.Random(seed)
    assert backlog(reader(tmp_path)._plan).rows == 102
    for most in (Size(), Size(1), Size(102), *(Size(random_.randint(2, 120)) for _ in range(3))):
        source = reader(tmp_path, most=most)
        start, parts = IcebergReader.BEGIN, []
        while (end := newest(source, start)) != start:
            source = reader(tmp_path, most=Size(random_.randint(1, 50)))  # after a restart
            parts.append(lake.summed(source, start, end))
            start, source = end, reader(tmp_path, most=most)
        assert sum(parts, Counter()) == rows(pairs(*range(100), 200, 201)), most
        assert all(part.total() <= max(most.rows, 10) for part in parts if most.rows), most
        assert len(parts) == 1 or most not in (Size(), Size(102))


def test_a_branch_that_is_set_back_takes_its_rows_with_it(tmp_path: Path) -> None:
    table = lake.create(tmp_path, pairs().schema)
    table.append(pairs(1))
    old = table.current_snapshot().snapshot_id
    table.append(pairs(2))
    source = reader(tmp_path)
    at = newest(source, IcebergReader.BEGIN)
    table.manage_snapshots().rollback_to_snapshot(old).commit()
    end = newest(source, at)
    assert lake.summed(source, at, end) == Counter(dict.fromkeys(rows(pairs(2)), -1))
    table.append(pairs(3))
    (gone,), (come,) = rows(pairs(2)), rows(pairs(3))
    assert lake.summed(source, at, newest(source, at)) == Counter({gone: -1, come: 1})


def test_another_branch_is_followed_and_is_asked_for_when_it_is_gone(tmp_path: Path) -> None:
    table = lake.create(tmp_path, pairs().schema)
    table.append(pairs(1))
    with pytest.raises(SourceError, match="has no branch 'audit'; it has main"):
        reader(tmp_path, branch="audit")
    table.manage_snapshots().create_branch(table.current_snapshot().snapshot_id, "audit").commit()
    source = reader(tmp_path, branch="audit")
    at = newest(source, IcebergReader.BEGIN)
    table.append(pairs(2))
    assert newest(source, at) == at
    table.append(pairs(3), branch="audit")
    end = newest(source, at)
    assert lake.summed(source, at, end) == rows(pairs(3))
    table.manage_snapshots().remove_branch("audit").commit()
    with pytest.raises(SourceError, match=r"has no branch 'audit'.*Make the branch again"):
        newest(source, end)


def test_an_expired_snapshot_ends_it_by_name_if_what_follows_was_not_read(tmp_path: Path) -> None:
    table = lake.create(tmp_path, pairs().schema)
    table.append(pairs(1))
    source = reader(tmp_path)
    first = newest(source, IcebergReader.BEGIN)
    table.append(pairs(2))
    middle = table.current_snapshot().snapshot_id
    table.append(pairs(3))
    table.maintenance.expire_snapshots().by_id(middle).commit()
    end = newest(source, first)  # only the sum counts
    assert lake.summed(source, first, end) == rows(pairs(2, 3))
    table.maintenance.expire_snapshots().by_id(first["snapshot"]).commit()
    again = reader(tmp_path)
    with pytest.raises(SourceLost, match=r"is gone: it was expired .* new location"):
        newest(again, first)
    parts = again.partitions(first, end)  # Spark plans a durable barrier again
    with pytest.raises(SourceLost, match="expired"):
        list(again.read(parts[0]))


def test_files_that_are_gone_end_it_by_name(tmp_path: Path) -> None:
    table = lake.create(tmp_path, pairs().schema)
    table.append(pairs(1))
    source = reader(tmp_path)
    first = newest(source, IcebergReader.BEGIN)
    for file in tmp_path.rglob("*.parquet"):
        file.unlink()
    with pytest.raises(SourceLost, match=r"files of a snapshot of the Iceberg table .* are gone"):
        lake.summed(source, IcebergReader.BEGIN, first)


def test_a_new_column_waits_for_a_restart_and_one_that_goes_ends_it(tmp_path: Path) -> None:
    from pyiceberg.types import LongType, StringType

    table = lake.create(tmp_path, pairs().schema)
    table.append(pairs(1))
    sources = {how: reader(tmp_path, new_columns=how) for how in ("add", "stop", "ignore")}
    part = reader(tmp_path, columns=["ID"])
    first = newest(sources["add"], IcebergReader.BEGIN)
    table.append(pairs(2))
    with table.update_schema() as update:
        update.add_column("w", StringType())
    table.append(pairs(3).append_column("w", pa.array(["x"])))
    for how in ("add", "stop"):
        before = newest(sources[how], first)
        assert lake.summed(sources[how], first, before) == rows(pairs(2))
        said = "w is new.*Start again" if how == "add" else "w is new.*new location"
        with pytest.raises(SourceError, match=said):
            newest(sources[how], before)
    end = newest(sources["ignore"], first)
    assert lake.summed(sources["ignore"], first, end) == rows(pairs(2, 3))
    assert lake.summed(part, first, newest(part, first)) == rows(pairs(2, 3).select(["id"]))
    again = reader(tmp_path)
    end = newest(again, before)
    assert lake.summed(again, before, end) == rows(pairs(3).append_column("w", pa.array(["x"])))
    with pytest.raises(SourceError, match=r"column w of .* is new"):
        newest(reader(tmp_path, new_columns="stop"), before)
    # a column with another id is another column, whatever its name
    with table.update_schema(allow_incompatible_changes=True) as update:
        update.delete_column("v")
    with table.update_schema() as update:
        update.add_column("v", LongType())
    table.append(pa.table({"id": [4], "w": ["y"], "v": [1]}))
    with pytest.raises(SourceError, match="altered the columns: v is gone, v is new"):
        newest(again, end)
    with pytest.raises(SourceError, match=r"column v of .* is another one"):
        newest(reader(tmp_path), end)


def test_a_renamed_and_a_wider_column_end_it(tmp_path: Path) -> None:
    from pyiceberg.types import LongType

    table = lake.create(tmp_path, pa.schema([("id", pa.int32()), ("v", pa.float64())]))
    source = reader(tmp_path)
    at = newest(source, IcebergReader.BEGIN)
    assert at["snapshot"] == 0
    assert newest(source, at) == at
    with table.update_schema() as update:
        update.update_column("id", field_type=LongType())
        update.rename_column("v", "w")
    table.append(pa.table({"id": pa.array([1], pa.int64()), "w": pa.array([None], pa.float64())}))
    with pytest.raises(SourceError, match="id was int and is long, v is called w"):
        newest(source, at)


def test_a_folder_is_read_without_a_catalog_only_where_its_files_are_committed(
    tmp_path: Path,
) -> None:
    table = lake.create(tmp_path, pairs().schema)
    table.append(pairs(1))
    folder = Path(table.location().removeprefix("file://"))
    with pytest.raises(SourceError, match=r"version-hint.text is not there.*catalog="):
        inspect(IcebergPlan(str(folder)), None)
    with pytest.raises(SourceError, match="there is no Iceberg table at"):
        inspect(IcebergPlan(str(tmp_path / "none")), None)

    def publish(version: int, hint: int) -> None:
        now = Path(table.refresh().metadata_location.removeprefix("file://"))
        (folder / "metadata" / f"v{version}.metadata.json").write_bytes(now.read_bytes())
        (folder / "metadata" / "version-hint.text").write_text(str(hint))

    publish(1, 1)
    plan = inspect(IcebergPlan(str(folder)), None)
    source = IcebergReader(plan)
    first = newest(source, IcebergReader.BEGIN)
    assert lake.summed(source, IcebergReader.BEGIN, first) == rows(pairs(1))
    table.append(pairs(2))
    publish(2, 1)  # the hint may lag behind
    assert lake.summed(source, first, newest(source, first)) == rows(pairs(2))
    one = inspect(IcebergPlan(table.metadata_location), None)
    source = IcebergReader(one)
    assert lake.summed(source, IcebergReader.BEGIN, newest(source, IcebergReader.BEGIN)) == rows(
        pairs(1, 2)
    )


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda _: {"table": "shop.none"}, "the catalog test has no table shop.none"),
        (lambda _: {"columns": ["w"]}, "has no column 'w'; it has id, at"),
        (lambda _: {}, "column at of .* is of type time, .* columns="),
    ],
)
def test_bad_input_is_named(make: Any, said: str, tmp_path: Path) -> None:
    schema = pa.schema([("id", pa.int64()), ("at", pa.time64("us"))])
    lake.create(tmp_path, schema)
    options = make(tmp_path)
    plan = IcebergPlan(options.get("table", NAME), "test", properties=lake.properties(tmp_path))
    with pytest.raises(SourceError, match=said):
        inspect(plan, options.get("columns"))
    inspect(IcebergPlan(NAME, "test", properties=lake.properties(tmp_path)), ["id"])


def test_secrets_of_a_catalog_are_not_shown(tmp_path: Path) -> None:
    plan = IcebergPlan(
        NAME, "test", properties={"type": "sql", "uri": "postgresql://u:hunter2@127.0.0.1:1/x"}
    )
    assert "hunter2" not in repr(plan)
    with pytest.raises(SourceError) as caught:
        inspect(plan, None)
    assert "hunter2" not in str(caught.value)
