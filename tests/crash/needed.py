"""Which files of a location its published epochs name."""

from __future__ import annotations

from contextlib import suppress

from groundswell.errors import VersionUnavailable
from groundswell.format import States, Store
from groundswell.format.epoch_packs import is_packed, pack_of
from groundswell.format.folder import Folder
from groundswell.runtime.record.epochs import EpochLog
from groundswell.runtime.record.manifests import EpochManifest
from groundswell.state.documents import Documents


def manifests(location: Folder) -> list[EpochManifest]:
    """Of all published epochs."""
    log = EpochLog(Documents(location.child("groundswell")).child("epochs"))
    return [log.get(epoch) for epoch in log.epochs()]


def needed_files(location: Folder) -> set[str]:
    """Files of states that must be there, as paths from the location.

    Views are readable at every published epoch; what operators keep for themselves, and the rows of
    sources, only have to be there at the newest one.
    """
    published = manifests(location)
    return {
        name
        for manifest in published
        for state in manifest.commits
        if manifest is published[-1] or state in manifest.views.values()
        for name in files_of(location, manifest, state)
    }


def named_files(location: Folder) -> set[str]:
    """The same, and those that older epochs name of other states, as far as these can be opened."""
    found = needed_files(location)
    for manifest in manifests(location):
        for state in manifest.commits:
            with suppress(VersionUnavailable):
                found |= files_of(location, manifest, state)
    return found


def files_of(location: Folder, manifest: EpochManifest, state: str) -> set[str]:
    """Commits, packs and merged files of a state at an epoch."""
    states = States(location.child("groundswell").child("state"))
    found = set()
    for partition, commit in enumerate(manifest.commits[state]):
        if commit.version and commit.id:
            version = Store(states.store(state, partition)).version(commit.version, commit.id)
            files = {info.file for run in version.manifest.runs for info in run}
            own = f"{commit.version:020d}-{commit.id}.commit"
            files.add(pack_of(commit.id) if is_packed(commit.id) else own)
            for name in files:
                folder = "_packs" if name.endswith(".pack") else f"{state}/{partition}"
                found.add(f"groundswell/state/{folder}/{name}")
    return found
