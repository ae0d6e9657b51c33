"""The options of a pipeline: one registry, checked before anything is written.

Options are set by ``writeStream.option(key, value)`` or by ``gs.pipeline(spark, path, **options)``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from groundswell.errors import ConfigurationError


@dataclass(frozen=True)
class Option:
    """One option.

    Attributes:
        key: its name, as Spark writes such names.
        default: the value when it is not given; None: there is none.
        least: the smallest value of a number.
        doc: what it does, for the user.
        choices: the only values, if there are but few.
    """

    key: str
    type: type
    default: Any
    doc: str
    least: int = 0
    choices: tuple[str, ...] = ()


OPTIONS: dict[str, Option] = {
    option.key: option
    for option in (
        Option(
            "checkpointLocation",
            str,
            None,
            "folder of the pipeline: Spark's offsets, published epochs and all state",
        ),
        Option(
            "checkpointEvery",
            int,
            1,
            "barriers from one durable checkpoint to the next: other processes and sinks see "
            "epochs from then on, and a restart after a crash runs at most so many again; "
            "must be less than spark.sql.streaming.minBatchesToRetain",
            least=1,
        ),
        Option(
            "retainEpochs", int, 100, "how many epochs stay readable, the newest included", least=1
        ),
        Option(
            "retireEvery",
            int,
            10,
            "state files that no retained epoch needs are deleted once in so many epochs",
            least=1,
        ),
        Option(
            "partitions",
            int,
            None,
            "partitions of every state, fixed by the first start: as many as the cores that it may "
            "ever have (a task takes several of them where there are fewer cores); default: "
            "spark.sql.shuffle.partitions if you have set it, else the number of cores",
            least=1,
        ),
        Option(
            "idleTimeout",
            int,
            None,
            "seconds after which a source with a watermark that brings no rows no longer holds the "
            "watermarks of others back; default: it always does",
            least=1,
        ),
        Option(
            "tickInterval",
            int,
            None,
            "seconds after which a barrier runs though no source has news, so that windows close, "
            "old rows go and idle sources are left behind; default: there is none",
            least=1,
        ),
        Option(
            "clock",
            object,
            None,
            "function without arguments that tells the time of a barrier, as a datetime or in "
            "seconds since 1970, for temporal filters; default: when Spark put the batch together",
        ),
        Option(
            "onChange",
            str,
            "error",
            "what a start does about views that are another query than before: error, or rebuild "
            "them from the views and keyed sources that they read",
            choices=("error", "rebuild"),
        ),
        Option(
            "joins",
            str,
            "auto",
            "how joins are computed: hash (each keeps both its sides), delta (by the pipeline's "
            "shared indexes, refused where they do not suffice), or auto (where they suffice, what "
            "touches fewer rows, from the statistics of the indexes)",
            choices=("auto", "hash", "delta"),
        ),
        Option(
            "hotKeyRows",
            int,
            10_000,
            "rows of one key of an index from which all tasks share the work of a lookup of it, "
            "from the next start on",
            least=1,
        ),
    )
}


def check(given: Mapping[str, Any]) -> dict[str, Any]:
    """All options with their values; refuses unknown names and values out of bounds.

    Raises:
        ConfigurationError: with what is wrong and what is allowed.
    """
    known = {key.lower(): option for key, option in OPTIONS.items()}
    values: dict[str, Any] = {key: option.default for key, option in OPTIONS.items()}
    for key, value in given.items():
        option = known.get(key.lower())
        if option is None:
            raise ConfigurationError(
                f"unknown option {key!r}; options of a view are {', '.join(OPTIONS)}. "
                "Options of a source belong to its readStream"
            )
        values[option.key] = _convert(option, value)
    return values


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
