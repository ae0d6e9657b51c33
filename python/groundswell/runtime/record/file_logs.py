"""Which entries of the logs of file sources a start needs.

``sources/<name>/<n>`` has the files of a source's n-th entry. Spark looks for them where it needs
them: an entry that is missing is an error without a file's name, and a log that is lost altogether
begins anew, so that later files get numbers of entries that were read long ago, and are left out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from groundswell.errors import Corruption
from groundswell.runtime.record.location import Folder

COMPACT = ".compact"


def log_offsets(entry: bytes) -> dict[str, int]:
    """By source, the log entry that an entry of Spark's offset log names; file sources alone.

    Args:
        entry: the bytes of ``offsets/<n>``: sources by name (v2), or in order (v1).
    """
    version, _, *lines = entry.decode().split("\n")
    found = {}
    for number, line in enumerate(lines):
        name, text = line.split(":", 1) if version == "v2" and ":" in line else (str(number), line)
        try:
            offset: Any = json.loads(text)
        except ValueError:
            continue
        if isinstance(offset, dict) and offset.keys() == {"logOffset"}:
            found[name] = int(offset["logOffset"])
    return found


def entries(log: Folder) -> dict[int, str]:
    """The entries of a source's log: their files by their numbers."""
    named = ((name.removesuffix(COMPACT), name) for name in sorted(log.names()))
    return {int(number): name for number, name in named if number.isdecimal()}


def gaps(there: Mapping[int, str], last: int) -> set[int]:
    """Which entries a log lacks, from its last compact file to an entry."""
    begin = max((n for n, name in there.items() if name.endswith(COMPACT)), default=0)
    return set(range(begin, last + 1)) - there.keys()


def check_complete(root: Folder, entry: bytes) -> None:
    """Refuses logs without an entry from their last compact file on, or without the last one.

    Args:
        root: the checkpointLocation.
        entry: the bytes of the last ``offsets/<n>``.

    Raises:
        Corruption: with the file that is missing.
    """
    for name, last in log_offsets(entry).items():
        folder = root.child("sources").child(name)
        there = entries(folder)
        if lost := gaps(there, max([last, *there])):
            raise Corruption(
                f"{folder.location}/{min(lost)} is missing, but Spark's logs have entries that "
                "need it: it tells which files were read. Restore the file, or start with another "
                "checkpointLocation"
            )
