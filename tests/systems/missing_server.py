"""Three tests of a server that no machine has, run by ``test_missing.py``."""

import pytest

from systems.servers import missing


@pytest.fixture(scope="module")
def server() -> None:
    missing("No such server (apt-get install nothing)")


@pytest.mark.parametrize("number", [1, 2])
def test_of_it(server: None, number: int) -> None:
    raise AssertionError("it was run")


def test_that_starts_it() -> None:
    missing("No such server (apt-get install nothing)")
