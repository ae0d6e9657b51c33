"""Folders of any file system that pyarrow knows (HDFS, Google Cloud, Azure), or fsspec behind it.

Credentials, hosts and native libraries are theirs to find: ``hdfs://`` goes through Hadoop's
libhdfs, and where that is missing through the NameNode's HTTP interface (WebHDFS).
"""

from __future__ import annotations

import getpass
import os
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa
from pyarrow import fs

from groundswell.errors import Corruption, InvalidArgument, StorageFailed, VersionUnavailable


class ArrowFolder:
    """Files below one path of a ``pyarrow.fs.FileSystem``.

    Args:
        files: the file system.
        path: as that file system spells it.
        location: the same as users spell it, for messages.
        waits: seconds before each further try of a read that failed.
    """

    def __init__(self, files: Any, path: str, location: str, waits: tuple[float, ...] = ()) -> None:
        self.files = files
        self.waits = waits
        self.path = path.rstrip("/")
        self.location = location.rstrip("/")

    def names(self) -> list[str]:
        """Names of all files in it, ascending; none if it does not exist."""
        return self._entries(fs.FileType.File)

    def folders(self) -> list[str]:
        """Names of all folders in it, ascending; none if it does not exist."""
        return self._entries(fs.FileType.Directory)

    def child(self, name: str) -> ArrowFolder:
        """The folder of that name in it."""
        return ArrowFolder(self.files, self._of(name), f"{self.location}/{name}", self.waits)

    def length(self, name: str) -> int:
        """A file's length; `VersionUnavailable` if it is missing."""
        found = self._ask(name, lambda: self.files.get_file_info(self._of(name)))
        if found.type != fs.FileType.File:
            raise self._missing(name)
        return int(found.size)

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Some bytes; `VersionUnavailable` if the file is missing, `Corruption` if too short."""

        def some() -> bytes:
            with self.files.open_input_file(self._of(name)) as file:
                size = file.size()
                wanted = min(length, max(size - offset, 0))
                return _of_file(bytes(file.read_at(wanted, min(offset, size))))

        data: bytes = self._ask(name, some)
        if len(data) != length:
            raise Corruption(f"{self.location}/{name} is cut short: no {length} bytes at {offset}")
        return data

    def whole(self, name: str) -> bytes:
        """A file's bytes; `VersionUnavailable` if it is missing."""

        def everything() -> bytes:
            with self.files.open_input_stream(self._of(name)) as file:
                return _of_file(bytes(file.read()))

        data: bytes = self._ask(name, everything)
        return data

    def _entries(self, kind: Any) -> list[str]:
        below = fs.FileSelector(self.path or "/", allow_not_found=True)
        found = self._ask("", lambda: self.files.get_file_info(below))
        return sorted(entry.base_name for entry in found if entry.type == kind)

    def _of(self, name: str) -> str:
        return f"{self.path}/{name}"

    def _ask(self, name: str, call: Callable[[], Any]) -> Any:
        for wait in (*self.waits, None):
            try:
                return call()
            except FileNotFoundError as error:
                raise self._missing(name) from error
            except (OSError, RuntimeError, pa.ArrowException) as error:  # HDFS refuses by the last
                if wait is None or not isinstance(error, OSError):
                    raise StorageFailed(f"cannot read {self.location}/{name}: {error}") from error
                time.sleep(wait)
        raise AssertionError(self.waits)

    def _missing(self, name: str) -> VersionUnavailable:
        return VersionUnavailable(f"{self.location}/{name} is missing: it was retired or deleted")


def _of_file(data: bytes) -> bytes:
    """The bytes of a file: a DataNode that fails late sends its error in their place."""
    if data.startswith(b'{"RemoteException":'):
        raise OSError(data[:300].decode(errors="replace"))
    return data


def open_uri(uri: str) -> ArrowFolder:
    """The folder that a URI names: pyarrow is asked first, then fsspec if it is installed.

    Raises:
        InvalidArgument: neither knows the scheme.
        StorageFailed: the file system cannot be reached, or lacks a native library.
    """
    try:
        files, path = fs.FileSystem.from_uri(_bounded(uri))
    except pa.ArrowInvalid as error:
        files, path = _of_fsspec(uri, str(error))
    except (OSError, pa.ArrowException) as error:
        why = _short(str(error))
        if why == str(error) or not urlsplit(uri).hostname:
            raise StorageFailed(f"cannot open {uri}: {why}") from error
        files, path = _of_webhdfs(uri, why)
        return ArrowFolder(files, path, uri, WEBHDFS_WAITS)
    return ArrowFolder(files, path, uri)


WEBHDFS_WAITS = (0.5, 1.0, 2.0, 4.0)
"""The NameNode may send a reader to a DataNode that has just gone; its other clients ask again."""
WEBHDFS_PORT = 9870
"""Hadoop's default of ``dfs.namenode.http-address``; ``hdfs://host:port`` has the RPC port."""


def _of_webhdfs(uri: str, why: str) -> tuple[Any, str]:
    """The same path through the NameNode's HTTP interface; asked once, so that it is there.

    fsspec's own settings say more: ``FSSPEC_WEBHDFS_PORT``, ``FSSPEC_WEBHDFS_USER``, ...
    """
    parts = urlsplit(uri)
    if find_spec("fsspec") is None or find_spec("requests") is None:
        raise StorageFailed(
            f"cannot open {uri}: {why}. Without libhdfs the NameNode's HTTP interface would do: "
            "pip install fsspec requests"
        )
    import fsspec
    from requests import RequestException

    config = fsspec.config.conf.get("webhdfs", {})
    port = int(config.get("port", WEBHDFS_PORT))
    user = config.get("user") or parts.username or os.environ.get("HADOOP_USER_NAME")
    given = {"user": user or getpass.getuser(), **config, "host": parts.hostname, "port": port}
    if given.get("kerberos"):
        del given["user"]  # the ticket says who it is
    try:
        files = fsspec.filesystem("webhdfs", **given)
        files.info("/")
    except (OSError, RequestException, RuntimeError, ValueError) as error:
        raise StorageFailed(
            f"cannot open {uri}: {why}. Nor does WebHDFS answer at {parts.hostname}:{port} "
            f"({type(error).__name__}): FSSPEC_WEBHDFS_PORT names its port"
        ) from error
    return fs.PyFileSystem(fs.FSSpecHandler(files)), parts.path


def _short(why: str) -> str:
    """The reason; if a native library is missing what to set, where pyarrow lists 100 folders."""
    first = why.partition("\n")[0]
    if first.startswith("Unable to load libjvm"):
        return (
            "pyarrow found no Java (libjvm.so). Set JAVA_HOME to a Java installation, "
            "ARROW_LIBHDFS_DIR to the folder of Hadoop's libhdfs.so, and CLASSPATH to what "
            "'hadoop classpath --glob' prints, or read the location through Spark"
        )
    if first.startswith("Unable to load libhdfs"):
        return (
            "pyarrow found no libhdfs.so. Set ARROW_LIBHDFS_DIR to its folder (lib/native of a "
            "Hadoop installation) and CLASSPATH to what 'hadoop classpath --glob' prints, "
            "or read the location through Spark"
        )
    if first.startswith("Prior attempt to load lib"):  # pyarrow tries once in a process
        return (
            "pyarrow found no libhdfs.so or no Java earlier in this process, and does not look "
            "again. Set JAVA_HOME, ARROW_LIBHDFS_DIR (the folder of Hadoop's libhdfs.so) and "
            "CLASSPATH (what 'hadoop classpath --glob' prints) and start Python anew, or read "
            "the location through Spark"
        )
    return why


def _bounded(uri: str) -> str:
    """Of Google's URIs, one that gives up after a minute: its client tries for a quarter hour."""
    parts = urlsplit(uri)
    if parts.scheme not in ("gs", "gcs") or "retry_limit_seconds" in parts.query:
        return uri
    query = "&".join(filter(None, (parts.query, "retry_limit_seconds=60")))
    return parts._replace(query=query).geturl()


def _of_fsspec(uri: str, why: str) -> tuple[Any, str]:
    scheme = uri.partition("://")[0]
    if find_spec("fsspec") is None:
        raise InvalidArgument(
            f"{uri}: pyarrow has no file system for {scheme}: ({why}). Install fsspec and the "
            f"package that it names for {scheme}:, or read the location through Spark"
        )
    import fsspec

    try:
        files, path = fsspec.core.url_to_fs(uri)
    except (ImportError, ValueError) as error:
        raise InvalidArgument(
            f"{uri}: neither pyarrow nor fsspec can open {scheme}: ({error}). Install what the "
            "message names, or read the location through Spark"
        ) from error
    return fs.PyFileSystem(fs.FSSpecHandler(files)), path
