"""What a start reads of Spark's own files, looked at before Spark does: its errors name no file.

Spark writes no checksum. A changed byte that leaves an entry readable is noticed where it counts:
an epoch notes the fingerprint of the offsets that it was computed from.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import Any

from groundswell.errors import Corruption
from groundswell.runtime.record import file_logs
from groundswell.runtime.record.location import Folder

LOGS = ("offsets", "commits")
_ENTRY = re.compile(rb"v\d+\n")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def check_logs(
    root: Folder,
    doubtful: Mapping[str, Collection[int]] | None = None,
    sound: set[tuple[str, int]] | None = None,
) -> None:
    """Reads the query's id and the last entries of its logs, as Spark will.

    Args:
        root: the checkpointLocation.
        doubtful: by log, entries that the start may not go by; they are not looked at.
        sound: log and number of entries that were looked at before, and are not read again; those
            that are read now are added.

    Raises:
        Corruption: if one of them is not what Spark writes, or a file source's log of its files is
            not whole; it says which.
    """
    known = set() if sound is None else sound
    # Commits first: of a query that runs meanwhile each commit that is seen has its offsets then.
    there = {log: batches(root.child(log)) for log in reversed(LOGS)}
    if not known:
        _check_metadata(root, any(there.values()))
    left_out = doubtful or {}
    found = {log: [n for n in there[log] if n not in left_out.get(log, ())] for log in LOGS}
    needed = found["commits"][-1:] + [batch - 1 for batch in found["offsets"][-1:] if batch]
    if lost := [batch for batch in needed if batch not in there["offsets"]]:
        raise _missing(root.child("offsets"), str(lost[0]))
    for log in LOGS:
        folder = root.child(log)
        for batch in found[log][-2:]:
            if (log, batch) in known:
                continue
            entry = folder.read(str(batch))
            begin = None if entry is None else _ENTRY.match(entry)
            if entry is not None and (begin is None or _json(_line(entry, begin.end())) is None):
                raise _damaged(folder, str(batch), entry)
            if log == "offsets" and batch == found[log][-1]:
                file_logs.check_complete(root, entry or b"")
            known.add((log, batch))


def _check_metadata(root: Folder, needed: bool) -> None:
    metadata = root.read("metadata")
    if metadata is None and needed:
        raise _missing(root, "metadata")
    if metadata is not None and not _has_id(metadata):
        raise _damaged(root, "metadata", metadata)


def stream_offsets(offsets: Folder, epoch: int) -> dict[str, str]:
    """What ``offsets/<epoch>`` has by the names of the streams; nothing if it has no names."""
    data = offsets.read(str(epoch)) or b""
    lines = data.decode("utf-8", "replace").splitlines()[2:]
    return {name: offset for name, colon, offset in (x.partition(":") for x in lines) if colon}


def batches(log: Folder) -> list[int]:
    """The numbers of the entries of a log, ascending."""
    return sorted(int(name) for name in log.names() if name.isdecimal())


def _line(entry: bytes, begin: int) -> bytes:
    return entry[begin:].partition(b"\n")[0]


def _has_id(metadata: bytes) -> bool:
    document = _json(metadata)
    return document is not None and _UUID.fullmatch(str(document.get("id"))) is not None


def _json(data: bytes) -> dict[str, Any] | None:
    """The object; None if it is none."""
    try:
        document = json.loads(data)
    except ValueError:
        return None
    return document if isinstance(document, dict) else None


def _missing(folder: Folder, name: str) -> Corruption:
    return Corruption(
        f"{folder.location}/{name} is missing, but Spark's logs have entries that need it. Restore "
        "the file, or start with another checkpointLocation"
    )


def _damaged(folder: Folder, name: str, data: bytes) -> Corruption:
    return Corruption(
        f"{folder.location}/{name} is not what Spark wrote: {data[:80]!r}. Restore the file, or "
        "start with another checkpointLocation"
    )
