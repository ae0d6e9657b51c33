"""The formats of sinks, by name: those of this package, and those that users register."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from groundswell.errors import ConfigurationError
from groundswell.sinks.options import SinkOption, SinkOptions
from groundswell.sinks.sink import Sink
from groundswell.suggestions import meant

STOP_SINK, SET_ASIDE, STOP_PIPELINE = "stop_sink", "set_aside", "stop_pipeline"
COMMON = (
    SinkOption(
        "key",
        "columns that identify a row in the target; default: the view's stream key",
        list,
        (),
    ),
    SinkOption(
        "snapshot",
        "whether a sink that is new first gets the rows that the view has already",
        bool,
        True,
    ),
    SinkOption(
        "retry_seconds",
        "for how many seconds a target that does not answer is tried again before the pipeline "
        "fails; the epoch is delivered again at the next start",
        int,
        60,
    ),
    SinkOption(
        "on_failure",
        "what a row ends that the target refuses: stop_sink (the others go on, and the next start "
        "tries again), set_aside (the row alone: the target gets the rest) or stop_pipeline. Other "
        "failures of a target end the pipeline or, with the first two, the sink",
        str,
        STOP_SINK,
        choices=(STOP_SINK, SET_ASIDE, STOP_PIPELINE),
    ),
)
"""Options that every sink has."""

_OURS = {
    "parquet": "files:ParquetSink",
    "json": "files:JsonSink",
    "clickhouse": "clickhouse:ClickHouseSink",
    "delta": "delta:DeltaSink",
    "iceberg": "iceberg:IcebergSink",
    "jdbc": "jdbc:JdbcSink",
    "kafka": "kafka:KafkaSink",
    "postgres": "postgres:PostgresSink",
    "postgresql": "postgres:PostgresSink",
}
_users: dict[str, tuple[Callable[[SinkOptions], Sink], tuple[SinkOption, ...]]] = {}


@dataclass(frozen=True)
class SinkSpec:
    """A sink of a pipeline, as the user gave it.

    Attributes:
        name: of the sink.
        view: whose changes it takes.
        format: name of the format, or of the class of the user's object.
        options: checked.
        make: gives the sink, once a start.
        table: name of the pipeline's own table that it writes to; None: it writes elsewhere.
    """

    name: str
    view: str
    format: str
    options: SinkOptions
    make: Callable[[], Sink]
    table: str | None = None

    def __str__(self) -> str:
        shown = repr(self.options)
        return f"Sink {self.name} of {self.view}: {self.format}{f' ({shown})' if shown else ''}"


def formats() -> tuple[str, ...]:
    """Names of all formats."""
    return (*_OURS, *_users)


@cache
def _ours_plain() -> frozenset[str]:
    return frozenset(o.name for f in _OURS for o in _find(f)[1] if not o.secret)


def plain_options() -> frozenset[str]:
    """Names of the options of all formats that are no secrets, in lower case."""
    users = {o.name.lower() for _, options in _users.values() for o in options if not o.secret}
    return _ours_plain() | users | {o.name for o in COMMON}


def secret_options(format: str) -> frozenset[str]:  # noqa: A002
    """Names of the options of a format that are secrets, in lower case.

    Raises:
        ConfigurationError: no such format.
    """
    return frozenset(o.name.lower() for o in _find(format)[1] if o.secret)


def register_sink(
    format: str,  # noqa: A002
    sink: Callable[[SinkOptions], Sink],
    options: Iterable[SinkOption] | None = None,
) -> None:
    """Makes a sink known by a name, for ``pipeline.sink``, ``.format(...)`` and ``CREATE SINK``.

    Args:
        format: the name.
        sink: a subclass of :class:`Sink`, or a function; takes the options, gives a sink.
        options: which options there are; default: ``sink.OPTIONS``.

    Raises:
        ConfigurationError: the name is one of this package's own formats.

    Examples:
        >>> class Printer(gs.Sink):
        ...     PREFIX = gs.SinkOption("prefix", "begin of each line", default="")
        ...     OPTIONS = (PREFIX,)
        ...     def __init__(self, options):
        ...         self.prefix = options["prefix"]
        ...     def open(self, start):
        ...         self.columns = start.columns
        ...     def recover(self):
        ...         return None
        ...     def write(self, epoch, changes):
        ...         print(self.prefix, epoch, changes.table.num_rows)
        ...     def commit(self, epoch):
        ...         pass
        >>> gs.register_sink("printer", Printer)
    """
    if format.lower() in _OURS:
        raise ConfigurationError(f"format {format!r} is there already; register another name")
    known = getattr(sink, "OPTIONS", ()) if options is None else options
    _users[format.lower()] = (sink, tuple(known))


def sink_spec(
    name: str,
    view: str,
    format: str | Sink,  # noqa: A002
    options: Mapping[str, Any],
) -> SinkSpec:
    """What a user said of a sink, checked as far as that goes without the target.

    Raises:
        ConfigurationError: no such format or option, or a value that is none.
    """
    if isinstance(format, Sink):
        made, kind = format, type(format).__name__
        checked = SinkOptions(COMMON, options, f"sink {name}")
        return SinkSpec(name, view, kind, checked, lambda: made)
    if not isinstance(format, str):
        raise ConfigurationError(
            f"sink {name}: format must be a name or a gs.Sink, got {type(format).__name__}"
        )
    check_format(format, f"sink {name}")
    make, known = _find(format)
    checked = SinkOptions((*known, *COMMON), options, f"sink {name} ({format.lower()})")
    return SinkSpec(name, view, format.lower(), checked, lambda: make(checked))


def check_format(format: str, who: str) -> None:  # noqa: A002
    """Refuses a format that there is not.

    Args:
        format: its name.
        who: the sink, for the message.

    Raises:
        ConfigurationError: with the formats that there are.
    """
    if format.lower() not in formats():
        hint = meant(format, formats())
        raise ConfigurationError(
            f"{who}: there is no sink of format {format!r}{hint}There are "
            f"{', '.join(formats())}. Register your own with gs.register_sink(name, class)"
        )


def _find(format: str) -> tuple[Callable[[SinkOptions], Sink], tuple[SinkOption, ...]]:  # noqa: A002
    called = format.lower()
    if called in _users:
        return _users[called]
    module, _, cls = _OURS[called].partition(":")
    found: type[Sink] = getattr(import_module(f"groundswell.sinks.{module}"), cls)
    make: Callable[[SinkOptions], Sink] = found
    return make, found.OPTIONS
