"""How random tests search: Hypothesis makes what they run on, prints it, and shrinks what fails.

A test run has the same seed each time, so that a change is judged by itself; ``make soak`` searches
further. ``GROUNDSWELL_SEED=n`` runs that seed, ``GROUNDSWELL_SEED=new`` one that nobody has seen,
``GROUNDSWELL_EXAMPLES=n`` so many examples; ``GROUNDSWELL_MINUTES=n`` goes on with the next seeds
for so long, each test; ``GROUNDSWELL_SHRINK=no`` stops at the first failure.
"""

import itertools
import os
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, note, seed, settings
from hypothesis import strategies as st


def _seed(told: str) -> int:
    return random.SystemRandom().randrange(10**6) if told == "new" else int(told)


SEED = _seed(os.environ.get("GROUNDSWELL_SEED", "1"))
EXAMPLES = int(os.environ.get("GROUNDSWELL_EXAMPLES", "2"))
MINUTES = float(os.environ.get("GROUNDSWELL_MINUTES", "0"))
SHRINKS = os.environ.get("GROUNDSWELL_SHRINK") != "no"
VIEWS = 6
STARTS: list[Any] = [SEED]
"""Seeds of a test of which one example runs in ``make test``, another one in ``make test-rest``."""
if "GROUNDSWELL_SEED" not in os.environ:
    STARTS.append(pytest.param(SEED + 1, marks=pytest.mark.rest))


def search(check: Callable[[random.Random, int], None], start: int | None = None) -> None:
    """Calls it with one random source after the other, and a number of views.

    Args:
        check: what to do with them.
        start: one of ``STARTS``. It has one example unless ``GROUNDSWELL_EXAMPLES`` is set.
    """
    until = time.monotonic() + 60 * MINUTES
    number = SEED if start is None else start
    examples = EXAMPLES if start is None or "GROUNDSWELL_EXAMPLES" in os.environ else 1
    tried = _examples(check, number, examples)
    while time.monotonic() < until:
        number += 1
        tried += _examples(check, number, examples)
    print(f"{tried} examples")


def seeds(first: int) -> Iterator[int]:
    """A seed, and as long as the search goes on the next ones; each is printed."""
    until = time.monotonic() + 60 * MINUTES
    for number in itertools.count(first):
        print(f"GROUNDSWELL_SEED={number}", flush=True)
        yield number
        if time.monotonic() >= until:
            print(f"{number - first + 1} seeds")
            return


def _examples(check: Callable[[random.Random, int], None], number: int, examples: int) -> int:
    print(f"GROUNDSWELL_SEED={number}", flush=True)
    phases = [Phase.generate, Phase.shrink] if SHRINKS else [Phase.generate]
    tried = 0

    @seed(number)
    @settings(
        max_examples=examples + 1,  # Hypothesis begins with the simplest: one view, no rows
        deadline=None,
        database=None,
        phases=phases,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.randoms(use_true_random=False), st.integers(1, VIEWS))
    def example(rng: random.Random, views: int) -> None:
        nonlocal tried
        tried += 1
        note(f"GROUNDSWELL_SEED={number} GROUNDSWELL_EXAMPLES={examples}")
        check(rng, views)

    example()
    return tried
