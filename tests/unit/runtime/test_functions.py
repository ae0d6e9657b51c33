"""Fingerprints of Python functions."""

import gc
from collections.abc import Callable
from functools import lru_cache

from pyspark.cloudpickle import dumps

from groundswell.jvm.functions import function_of
from groundswell.runtime.planning.functions import fingerprint


def _moved(by: int) -> Callable[[int], int]:
    class Held:
        step = by

        def more(self, n: int) -> int:
            return n + self.step

    held = Held()
    return lambda n: held.more(n)


def test_a_class_is_the_same_when_only_its_pickle_is_left() -> None:
    function, other = _moved(1), _moved(2)
    command = dumps((function, None))
    before = fingerprint(function)
    assert fingerprint(function_of(command, {})) == before != fingerprint(other)
    del function
    gc.collect()
    assert fingerprint(function_of(command, {})) == before


def _cached(by: int) -> Callable[[int], int]:
    @lru_cache
    def rate(n: int) -> int:
        return n * by

    return lambda n: rate(n)


def test_a_cached_function_is_what_it_caches() -> None:
    assert fingerprint(_cached(1)) == fingerprint(_cached(1)) != fingerprint(_cached(2))


def _tuned(rate: int) -> Callable[[int], int]:
    def scaled(n: int) -> int:
        return n * scaled.rate

    scaled.rate = rate
    return scaled


def test_attributes_of_a_function_are_part_of_it() -> None:
    assert fingerprint(_tuned(1)) == fingerprint(_tuned(1)) != fingerprint(_tuned(2))
    again = function_of(dumps((_tuned(2), None)), {})
    assert fingerprint(again) == fingerprint(_tuned(2))
