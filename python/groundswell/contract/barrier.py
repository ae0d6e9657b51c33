"""What a barrier is told, and what it tells when it has run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from groundswell.contract.codec import Int
from groundswell.contract.commits import CommitRef


@dataclass(frozen=True)
class Watermarks:
    """The event-time watermarks of a barrier: no row that comes through from now on is older.

    Attributes:
        before: by source, microseconds: those of the barrier before.
        now: those of this one; a source that is not there has none yet.
        clock: the time of the barrier, microseconds; None: none is told.
    """

    before: Mapping[str, int] = field(default_factory=dict)
    now: Mapping[str, int] = field(default_factory=dict)
    clock: int | None = None


@dataclass(frozen=True)
class SnapshotPart:
    """What ``snapshot`` operators take of the states that they read.

    Attributes:
        number: of the part, from 0.
        count: in how many parts the rows of a state are taken.
        since: by state, commits: what changed since is taken, all of it, in place of rows.
    """

    number: Int = 0
    count: Int = 1
    since: Mapping[str, tuple[CommitRef, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class MergedPart:
    """A merge that another process has done for one partition of a state.

    Attributes:
        partition: of the state.
        record: what was merged, and into what; base64, see docs/format.md.
    """

    partition: Int
    record: str


@dataclass(frozen=True)
class BarrierRequest:
    """One barrier that is to be run.

    Attributes:
        epoch: its number.
        base: commits of the epoch before, by state; none before the first.
        after: the epoch that this dataflow ran last, if its commits are the base; ``base`` is
            empty then.
        watermarks: that hold for it.
        durable: if not, commits stay in the memory of the application until they are persisted.
        overlaps: whether commits may stay in memory until they are written beside later barriers.
        part: of the states that are read as a whole; None: all rows.
        merged: by state, what other processes have merged for it.
        merged_elsewhere: whether the tasks leave merges to such processes.
    """

    epoch: int
    base: Mapping[str, tuple[CommitRef, ...]] = field(default_factory=dict)
    watermarks: Watermarks = field(default_factory=Watermarks)
    durable: bool = True
    after: int | None = None
    part: SnapshotPart | None = None
    merged: Mapping[str, tuple[MergedPart, ...]] = field(default_factory=dict)
    merged_elsewhere: bool = False
    overlaps: bool = False


@dataclass(frozen=True)
class OperatorTotals:
    """What an operator did in a barrier, summed over its partitions.

    Attributes:
        rows_in: rows that it read.
        rows_out: rows that it gave.
        state_reads: reads of its state.
        state_writes: writes to its state.
        millis: time of its tasks.
        own_micros: what it took by itself, microseconds.
        commit_micros: what its commits took of that, microseconds.
        contradictions: changes that its state says cannot be.
        state_rows: live rows of its state.
        state_bytes: bytes of its state in storage.
    """

    rows_in: int = 0
    rows_out: int = 0
    state_reads: int = 0
    state_writes: int = 0
    millis: int = 0
    own_micros: int = 0
    commit_micros: int = 0
    contradictions: int = 0
    state_rows: int = 0
    state_bytes: int = 0


@dataclass(frozen=True)
class EventTimes:
    """What a barrier saw of a source's event time.

    Attributes:
        late: rows behind the watermark.
        max: the largest time, microseconds; None: it brought none.
    """

    late: int
    max: int | None


@dataclass(frozen=True)
class BarrierMillis:
    """How long the parts of a barrier took, in milliseconds.

    Attributes:
        build: making the Spark job.
        job: running the Spark job.
    """

    build: int
    job: int


@dataclass(frozen=True)
class BarrierProgress:
    """How far a running barrier is.

    Attributes:
        epoch: its number.
        millis: since it began.
        done: partitions that its exchanges have filled so far.
        all: how many these and its results are; 0: not known, as where Spark exchanges rows.
    """

    epoch: int
    millis: int
    done: int
    all: int

    @property
    def percent(self) -> int | None:
        """Of its work that is done, as if all partitions were alike; None: not known."""
        return round(100 * self.done / self.all) if self.all else None


@dataclass(frozen=True)
class Retirement:
    """How far the deletes of files that nobody needs have come.

    Attributes:
        millis: how long the last round took.
        partitions: that it looked at.
        files: that it deleted.
        behind_epochs: how many epochs the round at work is behind; 0: none is at work.
        wait_millis: how long barriers of this run have waited for rounds.
        failure: why the last round did not end; None: it did.
    """

    millis: int = 0
    partitions: int = 0
    files: int = 0
    behind_epochs: int = 0
    wait_millis: int = 0
    failure: str | None = None


@dataclass(frozen=True)
class Locality:
    """Whether states were worked on where they are open.

    Attributes:
        written: partitions of states that the barrier has written.
        moved: of those, the ones that another executor had written last.
    """

    written: int = 0
    moved: int = 0


@dataclass(frozen=True)
class StateUse:
    """What the store behind an operator did since it was asked last, summed over partitions.

    Attributes:
        lookups: point reads in files.
        filter_negatives: files that a filter spared a read.
        filter_false_positives: files that a filter let pass and that had no such row.
        compactions: finished compactions, those between barriers included.
        compaction_bytes: bytes that these wrote.
    """

    lookups: int = 0
    filter_negatives: int = 0
    filter_false_positives: int = 0
    compactions: int = 0
    compaction_bytes: int = 0


@dataclass(frozen=True)
class CacheUse:
    """What the block caches of all executors did since they were asked last.

    Attributes:
        hits: blocks found in memory.
        misses: blocks read from storage.
    """

    hits: int = 0
    misses: int = 0


@dataclass(frozen=True)
class BarrierResult:
    """What a barrier made.

    Attributes:
        commits: of every state that is not as in the base, by partition.
        operators: counters by operator id.
        sources: rows taken, by id of the source.
        read_micros: what reading took, by id of the source, where it took any.
        event_times: by id of the source, of those that have one.
        millis: how long it took.
        taken: files of tables that it has taken in, by path below the tables' folder.
        retirement: of the rounds of deletes before.
        unchanged: the states that are as in the base.
        locality: whether states were worked on where they are open.
        rounds: how many its recursions took.
        uses: what the stores behind operators did, by operator id, of those that did something.
        cache: what the block caches did.
        waiting: numbers under which its commits wait to be made durable; none: all are.
    """

    commits: Mapping[str, tuple[CommitRef, ...]]
    operators: Mapping[str, OperatorTotals]
    sources: Mapping[str, int]
    read_micros: Mapping[str, int]
    event_times: Mapping[str, EventTimes]
    millis: BarrierMillis
    taken: tuple[str, ...]
    retirement: Retirement = field(default_factory=Retirement)
    unchanged: tuple[str, ...] = ()
    locality: Locality = field(default_factory=Locality)
    rounds: Int = 0
    uses: Mapping[str, StateUse] = field(default_factory=dict)
    cache: CacheUse = field(default_factory=CacheUse)
    waiting: tuple[int, ...] = ()


@dataclass(frozen=True)
class CommitBatches:
    """Commits in memory that are to be made durable, or to be given up.

    Attributes:
        barriers: the numbers under which they wait.
    """

    barriers: tuple[int, ...]


@dataclass(frozen=True)
class BatchSize:
    """How much a source's part of a batch is, before it is read.

    Attributes:
        rows: that were counted.
        bytes: of files whose rows were not counted.
        known: whether that is all of it.
    """

    rows: int = 0
    bytes: int = 0
    known: bool = True


@dataclass(frozen=True)
class BatchSizes:
    """How much a batch is.

    Attributes:
        sources: by id, of those that have news.
    """

    sources: Mapping[str, BatchSize] = field(default_factory=dict)
