"""Python objects that the JVM may call, behind a port of ours that asks for a token.

PySpark's own port for callbacks asks for no token (py4j forgets it), and stays as PySpark makes it.
Objects of ours are not behind it: whoever connects there does not reach them. Our port listens on
127.0.0.1 alone. Its token is made here and crosses over PySpark's gateway, which asks for a token.
"""

from __future__ import annotations

import secrets
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

from py4j.clientserver import ClientServer, PythonParameters, PythonServer
from py4j.java_gateway import (
    CallbackServer,
    CallbackServerParameters,
    GatewayProperty,
    PythonProxyPool,
)
from pyspark.sql import SparkSession

from groundswell.jvm.errors import JavaPackage

_HERE = "127.0.0.1"


class _Gone:
    """Stands for an object that was let go: every call of it fails."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, method: str) -> Any:
        raise LookupError(f"Object ID unknown: {self._name} is not behind the port any more")


class _Objects(PythonProxyPool):  # type: ignore[misc]
    """The objects behind a port.

    An unknown name has an object, too: for a name that is not there, py4j answers without reading
    the arguments, and every later call on the same connection is answered with their rest.
    """

    def __contains__(self, name: object) -> bool:
        return True

    def __getitem__(self, name: str) -> Any:
        return self.dict.get(name, _Gone(name))

    def remove(self, name: str) -> None:
        with self.lock:
            self.dict.pop(name, None)


class CallbackPort:
    """The port of one JVM, and the objects behind it."""

    def __init__(self, spark: SparkSession) -> None:
        gateway: Any = spark.sparkContext._gateway
        self._objects = _Objects()
        self._token = secrets.token_hex(32)
        settings: dict[str, Any] = {
            "address": _HERE,
            "port": 0,
            "daemonize": True,
            "daemonize_connections": True,
            "auth_token": self._token,
        }
        if isinstance(gateway, ClientServer):  # threads are pinned
            self._server = PythonServer(
                gateway._gateway_client,
                gateway.java_parameters,
                PythonParameters(**settings),
                GatewayProperty(auto_field=False, pool=self._objects),
            )
        else:
            self._server = CallbackServer(
                self._objects,
                gateway._gateway_client,
                callback_server_parameters=CallbackServerParameters(**settings),
            )
        self._server.start()
        entry = JavaPackage(spark, "io.groundswell.spark.views.entry")
        self.java_port = entry.PythonPort.of(gateway.java_gateway_server, self.number, self._token)

    @property
    def number(self) -> int:
        """The port's number."""
        return int(self._server.get_listening_port())

    def put(self, target: object) -> str:
        """Puts an object behind the port, under the name that it returns."""
        return str(self._objects.put(target))

    def java_object(self, spark: SparkSession, name: str, interface: str) -> Any:
        """What implements ``interface`` in the JVM by calling the object of this name."""
        reflection = JavaPackage(spark, "py4j.reflection").ReflectionUtil
        return self.java_port.object(name, reflection.classForName(interface))

    def remove(self, name: str) -> None:
        """Lets go of an object; calls of it fail from now on."""
        self._objects.remove(name)


_PORTS: WeakKeyDictionary[Any, CallbackPort] = WeakKeyDictionary()
_LOCK = Lock()


def port_of(spark: SparkSession) -> CallbackPort:
    """The port for the JVM behind a session; opened when it is first asked for."""
    gateway = spark.sparkContext._gateway
    with _LOCK:
        port = _PORTS.get(gateway)
        if port is None:
            port = _PORTS[gateway] = CallbackPort(spark)
        return port
