"""Which of the names in the folder of epochs count. Pure; docs/rfcs has why this is safe.

The name of a slot is ``<epoch>-<token>.json``, both with 20 digits. Whoever creates it first
decides: the owner with that token publishes the epoch there, or a later owner closes the slot, so
that the older one can publish nothing more. An owner's slots follow each other without gaps, and
the first one is the epoch that it goes on from, published again as its own. Release 0.1 called an
epoch ``<epoch>.json``; that is token 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from groundswell.marks import Mark
from groundswell.runtime.record.location import numbered_name

Slot = tuple[int, int]
"""Epoch and token."""

_BASE = ".base.json"
_NAME = re.compile(r"(\d{20})(?:-(\d{20}))?\.json")


def slot_name(epoch: int, token: int) -> str:
    """``(7, 2)`` -> ``00000000000000000007-00000000000000000002.json``."""
    return f"{epoch:020d}-{numbered_name(token)}" if token else numbered_name(epoch)


def slot_of(name: str) -> Slot | None:
    """The slot of a name, or None for a foreign file."""
    found = _NAME.fullmatch(name)
    return (int(found[1]), int(found[2] or 0)) if found else None


def base_name(epoch: int, token: int) -> str:
    """What large epochs are told against has the name of a slot, and ``base``: no slot itself."""
    return slot_name(epoch, token).replace(".json", _BASE)


def base_slot_of(name: str) -> Slot | None:
    """The slot that a base was written for, or None for a foreign name."""
    stem = name.removesuffix(_BASE)
    return slot_of(f"{stem}.json") if stem != name else None


def counted(slots: Iterable[Slot]) -> dict[int, int]:
    """The token that counts for each epoch, as far as names tell.

    An owner begins with the epoch that it found, so no slot of an older one above that counts. Of
    one epoch the last owner's counts. Epochs follow each other, so none below a gap counts: what
    is left there are closed slots that retention has left.

    The newest epoch, and the oldest if another owner's follow it, may yet be a closed slot.
    """
    by_token: dict[int, list[int]] = {}
    for epoch, token in slots:
        by_token.setdefault(token, []).append(epoch)
    found: dict[int, int] = {}
    first: int | None = None
    for token, epochs in sorted(by_token.items(), reverse=True):
        for epoch in epochs:
            if first is None or epoch <= first:
                found.setdefault(epoch, token)
            else:
                Mark.OLDER_SLOT_IGNORED.hit()
        first = min(epochs) if first is None else min(first, *epochs)
    newest = max(found, default=0)
    gap = next((e for e in range(newest, -1, -1) if e not in found), -1)
    Mark.EPOCHS_BELOW_A_GAP.hit_if(min(found, default=gap) < gap)
    return {epoch: found[epoch] for epoch in sorted(found) if epoch > gap}
