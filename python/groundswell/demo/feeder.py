"""Delivers staged files into the watched folders, as an airport's data desk would."""

from __future__ import annotations

import shutil
from pathlib import Path

from groundswell.demo.data import Delivery


class Feeder:
    """Makes one delivery's files visible at a time; a file appears whole or not at all."""

    def __init__(self, watched: Path) -> None:
        self.watched = watched
        for table in ("flights", "airports", "planes", "airlines"):
            (watched / table).mkdir(parents=True, exist_ok=True)

    def deliver(self, delivery: Delivery) -> None:
        """Moves one delivery in; what flights refer to comes before them."""
        for table, staged in reversed(delivery.files):
            arriving = self.watched / table / f".{staged.name}"
            shutil.copyfile(staged, arriving)
            arriving.replace(self.watched / table / staged.name)
