"""A real browser without a window, for tests and demos."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from systems.servers import missing

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --hide-scrollbars "
    "--disable-background-networking --disable-component-update --disable-sync"
).split()


def chromium() -> str:
    """The program; raises ``MissingError`` where there is none."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        missing("chromium (apt-get install chromium)")
    return str(found)


def browse(folder: Path, *arguments: str) -> str:
    """Runs it with a profile in the folder; gives what it prints."""
    profile = f"--user-data-dir={folder / 'profile'}"
    ran = subprocess.run(
        [chromium(), *FLAGS, profile, *arguments],
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return ran.stdout


def screenshot(
    folder: Path, address: str, path: Path, width: int = 1200, height: int = 680
) -> Path:
    """What a page looks like two seconds after it was opened."""
    size = f"--window-size={width},{height}"
    browse(folder, size, "--virtual-time-budget=2000", f"--screenshot={path}", address)
    return path
