"""What each epoch changed in a view, one epoch after the other, told from the states' files.

A commit knows the rows that it wrote, so an epoch costs in proportion to its changes. A lease keeps
the epoch that was told last, for as long as a lease lasts and no longer: who is slower finds the
next one retired, and is told so by name. The pipeline waits for nobody.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from groundswell.errors import EpochUnavailable
from groundswell.format import Version
from groundswell.format.lookup import OpenFiles
from groundswell.plan.sources import MALFORMED
from groundswell.runtime.ownership.leases import SECONDS, Lease, lease_if_allowed
from groundswell.runtime.record.manifests import EpochManifest
from groundswell.serve.errors import ServeError, no_relation
from groundswell.serve.image import BUNDLES, ROWS, ImageMaker, may_lack_deletes, tables_of
from groundswell.serve.pgcatalog import ViewFacts
from groundswell.serve.snapshots import Snapshot, Snapshots
from groundswell.state.read import listed

EPOCH, TYPE = "epoch", "change_type"
INSERT, DELETE, BEFORE, AFTER = "insert", "delete", "update_preimage", "update_postimage"
PROGRESS = "progress"
BEHIND = "72000"


@dataclass(frozen=True)
class Change:
    """A row that came or went; an update is two of them, adjacent."""

    type: str
    row: bytes


@dataclass(frozen=True)
class Step:
    """The changes of one epoch.

    Attributes:
        rows: with the columns ``epoch`` and ``change_type`` before the view's.
    """

    epoch: int
    rows: pa.Table


class Changes:
    """The changes of a view, from an epoch on.

    Args:
        snapshots: of the location.
        view: its name, in whatever case.
        first: the first epoch whose changes are told; None: all rows of the newest epoch, then what
            comes after it.
        seconds: how long the epoch before the next one is kept.

    Raises:
        ServeError: there is no such view (42P01), or the epoch is not kept any more, or not
            published yet (72000).
    """

    def __init__(
        self,
        snapshots: Snapshots,
        view: str,
        first: int | None = None,
        seconds: float = SECONDS,
    ) -> None:
        self._snapshots = snapshots
        self._seconds = seconds
        self._files = OpenFiles()
        self._lease: Lease | None = None
        self._position: EpochManifest | None = None
        self._whole: Snapshot | None = None
        self._told = -1
        with snapshots.reading() as newest:
            facts = newest.facts(view)
            if facts is None:
                raise no_relation(view, newest.names)
            self.facts: ViewFacts = facts
            self.view = facts.name
            self._state = newest.published.state(facts.name)
            columns = newest.published.layout(self._state)["columns"]
            names = [column["name"] for column in columns]
            self._malformed = names.index(MALFORMED) if MALFORMED in names else None
            self._rows = ImageMaker(columns, facts.schema)
            self.schema = pa.schema(
                [pa.field(EPOCH, pa.int64()), pa.field(TYPE, pa.string()), *facts.schema]
            )
            if first is None:
                self._hold(newest.epoch)
                self._whole = snapshots.again(newest)
                self._position = self._manifest(newest.epoch)
                self._told = newest.epoch
                return
            if first > newest.epoch + 1:
                raise ServeError(
                    "22023",
                    f"epoch {first} is not published yet; the newest one is {newest.epoch}",
                )
        self._told = first - 1
        if first > 0 and not self._manifest(first - 1).loads:
            self._hold(first - 1)
            self._position = self._manifest(first - 1)

    def whole(self) -> Snapshot | None:
        """The snapshot whose rows come before all changes, once; to be released."""
        found, self._whole = self._whole, None
        return found

    def release(self, snapshot: Snapshot) -> None:
        """Says that all rows of the beginning were read."""
        self._snapshots.release(snapshot)

    @property
    def epoch(self) -> int:
        """The epoch that was told last, or the one before the first; -1: there is none."""
        return self._told

    def next(self) -> Step | None:
        """The changes of the next epoch; None: it is not published yet.

        Raises:
            ServeError: it is not kept any more, or the view was replaced or dropped (72000).
        """
        with self._snapshots.reading() as newest:
            if newest.epoch <= self.epoch:
                self._stay()
                return None
        following = self.epoch + 1
        after = self._manifest(following)
        while after.loads:  # a part of a first load, which nobody sees
            following += 1
            after = self._manifest(following)
        if after.views.get(self.view, self._state) != self._state:
            raise ServeError(
                BEHIND,
                f"view {self.view} was replaced before epoch {following}",
                "Subscribe again without FROM EPOCH: it gives all rows of the new view first.",
            )
        if self._state not in after.commits:
            if self._position is None or self._state not in self._position.commits:
                self._advance(after)
                return Step(following, self.schema.empty_table())
            raise ServeError(BEHIND, f"view {self.view} was dropped before epoch {following}")
        found = self._table(following, list(self._between(self._position, after)))
        self._advance(after)
        return Step(following, found)

    def close(self) -> None:
        """Lets go of the epoch that it holds."""
        if self._whole is not None:
            self._snapshots.release(self._whole)
            self._whole = None
        if self._lease is not None:
            self._lease.end()
            self._lease = None

    # Epochs.

    def _manifest(self, epoch: int) -> EpochManifest:
        found = self._snapshots.log.find(epoch)
        if found is None:
            raise self._behind(epoch)
        return found

    def _behind(self, epoch: int) -> ServeError:
        kept = self._snapshots.log.epochs()
        return ServeError(
            BEHIND,
            f"epoch {epoch} is not kept any more; epochs {kept[0]} to {kept[-1]} are. A reader has "
            f"{self._seconds:g} s for the changes of an epoch",
            "Subscribe again without FROM EPOCH, or give the pipeline more retainEpochs.",
        )

    def _hold(self, epoch: int) -> None:
        before = self._lease
        try:
            self._lease = lease_if_allowed(self._snapshots.home, epoch, self._seconds)
        except EpochUnavailable:
            raise self._behind(epoch) from None
        if before is not None:
            before.end()

    def _advance(self, to: EpochManifest) -> None:
        self._position = to
        self._told = to.epoch
        self._hold(to.epoch)

    def _stay(self) -> None:
        """Keeps the newest epoch: whoever waits for news is not slow."""
        if self._lease is not None and self._lease.left() < self._seconds / 2:
            self._hold(self.epoch)

    # Rows.

    def _between(self, before: EpochManifest | None, after: EpochManifest) -> Iterator[Change]:
        at = after
        if before is not None and before.generation != after.generation:
            found = self._snapshots.log.of_generation(after.epoch, before.generation)
            if found is None:
                raise ServeError(
                    BEHIND,
                    f"the states were rescaled to {after.partitions} partitions before epoch "
                    f"{after.epoch}",
                    "Subscribe again without FROM EPOCH.",
                )
            at = found
        images, old = self._snapshots.images, None
        if before is not None:
            old = before.commits.get(self._state)
        for number, commit in enumerate(at.commits[self._state]):
            was = None if old is None else old[number]
            now = images.version(at.generation, self._state, number, commit)
            if commit == was or now is None:
                continue
            then = None
            if was is not None:
                then = images.version(at.generation, self._state, number, was)
            yield from self._of_partition(then, now)

    def _of_partition(self, before: Version | None, after: Version) -> Iterator[Change]:
        since = 0 if before is None else before.manifest.version
        if tables_of(before) == tables_of(after) and may_lack_deletes(after, since):
            raise self._behind(self._told)
        ids = {name: number.to_bytes(2, "big") for name, number, _ in tables_of(before)}
        for name, _, _ in tables_of(after):
            for stem, value in sorted(after.written(name, since).items()):
                old = None
                if before is not None and name in ids:
                    old = before.get(name, ids[name] + stem[2:], self._files)
                yield from self._of_entry(name, old, value)

    def _of_entry(self, table: str, old: bytes | None, new: bytes | None) -> Iterator[Change]:
        """What the new value of an entry changes, one change a key."""
        if table == ROWS:
            yield from self._changed(old, new)
            return
        assert table == BUNDLES
        was, now = _bundle(old), _bundle(new)
        for key, row in was.items():
            yield from self._changed(row, now.pop(key, None))
        for row in now.values():
            yield from self._changed(None, row)

    def _changed(self, old: bytes | None, new: bytes | None) -> Iterator[Change]:
        old = old if self._is_shown(old) else None
        new = new if self._is_shown(new) else None
        if old == new:
            return
        if old is not None:
            yield Change(DELETE if new is None else BEFORE, old)
        if new is not None:
            yield Change(INSERT if old is None else AFTER, new)

    def _is_shown(self, row: bytes | None) -> bool:
        """Whether readers see a row: its column of why it could not be read is null."""
        at = self._malformed
        return row is not None and (at is None or bool(row[at // 8] >> at % 8 & 1))

    def _table(self, epoch: int, changes: list[Change]) -> pa.Table:
        batch = self._rows.decoded([(b"", change.row) for change in changes])
        return pa.table(
            [
                pa.array([epoch] * len(changes), pa.int64()),
                pa.array([change.type for change in changes], pa.string()),
                *batch.columns[: len(self.facts.schema)],
            ],
            schema=self.schema,
        )


def _bundle(value: bytes | None) -> dict[bytes, bytes]:
    if value is None:
        return {}
    parts = list(listed(value))
    return dict(zip(parts[::2], parts[1::2], strict=True))
