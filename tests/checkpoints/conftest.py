"""Storage that can be made slow, for tests of what waits for it."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def test_tools(jar: Path) -> Path:
    """The jar with ``io.groundswell.testing.FaultyFileSystem``; built if it is not there."""
    tools = ROOT / "build" / "groundswell-test-tools.jar"
    if not tools.is_file():
        command = [sys.executable, "setup.py", "-q", "build_test_tools"]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return tools
