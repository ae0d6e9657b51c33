"""The interface of a sink: four methods, the same for ours and for those that users write."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from groundswell.errors import SinkError, SinkFenced
from groundswell.sinks.changes import Changes
from groundswell.sinks.options import SinkOption

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

APPEND = "append"
"""The mode of a sink that takes the rows of a view that only grows, and needs no key."""


@dataclass(frozen=True, order=True)
class SinkProgress:
    """How far a target is.

    Attributes:
        token: of the owner that wrote last; each start of a pipeline has a larger one.
        epoch: the last epoch that the target has.
    """

    token: int
    epoch: int


@dataclass(frozen=True)
class SinkStart:
    """What a sink is told when it is opened.

    Attributes:
        name: of the sink in its pipeline.
        id: tells this sink from all others, also those of other pipelines: progress is kept by it.
        view: whose changes it takes.
        schema: the view's columns.
        key: the columns that identify a row: option ``key``, else those of the view's stream key,
            if they are columns of the view; empty if there are none.
        append_only: whether the view only grows.
        token: of the pipeline's owner, to be kept with the epoch.
        epoch: the newest published epoch that has the view; None: there is none yet.
        spark: the session.
        location: the pipeline's checkpointLocation.
    """

    name: str
    id: str
    view: str
    schema: StructType
    key: tuple[str, ...]
    append_only: bool
    token: int
    epoch: int | None
    spark: SparkSession
    location: str

    @property
    def columns(self) -> list[str]:
        """Names of the view's columns."""
        return list(self.schema.names)

    def check_owner(self, kept: SinkProgress | None) -> None:
        """Refuses to go on where a later owner of the pipeline has written.

        Raises:
            SinkFenced: the target keeps a larger token.
        """
        if kept is not None and kept.token > self.token:
            raise SinkFenced(
                f"sink {self.name} of view {self.view}: the target has epoch {kept.epoch} of a "
                f"later start of this pipeline (token {kept.token}, this start has {self.token}); "
                "another process has taken the pipeline over, so stop this one"
            )

    def mode(self, given: str | None, keyed: str) -> str:
        """How a sink takes the changes: as its option says, else as the view allows.

        Args:
            given: the option; None: it is not given.
            keyed: the mode for a view that has a key, or takes rows back.

        Raises:
            SinkError: ``append``, and the view takes rows back; any other mode, and it has no key.
        """
        mode = given or (APPEND if self.append_only and not self.key else keyed)
        if mode == APPEND:
            self.need_append_only()
        else:
            self.need_key()
        return mode

    def need_key(self) -> Sequence[str]:
        """The key.

        Raises:
            SinkError: there is none.
        """
        if not self.key:
            raise SinkError(
                f"sink {self.name} needs a key, and view {self.view} shows none of its own: name "
                "the columns that identify a row in option key"
            )
        return self.key

    def need_append_only(self) -> None:
        """Refuses a view that takes rows back.

        Raises:
            SinkError: it does.
        """
        if not self.append_only:
            raise SinkError(
                f"sink {self.name} can only append, and view {self.view} changes and deletes rows; "
                "use a format that has keys (see docs/sinks.md), or a view that only grows"
            )


class Sink(ABC):
    """Takes the changes of one view, each epoch exactly once.

    A start calls :meth:`open` and :meth:`recover`, then :meth:`write` and :meth:`commit` for every
    epoch that the target does not have, in order. There is one call at a time, but not all calls
    come from one thread. An epoch without changes may be left out. After a failure, or a crash, all
    begins again with :meth:`open`, which therefore must forget what was written and not committed.
    """

    OPTIONS: ClassVar[tuple[SinkOption, ...]] = ()
    """Options of the format, if the sink is registered with :func:`register_sink`."""

    @abstractmethod
    def open(self, start: SinkStart) -> None:
        """Connects, and checks all that can be checked before an epoch comes.

        Raises:
            SinkError: the target cannot take the view: nothing has been written then.
            SinkUnavailable: the target does not answer now.
        """

    @abstractmethod
    def recover(self) -> SinkProgress | None:
        """What the target has, as :meth:`commit` kept it; None: nothing of this sink yet."""

    @abstractmethod
    def write(self, epoch: int, changes: Changes) -> None:
        """Takes the changes of an epoch; nobody needs to see them before :meth:`commit`.

        Raises:
            SinkRowRefused: the target refuses a row for its value or its key. The pipeline then
                tries parts of the epoch, each after a new :meth:`open`, to find the row.
            SinkUnavailable: the target does not answer: the epoch will come again.
        """

    @abstractmethod
    def commit(self, epoch: int) -> None:
        """Makes the epoch visible and durable, together with its number and the token.

        Raises:
            SinkFenced: the target has a larger token.
            SinkUnavailable: the target does not answer; whether it has the epoch is not known, and
                the next :meth:`recover` tells.
        """

    def close(self) -> None:  # noqa: B027 - few sinks need none
        """Lets go of connections; may be called twice, and after a failure."""
