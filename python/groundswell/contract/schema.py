"""The documents there are."""

from __future__ import annotations

import inspect
from dataclasses import is_dataclass
from types import ModuleType
from typing import Any

from groundswell.contract import barrier, commits, messages, migration
from groundswell.contract.capture import expressions, functions, grouped, nodes, plan
from groundswell.contract.codec import Tagged
from groundswell.contract.dataflow import (
    clock,
    flow,
    groups,
    indexes,
    joins,
    operators,
    order,
    recursion,
    rows,
    sources,
    steps,
    views,
)
from groundswell.contract.sql import answers, requests, states

SQL: tuple[ModuleType, ...] = (states, requests, answers)
DATAFLOW: tuple[ModuleType, ...] = (
    operators,
    sources,
    steps,
    rows,
    joins,
    indexes,
    groups,
    order,
    clock,
    recursion,
    views,
    flow,
)
CAPTURE: tuple[ModuleType, ...] = (expressions, nodes, grouped, plan, functions)
MODULES: tuple[ModuleType, ...] = (
    commits,
    barrier,
    *SQL,
    messages,
    *DATAFLOW,
    *CAPTURE,
    migration,
)
"""Where documents stand, each module's before those that use them."""

MAJOR = 1
"""Raised when a document keeps its fields and changes their meaning."""


def documents() -> list[type]:
    """All classes of documents, in the order of their definition, and what several of them share.

    A tagged base stands for its documents: see :func:`is_base` and :func:`is_family`.
    """
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


def is_family(document: Any) -> bool:
    """Whether a class only says what several documents of a tagged base have in common."""
    return issubclass(document, Tagged) and not is_base(document) and not hasattr(document, "KIND")


def java_package(document: Any) -> str:
    """The JVM's package of a document, below ``io.groundswell.spark``.

    The two halves there know nothing of each other, so each has its own documents. A module that
    is in no room here is a room there. A sealed interface has its records beside it, so all
    operators are in one room; what they name, a column or a bound, has one of its own.
    """
    *rooms, module = document.__module__.split(".")[2:]
    if (*rooms, module) == ("migration",):
        return "store.contract"
    rooms = rooms or [module]
    if rooms == ["dataflow"] and not issubclass(document, Tagged) and module != "flow":
        rooms.append("part")
    return ".".join(("views", "contract", *rooms))
