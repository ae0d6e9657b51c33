"""What barriers tell, all of them: a query keeps the last hundred."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from groundswell.runtime.barriers.progress import ProgressLog


def after_each(then: Callable[[dict[str, Any]], None]) -> None:
    """Has every barrier of this process tell what it was, from now on, when it is over."""
    add = ProgressLog.add

    def told(log: ProgressLog, *args: Any, **named: Any) -> None:
        add(log, *args, **named)
        then(log.recent[-1])

    ProgressLog.add = told  # type: ignore[assignment, method-assign]
