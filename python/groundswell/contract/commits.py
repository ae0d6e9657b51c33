"""What reads of state name: commits, and where in its rows a state keeps its keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from groundswell.contract.codec import Int


@dataclass(frozen=True)
class CommitRef:
    """Where one partition of a state stands at the end of one epoch.

    Attributes:
        version: the partition's own count of commits; 0: never written.
        id: which of the attempts at that version; None with version 0.
        rows: live rows of its counted tables.
        bytes: of the version in storage.
    """

    version: int
    id: str | None
    rows: int
    bytes: int


Commits = Mapping[str, tuple[CommitRef, ...]]
"""State name -> the commit of each partition."""


@dataclass(frozen=True)
class StateCommits:
    """A state at an epoch.

    Attributes:
        folder: of the state: the dataflow's root, ``state``, the state's name.
        commits: of its partitions.
    """

    folder: str
    commits: tuple[CommitRef, ...]


@dataclass(frozen=True)
class IndexPlaces:
    """Where the rows of an index have their keys.

    Attributes:
        index: positions of the columns that it is looked up by.
        key: positions of the stream key.
    """

    index: tuple[Int, ...]
    key: tuple[Int, ...]


@dataclass(frozen=True)
class PendingCommit:
    """A commit that is not durable yet.

    Attributes:
        partition: of the state.
        version: of the partition.
        id: which of the attempts at that version.
    """

    partition: Int
    version: int
    id: str


@dataclass(frozen=True)
class PendingCommits:
    """The commits to be made durable, or to be given up.

    Attributes:
        states: by name of the state.
    """

    states: Mapping[str, tuple[PendingCommit, ...]]


@dataclass(frozen=True)
class RetireRequest:
    """Which files of states must stay.

    Attributes:
        epoch: the newest one that is durable.
        oldest: commits of the oldest epoch that readers may name; files that merges have made
            since, and that no commit refers to yet, stay.
        needed: of each state, the oldest commits that must stay with all that came later.
        newest: commits of the newest epoch, and of states that no epoch names any more but that
            stay: what these need stays, whatever else is asked for.
        oldest_epoch: the oldest epoch that readers may name.
        whole_epoch: the epoch from which on operators' own state is needed.
    """

    epoch: int
    oldest: Mapping[str, tuple[CommitRef, ...]]
    needed: Mapping[str, tuple[CommitRef, ...]]
    newest: Mapping[str, tuple[CommitRef, ...]]
    oldest_epoch: int
    whole_epoch: int


@dataclass(frozen=True)
class RescaleRequest:
    """The states that others are to be written from, with another number of partitions.

    Attributes:
        origin: what the states before stand in: a folder that has ``state``.
        version: of the commits that are made; above all that there are.
        commits: of the states before.
    """

    origin: str
    version: int
    commits: Mapping[str, tuple[CommitRef, ...]]


@dataclass(frozen=True)
class RescaleResult:
    """What was written.

    Attributes:
        commits: of the states, by name.
        rows: entries that were written.
        bytes: that were written.
    """

    commits: Mapping[str, tuple[CommitRef, ...]]
    rows: int
    bytes: int


@dataclass(frozen=True)
class MergeWork:
    """A partition of a state whose files may be merged.

    Attributes:
        state: its name.
        partition: of it.
        version: of the partition.
        id: which of the attempts at that version.
        told: what its writer was told of already; base64, see docs/format.md.
    """

    state: str
    partition: Int
    version: int
    id: str
    told: tuple[str, ...]


@dataclass(frozen=True)
class MergeRequest:
    """Merges that are to be done for the process that writes the states.

    Attributes:
        root: what the states stand in.
        parts: the partitions.
    """

    root: str
    parts: tuple[MergeWork, ...]


@dataclass(frozen=True)
class MergeDone:
    """A merge whose files stand in storage, and that no version refers to yet.

    Attributes:
        state: its name.
        partition: of it.
        record: what its writer is to be told; base64.
        read: bytes that were read.
        written: bytes that were written.
    """

    state: str
    partition: Int
    record: str
    read: int
    written: int


@dataclass(frozen=True)
class MergeResult:
    """What was merged.

    Attributes:
        done: the merges.
        failed: of partitions that could not be merged, the first error; None: none failed.
    """

    done: tuple[MergeDone, ...]
    failed: str | None = None
