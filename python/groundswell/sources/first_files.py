"""The files that a table of a lake is read from at first, in parts.

A part is whole files, or row groups of a file that is larger than a part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from groundswell.runtime.planning.sources import Size
from groundswell.sources.admission import fits, grouped

FILES, GROUPS = "files", "groups"
Place = tuple[int, int]
"""Behind so many files, and so many row groups of the next one."""
Groups = tuple[int, int | None]
"""The first row group that is read and the one behind the last; None: the end."""


@dataclass(frozen=True)
class DataFile:
    """A file that holds rows of a table.

    Attributes:
        path: as the table's metadata writes it.
        bytes: its size.
        rows: how many it has; 0: the metadata does not say.
    """

    path: str
    bytes: int
    rows: int

    @property
    def size(self) -> Size:
        """Rows and bytes."""
        return Size(self.rows, self.bytes)


def place(offset: Mapping[str, Any]) -> Place:
    """Where an offset stands in the files."""
    return int(offset.get(FILES, 0)), int(offset.get(GROUPS, 0))


class FirstFiles:
    """The files of one version of a table, in a fixed order.

    Args:
        files: in order.
        row_groups: the sizes of a file's row groups.
    """

    def __init__(
        self, files: Sequence[DataFile], row_groups: Callable[[DataFile], Sequence[Size]]
    ) -> None:
        self._files = files
        self._row_groups = row_groups

    def behind(self, at: Place, most: Size) -> dict[str, int]:
        """What an offset says behind the next part: a file or a row group at least.

        Args:
            at: where the part begins.
            most: that it has; 0 in it: any number.

        Returns:
            Keys of an offset; empty: all was read.
        """
        end, total = at, Size()
        for behind, size in self._pieces(at, most):
            total += size
            if end != at and not fits(total, most):
                break
            end = behind
        if end[0] == len(self._files):
            return {}
        return {FILES: end[0]} | ({GROUPS: end[1]} if end[1] else {})

    def _pieces(self, at: Place, most: Size) -> Iterator[tuple[Place, Size]]:
        """Behind a place: the end of each file or row group, and its size."""
        first, done = at
        for number in range(first, len(self._files)):
            file = self._files[number]
            if not done and fits(file.size, most):
                yield (number + 1, 0), file.size
                continue
            groups = self._row_groups(file)
            for group in range(done, len(groups) - 1):
                yield (number, group + 1), groups[group]
            yield (number + 1, 0), groups[-1] if groups else Size()
            done = 0

    def between(
        self, start: Place, end: Place | None
    ) -> Iterator[tuple[list[DataFile], Groups | None]]:
        """Files for one task each, with the row groups of a single one; None: all of them.

        Args:
            start: where they begin.
            end: where they end; None: at the last.
        """
        (first, done), (last, groups) = start, end or (len(self._files), 0)
        if done:
            until = groups if first == last else None
            yield [self._files[first]], (done, until)
        whole = [(file, file.bytes) for file in self._files[first + bool(done) : last]]
        for files in grouped(whole):
            yield files, None
        if groups and not (done and first == last):
            yield [self._files[last]], (0, groups)
