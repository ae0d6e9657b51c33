"""The kinds of files in a location: who writes each, and who removes it when. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_N = r"\d{20}"
_STATES = r"groundswell/(?:generation-\d+/)?state"


@dataclass(frozen=True)
class Kind:
    """A kind of file.

    Attributes:
        name: what it is called in reports.
        path: matches whole paths below the location.
        writer: who writes it.
        remover: who removes it, by the name of a module; of Spark's own: Spark.
        when: it is removed.
    """

    name: str
    path: re.Pattern[str]
    writer: str
    remover: str
    when: str


def _kind(name: str, path: str, writer: str, remover: str, when: str) -> Kind:
    return Kind(name, re.compile(path, re.DOTALL), writer, remover, when)


KINDS: tuple[Kind, ...] = (
    _kind(
        "half-written",
        r"(?:.*/)?\..+\.(?:gstmp|tmp)(?:\.crc)?",
        "whoever writes",
        "gc.orphans; of states: gc.rounds, engine/Retirement",
        "a day after a crash",
    ),
    _kind(
        "checksums",
        r"(?!.*\.tmp\.crc$)(?:.*/)?\..+\.crc",
        "Hadoop's local file system, beside each file of Spark's logs",
        "Spark",
        "with its file",
    ),
    _kind(
        "logs of Spark",
        r"(?:metadata|(?:offsets|commits|sources)/(?:.*/)?[^./][^/]*)",
        "Spark; sources' logs: the sources",
        "Spark; entries that ran ahead: record.stale_entries; a batch that is planned anew: "
        "record.replanned",
        "after spark.sql.streaming.minBatchesToRetain batches; at a start",
    ),
    _kind(
        "states of Spark's operators",
        r"state/(?:.*/)?[^./][^/]*",
        "stateful operators of Spark, in streams that views read",
        "the provider of their state store",
        "after spark.sql.streaming.minBatchesToRetain batches",
    ),
    _kind(
        "claims",
        rf"groundswell/owners/{_N}\.json",
        "each start",
        "checkpoint/Ownership",
        "at the claim after the next",
    ),
    _kind(
        "documents of an owner",
        rf"groundswell/(?:definition|graph|checkpoint|doubtful|sinks|merges/open)(?:-{_N})?\.json",
        "the run that owns the location",
        "record.removal",
        "when the next owner has written its own",
    ),
    _kind(
        "epochs",
        rf"groundswell/epochs/{_N}(?:-{_N})?(?:\.base)?\.json",
        "each barrier; a start closes slots of older runs",
        "gc.rounds; closed slots: gc.orphans",
        "options retainEpochs and retain, and no lease; 30 days",
    ),
    _kind(
        "leases",
        r"groundswell/leases/(?:read|whole|floor|alive)-.+\.json",
        "readers, fills, backups; floors and signs of life: the owner",
        "ownership.leases, ownership.standby",
        "when they are released, have ended, or are followed by others",
    ),
    _kind(
        "log of fills",
        rf"groundswell/fills/{_N}\.json",
        "whoever fills views",
        "record.fills",
        "when the next entry is there",
    ),
    _kind(
        "log of merges",
        rf"groundswell/merges/{_N}\.json",
        "processes that merge",
        "record.merges",
        "when a barrier has taken it in",
    ),
    _kind(
        "statements",
        rf"groundswell/(?:sql/{_N}\.json|sql-owner-{_N}\.json)",
        "SQL",
        "nobody; sql-owner: the next owner",
        "never: they are the pipeline",
    ),
    _kind(
        "requests",
        rf"groundswell/sql/requests/{_N}(?:-taken|-done)?\.json",
        "SQL of other processes, and the owner",
        "sql.requests",
        "an hour after the answer",
    ),
    _kind(
        "files of a project",
        r"groundswell/pipelines-files\.json",
        "projects of Declarative Pipelines",
        "nobody; each run writes it again",
        "never",
    ),
    _kind(
        "tables",
        r"groundswell/tables/[^/]+/table\.json",
        "who defines a table",
        "sql.pipelines",
        "DROP TABLE",
    ),
    _kind(
        "progress of sinks",
        r"groundswell/tables/[^/]+/sink-[0-9a-f]+\.json",
        "sinks into a table",
        "sql.pipelines",
        "DROP TABLE",
    ),
    _kind(
        "rows of tables",
        r"groundswell/tables/[^/]+/rows/.+",
        "writes to tables",
        "Spark's file source; record.checkpoints; gc.orphans",
        "when a barrier has taken them in and Spark has recorded it; else after a day",
    ),
    _kind(
        "staged rows",
        r"groundswell/(?:tables/[^/]+/staging|transactions/(?!commit-)[^/]+)/.+",
        "writes that are under way",
        "who writes; gc.orphans",
        "when they are complete, or a day after a crash",
    ),
    _kind(
        "transactions",
        r"groundswell/transactions/commit-.+\.json",
        "COMMIT",
        "storage/Transactions",
        "when the next barrier has moved their rows",
    ),
    _kind(
        "rows aside",
        r"groundswell/rows-aside/.+\.json",
        "sinks whose target refuses a row",
        "nobody",
        "never: somebody has to look at them",
    ),
    _kind(
        "schemas of messages",
        r"groundswell/schemas/[0-9a-f]{12}-(?:\d+|of-[0-9a-f]{12})\.json",
        "tasks that read messages whose schemas a registry has; a start",
        "nobody",
        "never: rows may have to be read while the registry is down",
    ),
    _kind(
        "packs",
        rf"{_STATES}/_packs/.+",
        "commits that share an object",
        "gc.rounds, checkpoint/EpochPackRetention",
        "when no epoch that is kept needs a commit in it",
    ),
    _kind(
        "states",
        rf"{_STATES}/[^/]+/\d+/.+\.(?:commit|sst)",
        "commits and merges of each partition",
        "gc.rounds, engine/Retirement; whole states: gc.states, gc.fills",
        "when no epoch that is kept needs them",
    ),
)
OTHER = Kind("not ours", re.compile(r"(?s).*"), "somebody else", "nobody", "never")
"""Of files that this release does not know."""


def kind_of(path: str) -> Kind:
    """What a file is; :data:`OTHER`: no kind of this release.

    Args:
        path: below the location.
    """
    return next((kind for kind in KINDS if kind.path.fullmatch(path)), OTHER)


@dataclass(frozen=True)
class Usage:
    """What the files of one kind take.

    Attributes:
        kind: which one.
        files: how many there are.
        bytes: of all of them.
        example: the path of one.
    """

    kind: Kind
    files: int
    bytes: int
    example: str


def usage(files: Iterable[tuple[str, int]]) -> list[Usage]:
    """What each kind takes, most bytes first.

    Args:
        files: paths below the location, with their lengths.
    """
    found: dict[str, Usage] = {}
    for path, length in files:
        kind = kind_of(path)
        old = found.get(kind.name, Usage(kind, 0, 0, path))
        found[kind.name] = Usage(kind, old.files + 1, old.bytes + length, old.example)
    return sorted(found.values(), key=lambda each: (-each.bytes, each.kind.name))
