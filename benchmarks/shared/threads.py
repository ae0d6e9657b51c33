"""CPU time of a JVM by kind of thread, as the kernel counts it."""

from __future__ import annotations

from pathlib import Path

KINDS = {
    "Executor task": "tasks",
    "C1 Comp": "compiling",
    "C2 Comp": "compiling",
    "G1": "collecting",
    "GC ": "collecting",
    "groundswell-ret": "retiring",
}
"""By how a thread's name begins; what is none of these is the driver's."""


def spent(pid: int) -> dict[str, float]:
    """Milliseconds so far, of the threads that live.

    Args:
        pid: the JVM's process.

    Returns:
        ``tasks``: threads that run Spark's tasks; ``compiling``, ``collecting``: the JVM's own;
        ``driver``: all others, with ``retiring``, those that delete what no epoch needs.
    """
    found = dict.fromkeys((*KINDS.values(), "driver"), 0.0)
    for thread in Path(f"/proc/{pid}/task").iterdir():
        try:
            name = (thread / "comm").read_text()
            used = int((thread / "schedstat").read_text().split()[0]) / 1e6
        except OSError:  # it has ended
            continue
        found[next((k for start, k in KINDS.items() if name.startswith(start)), "driver")] += used
    found["driver"] += found["retiring"]
    return found
