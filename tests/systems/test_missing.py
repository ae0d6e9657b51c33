"""A server that cannot be had: all its tests say so, in one line each."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(("ci", "said"), [("", "3 skipped"), ("true", "1 failed, 2 errors")])
def test_every_test_of_a_missing_server_is_skipped_and_fails_on_ci(ci: str, said: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, str(Path(__file__).with_name("missing_server.py"))],
        env={**os.environ, "CI": ci},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines()[-1].startswith(said), done.stdout
    assert "No such server (apt-get install nothing) is not on this machine" in done.stdout
