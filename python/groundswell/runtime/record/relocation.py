"""Spark's logs of what tables' files were read, after the location was moved or copied.

``sources/<name>/<n>`` has one JSON document a line, after a version; each names a file by its whole
path. Spark looks for the files of the last entries at each start, and refuses those that are not
below the folder that it reads.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from groundswell.marks import Mark
from groundswell.runtime.record import removal
from groundswell.runtime.record.location import FOLDER, Folder

SOURCES = "sources"
_ROWS = re.compile(rf"/{FOLDER}/tables/[^/]+/rows/")


def relocate(root: Folder, sources: Iterable[str], uri: str) -> list[str]:
    """Has the logs of tables name the files where they are now.

    Args:
        root: the checkpointLocation.
        sources: names of the folders in its ``sources``.
        uri: of the checkpointLocation.

    Returns:
        The sources whose logs named another location.
    """
    found = []
    for source in sources:
        folder = root.child(SOURCES).child(source)
        names = [name for name in folder.names() if name[:1].isdecimal()]
        newest = max(names, key=lambda name: int(name.partition(".")[0]), default=None)
        if newest is None or not _is_elsewhere(folder.read(newest) or b"", uri):
            continue
        Mark.LOGS_NAME_ANOTHER_PLACE.hit()
        for name in sorted(names, key=lambda each: each == newest):  # a crash is noticed again
            data = folder.read(name)
            if data is not None:
                folder.put(name, _moved(data, uri))
                removal.checksum(folder, name)
        found.append(source)
    return found


def moved(data: bytes, below: str, to: str) -> bytes:
    """A log's file whose files are looked for elsewhere.

    Args:
        data: the bytes of ``sources/<name>/<n>``.
        below: the folder of the files, as it ends: ``/groundswell/tables/votes/rows/``.
        to: the URI of the folder that has ``below`` from now on.
    """
    version, *lines = data.decode().splitlines()
    for number, line in enumerate(lines):
        entry = json.loads(line)
        head, found, name = entry["path"].rpartition(below)
        if found:
            if head.startswith("s3a:"):
                to = to.replace("s3:", "s3a:", 1)
            lines[number] = json.dumps(
                {**entry, "path": f"{to}{found}{name}"}, separators=(",", ":")
            )
    return "\n".join([version, *lines]).encode()


def _moved(data: bytes, uri: str) -> bytes:
    for below in sorted(set(_ROWS.findall(data.decode()))):
        data = moved(data, below, uri)
    return data


def _is_elsewhere(data: bytes, uri: str) -> bool:
    """Whether a log's file names files of a table that is in another location."""
    for line in data.decode("utf-8", "replace").splitlines()[1:]:
        rows = _ROWS.search(line)
        if rows is None:  # of files that people bring, or of another source: Kafka's first offsets
            continue
        path = json.loads(line)["path"]
        rows = _ROWS.search(path)
        if rows is not None:
            return _plain(path[: rows.start()]) != _plain(uri)
    return False


def _plain(uri: str) -> str:
    """``file:///a`` and ``file:/a`` are the same."""
    return re.sub(r"^file:/+", "/", uri).rstrip("/")
