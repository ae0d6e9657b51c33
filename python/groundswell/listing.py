"""What ``dir()`` of an object shows to people: no private helpers."""

from __future__ import annotations


class Listed:
    """An object whose ``dir()`` has public names, and Python's own ``__names__``."""

    def __dir__(self) -> list[str]:
        names = super().__dir__()
        return [n for n in names if not n.startswith("_") or n.endswith("__")]
