"""A schema registry for tests, over HTTP, and topics as files of messages.

The registry speaks what the clients of Confluent's ask: schemas by id, subjects and their versions,
references. ``tests/systems`` runs the same reads against a real one.
"""

from __future__ import annotations

import base64
import io
import json
import ssl
import struct
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from fastavro import parse_schema, schemaless_writer
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from groundswell.api.decoded_events import Registered
from groundswell.sources.kafka import table_of
from groundswell.sources.registry import registered
from incremental.harness import Table

TOPIC = "topic string, partition int, offset bigint, key binary, value binary"
Schema = Mapping[str, Any] | str


class Registry:
    """Schemas with ids, in subjects with versions."""

    def __init__(self, authorization: str | None = None, pem: Path | None = None) -> None:
        self.authorization = authorization
        self.schemas: dict[int, dict[str, Any]] = {}
        self.subjects: dict[str, list[int]] = {}
        self.asked: list[str] = []
        self._pem = pem
        self._port = 0
        self._server: ThreadingHTTPServer | None = None
        self.start()

    @property
    def url(self) -> str:
        return f"{'https' if self._pem else 'http'}://localhost:{self._port}"

    def start(self) -> None:
        registry = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                registry.asked.append(self.path)
                code, answer = registry.answer(self.path, self.headers.get("Authorization"))
                body = json.dumps(answer).encode()
                self.send_response(code)
                self.send_header("Content-Type", "application/vnd.schemaregistry.v1+json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", self._port), Handler)
        self._server.daemon_threads = True
        if self._pem is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(self._pem)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self._port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def answer(self, path: str, authorization: str | None) -> tuple[int, Any]:
        if self.authorization is not None:
            want = "Basic " + base64.b64encode(self.authorization.encode()).decode()
            if authorization != want:
                return 401, {"error_code": 401, "message": "Unauthorized"}
        match [unquote(part) for part in urlsplit(path).path.split("/")[1:]]:
            case ["schemas", "ids", number]:
                found = self.schemas.get(int(number))
                return (200, found) if found else (404, {"error_code": 40403, "message": "none"})
            case ["subjects", subject, "versions", version]:
                ids = self.subjects.get(subject, [])
                at = len(ids) if version == "latest" else int(version)
                if not 0 < at <= len(ids):
                    return 404, {"error_code": 40401, "message": "none"}
                named = {"subject": subject, "version": at, "id": ids[at - 1]}
                return 200, {**named, **self.schemas[ids[at - 1]]}
        return 404, {"message": "not found"}

    def add(
        self,
        subject: str,
        schema: Schema,
        kind: str = "AVRO",
        references: Sequence[tuple[str, str, int]] = (),
    ) -> int:
        """One more version of a subject; its id."""
        text = schema if isinstance(schema, str) and kind != "AVRO" else json.dumps(schema)
        found: dict[str, Any] = {"schema": text}
        if kind != "AVRO":
            found["schemaType"] = kind
        names = ("name", "subject", "version")
        if references:
            found["references"] = [dict(zip(names, each, strict=True)) for each in references]
        number = 100 + len(self.schemas)
        self.schemas[number] = found
        self.subjects.setdefault(subject, []).append(number)
        return number


@contextmanager
def registry(**options: Any) -> Iterator[Registry]:
    found = Registry(**options)
    try:
        yield found
    finally:
        found.stop()


def framed(number: int, body: bytes) -> bytes:
    return b"\0" + struct.pack(">I", number) + body


def avro(number: int, schema: Schema, value: Any, named: Any = None) -> bytes:
    """A message as Confluent's serializer writes it."""
    out = io.BytesIO()
    schemaless_writer(out, parse_schema(schema, named_schemas=named or {}), value)
    return framed(number, out.getvalue())


def record(name: str, *fields: tuple[Any, ...], **more: Any) -> dict[str, Any]:
    """A record of fields: a name, a type, and perhaps more members."""
    members = [{"name": n, "type": t, **(rest[0] if rest else {})} for n, t, *rest in fields]
    return {"type": "record", "name": name, "fields": members, **more}


class Topic:
    """Messages as Spark's reader of Kafka gives them, out of files."""

    def __init__(
        self, spark: SparkSession, folder: Path, of: Registry, name: str = "shop.orders"
    ) -> None:
        self.spark, self.registry, self.name = spark, of, name
        self.table = Table(spark, folder, name, TOPIC).as_parquet()
        self.offset = 0

    def send(self, *messages: tuple[bytes | None, bytes | None]) -> None:
        rows = []
        for key, value in messages:
            place = {"topic": self.name, "partition": 0, "offset": self.offset}
            rows.append({**place, "key": key, "value": value})
            self.offset += 1
        self.table.put(rows)

    def registered(self, encode: str = "avro", keyed: bool = True, **options: Any) -> Registered:
        given = {"url": self.registry.url, "timeout": 5, **options}
        return registered("the test", encode, given, [self.name], keyed)

    def source(
        self, form: str, schema: str, key: Sequence[str] = (), encode: str = "avro", **options: Any
    ) -> Any:
        return table_of(
            self.table.stream(), form, StructType.fromDDL(schema), key, name="orders",
            registry=self.registered(encode, form != "plain", **options),
        )  # fmt: skip
