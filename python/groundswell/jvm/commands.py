"""Functions as Spark pickled them, in Python's workers: pickled by value, as what calls it is."""

from __future__ import annotations

from typing import Any


def load(command: bytes) -> Any:
    """What a command is; Spark puts a large one into a broadcast variable."""
    from pyspark.core.broadcast import Broadcast
    from pyspark.serializers import CPickleSerializer

    pickled: Any = CPickleSerializer()
    loaded = pickled.loads(command)
    return pickled.loads(loaded.value) if isinstance(loaded, Broadcast) else loaded
