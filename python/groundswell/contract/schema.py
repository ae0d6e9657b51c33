"""The documents there are."""

from __future__ import annotations

import inspect
from dataclasses import is_dataclass
from types import ModuleType
from typing import Any

from groundswell.contract import barrier, commits, sql
from groundswell.contract.codec import Tagged

MODULES: tuple[ModuleType, ...] = (commits, barrier, sql)
"""Where documents stand, each module's before those that use them."""

MAJOR = 1
"""Raised when a document keeps its fields and changes their meaning."""


def documents() -> list[type]:
    """All classes of documents, in the order of their definition; of a tagged base, the base."""
    found: list[type] = []
    for module in MODULES:
        own = [
            each
            for each in vars(module).values()
            if inspect.isclass(each) and each.__module__ == module.__name__
        ]
        found += [each for each in own if is_dataclass(each) or is_base(each)]
    return found


def is_base(document: Any) -> bool:
    """Whether a class stands for its subclasses, told apart by ``kind``."""
    return Tagged in document.__bases__
