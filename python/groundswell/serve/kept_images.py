"""Images in files of a folder, so that a server that starts finds rows that are decoded.

A file has the image of one partition at one version, and its name says of which. It is written
under another name and then renamed, so a file is whole or not there. Whatever does not fit is
decoded again: a file is only ever a shortcut.
"""

from __future__ import annotations

import json
import logging
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa

from groundswell.contract.commits import CommitRef
from groundswell.errors import ConfigurationError
from groundswell.serve.image import Image, read_image, write_image

PREFIX = "groundswell-serve-"
UNUSED_SECONDS = 30 * 24 * 3600.0
"""Files that no server has found for so long are removed."""
_log = logging.getLogger("groundswell")


@dataclass(frozen=True)
class Kept:
    """An image, and the commit that it was made of."""

    commit: CommitRef
    image: Image


class KeptImages:
    """The files of one server.

    Args:
        folder: made if it is not there; only its owner may read it.
        location: of the pipeline, so that servers of several may share a folder.

    Raises:
        ConfigurationError: it cannot be written to.
    """

    def __init__(self, folder: Path, location: str) -> None:
        self._folder = folder
        self._location = location
        self._id = sha256(location.encode()).hexdigest()[:8]
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            probe = folder / f"{PREFIX}{secrets.token_hex(8)}"
            probe.touch()
            probe.unlink()
        except OSError as error:
            raise ConfigurationError(
                f"--cache {folder}: files cannot be written there ({error.strerror}). "
                "Give a folder that you may write to"
            ) from None
        self._clean()

    def name(self, generation: int, state: str, schema: pa.Schema, columns: Any) -> str:
        """What the files of a state begin with: it differs where rows are decoded otherwise."""
        facts = [self._location, generation, state, str(schema), columns, pa.__version__]
        text = json.dumps(facts, default=str)
        return f"{PREFIX}{self._id}-{sha256(text.encode()).hexdigest()[:20]}"

    def find(self, name: str, number: int, commit: CommitRef) -> Kept | None:
        """The image of a partition at a commit, or else the newest one before it that is there."""
        found: Kept | None = None
        for path in self._folder.glob(f"{name}-{number}-*.arrow"):
            version, _, id_ = path.stem.removeprefix(f"{name}-{number}-").partition("-")
            if not version.isdigit() or int(version) > commit.version:
                continue
            at = CommitRef(int(version), id_, 0, 0)
            if at.version == commit.version and at.id != commit.id:
                continue
            if found is None or at.version > found.commit.version:
                image = _read(path, at.version)
                with suppress(OSError):
                    path.touch()
                found = Kept(at, image) if image is not None else found
        return found

    def keep(
        self, name: str, number: int, commit: CommitRef, make: Callable[[Path], Image]
    ) -> Image:
        """Has an image made in a file of its own, which takes the place of older ones.

        Args:
            name: see :meth:`name`.
            number: of the partition.
            commit: of the image.
            make: makes the image, and writes it into a file if it has rows.
        """
        target = self._path(name, number, commit)
        writing = self._folder / f"{PREFIX}{secrets.token_hex(8)}.writing"
        try:
            writing.touch(mode=0o600)
            image = make(writing)
            if image.batches:
                writing.replace(target)
        finally:
            writing.unlink(missing_ok=True)
        for path in self._folder.glob(f"{name}-{number}-*.arrow"):
            if path != target:
                path.unlink(missing_ok=True)
        return image

    def write(self, name: str, number: int, commit: CommitRef, image: Image) -> None:
        """Keeps an image that was made, if it has rows and is not there yet."""
        if not image.batches or self._path(name, number, commit).exists():
            return

        def made(path: Path) -> Image:
            write_image(path, image)
            return image

        self.keep(name, number, commit, made)

    def _clean(self) -> None:
        """Removes what no server of the location has used for long, and what a crash has left."""
        now = time.time()
        ours = [*self._folder.glob(f"{PREFIX}{self._id}-*.arrow")]
        for path in (*ours, *self._folder.glob(f"{PREFIX}*.writing")):
            with suppress(OSError):
                if now - path.stat().st_mtime > UNUSED_SECONDS:
                    path.unlink()

    def _path(self, name: str, number: int, commit: CommitRef) -> Path:
        return self._folder / f"{name}-{number}-{commit.version}-{commit.id}.arrow"


def _read(path: Path, version: int) -> Image | None:
    """The image in a file; None: it is not readable, which is logged."""
    try:
        image = read_image(path)
        if image.version != version:
            raise ValueError(f"it is of version {image.version}")
    except (OSError, ValueError, KeyError, TypeError, pa.ArrowException) as error:
        _log.warning("%s is left out, and its rows are decoded again: %s", path, error)
        with suppress(OSError):
            path.unlink(missing_ok=True)
        return None
    return image
