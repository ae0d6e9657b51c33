"""The rows of one partition of a view at one version, as arrow data that the next version shares.

Rows are in batches, ascending by stem, and their stems stand beside them. The next version replaces
the batches whose rows have changed, and shares all others. What does not fit into a share of memory
is in a file without a name, mapped into memory: the system reads the columns that are looked at,
and drops them again.
"""

from __future__ import annotations

import json
import tempfile
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from groundswell.format import Version
from groundswell.format.bulk import Entries
from groundswell.state import unsafe_row
from groundswell.state.read import listed

ROWS, BUNDLES = "rows", "bundles"
STEM = "__stem"
_FACTS = "groundswell.image"
BATCH_ROWS = 16_384
MEMORY_BYTES = 64 << 20
"""A partition with more bytes than this is in a file."""

Decode = Any
"""Rows' bytes -> a record batch of the columns that are kept."""


@dataclass(frozen=True)
class Image:
    """A partition's rows.

    Attributes:
        version: of the store.
        tables: names and ids of the tables that its rows are in, and their watermarks.
        batches: rows with their stems in the last column.
        firsts: the first stem of each batch.
        mapped: batches that are in a file, by identity.
    """

    version: int
    tables: tuple[tuple[str, int, bytes], ...]
    batches: tuple[pa.RecordBatch, ...]
    firsts: tuple[bytes, ...]
    mapped: frozenset[int] = frozenset()

    @property
    def rows(self) -> int:
        """How many there are."""
        return sum(batch.num_rows for batch in self.batches)


def tables_of(version: Version | None) -> tuple[tuple[str, int, bytes], ...]:
    """The tables of a version that hold a view's rows, ascending by id."""
    if version is None:
        return ()
    found = [t for t in version.manifest.tables if t.name in (ROWS, BUNDLES)]
    return tuple((t.name, t.id, t.watermark) for t in sorted(found, key=lambda t: t.id))


def may_lack_deletes(version: Version, since: int) -> bool:
    """Whether merges may have dropped deletes of the versions after ``since``."""
    return version.manifest.safe_epoch > since


def values_of(table: str, value: bytes) -> list[bytes]:
    """The rows of one entry: one, or those of a bundle."""
    return [value] if table == ROWS else list(islice(listed(value), 1, None, 2))


class ImageMaker:
    """Makes images of one view's partitions.

    Args:
        columns: of the view's rows, as its layout has them.
        schema: of the columns that are kept.
        folder: for files; None: the system's.
    """

    def __init__(
        self, columns: Sequence[Mapping[str, Any]], schema: pa.Schema, folder: Path | None = None
    ) -> None:
        self._layout = {"fields": list(columns)}
        self._schema = schema
        self._folder = folder
        self.full = schema.append(pa.field(STEM, pa.binary()))

    def first(self, version: Version | None, path: Path | None = None) -> Image:
        """The image of a version, from all of its files.

        Args:
            version: None: nothing was ever written.
            path: of a file to write its rows into; None: it decides itself whether to.
        """
        tables = tables_of(version)
        if version is None:
            return Image(0, tables, (), ())

        def batches() -> Iterator[pa.RecordBatch]:
            for name, _, _ in tables:
                for entries in version.groups(name):
                    for at in range(0, len(entries), BATCH_ROWS):
                        yield self._of_entries(name, entries.slice(at, at + BATCH_ROWS))

        return self._kept(version.manifest.version, tables, batches(), path=path)

    def next(self, image: Image, version: Version | None) -> Image:
        """The image of a later version, from what was written since."""
        tables = tables_of(version)
        if version is None or tables != image.tables or may_lack_deletes(version, image.version):
            return self.first(version)
        changed: dict[bytes, list[bytes]] = {}
        for name, _, _ in tables:
            for stem, value in version.written(name, image.version).items():
                changed[stem] = [] if value is None else values_of(name, value)
        if not changed:
            number = version.manifest.version
            return Image(number, tables, image.batches, image.firsts, image.mapped)
        batches = list(self._changed(image, changed))
        return self._kept(version.manifest.version, tables, batches, image.mapped)

    def _changed(
        self, image: Image, changed: Mapping[bytes, list[bytes]]
    ) -> Iterator[pa.RecordBatch]:
        """The batches of an image with some rows replaced."""
        stems = sorted(changed)
        fresh = self.decoded([(stem, row) for stem in stems for row in changed[stem]])
        counts = np.array([len(changed[stem]) for stem in stems], np.int64)
        starts = np.concatenate(([0], np.cumsum(counts)))
        at = 0
        for number, batch in enumerate(image.batches or (self.decoded([]),)):
            after = image.firsts[number + 1] if number + 1 < len(image.firsts) else None
            end = len(stems) if after is None else bisect_left(stems, after, at)
            if end == at:
                yield batch
                continue
            part = fresh.slice(int(starts[at]), int(starts[end] - starts[at]))
            whole = _merged(batch, part, stems[at:end], counts[at:end])
            for offset in range(0, whole.num_rows, BATCH_ROWS):
                yield whole.slice(offset, BATCH_ROWS)
            at = end

    def _of_entries(self, table: str, entries: Entries) -> pa.RecordBatch:
        if table == ROWS:
            rows = unsafe_row.Laid(entries.data, entries.starts, entries.lengths)
            return self._batch(rows, entries.stems)
        pairs = zip(entries.stems.to_pylist(), entries.values(), strict=True)
        return self.decoded([(s, row) for s, v in pairs if v for row in values_of(table, v)])

    def decoded(self, rows: Sequence[tuple[bytes, bytes]]) -> pa.RecordBatch:
        """Rows, with their stems, as a batch."""
        return self._batch([row for _, row in rows], pa.array([s for s, _ in rows], pa.binary()))

    def _batch(self, rows: Sequence[bytes] | unsafe_row.Laid, stems: pa.Array) -> pa.RecordBatch:
        found = unsafe_row.columns(rows, self._layout, self._schema.names)
        by_name = dict(zip((f.name for f in found.type), found.flatten(), strict=True))
        columns = [by_name[f.name].cast(f.type) for f in self._schema]
        return pa.record_batch([*columns, stems], schema=self.full)

    def _kept(
        self,
        version: int,
        tables: tuple[tuple[str, int, bytes], ...],
        batches: Iterable[pa.RecordBatch],
        mapped: frozenset[int] = frozenset(),
        path: Path | None = None,
    ) -> Image:
        """An image of batches: in a file, if one is given or too much would be in memory."""
        kept: list[pa.RecordBatch] = []
        memory = total = 0
        following = iter(batches)
        for batch in following:
            if not batch.num_rows:
                continue
            kept.append(batch)
            total += batch.nbytes
            memory += 0 if id(batch) in mapped else batch.nbytes
            if path is not None or (memory > MEMORY_BYTES and memory > total // 4):
                image = Image(version, tables, (), ())
                return self._in_file(image, chain(kept, following), path)
        known = frozenset(id(batch) for batch in kept if id(batch) in mapped)
        return Image(version, tables, tuple(kept), _firsts(kept), known)

    def _in_file(self, image: Image, batches: Iterable[pa.RecordBatch], path: Path | None) -> Image:
        if path is not None:
            write_image(path, image, self.full, batches)
            return read_image(path)
        with tempfile.NamedTemporaryFile(dir=self._folder, prefix="groundswell-serve-") as file:
            write_image(Path(file.name), image, self.full, batches)
            return read_image(Path(file.name))  # its rows live on without its name


def write_image(
    path: Path,
    image: Image,
    schema: pa.Schema | None = None,
    batches: Iterable[pa.RecordBatch] | None = None,
) -> None:
    """Writes an image into a file.

    Args:
        path: of the file.
        image: what is known of it, and its batches.
        schema: of the batches; None: that of the first one.
        batches: in the place of the image's own.
    """
    tables = [[name, id_, watermark.hex()] for name, id_, watermark in image.tables]
    facts = json.dumps({"version": image.version, "tables": tables})
    columns = image.batches[0].schema if schema is None else schema
    with pa.ipc.new_file(str(path), columns.with_metadata({_FACTS: facts})) as writer:
        for batch in image.batches if batches is None else batches:
            if batch.num_rows:
                writer.write_batch(batch)


def read_image(path: Path) -> Image:
    """The image in a file, mapped into memory.

    Raises:
        pyarrow.ArrowInvalid: it is no such file, or not a whole one.
        ValueError, KeyError, TypeError: the same.
        OSError: it cannot be read.
    """
    reader = pa.ipc.open_file(pa.memory_map(str(path)))
    facts = json.loads((reader.schema.metadata or {})[_FACTS.encode()])
    tables = tuple((name, id_, bytes.fromhex(mark)) for name, id_, mark in facts["tables"])
    batches = tuple(
        reader.get_batch(i).replace_schema_metadata(None) for i in range(reader.num_record_batches)
    )
    mapped = frozenset(map(id, batches))
    return Image(facts["version"], tables, batches, _firsts(batches), mapped)


def _firsts(batches: Iterable[pa.RecordBatch]) -> tuple[bytes, ...]:
    return tuple(batch.column(STEM)[0].as_py() for batch in batches)


class _Stems(Sequence[bytes]):
    """The stems of a batch, looked at one by one."""

    def __init__(self, batch: pa.RecordBatch) -> None:
        self._column = batch.column(STEM)

    def __len__(self) -> int:
        return len(self._column)

    def __getitem__(self, at: Any) -> Any:
        return self._column[at].as_py()


def _merged(
    batch: pa.RecordBatch, fresh: pa.RecordBatch, stems: Sequence[bytes], counts: Any
) -> pa.RecordBatch:
    """A batch whose rows of some stems are replaced; all ascending by stem.

    Args:
        batch: rows of before.
        fresh: rows of now, ascending by stem.
        stems: of what was replaced or removed, ascending.
        counts: how many rows of ``fresh`` each of them has.
    """
    there = _Stems(batch)
    kept = np.ones(len(there), bool)
    places = np.empty(len(stems), np.int64)
    low = 0
    for number, stem in enumerate(stems):
        low = bisect_left(there, stem, low)
        high = bisect_right(there, stem, low) if low < len(there) and there[low] == stem else low
        kept[low:high] = False
        places[number] = low
        low = high
    before = np.concatenate(([0], np.cumsum(kept)))
    positions = np.repeat(before[places], counts)
    new = np.arange(len(batch), len(batch) + fresh.num_rows)
    picks = np.insert(np.flatnonzero(kept), positions, new)
    both = pa.Table.from_batches([batch, fresh]).take(pa.array(picks))
    found = both.combine_chunks().to_batches()
    return found[0] if found else batch.slice(0, 0)
