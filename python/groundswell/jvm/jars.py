"""Which jar of ours a JVM has, and what of Scala a session will need."""

from __future__ import annotations

from contextlib import suppress
from typing import Any
from weakref import WeakSet

from py4j.java_gateway import JavaClass
from py4j.protocol import Py4JError

from groundswell.contract import version as contract
from groundswell.errors import ConfigurationError
from groundswell.version import VERSION

_ANY_CLASS = "io.groundswell.EpochStateStoreProvider"
"""A class that every jar of ours has."""

_CONTRACT = "io.groundswell.spark.views.contract.ContractVersion"

_TITLE = "groundswell"
"""What the manifest of our jar calls it."""

_CHECKED: WeakSet[Any] = WeakSet()


def check_jar(jvm: Any) -> None:
    """Refuses, once, a JVM that has no jar of ours, or one of another version than this package.

    Raises:
        ConfigurationError: with both versions, and what to do.
    """
    if jvm in _CHECKED:
        return
    found = our_class(jvm)
    if found is None:
        raise ConfigurationError(
            "the groundswell jar is not on Spark's class path; make the session with "
            "gs.configure(SparkSession.builder).getOrCreate(), or pass "
            "--jars $(python -m groundswell jar)"
        )
    package = found.getPackage()
    version = package.getImplementationVersion()
    # In a jar that a user made of ours and others, the manifest speaks of that one.
    if package.getImplementationTitle() == _TITLE and version != VERSION:
        place = found.getProtectionDomain().getCodeSource().getLocation().toString()
        raise ConfigurationError(
            f"the groundswell jar on Spark's class path is version {version} ({place}), but the "
            f"Python package is version {VERSION}. Pass this package's jar, "
            "--jars $(python -m groundswell jar), or install the package of the jar's version: "
            f"pip install groundswell=={version}"
        )
    _check_contract(jvm)
    _CHECKED.add(jvm)


def _check_contract(jvm: Any) -> None:
    """Refuses a jar whose documents are not those of this package."""
    try:
        theirs = str(JavaClass(_CONTRACT, jvm._gateway_client).text())
    except (Py4JError, TypeError):
        theirs = "0 (it names none)"
    if theirs != contract.VERSION:
        raise ConfigurationError(
            f"the groundswell jar on Spark's class path speaks version {theirs} of the contract "
            f"with Python, but the Python package speaks version {contract.VERSION}: they are of "
            "two builds. Pass this package's jar, --jars $(python -m groundswell jar); in a work "
            "tree, build it with make jar"
        )


def our_class(jvm: Any) -> Any:
    """A class of our jar; None: the JVM has no jar of ours."""
    try:
        return jvm.py4j.reflection.ReflectionUtil.classForName(_ANY_CLASS)
    except Py4JError:
        return None


def make_mirror(jvm: Any) -> None:
    """Makes Scala's mirror of classes, a second's work, beside the making of a context.

    Each session needs it: Spark registers functions of its machine learning by types of Scala.
    """
    with suppress(Py4JError):  # then the session makes it, or says what is wrong
        JavaClass("scala.reflect.runtime.package", jvm._gateway_client).universe()
