"""Long lists of cases: the first ones are of ``make test``, the others of ``make test-rest``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def first_of(cases: Iterable[Any], count: int = 1) -> list[Any]:
    """Cases for ``pytest.mark.parametrize``, those behind the first ones marked ``rest``.

    Args:
        cases: values, or a tuple a case where there are several names.
        count: of those that stay in ``make test``.

    Returns:
        The same cases in the same order; each has the name that pytest would give it.
    """
    found = list(cases)
    return found[:count] + [_rest(case) for case in found[count:]]


def _rest(case: Any) -> Any:
    values = case if type(case) is tuple else (case,)
    return pytest.param(*values, marks=pytest.mark.rest)
