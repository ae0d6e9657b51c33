"""Which recursions queries have, and what each is made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundswell import jvm
from groundswell.errors import NotIncremental
from groundswell.jvm.recursions import placeholders_of, unrolled
from groundswell.plan.capture import Captured
from groundswell.plan.nodes import Rank
from groundswell.plan.recursion import MOST_ROUNDS, ROUNDS, Loop

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class Declared:
    """A recursion before it is captured; see :class:`~groundswell.plan.recursion.Loop`."""

    result: str
    feedback: str
    derivations: DataFrame
    rank: Rank | None = None
    bag: bool = False
    rounds: int = ROUNDS


_declared: dict[tuple[str, str], Declared] = {}


def declare(jvm_id: str, recursion: Declared) -> None:
    """Remembers a recursion; what stands for its result may appear in any query of the JVM."""
    _declared[jvm_id, recursion.result] = recursion


def sources_in(frame: DataFrame) -> set[str]:
    """The keys of what stands for sources and views in a query, its recursions included."""
    made, recursions = recursions_in([frame])
    read = [*made, *(each.derivations for each in recursions)]
    return {key for each in read for key in placeholders_of(each)}


def recursions_in(
    frames: Sequence[DataFrame],
) -> tuple[list[DataFrame], list[Declared]]:
    """Queries without recursions of their own, and the recursions that they read, inner ones too.

    Raises:
        NotIncremental: the step of one cannot be followed.
    """
    found: dict[str, Declared] = {}

    def unroll(frame: DataFrame) -> DataFrame:
        try:
            made, loops = unrolled(frame)
        except ValueError as e:
            raise NotIncremental([("WITH RECURSIVE", str(e))]) from e
        for result, feedback, derivations, rounds in loops:
            rounds = min(rounds, MOST_ROUNDS) if rounds >= 0 else ROUNDS
            found[result] = Declared(result, feedback, derivations, bag=True, rounds=rounds)
        return made

    def collect(read: Iterable[DataFrame]) -> None:
        for frame in read:
            own = jvm.jvm_id(frame.sparkSession)
            for key in placeholders_of(frame) if _declared or found else ():
                if (own, key) in _declared and key not in found:
                    found[key] = _declared[own, key]
                    collect([found[key].derivations])

    made = [unroll(frame) for frame in frames]
    collect([*made, *(loop.derivations for loop in list(found.values()))])
    return made, list(found.values())


def captured_loops(recursions: Sequence[Declared], queries: Sequence[Captured]) -> tuple[Loop, ...]:
    """The recursions with what was captured of their derivations, in the same order."""
    return tuple(
        Loop(each.result, each.feedback, query.root, each.rank, each.bag, each.rounds)
        for each, query in zip(recursions, queries, strict=True)
        if query.root is not None
    )
