"""What can go wrong, as one small tree.

::

    GroundswellError
    ├── ConfigurationError      an option, conf or location that cannot work
    │   └── SqlSyntaxError      a statement that cannot be read; ``line`` and ``column`` say where
    ├── SourceError             a source that cannot feed a view (unknown key, name taken, ...)
    │   └── SourceLost          what was still to be read is gone at the source
    ├── NotIncremental          a query, or a part of it, that cannot be kept incrementally (yet)
    ├── DefinitionChanged       a location belongs to another definition than the one started
    ├── EpochUnavailable        an epoch that was asked for, or is needed, is not there
    ├── OffsetsRewound          Spark's offset log and our epochs tell different stories
    ├── PipelineFailed          a running pipeline ended with an error
    ├── JavaFailed              the JVM failed with an error that is none of ours
    ├── SinkError               a target that cannot take the changes of a view
    │   ├── SinkUnavailable     it does not answer now: tried again
    │   └── SinkFenced          a later owner of the pipeline has written to it
    └── EngineError             raised by the engine; ``code`` is its stable name
        ├── Corruption, StorageFailed, FormatTooNew, VersionUnavailable
        ├── InvalidArgument, IllegalState, InconsistentChangelog, CheckpointLost, Fenced
        ├── OutOfMemory         a barrier needs more memory than its process has
        └── ViewError           of one view: RowFailed, OperatorFailed, StateTooLarge

Messages say what happened, with which values, and what to do. Imports nothing of the package.
"""

# ruff: noqa: N818  (these are the public names)

from __future__ import annotations

from collections.abc import Sequence


class GroundswellError(Exception):
    """The root of every error raised on purpose."""


class ConfigurationError(GroundswellError):
    """An option, a conf or a location that cannot work."""


class SqlSyntaxError(ConfigurationError):
    """A SQL statement of ours that cannot be read.

    Attributes:
        line: of the text, from 1.
        column: of the line, from 1.
    """

    def __init__(self, message: str, line: int = 1, column: int = 1) -> None:
        super().__init__(f"line {line}, column {column}: {message}")
        self.line = line
        self.column = column


class SourceError(GroundswellError):
    """A source that cannot feed a view."""


class SourceLost(SourceError):
    """What was still to be read is gone at the source."""


class NotIncremental(GroundswellError):
    """A query that cannot be kept up to date incrementally.

    Attributes:
        refusals: ``(what, why)`` of every part that was refused, outermost first.
    """

    def __init__(self, refusals: list[tuple[str, str]]) -> None:
        self.refusals = list(refusals)
        lines = [f"{what}: {why}" for what, why in self.refusals]
        head = "this query cannot be maintained incrementally"
        super().__init__(
            f"{head}: {lines[0]}"
            if len(lines) == 1
            else head + ":\n" + "\n".join(f"  - {line}" for line in lines)
        )

    @property
    def operator(self) -> str:
        """Name of the first refused operator or expression."""
        return self.refusals[0][0]


class DefinitionChanged(GroundswellError):
    """The checkpoint was written by another definition of the views."""


class EpochUnavailable(GroundswellError):
    """An epoch is not there: never reached, retired, or a part of a first load."""


class OffsetsRewound(GroundswellError):
    """Spark's offset log gives an epoch another input than the one it was computed from."""


class PipelineFailed(GroundswellError):
    """A running pipeline ended with an error; ``__cause__`` is Spark's own."""


class SinkError(GroundswellError):
    """A target that cannot take the changes of a view; the message names what is wrong with it."""


class SinkRowRefused(SinkError):
    """A row that the target refuses, whatever else the epoch has: its value, or its key.

    The sink's option ``on_failure`` says what becomes of it. A pipeline finds the row by itself, so
    a sink may raise this without knowing which row it was.
    """


class SinkUnavailable(SinkError):
    """A target that does not answer now; a pipeline tries again for ``retry_seconds``."""


class SinkFenced(SinkError):
    """A target that a later owner of the same pipeline has written to."""


class JavaFailed(GroundswellError):
    """The JVM failed with an error that is none of ours; ``__cause__`` has its whole stack."""


class EngineError(GroundswellError):
    """Raised by the engine on the JVM; ``code`` is its stable name."""

    code = "ENGINE"


class Corruption(EngineError):
    """Bytes on storage are not what was written."""

    code = "CORRUPTION"


class VersionUnavailable(EngineError):
    """A version of some state is not there."""

    code = "VERSION_UNAVAILABLE"


class FormatTooNew(EngineError):
    """A file was written by a newer release."""

    code = "FORMAT_TOO_NEW"


class InvalidArgument(EngineError):
    """A key, value or option is outside of its limits."""

    code = "INVALID_ARGUMENT"


class IllegalState(EngineError):
    """A call does not fit the state its object is in."""

    code = "ILLEGAL_STATE"


class StorageFailed(EngineError):
    """The storage failed after its bounded retries."""

    code = "STORAGE"


class InconsistentChangelog(EngineError):
    """A changelog source contradicts the table it changes."""

    code = "INCONSISTENT_CHANGELOG"


class CheckpointLost(EngineError):
    """What was made since the last checkpoint is gone with the process that held it."""

    code = "CHECKPOINT_LOST"


class Fenced(EngineError):
    """Another run has taken the checkpoint over; this one has ended and publishes nothing more.

    The message says which process on which host it is, and since when.
    """

    code = "FENCED"


class OutOfMemory(EngineError):
    """A barrier needs more memory than its process has; the message says who holds what.

    Nothing of the barrier was kept. A pipeline whose sources can give less takes the same rows in
    smaller barriers first, and ends with this error if that does not help.
    """

    code = "OUT_OF_MEMORY"


class ViewError(EngineError):
    """A view cannot be computed.

    Attributes:
        views: names of the nearest views that the failing operator feeds; empty: not known.
        sources: names of the sources that feed it; empty: none, or not known.
    """

    def __init__(
        self, message: str, views: Sequence[str] = (), sources: Sequence[str] = ()
    ) -> None:
        super().__init__(message)
        self.views = tuple(views)
        self.sources = tuple(sources)


class RowFailed(ViewError):
    """An expression of a view cannot be evaluated for a row, and the view has errors="fail"."""

    code = "ROW_FAILED"


class OperatorFailed(ViewError):
    """An operator of a view failed, and not for what a row holds."""

    code = "OPERATOR_FAILED"


class StateTooLarge(ViewError):
    """The state of a view takes more bytes than its ``maxStateBytes``."""

    code = "STATE_TOO_LARGE"


ENGINE_ERRORS: dict[str, type[EngineError]] = {
    cls.code: cls
    for cls in (
        Corruption,
        VersionUnavailable,
        FormatTooNew,
        InvalidArgument,
        IllegalState,
        StorageFailed,
        InconsistentChangelog,
        CheckpointLost,
        Fenced,
        RowFailed,
        OperatorFailed,
        OutOfMemory,
    )
}
