"""A commit object's end: the full picture of its version."""

from collections.abc import Mapping
from dataclasses import dataclass

from groundswell.errors import FormatTooNew
from groundswell.format.encoding import ByteReader, expect_checksum
from groundswell.format.folder import Folder, where

FOOTER_BYTES = 32
FORMAT, SHARED_FORMAT = 1, 2
MAGIC = 0x475357434F4D4954
COUNTED, ORDERED, WATERMARK = 1, 2, 4
DEEPEST_LEVEL = 6
MAX_TABLES = 1 << 16
TAIL_BYTES = 32 << 10


@dataclass(frozen=True)
class Share:
    """What a version has of a file that others have, too.

    Attributes:
        residues: pairs of a count and a number: of all rows those whose partition hash leaves the
            number when it is divided by the count, for each pair.
        tables: by id, whether the table is ordered, and the user key below which rows are dead;
            rows of other tables are left out.
    """

    residues: tuple[tuple[int, int], ...]
    tables: Mapping[int, tuple[bool, bytes]]

    def has(self, stem: bytes) -> bool:
        """Whether the row of a stem is there."""
        table = self.tables.get(int.from_bytes(stem[:2], "big"))
        if table is None:
            return False
        hashed, key = (stem[-4:], stem[2:-4]) if table[0] else (stem[2:6], stem[6:])
        number = int.from_bytes(hashed, "big", signed=True)
        return key >= table[1] and all(number % count == left for count, left in self.residues)


@dataclass(frozen=True)
class SstInfo:
    """Where an SST is, and what is known of it without opening it.

    Attributes:
        file: the object it is in.
        offset: where in the object it starts.
        length: of the whole section.
        tail_offset: where its index starts, counted from ``offset``.
        blocks: number of data blocks.
        entries: all versions and tombstones; ``tombstones`` of these are deletes.
        min_epoch: the oldest in it; ``max_epoch`` the newest.
        smallest: its first internal key; ``largest`` its last.
        key_bounds: for each table in it, by id, a bound of its user keys; None if there is none.
        share: what the version has of it; None: all.
    """

    file: str
    offset: int
    length: int
    tail_offset: int
    blocks: int
    entries: int
    tombstones: int
    min_epoch: int
    max_epoch: int
    smallest: bytes
    largest: bytes
    key_bounds: tuple[tuple[int, bytes | None], ...]
    share: Share | None = None


Run = tuple[SstInfo, ...]


@dataclass(frozen=True)
class Table:
    """One table of a version's catalogue.

    Attributes:
        ordered: the user key comes before the partition hash, so keys are in order.
        live_keys: if ``counted``, the live keys, those below the watermark included; else 0.
        watermark: rows whose user key is below it are dead; empty if none are.
    """

    id: int
    name: str
    ordered: bool
    counted: bool
    live_keys: int
    watermark: bytes


@dataclass(frozen=True)
class Manifest:
    """One version.

    Attributes:
        base_id: the id of the version below; empty if there is none.
        safe_epoch: reads as of an earlier epoch may miss what merges have dropped.
        sub_levels: of level 0, newest first; the files of one do not overlap.
        levels: levels 1, 2, …; the files of one do not overlap, one may be empty.
    """

    version: int
    id: str
    base_id: str
    safe_epoch: int
    next_table_id: int
    tables: tuple[Table, ...]
    sub_levels: tuple[Run, ...]
    levels: tuple[Run, ...]

    @property
    def runs(self) -> tuple[Run, ...]:
        """Sub-levels and levels that have files, newest first."""
        return tuple(run for run in self.sub_levels + self.levels if run)


def load(folder: Folder, name: str) -> Manifest:
    """Reads the manifest of a commit object: its tail, whatever the object's size.

    Raises:
        Corruption: the object is torn, foreign or damaged.
        FormatTooNew: a newer release wrote it.
    """
    what = where(folder, name)
    size = folder.length(name)
    tail_length = min(size, TAIL_BYTES)
    tail = folder.read(name, size - tail_length, tail_length)
    reader = ByteReader(f"{what}, footer", tail[-FOOTER_BYTES:])
    offset, length = reader.unsigned(8), reader.unsigned(4)
    checksum, version, own = reader.unsigned(4), reader.unsigned(4), reader.unsigned(4)
    if reader.unsigned(8) != MAGIC:
        raise reader.corrupt("it does not end with a commit's magic: torn or foreign")
    expect_checksum(reader.what, reader.data[:20], own)
    if not 1 <= version <= SHARED_FORMAT:
        raise FormatTooNew(
            f"{what} has format {version}; this release reads up to {SHARED_FORMAT}: use a newer "
            "one"
        )
    if offset + length + FOOTER_BYTES != size:
        raise reader.corrupt(f"a manifest of {length} bytes at {offset} does not fit")
    start = tail_length - FOOTER_BYTES - length
    data = tail[start:-FOOTER_BYTES] if start >= 0 else folder.read(name, offset, length)
    expect_checksum(f"{what}, manifest", data, checksum)
    return decode(f"{what}, manifest", data, version)


def decode(what: str, data: bytes, version_of_format: int = FORMAT) -> Manifest:
    """Reads a manifest's bytes, of the format that the footer says."""
    shares = version_of_format >= SHARED_FORMAT
    reader = ByteReader(what, data)
    version, commit_id, base_id = reader.varint(), reader.string(), reader.string()
    safe_epoch, next_table_id = reader.varint(), reader.count(MAX_TABLES)
    tables = tuple(_table(reader) for _ in range(reader.count(next_table_id)))
    sub_levels = tuple(_run(reader, shares) for _ in range(reader.count(reader.remaining())))
    levels = tuple(_run(reader, shares) for _ in range(reader.count(DEEPEST_LEVEL)))
    if shares:
        reader.varint()  # the version that took files of others over
    for _ in range(reader.count(reader.remaining())):  # extensions that this release does not know
        reader.blob()
        reader.blob()
    reader.expect_end()
    return Manifest(
        version, commit_id, base_id, safe_epoch, next_table_id, tables, sub_levels, levels
    )


def _table(reader: ByteReader) -> Table:
    table_id, name = reader.count(MAX_TABLES - 1), reader.string()
    flags, live_keys = reader.unsigned(1), reader.varint()
    if flags > COUNTED | ORDERED | WATERMARK:
        raise reader.corrupt(f"table '{name}' has flags {flags}")
    if live_keys >= 1 << 63:  # the sum over all partitions is right, see docs/format.md
        live_keys -= 1 << 64
    watermark = reader.blob() if flags & WATERMARK else b""
    return Table(table_id, name, bool(flags & ORDERED), bool(flags & COUNTED), live_keys, watermark)


def _run(reader: ByteReader, shares: bool) -> Run:
    return tuple(_sst(reader, shares) for _ in range(reader.count(reader.remaining())))


def _share(reader: ByteReader) -> Share:
    residues = tuple(
        (reader.varint(), reader.varint()) for _ in range(reader.count(reader.remaining()))
    )
    tables = {}
    for _ in range(reader.count(reader.remaining())):
        head = reader.count(2 * MAX_TABLES - 1)
        tables[head >> 1] = bool(head & 1), reader.blob()
    if any(count < 1 or number >= count for count, number in residues) or not tables:
        raise reader.corrupt("a share of a file contradicts itself")
    return Share(residues, tables)


def _sst(reader: ByteReader, shares: bool) -> SstInfo:
    return SstInfo(
        file=reader.string(),
        offset=reader.varint(),
        length=reader.varint(),
        tail_offset=reader.varint(),
        blocks=reader.varint(),
        entries=reader.varint(),
        tombstones=reader.varint(),
        min_epoch=reader.varint(),
        max_epoch=reader.varint(),
        smallest=reader.blob(),
        largest=reader.blob(),
        key_bounds=tuple(_key_bound(reader) for _ in range(reader.count(reader.remaining()))),
        share=_share(reader) if shares and reader.unsigned(1) else None,
    )


def _key_bound(reader: ByteReader) -> tuple[int, bytes | None]:
    head = reader.count(2 * MAX_TABLES - 1)
    return head >> 1, reader.blob() if head & 1 else None
