"""Where a location under test is: a local folder, or a bucket of a real S3 server."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Protocol

import pytest

from groundswell.format.folder import Folder, open_folder
from groundswell.format.s3 import S3Folder
from systems.jars import jars
from systems.servers import free_port


class Storage(Protocol):
    confs: dict[str, str]

    def location(self, name: str) -> str: ...

    def files(self, location: str) -> dict[str, str]:
        """Name and a tag that changes with the content, of all files."""

    def folder(self, location: str) -> Folder:
        """As any process reads it."""

    def __enter__(self) -> Storage: ...

    def __exit__(self, *error: Any) -> None: ...


class LocalStorage:
    def __init__(self, folder: Path) -> None:
        self.home = folder
        self.confs: dict[str, str] = {}

    def location(self, name: str) -> str:
        return str(self.home / name)

    def folder(self, location: str) -> Folder:
        return open_folder(location)

    def files(self, location: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for path in Path(location).rglob("*"):
            try:
                if path.is_file():
                    digest = hashlib.md5(path.read_bytes()).hexdigest()
                    found[str(path.relative_to(location))] = digest
            except FileNotFoundError:  # gone since
                continue
        return found

    def __enter__(self) -> LocalStorage:
        return self

    def __exit__(self, *error: Any) -> None:
        pass


class S3Storage:
    """A bucket of moto's server, in a process of its own."""

    def __init__(self, port: int, server: subprocess.Popen, jars: list[Path]) -> None:
        import boto3

        self.server = server
        endpoint = f"http://127.0.0.1:{port}"
        self.client = boto3.client(
            "s3",
            endpoint_url=endpoint,
            region_name="us-east-1",
            aws_access_key_id="test",
            aws_secret_access_key="test",
        )
        self.confs = {
            "spark.jars": ",".join(map(str, jars)),
            "spark.hadoop.fs.s3a.endpoint": endpoint,
            "spark.hadoop.fs.s3a.endpoint.region": "us-east-1",
            "spark.hadoop.fs.s3a.path.style.access": "true",
            "spark.hadoop.fs.s3a.access.key": "test",
            "spark.hadoop.fs.s3a.secret.key": "test",
        }

    @classmethod
    def start(cls) -> S3Storage:
        """Starts a server; the test is skipped where jars or server cannot be had."""
        pytest.importorskip("moto.server")
        classes, port = jars("org.apache.hadoop:hadoop-aws:3.5.0"), free_port()
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        storage = cls(port, server, sorted(Path(classes).parent.glob("*.jar")))
        for attempt in range(100):
            try:
                storage.client.create_bucket(Bucket="rivals")
                return storage
            except Exception:
                if attempt == 99 or server.poll() is not None:
                    server.kill()
                    raise
                time.sleep(0.2)
        raise AssertionError

    def location(self, name: str) -> str:
        return f"s3a://rivals/{name}"

    def folder(self, location: str) -> Folder:
        return S3Folder("rivals", location.removeprefix("s3a://rivals/"), self.client)

    def files(self, location: str) -> dict[str, str]:
        prefix = location.removeprefix("s3a://rivals/") + "/"
        pages = self.client.get_paginator("list_objects_v2").paginate(
            Bucket="rivals", Prefix=prefix
        )
        objects = [item for page in pages for item in page.get("Contents", ())]
        return {item["Key"].removeprefix(prefix): item["ETag"] for item in objects}

    def contents(self, location: str) -> dict[str, bytes]:
        """What is in each file."""
        prefix = location.removeprefix("s3a://rivals/")
        found = {name: f"{prefix}/{name}" for name in self.files(location)}
        gets = {n: self.client.get_object(Bucket="rivals", Key=key) for n, key in found.items()}
        return {name: got["Body"].read() for name, got in gets.items()}

    def __enter__(self) -> S3Storage:
        return self

    def __exit__(self, *error: Any) -> None:
        self.server.kill()
        self.server.wait()
