"""Folders that are written to without a JVM: leases of readers, and copies of pipelines.

What is put appears as a whole or not at all. A copy goes by reference where the storage can: hard
links between folders of one local file system, copies by the server between folders of S3.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit

from groundswell.errors import StorageFailed
from groundswell.format.folder import Folder, LocalFolder, open_folder

LINKED, COPIED = "linked", "copied"


class Target(Protocol):
    """A folder to write to."""

    location: str

    def put(self, name: str, data: bytes) -> None:
        """Writes an object, in the place of one of that name."""
        ...

    def put_new(self, name: str, data: bytes) -> bool:
        """Writes an object unless there is one of that name; False if there is."""
        ...

    def delete(self, name: str) -> bool:
        """Removes an object; False if there was none."""
        ...

    def take(self, source: Folder, name: str) -> str:
        """Copies an object of another folder; how: ``linked`` or ``copied``."""
        ...

    def child(self, name: str) -> Target:
        """The folder of that name in it."""
        ...


def open_target(location: str | Path) -> Target:
    """The folder at a path, or of a URI; as :func:`~groundswell.format.folder.open_folder`."""
    parts = urlsplit(str(location))
    if isinstance(location, Path) or not parts.scheme or len(parts.scheme) == 1:
        return LocalTarget(Path(location))
    if parts.scheme == "file":
        return LocalTarget(Path(unquote(parts.path)))
    folder: Any = open_folder(location)
    if parts.scheme in ("s3", "s3a", "s3n"):
        return S3Target(folder)
    return ArrowTarget(folder)


class LocalTarget:
    """A folder of a local file system."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.location = str(path)

    def put(self, name: str, data: bytes) -> None:
        """Writes a file, by rename."""
        self._write(name, data, Path.replace)

    def put_new(self, name: str, data: bytes) -> bool:
        """Writes a file unless it is there, by a link that fails if it is.

        Raises:
            StorageFailed: the file system has no hard links. There is no second way: a rename
                replaces a file, so that two writers could both believe that they have won.
        """
        try:
            self._write(name, data, _link)
        except FileExistsError:
            return False
        return True

    def delete(self, name: str) -> bool:
        """Removes a file."""
        try:
            (self._path / name).unlink()
        except FileNotFoundError:
            return False
        return True

    def take(self, source: Folder, name: str) -> str:
        """Links a file of the same file system; else copies it."""
        if isinstance(source, LocalFolder):
            self._path.mkdir(parents=True, exist_ok=True)
            try:
                os.link(Path(source.location) / name, self._path / name)
                return LINKED
            except FileNotFoundError:
                pass  # the copy says which file is missing
            except OSError:
                pass  # another file system, or one without links
        self.put(name, source.whole(name))
        if isinstance(source, LocalFolder):  # Spark takes files in the order of their times
            times = (Path(source.location) / name).stat()
            os.utime(self._path / name, ns=(times.st_atime_ns, times.st_mtime_ns))
        return COPIED

    def child(self, name: str) -> LocalTarget:
        """The folder of that name in it."""
        return LocalTarget(self._path / name)

    def _write(self, name: str, data: bytes, publish: Callable[[Path, Path], object]) -> None:
        self._path.mkdir(parents=True, exist_ok=True)
        half = self._path / f".{name}.{uuid.uuid4().hex[:12]}.gstmp"
        try:
            with half.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            publish(half, self._path / name)
        finally:
            half.unlink(missing_ok=True)


def _link(written: Path, target: Path) -> None:
    try:
        os.link(written, target)
    except OSError as error:
        if isinstance(error, FileExistsError | FileNotFoundError):
            raise
        raise StorageFailed(
            f"cannot create {target} by a hard link: {error.strerror}. Without hard links two "
            "writers could both own this location. Use a file system that has them (ext4, xfs, "
            "APFS, NTFS), or an object store; if the disk is full, make room"
        ) from error


class S3Target:
    """Objects under one prefix of a bucket."""

    def __init__(self, folder: Any) -> None:
        self._client, self._bucket, self._prefix = folder.client, folder.bucket, folder.prefix
        self._folder = folder
        self.location = folder.location

    def put(self, name: str, data: bytes) -> None:
        """Writes an object."""
        self._call(name, "put_object", Body=data)

    def put_new(self, name: str, data: bytes) -> bool:
        """Writes an object if the server has none of that name."""
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            self._client.put_object(
                Bucket=self._bucket, Key=self._prefix + name, Body=data, IfNoneMatch="*"
            )
        except ClientError as error:
            if error.response.get("ResponseMetadata", {}).get("HTTPStatusCode") == 412:
                return False
            raise self._failed(name, error) from error
        except BotoCoreError as error:
            raise self._failed(name, error) from error
        return True

    def delete(self, name: str) -> bool:
        """Removes an object; S3 does not tell whether it was there."""
        self._call(name, "delete_object")
        return True

    def take(self, source: Folder, name: str) -> str:
        """Has the server copy an object of S3; else uploads its bytes."""
        bucket = getattr(source, "bucket", None)
        if bucket is None:
            self.put(name, source.whole(name))
            return COPIED
        from botocore.exceptions import BotoCoreError, ClientError

        source.length(name)  # says by its name that it is missing
        key = f"{source.prefix}{name}"  # type: ignore[attr-defined]
        try:
            self._client.copy({"Bucket": bucket, "Key": key}, self._bucket, self._prefix + name)
        except (BotoCoreError, ClientError) as error:
            raise self._failed(name, error) from error
        return LINKED

    def child(self, name: str) -> S3Target:
        """The folder of that name in it."""
        return S3Target(self._folder.child(name))

    def _call(self, name: str, what: str, **how: Any) -> None:
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            getattr(self._client, what)(Bucket=self._bucket, Key=self._prefix + name, **how)
        except (BotoCoreError, ClientError) as error:
            raise self._failed(name, error) from error

    def _failed(self, name: str, error: Exception) -> StorageFailed:
        return StorageFailed(f"cannot write {self.location}/{name}: {error}")


class ArrowTarget:
    """Files below one path of a file system that pyarrow knows."""

    def __init__(self, folder: Any) -> None:
        self._folder = folder
        self._files, self._path = folder.files, folder.path
        self.location = folder.location

    def put(self, name: str, data: bytes) -> None:
        """Writes a file, by rename."""
        half = f"{self._path}/.{name}.{uuid.uuid4().hex[:12]}.gstmp"
        try:
            self._files.create_dir(self._path, recursive=True)
            with self._files.open_output_stream(half) as file:
                file.write(data)
            self._files.move(half, f"{self._path}/{name}")
        except (OSError, NotImplementedError, ValueError) as error:
            raise StorageFailed(f"cannot write {self.location}/{name}: {error}") from error

    def put_new(self, name: str, data: bytes) -> bool:
        """Writes a file unless it is there: two at the same moment are not told apart."""
        if name in self._folder.names():
            return False
        self.put(name, data)
        return True

    def delete(self, name: str) -> bool:
        """Removes a file."""
        try:
            self._files.delete_file(f"{self._path}/{name}")
        except FileNotFoundError:
            return False
        except OSError as error:
            raise StorageFailed(f"cannot delete {self.location}/{name}: {error}") from error
        return True

    def take(self, source: Folder, name: str) -> str:
        """Copies a file's bytes."""
        self.put(name, source.whole(name))
        return COPIED

    def child(self, name: str) -> ArrowTarget:
        """The folder of that name in it."""
        return ArrowTarget(self._folder.child(name))
