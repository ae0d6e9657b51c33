"""What may grow in a long run, as the kernel and the JVMs tell it."""

from __future__ import annotations

from pathlib import Path
from subprocess import CalledProcessError

from heap.__main__ import live_bytes


def sample(jvms: dict[str, int], location: Path) -> dict[str, float]:
    """Heap, open files and threads of each JVM; files and the newest manifest of the location."""
    found: dict[str, float] = {}
    for name, pid in jvms.items():
        process = Path(f"/proc/{pid}")
        try:
            found[f"{name}: heap (MB)"] = live_bytes(pid) / 1e6
            found[f"{name}: open files"] = len(list((process / "fd").iterdir()))
            found[f"{name}: threads"] = len(list((process / "task").iterdir()))
        except (OSError, ValueError, IndexError, CalledProcessError):  # it was killed meanwhile
            continue
    files = [path for path in location.rglob("*") if path.is_file()]
    found["files of the location"] = len(files)
    epochs = sorted(p for p in files if p.parent.name == "epochs")
    # A run that follows another one closes a slot of it, which is a small file.
    found["newest manifest (KB)"] = max((p.stat().st_size for p in epochs[-3:]), default=0) / 1e3
    return found
