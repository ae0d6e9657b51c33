"""The options of a pipeline: one registry, checked before anything is written.

Options are set by ``writeStream.option(key, value)`` or by ``gs.pipeline(spark, path, **options)``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from groundswell.durations import UNITS, micros_of
from groundswell.errors import ConfigurationError
from groundswell.suggestions import meant


@dataclass(frozen=True)
class Option:
    """One option.

    Attributes:
        key: its name, as Spark writes such names.
        default: the value when it is not given; None: there is none.
        least: the smallest value of a number.
        doc: what it does, for the user.
        choices: the only values, if there are but few.
        unit: of a number.
        absent: what holds if there is neither a value nor a default.
        fixed: why ``ALTER PIPELINE`` does not change it; empty: it does, from the next barrier on.
    """

    key: str
    type: type
    default: Any
    doc: str
    least: int = 0
    choices: tuple[str, ...] = ()
    unit: str = ""
    absent: str = ""
    fixed: str = ""


_PLANS = "the plans of views follow it, so it is chosen when the pipeline is made"

OPTIONS: dict[str, Option] = {
    option.key: option
    for option in (
        Option(
            "checkpointLocation",
            str,
            None,
            "The folder of the pipeline: Spark's offsets, published epochs and all state.",
            absent="required",
            fixed="it is where the pipeline is",
        ),
        Option(
            "checkpointEvery",
            int,
            1,
            "Number of barriers from one durable checkpoint to the next. Other processes and sinks "
            "see an epoch once it is durable. After a crash a restart runs at most this many "
            "barriers again. Must be less than `spark.sql.streaming.minBatchesToRetain`.",
            least=1,
            unit="barriers",
        ),
        Option(
            "checkpointOverlap",
            int,
            0,
            "How many barriers may be computed whose checkpoints are still being written when the "
            "next one begins. 0: each barrier waits for its own. Readers and sinks see an epoch "
            "once it is durable. After a crash a restart runs the barriers again that were not.",
            least=0,
            unit="barriers",
        ),
        Option(
            "retainEpochs",
            int,
            100,
            "How many epochs stay readable, the newest included. Older ones go once in "
            "`retireEvery` epochs, unless `retain` or a reader's lease keeps them.",
            least=1,
            unit="epochs",
        ),
        Option(
            "retain",
            str,
            None,
            "For how long an epoch stays readable, as `7 days`. If `retainEpochs` is set, too, an "
            "epoch stays as long as either of the two keeps it; if only `retain` is set, "
            "`retainEpochs` counts as 1.",
            absent="`retainEpochs` alone counts",
        ),
        Option(
            "retireEvery",
            int,
            10,
            "How often unneeded state files are deleted. Views and indexes keep the files of every "
            "readable epoch. Operator state keeps only the files of the newest epoch.",
            least=1,
            unit="epochs",
        ),
        Option(
            "partitions",
            int,
            None,
            "Partitions of every state. Choose as many as the cores that the pipeline may ever "
            "have: with fewer cores a task takes several partitions. A start with another number "
            "rescales the states.",
            least=1,
            absent="the number that the states have; at the first start "
            "`spark.sql.shuffle.partitions` if you have set it, else the number of cores",
            fixed="`ALTER PIPELINE ... SET PARALLELISM n` changes it",
        ),
        Option(
            "idleTimeout",
            int,
            None,
            "Time after which a source without new rows no longer holds back the watermarks of "
            "other sources.",
            least=1,
            unit="seconds",
            absent="never",
        ),
        Option(
            "tickInterval",
            int,
            None,
            "Time after which a barrier runs although no source has new rows. The barrier closes "
            "windows, removes expired rows and leaves idle sources behind.",
            least=1,
            unit="seconds",
            absent="no such barriers",
        ),
        Option(
            "maxBarrierRows",
            int,
            None,
            "About how many rows a barrier takes of all sources that count them before they are "
            "read: Kafka, Delta tables, snapshots of PostgreSQL. Whole transactions stay whole. "
            "A larger first load comes in several barriers and is visible once it is whole.",
            least=1,
            unit="rows",
            absent="one row for 256 bytes of the driver's heap",
        ),
        Option(
            "maxBarrierBytes",
            int,
            None,
            "About how many bytes of files or table pages a barrier takes of all sources: files, "
            "Delta tables, snapshots of PostgreSQL. A file of Spark's file sources is never split.",
            least=1,
            unit="bytes",
            absent="a quarter of the driver's heap",
        ),
        Option(
            "ownerLease",
            str,
            None,
            "For how long a sign of life of the run counts, as `15 seconds`. The run renews it "
            "three times in that time. A standby starts when it has not been renewed for as long.",
            absent="no signs of life, and no standby",
        ),
        Option(
            "fillLease",
            str,
            "1 hour",
            "For how long a fill that was cut off can go on where it was, as `30 minutes`. The "
            "time counts from its last part, or from the next start if that comes within a day. "
            "Its epoch is kept as long. 24 hours at most.",
        ),
        Option(
            "clock",
            object,
            None,
            "Function without arguments that gives the time of a barrier, as a datetime or in "
            "seconds since 1970. Temporal filters use it.",
            absent="the time at which Spark put the batch together",
            fixed="it is a function of a Python program",
        ),
        Option(
            "onChange",
            str,
            "error",
            "What a start does with a view whose query changed: refuse, or compute it again from "
            "the views, tables and keyed sources that it reads.",
            choices=("error", "rebuild"),
            fixed="it is of one start of a Python program",
        ),
        Option(
            "joins",
            str,
            "auto",
            "How joins are computed. `hash`: each join keeps both sides. `delta`: joins read the "
            "pipeline's shared indexes, and a join without them is refused. `auto`: where the "
            "indexes suffice, the way that touches fewer rows by their statistics.",
            choices=("auto", "hash", "delta"),
            fixed=_PLANS,
        ),
        Option(
            "indexes",
            str,
            "asked",
            "Which shared indexes there are. `asked`: those that you define. `auto`: also those "
            "that two or more joins of new views need, if less state is kept with them. A view "
            "that is there keeps its plan.",
            choices=("asked", "auto"),
            fixed=_PLANS,
        ),
        Option(
            "joinOrder",
            str,
            "written",
            "In which order the inner joins of a new view are computed. `written`: as Spark's "
            "optimizer leaves the query. `cost`: in the order with the least work for a change and "
            "the least state, by the rows that the location has and by defaults. A view that is "
            "there keeps its order.",
            choices=("written", "cost"),
            fixed=_PLANS,
        ),
        Option(
            "compaction",
            str,
            "own",
            "Which process merges files of states. `own`: the executors. `elsewhere`: one that "
            "`python -m groundswell compact` starts; executors merge only where that one is far "
            "behind. The next start may choose again.",
            choices=("own", "elsewhere"),
        ),
        Option(
            "hotKeyRows",
            int,
            10_000,
            "Rows of one index key above which all tasks share the lookups of that key. It takes "
            "effect at the next start.",
            least=1,
            unit="rows",
        ),
    )
}


GONE = {
    "sharing": (
        "written",
        "this option is gone. Leave it out: parts that are written alike share one state, as they "
        "always did. To have views share a join that they write differently, make the join a view "
        "and read it with pipeline.read(...). joinOrder='cost' and indexes='auto' save more state",
    )
}
"""Options of earlier releases, by their names in small letters: the value that changes nothing, and
what to write in the place of another."""


def _check_gone(key: str, value: Any) -> None:
    nothing, instead = GONE[key.lower()]
    if value != nothing:
        raise ConfigurationError(f"option {key}={value!r}: {instead}")


def check(given: Mapping[str, Any]) -> dict[str, Any]:
    """All options with their values; refuses unknown names and values out of bounds.

    Raises:
        ConfigurationError: with what is wrong and what is allowed.
    """
    known = {key.lower(): option for key, option in OPTIONS.items()}
    values: dict[str, Any] = {key: option.default for key, option in OPTIONS.items()}
    for key, value in given.items():
        if key.lower() in GONE:
            _check_gone(key, value)
            continue
        option = known.get(key.lower())
        if option is None:
            raise ConfigurationError(
                f"unknown pipeline option {key!r}{meant(key, OPTIONS)}The options of a pipeline "
                f"are {', '.join(OPTIONS)}. Options of a source belong to its readStream"
            )
        values[option.key] = _convert(option, value)
    if values["retain"] is not None:
        if not micros_of(values["retain"]):
            raise ConfigurationError(
                f"option retain must be a number from 1 on and one of {', '.join(UNITS)}, as "
                f"'7 days', got {values['retain']!r}"
            )
        if "retainepochs" not in map(str.lower, given):
            values["retainEpochs"] = 1
    if values["ownerLease"] is not None and micros_of(values["ownerLease"]) < 1_000_000:
        raise ConfigurationError(
            f"option ownerLease must be a number and one of {', '.join(UNITS)}, a second at least, "
            f"as '15 seconds', got {values['ownerLease']!r}"
        )
    if not 1_000_000 <= micros_of(values["fillLease"]) <= UNITS["day"]:
        raise ConfigurationError(
            f"option fillLease must be a number and one of {', '.join(UNITS)}, a second at least "
            f"and 24 hours at most, as '30 minutes', got {values['fillLease']!r}"
        )
    return values


def deletes_writes(options: Mapping[str, Any]) -> bool:
    """Whether the file of a write to a table goes once a barrier has taken it.

    A restart from a checkpoint of several barriers may still need it.
    """
    return options["checkpointEvery"] == 1 and not options["checkpointOverlap"]


def checked(key: str, value: Any) -> dict[str, Any]:
    """One option under its name, with its value; see :func:`check`. None: it is not given.

    Raises:
        ConfigurationError: there is no such option, or its value is out of bounds.
    """
    if value is None and key in OPTIONS and OPTIONS[key].default is None:
        return {key: None}
    return {key: check({key: value})[key]}


def _convert(option: Option, value: Any) -> Any:
    if option.type is object:
        if value is not None and not callable(value):
            raise ConfigurationError(f"option {option.key} must be a function, got {value!r}")
        return value
    if option.type is str:
        if not isinstance(value, str) or not value.strip():
            raise ConfigurationError(f"option {option.key} must be a text, got {value!r}")
        if option.choices and value not in option.choices:
            raise ConfigurationError(
                f"option {option.key} must be one of {', '.join(option.choices)}, got {value!r}"
            )
        return value
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = option.least - 1
    if number < option.least or isinstance(value, bool) or str(number) != str(value).strip():
        raise ConfigurationError(
            f"option {option.key} must be a whole number from {option.least} on, got {value!r}"
        )
    return number
