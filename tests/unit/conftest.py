"""Unit tests run in seconds, without Spark: `make check` is typed before each commit."""

from typing import NoReturn

import pytest


@pytest.fixture
def spark_factory() -> NoReturn:
    """In place of the one that starts Spark, which `spark` asks, too."""
    pytest.fail("tests/unit run without Spark; a test that needs it belongs beside its package")
