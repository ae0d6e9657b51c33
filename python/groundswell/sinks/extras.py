"""Libraries that only some sinks and sources need."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from groundswell.errors import ConfigurationError


def optional(module: str, extra: str) -> Any:
    """A library of another system.

    Raises:
        ConfigurationError: it is not installed.
    """
    try:
        return import_module(module)
    except ImportError as e:
        raise ConfigurationError(
            f"this needs the Python package {module} ({e}): pip install 'groundswell[{extra}]'"
        ) from e
