"""How watermarks move from barrier to barrier. Pure; what is kept is part of the epoch manifest.

The watermark of a source at barrier N is the largest event time of the barriers before N, less its
delay, and never goes back. What barrier N brings itself does not count for it, so that which rows
are late depends on the barriers alone, not on the order of rows in one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from groundswell.contract.barrier import EventTimes, Watermarks

Times = Mapping[str, Mapping[str, int]]
"""By source name: ``watermark`` in force at the barrier (absent: none yet), ``newest`` event time
so far, both in microseconds, ``seenMillis``: when it last brought rows, ``late``: rows dropped."""


@dataclass(frozen=True)
class WatermarkRules:
    """What the pipeline says of its sources.

    Attributes:
        delays: by source name, milliseconds.
        idle_millis: a source that brought nothing for longer, while another did, does not hold
            the others back: it takes over the largest watermark; None: it always does.
    """

    delays: Mapping[str, int] = field(default_factory=dict)
    idle_millis: int | None = None

    def in_force(self, before: Times, now_millis: int) -> dict[str, int]:
        """The watermarks of a barrier.

        Args:
            before: what the barrier before left.
            now_millis: when the barrier's batch was put together.
        """
        marks: dict[str, int] = {}
        for source, delay in self.delays.items():
            known = before.get(source, {})
            own = [known["newest"] - delay * 1000] if "newest" in known else []
            own += [known["watermark"]] if "watermark" in known else []
            if own:
                marks[source] = max(own)
        if self.idle_millis is None:
            return marks
        latest = max((known["seenMillis"] for known in before.values()), default=now_millis)
        idle = {
            source
            for source in self.delays
            if source in before
            and before[source]["seenMillis"] < latest
            and now_millis - before[source]["seenMillis"] > self.idle_millis
        }
        active = [mark for source, mark in marks.items() if source not in idle]
        if active:
            for source in idle:
                marks[source] = max(active + ([marks[source]] if source in marks else []))
        return marks

    def after(
        self,
        before: Times,
        marks: Mapping[str, int],
        rows: Mapping[str, int],
        found: Mapping[str, EventTimes],
        now_millis: int,
    ) -> dict[str, dict[str, int]]:
        """What a barrier leaves.

        Args:
            before: what the barrier before left.
            marks: the watermarks in force.
            rows: by source, the rows that it brought.
            found: by source, what the barrier saw of its event time.
            now_millis: when the barrier's batch was put together.
        """
        times: dict[str, dict[str, int]] = {}
        for source in self.delays:
            known = before.get(source, {})
            new = found.get(source, EventTimes(0, None))
            seen = now_millis if rows.get(source, 0) else known.get("seenMillis", now_millis)
            entry = {"seenMillis": seen, "late": new.late}
            newest = [t for t in (known.get("newest"), new.max) if t is not None]
            if newest:
                entry["newest"] = max(newest)
            if source in marks:
                entry["watermark"] = marks[source]
            times[source] = entry
        return times


def message(
    before: Times, marks: Mapping[str, int], names: Mapping[str, str], clock: int
) -> Watermarks:
    """For the JVM, which knows sources by id; ``names``: id -> name."""
    ids = {name: source for source, name in names.items()}
    return Watermarks(
        before={
            ids[name]: known["watermark"]
            for name, known in before.items()
            if "watermark" in known and name in ids
        },
        now={ids[name]: mark for name, mark in marks.items() if name in ids},
        clock=clock,
    )
