"""Lists of the JVM."""

from __future__ import annotations

from typing import Any


def items(java_list: Any) -> list[Any]:
    """The items of a Java list, by number.

    py4j learns the end of a Java iterator from an exception, and Spark's Python asks the JVM sixty
    questions about each exception: 50 ms and more.
    """
    return [java_list.get(i) for i in range(java_list.size())]
