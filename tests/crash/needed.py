"""Which files of a location its published epochs name."""

from __future__ import annotations

from groundswell.format import States, Store
from groundswell.format.epoch_packs import is_packed, pack_of
from groundswell.format.folder import Folder
from groundswell.runtime.epochs import EpochLog
from groundswell.runtime.manifests import EpochManifest
from groundswell.state.documents import Documents


def manifests(location: Folder) -> list[EpochManifest]:
    """Of all published epochs."""
    log = EpochLog(Documents(location.child("groundswell")).child("epochs"))
    return [log.get(epoch) for epoch in log.epochs()]


def state_files(location: Folder) -> set[str]:
    """Commits, packs and merged files, as paths from the location."""
    states = States(location.child("groundswell").child("state"))
    needed = set()
    for manifest in manifests(location):
        for state, commits in manifest.commits.items():
            for partition, commit in enumerate(commits):
                if commit.version and commit.id:
                    found = Store(states.store(state, partition)).version(commit.version, commit.id)
                    files = {info.file for run in found.manifest.runs for info in run}
                    own = f"{commit.version:020d}-{commit.id}.commit"
                    files.add(pack_of(commit.id) if is_packed(commit.id) else own)
                    for name in files:
                        folder = "_packs" if name.endswith(".pack") else f"{state}/{partition}"
                        needed.add(f"groundswell/state/{folder}/{name}")
    return needed
