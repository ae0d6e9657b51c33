"""Two drivers on one location of a real S3 server: see ``crash/test_rivals.py``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from crash.storage import S3Storage, Storage
from crash.test_rivals import (
    drivers,
    test_fifty_seeds,
    test_the_older_driver_harms_nothing,
)

__all__ = ["drivers", "test_fifty_seeds", "test_the_older_driver_harms_nothing"]


@pytest.fixture(scope="module")
def storage(jar: Path) -> Iterator[Storage]:
    with S3Storage.start() as storage:
        yield storage
