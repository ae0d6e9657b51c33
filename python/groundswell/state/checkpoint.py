"""What a query's checkpoint holds: operators, their stores, and the newest committed version.

Spark's layout: ``state/<operator>/<partition>[/<store>]``, the store named "default" without a
folder of its own; ``state/<operator>/_metadata/metadata`` (or ``v2/``) names the stores;
``commits/<batch>`` stands for version batch + 1 of every store, and in checkpoint format v2 says
which attempt at it counts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from groundswell.errors import Corruption, InvalidArgument, VersionUnavailable
from groundswell.format import Folder, Store, Version
from groundswell.format.packs import FOLDER, PackedFolder, newest_stores
from groundswell.state import schema
from groundswell.state.schema import DEFAULT, TableSchema


@dataclass(frozen=True)
class StoreName:
    """A store of an operator; ``prefix_columns`` are those that its scans bind, 0 for none."""

    name: str
    prefix_columns: int


@dataclass(frozen=True)
class Operator:
    """A stateful operator of a query.

    Attributes:
        id: its folder's name under ``state``.
        name: Spark's name for it, such as ``stateStoreSave``.
        partitions: the number of its state partitions.
        lists: tables whose values are lists.
        packs: objects that commits of many stores share, if there are any.
    """

    id: int
    name: str
    stores: tuple[StoreName, ...]
    partitions: int
    folder: Folder
    lists: frozenset[str] = frozenset()
    packs: Folder | None = None

    def store(self, name: str) -> StoreName:
        """A store of it; `InvalidArgument` if it has none of that name."""
        for store in self.stores:
            if store.name == name:
                return store
        raise InvalidArgument(
            f"operator {self.id} ({self.name}) has no store {name!r}; it has "
            f"{[s.name for s in self.stores]}"
        )

    def path(self, partition: int, store: str) -> Folder:
        """The folder of one store."""
        below = self.folder.child(str(partition))
        path = f"{self.id}/{partition}"
        if store != DEFAULT:
            below, path = below.child(store), f"{path}/{store}"
        return below if self.packs is None else PackedFolder(below, self.packs, path)

    def schemas(self, store: str) -> Mapping[str, TableSchema]:
        """Types of a store's tables."""
        return schema.read(self.folder, store)


@dataclass(frozen=True)
class Committed:
    """A batch that Spark has recorded; state version ``batch + 1`` is what it left."""

    batch: int
    ids: Mapping[str, Any]

    def id_of(self, operator: Operator, partition: int, store: str) -> str | None:
        """Which attempt at the version counts, where the checkpoint says so (format v2)."""
        by_partition = self.ids.get(str(operator.id))
        if not by_partition or partition >= len(by_partition):
            return None
        names = [s.name for s in operator.stores]
        ids = by_partition[partition]
        return ids[names.index(store)] if len(ids) == len(names) else None


class Checkpoint:
    """A query's checkpoint, read-only."""

    def __init__(self, root: Folder) -> None:
        self.root = root
        folders = root.folders()
        if "state" not in folders:
            why = "it has no folder 'state'" if folders or root.names() else "nothing is there"
            raise InvalidArgument(f"{root.location} is not a checkpoint of a stateful query: {why}")

    def operators(self) -> list[Operator]:
        """All operators with state, by id."""
        state = self.root.child("state")
        ids = sorted(int(name) for name in state.folders() if name.isdigit())
        packs = state.child(FOLDER) if FOLDER in state.folders() else None
        packed = newest_stores(packs) if packs else set()
        return [_operator(state.child(str(i)), i, packs, packed) for i in ids]

    def operator(self, number: int | None) -> Operator:
        """One operator; None takes the only one.

        Raises:
            InvalidArgument: there is none of that number, or several to choose from.
        """
        all_of_them = self.operators()
        known = ", ".join(f"{o.id} ({o.name})" for o in all_of_them) or "none"
        if number is None and len(all_of_them) == 1:
            return all_of_them[0]
        if number is None:
            raise InvalidArgument(f"{self.root.location}: say which operator=; it has {known}")
        for operator in all_of_them:
            if operator.id == number:
                return operator
        raise InvalidArgument(f"{self.root.location} has no operator {number}; it has {known}")

    def confs(self) -> Mapping[str, str]:
        """Confs of Spark's that the checkpoint is bound to; empty before the first batch."""
        offsets = self.root.child("offsets")
        batches = sorted((name for name in offsets.names() if name.isdigit()), key=int)
        if not batches:
            return {}
        lines = offsets.whole(batches[-1]).decode().splitlines()
        found: dict[str, str] = json.loads(lines[1]).get("conf", {}) if len(lines) > 1 else {}
        return found

    def committed(self, batch: int | None = None) -> Committed:
        """A recorded batch; default: the newest.

        Raises:
            VersionUnavailable: the query has not finished that batch, or none yet.
        """
        commits = self.root.child("commits")
        batches = sorted(int(name) for name in commits.names() if name.isdigit())
        wanted = max(batches, default=None) if batch is None else batch
        if wanted not in batches:
            raise VersionUnavailable(
                f"{self.root.location} has no committed batch yet: the query has to finish one"
                if wanted is None
                else f"{self.root.location} has no committed batch {wanted}; it has "
                f"{batches or 'none'}"
            )
        _, documents = _document(commits, str(wanted))
        ids = (documents[0] if documents else {}).get("stateUniqueIds") or {}
        return Committed(int(wanted), ids)

    def at(self, path: str) -> tuple[Folder, int, str | None]:
        """A store as the newest recorded batch left it: folder, version and the attempt at it.

        Args:
            path: ``<operator>/<partition>[/<store>]``.

        Raises:
            InvalidArgument: there is no such store.
            VersionUnavailable: the query has not finished a batch.
        """
        parts = path.strip("/").split("/")
        if len(parts) not in (2, 3) or not all(part.isdecimal() for part in parts[:2]):
            raise InvalidArgument(f"{path!r} is not <operator>/<partition>[/<store>], such as 0/12")
        operator, partition = self.operator(int(parts[0])), int(parts[1])
        store = operator.store(parts[2] if len(parts) == 3 else DEFAULT).name
        if partition >= operator.partitions:
            raise InvalidArgument(
                f"operator {operator.id} of {self.root.location} has partitions 0 to "
                f"{operator.partitions - 1}, not {partition}"
            )
        return place(operator, partition, store, self.committed())


def place(
    operator: Operator, partition: int, store: str, at: Committed
) -> tuple[Folder, int, str | None]:
    """Where one partition of a store is as a batch left it: folder, version and its attempt."""
    folder = operator.path(partition, store)
    return folder, at.batch + 1, at.id_of(operator, partition, store)


def store_version(operator: Operator, partition: int, store: str, at: Committed) -> Version:
    """One partition of a store as a batch left it."""
    folder, version, commit_id = place(operator, partition, store, at)
    return Store(folder).version(version, commit_id)


def _operator(folder: Folder, number: int, packs: Folder | None, packed: set[str]) -> Operator:
    metadata = folder.child("_metadata")
    # An object store shows no folder of a partition of which all is in packs.
    paths = [path.split("/") for path in packed]
    names = {*folder.folders(), *(path[1] for path in paths if path[0] == str(number))}
    count = max((int(name) for name in names if name.isdigit()), default=-1) + 1
    stores: tuple[StoreName, ...] = (StoreName(DEFAULT, 0),)
    name = "unknown"
    lists: frozenset[str] = frozenset()
    place, file = metadata, "metadata"
    if "v2" in metadata.folders():
        place = metadata.child("v2")
        file = max(place.names(), key=int)
    if file in place.names():
        _, documents = _document(place, file)
        if documents:
            name = documents[0]["operatorInfo"]["operatorName"]
            stores = tuple(
                StoreName(s["storeName"], int(s.get("numColsPrefixKey", 0)))
                for s in documents[0]["stateStoreInfo"]
            )
            lists = _lists(documents[0])
    return Operator(number, name, stores, count, folder, lists, packs)


def _lists(metadata: dict[str, Any]) -> frozenset[str]:
    """State variables of transformWithState that are lists."""
    own = json.loads(metadata.get("operatorPropertiesJson") or "{}")
    return frozenset(
        variable["stateName"]
        for variable in own.get("stateVariables", ())
        if variable["stateVariableType"] == "ListState"
    )


def _document(folder: Folder, name: str) -> tuple[str, list[dict[str, Any]]]:
    """A file of Spark's: a line with its version, then JSON lines."""
    try:
        version, *lines = folder.whole(name).decode("utf-8").splitlines()
        return version, [json.loads(line) for line in lines if line.strip()]
    except ValueError as error:
        raise Corruption(f"{folder.location}/{name} is not a file of Spark's: {error}") from error
