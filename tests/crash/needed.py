"""Which files of a location its published epochs name."""

from __future__ import annotations

from contextlib import nullcontext, suppress

from groundswell.contract.commits import CommitRef
from groundswell.errors import VersionUnavailable
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
    published = manifests(location)
    for manifest in published:
        whole = manifest is published[-1]
        for state, commits in manifest.commits.items():
            kept = whole or state in manifest.views.values()
            for partition, commit in enumerate(commits):
                if commit.version and commit.id:
                    store = Store(states.store(state, partition))
                    # Of older epochs what operators keep for themselves may be gone.
                    with nullcontext() if kept else suppress(VersionUnavailable):
                        needed |= named(store, state, partition, commit)
    return needed


def named(store: Store, state: str, partition: int, commit: CommitRef) -> set[str]:
    found = store.version(commit.version, commit.id)
    files = {info.file for run in found.manifest.runs for info in run}
    own = f"{commit.version:020d}-{commit.id}.commit"
    files.add(pack_of(commit.id) if is_packed(commit.id) else own)
    folder = f"{state}/{partition}"
    return {
        f"groundswell/state/{'_packs' if name.endswith('.pack') else folder}/{name}"
        for name in files
    }
