"""Which columns of a stored table a dataflow decodes."""

from groundswell.contract.dataflow.operators import OperatorSpec, StoredColumn
from groundswell.contract.dataflow.rows import UnionSpec
from groundswell.contract.dataflow.sources import SnapshotSpec
from groundswell.contract.dataflow.steps import MappedColumn, Select, StatelessSpec
from groundswell.physical.prune import pruned

STORED = SnapshotSpec(
    id=0,
    columns=("k", "a", "b", "c"),
    reads="rows",
    parts=(StoredColumn(True, 0), *(StoredColumn(False, at) for at in range(3))),
    key_types=("long",),
    row_types=("long", "long", "string"),
)


def selecting(number: int, *columns: MappedColumn) -> OperatorSpec:
    to = tuple(column.to for column in columns)
    return StatelessSpec(id=number, columns=to, inputs=(0,), steps=(Select(columns),))


def test_columns_that_no_reader_selects_are_not_decoded() -> None:
    first = selecting(1, MappedColumn("x", "b"), MappedColumn("one", literal=1))
    second = selecting(2, MappedColumn("y", "k"), MappedColumn("z", "b"))
    snapshot, *readers = pruned([STORED, first, second])
    assert isinstance(snapshot, SnapshotSpec)
    assert snapshot.columns == ("k", "b")
    assert snapshot.parts == (StoredColumn(True, 0), StoredColumn(False, 1))
    assert (snapshot.key_types, snapshot.row_types) == (STORED.key_types, STORED.row_types)
    assert readers == [first, second]


def test_a_reader_that_selects_nothing_gets_all_columns() -> None:
    first = selecting(1, MappedColumn("x", "b"))
    whole = UnionSpec(id=2, columns=STORED.columns, inputs=(0, 0))
    assert pruned([STORED, first, whole]) == (STORED, first, whole)


def test_one_column_is_left_where_only_the_number_of_rows_matters() -> None:
    (snapshot,) = pruned([STORED])
    assert snapshot.columns == ("k",)
