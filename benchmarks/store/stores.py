"""The stores that figures are measured on, each loaded once, when it is first asked for."""

import math
import shutil
from pathlib import Path
from typing import NamedTuple

from store.cases import OURS, Mode, Provider
from store.worker import Round, Worker

BATCH = 20_000


class Loaded(NamedTuple):
    """A store with all its rows, and how its loading went."""

    folder: Path
    version: int
    round: Round
    bytes: int
    files: int


class Stores:
    """Loads stores below one folder; figures that write get a copy."""

    def __init__(self, root: Path, rows: int) -> None:
        self.root = root
        self.rows = rows
        self.version = math.ceil(rows / BATCH)
        self._loaded: dict[tuple[str, str, str], Loaded] = {}

    @staticmethod
    def confs(mode: Mode, provider: Provider) -> dict[str, str]:
        """The confs of one column in one table."""
        return {**provider.confs, **({} if provider == OURS else mode.for_others)}

    def warm_folder(self, mode: Mode, provider: Provider) -> Path:
        """Where a small store of this provider is, or will be."""
        return self.root / f"warm-{mode.name}-{provider.name}"

    def load(self, mode: Mode, provider: Provider, kind: str) -> Loaded:
        """The store of that kind (``plain`` or ``prefix``)."""
        key = (mode.name, provider.name, kind)
        if key not in self._loaded:
            folder = self.root / "-".join(key)
            figure = "load" if kind == "plain" else "load-prefix"
            with Worker(figure, folder, self.rows, 0, self.confs(mode, provider)) as worker:
                done = worker.round()
            files = [path for path in folder.rglob("*") if path.is_file()]
            size = sum(path.stat().st_size for path in files)
            self._loaded[key] = Loaded(folder, self.version, done, size, len(files))
        return self._loaded[key]

    def copy(self, loaded: Loaded) -> Path:
        """A copy to write into; at most one at a time."""
        target = self.root / "copy"
        shutil.rmtree(target, ignore_errors=True)
        return Path(shutil.copytree(loaded.folder, target))
