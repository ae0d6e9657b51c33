"""Class names that PySpark asks a JVM for, each once.

``jvm.functions`` makes the JVM look for the name in a dozen packages, each in Spark's 280 jars; and
PySpark says it with each call of a function. It was a seventh of what the JVM did for Python.
"""

from typing import Any

import pytest
from py4j.java_gateway import JavaClass, JVMView

_MEMO = "_remembered_classes"


@pytest.fixture(scope="session", autouse=True)
def remembered_classes() -> Any:
    ask = JVMView.__getattr__

    def remember(view: JVMView, name: str) -> Any:
        known = view.__dict__.setdefault(_MEMO, {})
        if name not in known:
            found = ask(view, name)
            if not isinstance(found, JavaClass):  # a package, or a class that may come later
                return found
            known[name] = found
        return known[name]

    JVMView.__getattr__ = remember
    yield
    JVMView.__getattr__ = ask
