"""What is to be moved: operators, stores, tables, and how their rows are distributed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from groundswell.contract.migration import FamilyPlan, OperatorPlan, StorePlan
from groundswell.errors import InvalidArgument
from groundswell.state.checkpoint import Checkpoint, Committed, Operator, StoreName
from groundswell.state.schema import DEFAULT, TableSchema, by_time, schema_files

LIMIT = "globalLimit"
SESSIONS = "sessionWindow"
JOIN_ROWS = "keyWithIndexToValue"
EXPIRIES = "$ttl_"
PREFIX = "PrefixKeyScanStateEncoderSpec"
RANGE = "RangeKeyScanStateEncoderSpec"
JOIN_FORMAT = "spark.sql.streaming.join.stateFormatVersion"
ENCODING = "spark.sql.streaming.stateStore.encodingFormat"
NEWEST_JOIN_FORMAT = 4
ENCODINGS = ("unsaferow", "avro")


def operators(
    checkpoint: Checkpoint, at: Committed, partitions: int | None, confs: Mapping[str, str]
) -> tuple[OperatorPlan, ...]:
    """The operators of a plan.

    Args:
        checkpoint: the old one.
        at: the batch whose state is moved.
        partitions: the new number; None keeps each operator's own. One without a key keeps its one
            partition.
        confs: pinned by the old checkpoint.

    Raises:
        InvalidArgument: a store cannot be moved; says which and why.
    """
    return tuple(_operator(o, at, partitions, confs) for o in checkpoint.operators())


def _operator(
    operator: Operator, at: Committed, partitions: int | None, confs: Mapping[str, str]
) -> OperatorPlan:
    if "Join" in operator.name and int(confs.get(JOIN_FORMAT, "2")) > NEWEST_JOIN_FORMAT:
        raise InvalidArgument(
            f"operator {operator.id} ({operator.name}) has join state format {confs[JOIN_FORMAT]}, "
            f"which cannot be moved (yet); formats up to {NEWEST_JOIN_FORMAT} can"
        )
    encoding = confs.get(ENCODING, "unsaferow")
    if encoding not in ENCODINGS:
        raise InvalidArgument(
            f"the state is encoded as {encoding}, which cannot be moved; "
            f"{' and '.join(ENCODINGS)} can"
        )
    stores = tuple(_store(operator, store, at) for store in operator.stores)
    stays = partitions is None or not _has_key(operator, stores)
    return OperatorPlan(
        id=operator.id,
        partitions=operator.partitions,
        new_partitions=operator.partitions if stays or partitions is None else partitions,
        schema_files=tuple(schema_files(operator.folder)) if encoding == "avro" else (),
        stores=stores,
    )


def _has_key(operator: Operator, stores: Sequence[StorePlan]) -> bool:
    """Whether there is anything to distribute its rows by; else all are in one partition."""
    if operator.name == LIMIT:
        return False
    if operator.name.startswith(SESSIONS):  # beside the key there is the session's start
        return operator.stores[0].prefix_columns > 0
    return all(family.distribution for store in stores for family in store.families)


def _store(operator: Operator, store: StoreName, at: Committed) -> StorePlan:
    schemas = operator.schemas(store.name)
    if not schemas:
        raise InvalidArgument(
            f"operator {operator.id} ({operator.name}) has no schema of its store {store.name!r} "
            "beside the state, so its rows cannot be read"
        )
    return StorePlan(
        name=store.name,
        ids=tuple(at.id_of(operator, p, store.name) for p in range(operator.partitions)),
        use_families=set(schemas) != {DEFAULT},
        families=tuple(_family(operator, store, name, schemas) for name in schemas),
    )


def _family(
    operator: Operator, store: StoreName, name: str, schemas: Mapping[str, TableSchema]
) -> FamilyPlan:
    schema = schemas[name]
    kind, numbers = _kind(schema), []
    if schema.encoder is not None:
        if "numColsPrefixKey" in schema.encoder:
            numbers = [int(schema.encoder["numColsPrefixKey"])]
        numbers += [int(i) for i in schema.encoder.get("orderingOrdinals", ())]
    elif store.prefix_columns:
        kind, numbers = PREFIX, [store.prefix_columns]
    return FamilyPlan(
        name=name,
        key=schema.key,
        value=schema.value,
        encoder=kind,
        numbers=tuple(numbers),
        multiple=name in operator.lists or by_time(schema),
        distribution=tuple(map(tuple, distribution(name, schemas, store))),
    )


def _kind(schema: TableSchema) -> str | None:
    return schema.encoder.get("keyStateEncoderType") if schema.encoder else None


def distribution(
    table: str, schemas: Mapping[str, TableSchema], store: StoreName
) -> list[list[int]]:
    """The key columns that Spark distributes an operator's rows by, each as the way to it.

    A table of transformWithState that is scanned holds the grouping key as one struct beside what
    it adds: a map its user's key, a timer its time, the index of what has a time to live the
    expiry, and that of a map the map's whole key. Keys of a join's rows end with a running number
    or a time; those of session windows begin with the grouping columns. All others are the
    grouping columns.
    """
    schema = schemas[table]
    names = [field["name"] for field in schema.key["fields"]]
    if table.startswith(EXPIRIES):
        of_map = _kind(schemas[table.removeprefix(EXPIRIES)]) == PREFIX
        return [[names.index("elementKey"), *([0] if of_map else [])]]
    if by_time(schema) or store.name.endswith(JOIN_ROWS) or table.endswith(JOIN_ROWS):
        names.pop()
    elif _kind(schema) in (PREFIX, RANGE):
        return [[names.index("key")]]
    elif store.prefix_columns:
        del names[store.prefix_columns :]
    return [[column] for column in range(len(names))]
