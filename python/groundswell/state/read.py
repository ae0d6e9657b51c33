"""State tables and views as arrow tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from groundswell.contract.commits import CommitRef
from groundswell.errors import InvalidArgument
from groundswell.format import Folder, Row, States, Store, open_folder
from groundswell.plan.sources import HIDDEN, MALFORMED
from groundswell.runtime.ownership.leases import lease_if_allowed, leased
from groundswell.runtime.record.checkpoints import check_newest
from groundswell.runtime.record.location import states_in
from groundswell.runtime.record.published import Published
from groundswell.state import keys, unsafe_row
from groundswell.state.checkpoint import Checkpoint, store_version
from groundswell.state.documents import open_documents
from groundswell.state.rows import SEGMENTS, list_column, row_column, rows_of_list
from groundswell.state.schema import DEFAULT, TableSchema, by_time

PIPELINE = "groundswell"
ENCODING = "spark.sql.streaming.stateStore.encodingFormat"


def read_state(
    path: str | Path,
    *,
    operator: int | None = None,
    store: str = DEFAULT,
    table: str = DEFAULT,
    partition: int | None = None,
    batch: int | None = None,
    raw: bool = False,
) -> pa.Table:
    """A table of a Spark query's state, read from its files without Spark.

    Args:
        path: the query's checkpointLocation: a local path, or a URI (``file:``, ``s3://``,
            ``hdfs://``, ``gs://`` and others, see docs/how-to/read-a-view.md).
        operator: id of the stateful operator; default: the only one.
        store: name of its store; joins have four.
        table: column family; only transformWithState has others than "default".
        partition: one state partition; default: all.
        batch: the state after this batch; default: after the newest that Spark has recorded.
        raw: give ``key`` and ``value`` as the bytes that are stored, undecoded.

    Returns:
        A table of ``partition_id`` (int32), ``key`` (struct) and ``value`` (struct; of lists a
        list of structs, oldest first). Rows of older schemas (``encodingFormat=avro``) are shown
        in the newest. In memory as a whole.

    Raises:
        InvalidArgument: there is no such operator, store, table or partition, or its types have no
            arrow counterpart.
        VersionUnavailable: the batch is not recorded, or its state is retired.
        Corruption: a file is damaged; its name is in the message.
    """
    checkpoint = Checkpoint(open_folder(path))
    owner = checkpoint.operator(operator)
    name = owner.store(store)
    if partition is not None and not 0 <= partition < owner.partitions:
        raise InvalidArgument(
            f"operator {owner.id} of {path} has partitions 0 to {owner.partitions - 1}, "
            f"not {partition}"
        )
    at = checkpoint.committed(batch)
    wanted = range(owner.partitions) if partition is None else [partition]
    found: list[tuple[int, Row]] = []
    segments: dict[int, dict[bytes, bytes]] = {}
    there = False
    for p in wanted:
        version = store_version(owner, p, store, at)
        tables = {t.name for t in version.manifest.tables}
        there = there or table in tables
        if table in tables or (p == wanted[-1] and not there):  # no partition has it: it says so
            found += ((p, row) for row in version.scan(table))
        if SEGMENTS + table in tables:
            segments[p] = {row.key: row.value for row in version.scan(SEGMENTS + table)}
    schemas = owner.schemas(store)
    if raw or not schemas:
        return _table(
            [p for p, _ in found],
            pa.array([row.key for _, row in found], pa.binary()),
            pa.array([row.value for _, row in found], pa.binary()),
        )
    if table not in schemas:
        raise InvalidArgument(
            f"Spark left no schema of table {table!r} of operator {owner.id} of {path}; "
            f"it has {sorted(schemas)}; raw=True gives the bytes of the rows"
        )
    types = schemas[table]
    evolves = types.encoder is not None and checkpoint.confs().get(ENCODING) == "avro"
    decode = keys.decoder(types.key, types.encoder, name.prefix_columns)
    return _table(
        [p for p, _ in found],
        unsafe_row.columns([decode(row.key) for _, row in found], types.key),
        _values(found, segments, types, table in owner.lists or by_time(types), evolves),
    )


def _values(
    found: Sequence[tuple[int, Row]],
    segments: Mapping[int, Mapping[bytes, bytes]],
    types: TableSchema,
    many: bool,
    evolves: bool,
) -> pa.Array:
    """The column of values: lists of rows, rows of several schemas, or plain rows."""
    if not many and not evolves:
        return unsafe_row.columns([row.value for _, row in found], types.value)
    whole = [rows_of_list(row.key, row.value, segments.get(p, {})) for p, row in found]
    if many:
        return list_column(whole, types, evolves)
    return row_column([rows[0] for rows in whole], types, evolves)


def view_to_arrow(
    path: str | Path,
    view: str,
    epoch: int | None = None,
    *,
    columns: Sequence[str] | None = None,
    filter: pc.Expression | None = None,  # noqa: A002 - as pyarrow calls it
) -> pa.Table:
    """An incremental view as it was after an epoch, read from its files without Spark.

    Rows are decoded and filtered a partition at a time. So memory holds the chosen rows and
    columns, and the bytes of one partition. A lease keeps the epoch from being retired meanwhile.

    Args:
        path: the pipeline's checkpointLocation, as in :func:`read_state`.
        view: its name.
        epoch: a published epoch that is still retained; default: the newest.
        columns: names of the columns to decode, in the order wanted; default: all.
        filter: a condition on columns of the view, chosen or not, as
            ``pyarrow.compute.field("n") > 3``; default: all rows.

    Raises:
        ConfigurationError: no pipeline was started there, or it has no such view.
        EpochUnavailable: the epoch is not published (yet), or retired.
        InvalidArgument: the view has no such column, or the condition does not fit its columns.
    """
    root = open_documents(path)
    documents = root.child(PIPELINE)
    if epoch is None:
        check_newest(root, documents)
    published, lease = leased(
        lambda at: Published(documents, str(path), at), documents, epoch, lease_if_allowed
    )
    with lease or nullcontext():
        return _view(open_folder(path).child(PIPELINE), published, view, columns, filter)


def _view(
    home: Folder,
    published: Published,
    view: str,
    columns: Sequence[str] | None,
    filter: pc.Expression | None,  # noqa: A002
) -> pa.Table:
    state = published.state(view)
    schema = {"fields": published.layout(state)["columns"]}
    names = [field["name"] for field in schema["fields"] if field["name"] not in HIDDEN]
    wanted = names if columns is None else list(columns)
    if unknown := [name for name in wanted if name not in names]:
        raise InvalidArgument(
            f"view {view} has no column {', '.join(unknown)}; it has {', '.join(names)}"
        )
    needed = [*(names if filter is not None else wanted), MALFORMED]
    states = States(states_in(home, published.generation), home)
    parts = [
        _chosen(unsafe_row.columns(list(rows), schema, needed), wanted, filter, view)
        for rows in (
            view_rows(states.store(state, p), commit)
            for p, commit in enumerate(published.commits(state))
        )
    ]
    return pa.concat_tables(parts)


def _chosen(
    rows: pa.StructArray,
    wanted: Sequence[str],
    filter: pc.Expression | None,  # noqa: A002
    view: str,
) -> pa.Table:
    table = pa.Table.from_struct_array(rows)
    if MALFORMED in table.column_names:
        table = table.filter(pc.field(MALFORMED).is_null())
    if filter is not None:
        try:
            table = table.filter(filter)
        except pa.ArrowException as error:
            raise InvalidArgument(f"the filter of view {view} does not fit: {error}") from error
    return table.select(wanted)


def view_rows(folder: Folder, commit: CommitRef) -> Iterator[bytes]:
    """A view's rows, of which some tables hold one an entry and others many, with their keys."""
    if commit.version == 0:  # never written
        return
    version = Store(folder).version(commit.version, commit.id or "")
    tables = {table.name for table in version.manifest.tables}
    if "rows" in tables:
        yield from (row.value for row in version.scan("rows"))
    if "bundles" in tables:
        for bundle in version.scan("bundles"):
            yield from islice(listed(bundle.value), 1, None, 2)


def listed(data: bytes) -> Iterator[bytes]:
    """What stands one after the other in a list: of each its length (4 bytes) and its bytes."""
    at = 0
    while at < len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        yield data[at + 4 : at + 4 + length]
        at += 4 + length


def _table(partitions: list[int], key: pa.Array, value: pa.Array) -> pa.Table:
    return pa.table({"partition_id": pa.array(partitions, pa.int32()), "key": key, "value": value})
