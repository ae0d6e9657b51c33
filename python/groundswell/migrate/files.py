"""Copies what is Spark's own in a checkpoint, with what has changed of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from groundswell.errors import InvalidArgument
from groundswell.format import Folder
from groundswell.format.packs import FOLDER as PACKS

COMMITS = "commits"
IDS = "stateUniqueIds"
PROVIDER = "spark.sql.streaming.stateStore.providerClass"
PARTITIONS = "spark.sql.shuffle.partitions"
OURS = "io.groundswell.EpochStateStoreProvider"


class Target(Protocol):
    """A folder to write to."""

    def put(self, name: str, data: bytes) -> None:
        """Writes an object; it becomes visible as a whole or not at all."""

    def child(self, name: str) -> Target:
        """The folder of that name in this one."""


def pinned(root: Folder, batch: int) -> dict[str, str]:
    """The confs that the checkpoint has pinned, as of a batch."""
    lines = root.child("offsets").whole(str(batch)).decode().splitlines()
    if len(lines) < 2 or "conf" not in (document := json.loads(lines[1])):
        raise InvalidArgument(
            f"{root.location}/offsets/{batch} does not say with which confs it ran"
        )
    return {key: str(value) for key, value in document["conf"].items()}


def copy(root: Folder, target: Target, partitions: Mapping[int, int], shuffle: int | None) -> None:
    """Copies all but state and commits.

    Args:
        root: the old checkpoint.
        target: the new one.
        partitions: of each operator, its new number of partitions.
        shuffle: the new ``spark.sql.shuffle.partitions``; None keeps it.
    """
    for path in walk(root):
        if path[0] == COMMITS or _is_state(path):
            continue
        data = _source(root, path).whole(path[-1])
        if path[0] == "offsets" and path[-1].isdigit():
            data = _offsets(data, shuffle)
        elif path[0] == "state" and path[2:3] == ("_metadata",):
            data = _operator_metadata(data, partitions[int(path[1])])
        _target(target, path).put(path[-1], data)


def copy_commits(root: Folder, target: Target, batch: int, ids: Mapping[str, Any]) -> None:
    """Copies the commit log up to a batch; what it says of attempts becomes ``ids``."""
    source, own = root.child(COMMITS), target.child(COMMITS)
    for name in sorted((n for n in source.names() if n.isdigit()), key=int):
        if int(name) <= batch:
            data = source.whole(name)
            own.put(name, _commit(data, ids) if int(name) == batch else data)


def walk(folder: Folder, below: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Paths of all files, relative; hidden ones (checksums, files being written) left out."""
    for name in folder.names():
        if not name.startswith("."):
            yield (*below, name)
    for name in folder.folders():
        path = (*below, name)
        if not (path[0] == "state" and len(path) > 2 and path[2].isdigit() and path[2] != "0"):
            yield from walk(folder.child(name), path)


def _is_state(path: tuple[str, ...]) -> bool:
    """Data of stores: what they share, or has a partition's folder, but for Spark's schema files.

    Commits that they share would be found under the names of the new partitions.
    """
    if path[0] != "state":
        return False
    return path[1] == PACKS or (len(path) > 3 and path[2].isdigit() and "_metadata" not in path)


def _source(root: Folder, path: tuple[str, ...]) -> Folder:
    for name in path[:-1]:
        root = root.child(name)
    return root


def _target(root: Target, path: tuple[str, ...]) -> Target:
    for name in path[:-1]:
        root = root.child(name)
    return root


def _offsets(data: bytes, shuffle: int | None) -> bytes:
    lines = data.decode().split("\n")
    document = json.loads(lines[1])
    conf = document.get("conf", {})
    conf[PROVIDER] = OURS
    if shuffle is not None:
        conf[PARTITIONS] = str(shuffle)
    lines[1] = json.dumps(document, separators=(",", ":"))
    return "\n".join(lines).encode()


def _operator_metadata(data: bytes, partitions: int) -> bytes:
    lines = data.decode().split("\n")
    document = json.loads(lines[1])
    for store in document["stateStoreInfo"]:
        store["numPartitions"] = partitions
    lines[1] = json.dumps(document, separators=(",", ":"))
    return "\n".join(lines).encode()


def _commit(data: bytes, ids: Mapping[str, Any]) -> bytes:
    lines = data.decode().split("\n")
    document = json.loads(lines[1])
    if document.get(IDS):
        document[IDS] = dict(ids)
    lines[1] = json.dumps(document, separators=(",", ":"))
    return "\n".join(lines).encode()
