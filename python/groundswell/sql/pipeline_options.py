"""Options of ``CREATE PIPELINE``."""

from __future__ import annotations

from collections.abc import Mapping

from groundswell import config
from groundswell.sql.connectors import check_options

TRIGGER = "trigger"
_SESSION = ("clock", "checkpointLocation", "onChange")


def check_options_of_pipeline(options: Mapping[str, str]) -> None:
    """Refuses options of ``CREATE PIPELINE`` that there are not, or whose values do not fit."""
    known = [o for o in config.OPTIONS if o not in _SESSION]
    check_options("a pipeline", options, [*known, TRIGGER, *config.GONE])
    config.check({k: v for k, v in options.items() if k != TRIGGER})
