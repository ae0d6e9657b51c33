"""What is said of the options of a start before it begins."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from groundswell.runtime.request import DYNAMIC, check_checkpoints


def session(**confs: str) -> Any:
    return SimpleNamespace(conf=SimpleNamespace(get=lambda name, default: confs.get(name, default)))


def request(every: int) -> Any:
    planned = SimpleNamespace(recursive=list, cleaning=list)
    options = {"checkpointEvery": every, "checkpointOverlap": 0}
    return SimpleNamespace(options=options, planned=planned)


@pytest.mark.parametrize(
    ("every", "dynamic", "told"), [(5, "true", True), (5, "false", False), (1, "true", False)]
)
def test_executors_that_come_and_go_are_told_of_where_they_keep_commits(
    caplog: pytest.LogCaptureFixture, every: int, dynamic: str, told: bool
) -> None:
    check_checkpoints(session(**{DYNAMIC: dynamic}), request(every))
    assert ("takes commits with it" in caplog.text) == told
