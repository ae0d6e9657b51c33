"""Storage that can be made slow, for tests of what waits for it."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def slow_storage(jar: Path) -> dict[str, str]:
    """Confs with which ``slow:/path`` is a local path whose operations can be slowed down."""
    tools = ROOT / "build" / "groundswell-test-tools.jar"
    if not tools.is_file():
        command = [sys.executable, "setup.py", "-q", "build_test_tools"]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return {
        "spark.jars": f"{jar},{tools}",
        "spark.hadoop.fs.slow.impl": "io.groundswell.testing.FaultyFileSystem",
        "spark.hadoop.fs.slow.latency": "PUT=0",
    }
