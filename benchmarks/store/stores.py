"""The stores that figures are measured on, each loaded once, when it is first asked for."""

import math
import shutil
from pathlib import Path
from typing import NamedTuple

from store.cases import OURS, Case, Mode, Provider, Suite
from store.worker import Round, Worker

BATCH = 20_000


class Loaded(NamedTuple):
    """A store with all its rows, and how its loading went."""

    folder: Path
    rows: int
    version: int
    round: Round
    bytes: int
    files: int


class Stores:
    """Loads stores below one folder; figures that write get a copy."""

    def __init__(self, root: Path, suite: Suite, rows: int) -> None:
        self.root = root
        self.suite = suite
        self.rows = rows
        self._loaded: dict[tuple[str, str, str, int], Loaded] = {}

    @staticmethod
    def confs(mode: Mode, provider: Provider) -> dict[str, str]:
        """The confs of one column in one table."""
        others = {} if provider == OURS else mode.for_others
        return {**provider.confs, **others, **mode.for_all}

    def load(self, case: Case) -> Loaded:
        """The store that a cell is measured on."""
        mode, figure, provider = case
        rows = max(BATCH, self.rows // figure.divisor) if figure.divisor > 1 else self.rows
        key = (mode.name, provider.name, figure.store, rows)
        if key not in self._loaded:
            folder = self.root / "-".join(map(str, key))
            name = "load" if figure.store == "plain" else "load-prefix"
            store = f"{mode.scheme}{folder}"
            confs = self.confs(mode, provider)
            with Worker(name, store, rows, 0, confs, self.suite.heap) as worker:
                done = worker.round()
            files = [path for path in folder.rglob("*") if path.is_file()]
            size = sum(path.stat().st_size for path in files)
            version = math.ceil(rows / BATCH)
            self._loaded[key] = Loaded(folder, rows, version, done, size, len(files))
        return self._loaded[key]

    def worker(self, case: Case, loaded: Loaded, folder: Path) -> Worker:
        """A process that is ready to measure a cell, warm unless the cell is about that."""
        mode, figure, provider = case
        warm = f"{mode.scheme}{self.root}/warm-{mode.name}-{provider.name}"
        return Worker(
            figure.worker or figure.name,
            f"{mode.scheme}{folder}",
            loaded.rows,
            loaded.version,
            self.confs(mode, provider),
            self.suite.heap,
            None if figure.name == "reopen-cold" else warm,
        )

    def compacted(self, case: Case, loaded: Loaded, folder: Path, version: int) -> Round | None:
        """Merges all of a store; the round's metrics tell how large it is then."""
        mode, _, provider = case
        if provider.compacting is None:
            return None
        confs = {**self.confs(mode, provider), **provider.compacting}
        store = f"{mode.scheme}{folder}"
        with Worker("compact", store, loaded.rows, version, confs, self.suite.heap) as worker:
            return worker.round()

    def copy(self, loaded: Loaded) -> Path:
        """A copy to write into; at most one at a time."""
        target = self.root / "copy"
        shutil.rmtree(target, ignore_errors=True)
        return Path(shutil.copytree(loaded.folder, target))
