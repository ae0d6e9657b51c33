"""kill -9 at named points, between and inside barriers: nothing is lost, nothing doubled."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from crash import workload
from incremental.harness import published

SEED = int(os.environ.get("GROUNDSWELL_SEED", random.randrange(1 << 30)))

# Where the process dies, and at which passage: one run each, all on one checkpoint.
POINTS = [
    ("pack.after-publish", 2),  # a task's commits are durable, and nobody was told
    ("after_publish", 1),  # visible, not delivered, Spark has not recorded it
    ("after_delivery", 1),  # delivered, Spark has not recorded it
]
MORE_POINTS = [
    ("before_task_commit", 2),  # inside the first barrier: nothing of it may remain
    *POINTS,
    ("before_publish", 1),  # all have committed, the epoch is not visible yet
    ("after_task_commit", 3),  # some partitions of a barrier have committed, others have not
    ("pack.before-publish", 2),  # inside the engine: all of a task committed, nothing durable
]


def launch(
    folder: Path,
    master: str,
    point: str | None = None,
    every: int = 1,
    packs: str = "",
    overlap: int = 0,
) -> subprocess.CompletedProcess:
    environment = {
        **os.environ,
        "GROUNDSWELL_PACKS": packs,
        "GROUNDSWELL_OVERLAP": str(overlap),
    }
    if point:
        environment["GROUNDSWELL_FAILPOINT"] = point
        environment["GROUNDSWELL_FAILPOINT_MARKER"] = str(folder / "killed-at")
    command = [sys.executable, str(Path(workload.__file__)), str(folder), master, str(every)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240)


def check_outcome(folder: Path, barriers: int | None = workload.BARRIERS) -> None:
    """``barriers`` is None if a replay may have taken several files into one."""
    expected = workload.expected(folder)
    assert json.loads((folder / "result.json").read_text()) == expected, f"seed {SEED}"
    epochs = sorted(int(path.stem) for path in (folder / "sink").iterdir())
    assert epochs == list(range(barriers or len(epochs))), f"seed {SEED}"
    assert replay(folder) == expected, (
        f"the delivered changes do not add up to the view; seed {SEED}"
    )


def replay(folder: Path) -> list[list]:
    view: dict[str, list] = {}
    for path in sorted((folder / "sink").iterdir()):
        for change in json.loads(path.read_text()):
            row = [change["region"], change["orders"], change["amount"], change["items"]]
            if change["_change_type"] in ("delete", "update_preimage"):
                assert view.pop(row[0]) == row, (
                    f"{path.name} removes what is not there; seed {SEED}"
                )
            else:
                assert row[0] not in view, f"{path.name} inserts twice; seed {SEED}"
                view[row[0]] = row
    return sorted(view.values())


@pytest.mark.parametrize(
    "points",
    [
        pytest.param(POINTS[1:2], id="between barriers"),
        pytest.param(POINTS, id="inside and between barriers", marks=pytest.mark.rest),
        pytest.param(MORE_POINTS, id="every point", marks=pytest.mark.soak),
    ],
)
def test_killed_and_restarted(tmp_path: Path, points: list[tuple[str, int]]) -> None:
    print(f"seed {SEED}")
    workload.prepare(tmp_path, SEED)
    for point, passage in points:
        died = launch(tmp_path, "local[2]", f"{point}:{passage}")
        marker = tmp_path / "killed-at"
        assert marker.exists(), f"{point} was never reached:\n{died.stderr[-4000:]}"
        assert point in marker.read_text()
        marker.unlink()
        assert died.returncode != 0
        assert not (tmp_path / "result.json").exists()
    finished = launch(tmp_path, "local[2]")
    assert finished.returncode == 0, finished.stderr[-4000:]
    check_outcome(tmp_path)
    delivered = [int(line) for line in (tmp_path / "deliveries.log").read_text().splitlines()]
    assert delivered == sorted(delivered)
    assert len(delivered) <= workload.BARRIERS + 1, "only the kill after a delivery may repeat one"


# As above, with a checkpoint at every third barrier.
AHEAD_POINTS = [
    ("between_checkpoints", 2),  # some barriers are in memory alone
    ("after_publish", 3),  # of the epochs of a checkpoint some are visible, others are not
]
MORE_AHEAD_POINTS = [
    ("after_task_commit", 12),
    ("after_persist", 1),  # all is durable, nothing of it visible
    ("before_publish", 4),
    ("after_delivery", 2),
    *AHEAD_POINTS,
]


@pytest.mark.parametrize(
    "points",
    [
        pytest.param(AHEAD_POINTS, id="between and inside checkpoints", marks=pytest.mark.rest),
        pytest.param(MORE_AHEAD_POINTS, id="every point", marks=pytest.mark.soak),
    ],
)
def test_killed_between_checkpoints_and_restarted(
    tmp_path: Path, points: list[tuple[str, int]]
) -> None:
    print(f"seed {SEED}")
    every = 3
    workload.prepare(tmp_path, SEED, 7 * len(points))
    for point, passage in points:
        died = launch(tmp_path, "local[2]", f"{point}:{passage}", every)
        marker = tmp_path / "killed-at"
        assert marker.exists(), f"{point} was never reached:\n{died.stderr[-4000:]}"
        assert marker.read_text() == point
        marker.unlink()
        location = tmp_path / "checkpoint"
        begun = [int(path.name) for path in location.glob("offsets/[0-9]*")]
        assert max(begun) - max(published(location), default=-1) <= every, f"seed {SEED}"
    finished = launch(tmp_path, "local[2]", None, every)
    assert finished.returncode == 0, finished.stderr[-4000:]
    check_outcome(tmp_path, None)
    delivered = [int(line) for line in (tmp_path / "deliveries.log").read_text().splitlines()]
    assert delivered == sorted(delivered)
    repeated = len(delivered) - len(set(delivered))
    allowed = sum(point in ("before_publish", "after_delivery") for point, _ in points)
    assert repeated <= allowed, "only a kill after a delivery may repeat one"


# As above, where checkpoints overlap barriers.
OVERLAP_POINTS = [
    ("log.after-write", 3),  # an entry of Spark's logs is there, and what it is of is not
    ("after_publish", 2),  # visible, while later barriers are computed and not durable
]
MORE_OVERLAP_POINTS = [
    ("between_checkpoints", 3),  # computed, all of it in memory
    ("pack.before-publish", 2),
    ("pack.after-publish", 3),
    ("after_write", 2),  # durable, not visible
    ("log.before-write", 4),
    ("before_publish", 2),
    ("after_delivery", 2),
    *OVERLAP_POINTS,
]


@pytest.mark.parametrize(
    ("points", "master"),
    [
        pytest.param(OVERLAP_POINTS, "local[2]", id="some points", marks=pytest.mark.rest),
        pytest.param(MORE_OVERLAP_POINTS, "local[2]", id="every point", marks=pytest.mark.soak),
        pytest.param(
            MORE_OVERLAP_POINTS[:1] + MORE_OVERLAP_POINTS[4:],
            "local-cluster[2,1,1024]",
            id="every point of a cluster",
            marks=pytest.mark.soak,
        ),
    ],
)
def test_killed_while_checkpoints_overlap(
    tmp_path: Path, points: list[tuple[str, int]], master: str
) -> None:
    print(f"seed {SEED}")
    overlap = 2
    workload.prepare(tmp_path, SEED, 5 * len(points))
    for point, passage in points:
        died = launch(tmp_path, master, f"{point}:{passage}", overlap=overlap)
        marker = tmp_path / "killed-at"
        assert marker.exists(), f"{point} was never reached:\n{died.stderr[-4000:]}"
        assert marker.read_text() == point
        marker.unlink()
        location = tmp_path / "checkpoint"
        newest = max(published(location), default=-1)
        begun = max((int(path.name) for path in location.glob("offsets/[0-9]*")), default=-1)
        done = max((int(path.name) for path in location.glob("commits/[0-9]*")), default=-1)
        assert begun - newest <= overlap + 2, f"seed {SEED}"
        assert done <= newest, f"Spark's log is ahead of what is durable; seed {SEED}"
    finished = launch(tmp_path, master, overlap=overlap)
    assert finished.returncode == 0, finished.stderr[-4000:]
    check_outcome(tmp_path, None)
    delivered = [int(line) for line in (tmp_path / "deliveries.log").read_text().splitlines()]
    assert delivered == sorted(delivered)
    assert len(delivered) - len(set(delivered)) <= len(points), "one at most for each kill"


@pytest.mark.soak
def test_executor_killed_between_checkpoints(tmp_path: Path) -> None:
    """What it held is lost, or was not needed: a start goes on from the last checkpoint."""
    print(f"seed {SEED}")
    workload.prepare(tmp_path, SEED)
    master = "local-cluster[2,1,1024]"
    finished = launch(tmp_path, master, "after_task_commit:7", 4)
    assert (tmp_path / "killed-at").exists(), finished.stderr[-4000:]
    if finished.returncode != 0:
        assert "CheckpointLost" in finished.stderr, finished.stderr[-4000:]
        finished = launch(tmp_path, master, None, 4)
        assert finished.returncode == 0, finished.stderr[-4000:]
    check_outcome(tmp_path, None)


@pytest.mark.soak
@pytest.mark.parametrize("packs", ["task", "process"])
@pytest.mark.parametrize(
    "point", ["after_task_commit:2", "pack.before-publish:2", "pack.after-publish:2"]
)
def test_executor_killed_after_its_commit(tmp_path: Path, point: str, packs: str) -> None:
    """A lost executor process: its partitions are computed again under other commit ids."""
    print(f"seed {SEED}")
    workload.prepare(tmp_path, SEED)
    finished = launch(tmp_path, "local-cluster[2,1,1024]", point, packs=packs)
    again = "is run again, with commits that are durable when their tasks end" in finished.stderr
    lost = packs == "process" and point.startswith("pack.before")
    assert again == lost, finished.stderr[-4000:]
    assert (tmp_path / "killed-at").exists(), finished.stderr[-4000:]
    assert finished.returncode == 0, finished.stderr[-4000:]
    check_outcome(tmp_path)
