"""kill -9 at random instants: no file of any kind stays for longer than the documented grace."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from crash import kept
from crash.needed import manifests, named_files
from crash.processes import children, kill
from groundswell.format import open_folder
from groundswell.runtime.record.slots import slot_name

SEED = int(os.environ.get("GROUNDSWELL_SEED", random.randrange(1 << 30)))
KILLS = int(os.environ.get("GROUNDSWELL_KILLS", 20))
GRACE_DAYS = 31  # of closed slots; half-written files have one day


def launch(location: Path, barriers: int) -> subprocess.Popen:
    command = [sys.executable, str(Path(kept.__file__)), str(location), str(barriers)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


@pytest.mark.soak
def test_killed_often_and_then_run_once(jar: Path, tmp_path: Path) -> None:
    print(f"seed {SEED}")
    rng = random.Random(SEED)
    location = tmp_path / "c"
    for _ in range(KILLS):
        process = launch(location, 0)
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        time.sleep(rng.random() * 4)
        kill(*children(process.pid), process.pid)
        process.wait()
    then = time.time() - GRACE_DAYS * 24 * 60 * 60
    for path in sorted(location.rglob("*"), reverse=True):
        os.utime(path, (then, then))
    assert launch(location, 6).wait(300) == 0
    stay = unneeded(location)
    assert not stay, f"seed {SEED}: {stay}"


def unneeded(location: Path) -> list[str]:
    """Files that no epoch, document or log needs."""
    folder = open_folder(location)
    published = manifests(folder)
    needed = {f"groundswell/epochs/{slot_name(m.epoch, m.token)}" for m in published}
    needed |= named_files(folder)
    paths = [path for path in location.rglob("*") if path.is_file() and path.suffix != ".crc"]
    names = {str(path.relative_to(location)) for path in paths}
    token = max(manifest.token for manifest in published)
    own = {f"groundswell/{stem}-{token:020d}.json" for stem in ("definition", "graph")}
    floors = sorted(name for name in names if "/leases/floor-" in name)
    logs = {n for n in names if n.split("/")[0] in ("offsets", "commits", "sources", "metadata")}
    claims = {name for name in names if name.startswith("groundswell/owners/")}
    needed |= {*own, *floors[-1:], "groundswell/tables/votes/table.json"}
    needed |= {name for name in logs | claims if not name.endswith(("tmp", "gstmp"))}
    closed = closed_by(location, token)
    rows = sorted(name for name in names if "/tables/votes/rows/" in name)
    return sorted(names - needed - closed - set(rows[-1:]))  # the last barrier's is deleted later


def closed_by(location: Path, token: int) -> set[str]:
    """The slots that the last run has closed."""
    folder = location / "groundswell" / "epochs"
    text = f'"closedBy":{token}}}'
    return {f"groundswell/epochs/{p.name}" for p in folder.iterdir() if text in p.read_text()}
