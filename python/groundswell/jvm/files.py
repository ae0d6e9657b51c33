"""Folders of any file system that Spark knows."""

from __future__ import annotations

import getpass
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, DataFrameWriter, SparkSession
from pyspark.sql.types import StructType

from groundswell.errors import ConfigurationError, JavaFailed, StorageFailed, VersionUnavailable
from groundswell.jvm.errors import (
    AGAIN,
    JVM_ERRORS,
    JavaPackage,
    engine_errors,
    is_io,
    summary,
    way_on,
)
from groundswell.jvm.lists import items
from groundswell.jvm.process import entry
from groundswell.uris import check_no_password

_JARS = {"s3a": "hadoop-aws", "abfs": "hadoop-azure", "abfss": "hadoop-azure"}
"""Hadoop's packages of file systems that Spark does not bring along."""


_ANY_TIME = (1 << 63) - 1
"""Milliseconds since 1970 that no object has reached."""


def qualify(spark: SparkSession, location: str) -> str:
    """A location with scheme and absolute path, as Spark's own checkpoint code sees it.

    Raises:
        ConfigurationError: nobody knows its file system, that cannot be opened, or it has a
            password in it.
    """
    check_no_password(location)
    hadoop = JavaPackage(spark, "org.apache.hadoop.fs")
    try:
        path = hadoop.Path(location)
        conf = spark._jsparkSession.sessionState().newHadoopConf()
        return str(path.getFileSystem(conf).makeQualified(path).toString())
    except JVM_ERRORS as e:
        scheme = location.partition("://")[0]
        why = summary(e).splitlines()[0]
        if "ClassNotFoundException" in why or "No FileSystem for scheme" in why:
            version = JavaPackage(spark, "org.apache.hadoop.util").VersionInfo.getVersion()
            package = f"org.apache.hadoop:{_JARS.get(scheme, '...')}:{version}"
            why = (
                f"Spark has no file system for {scheme}://. Start the session with its jar, as "
                f"spark.jars.packages={package}"
            )
        raise ConfigurationError(f"location {location}: {why}") from e


def location_of(spark: SparkSession, location: str) -> str:
    """A location that a pipeline may write to, qualified; looks, and writes nothing.

    Raises:
        ConfigurationError: it is a file, or this process cannot make or write the folder. Of remote
            file systems the first write tells.
    """
    uri = qualify(spark, location)
    if uri.startswith("file:"):
        check_writable(location, Path(unquote(urlsplit(uri).path)))
    return uri


def check_writable(location: str, folder: Path) -> None:
    """Refuses a local folder that cannot be made or written; ``location``: for messages."""
    there = next(each for each in (folder, *folder.parents) if os.path.lexists(each))
    if not there.is_dir():
        below = f"cannot be made: {there} is a file"
        what = "is a file, not a folder" if there == folder else below
        raise ConfigurationError(f"location {location} {what}; give another folder")
    if not os.access(there, os.W_OK | os.X_OK):
        what = "cannot be written" if there == folder else f"cannot be made below {there}"
        raise ConfigurationError(
            f"location {location} {what} by this user ({getpass.getuser()}): give it the right "
            f"(chmod, chown), or give another folder"
        )


def make_folder(spark: SparkSession, location: str) -> None:
    """Makes a folder and those above it, where they are missing."""
    path = JavaPackage(spark, "org.apache.hadoop.fs").Path(location)
    path.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf()).mkdirs(path)


def folders(spark: SparkSession, location: str) -> list[str]:
    """Names of the folders in a folder; none if it is not there."""
    return FileTree(spark, location).folders()


def exact(rows: DataFrame, schema: StructType) -> DataFrame:
    """The same rows as these types, for files that hold these values whatever the settings."""
    spark = rows.sparkSession
    with engine_errors():
        made = entry(spark).TableFiles.exact(rows._jdf, schema.json())
        return DataFrame(made, spark)


class FileTree:
    """A folder of any file system with all folders below it; it need not be there."""

    def __init__(self, spark: SparkSession, location: str) -> None:
        conf = spark._jsparkSession.sessionState().newHadoopConf()
        with engine_errors():
            self._handle = JavaPackage(spark, "io.groundswell.storage").FileTree(location, conf)

    def files(self, names: str = ".*", before_millis: int = _ANY_TIME) -> list[str]:
        """URIs of its files.

        Args:
            names: regular expression of whole names.
            before_millis: only those that were last changed before, in milliseconds since 1970.
        """
        with engine_errors():
            return [str(uri) for uri in items(self._handle.files(names, before_millis))]

    def folders(self) -> list[str]:
        """Names of the folders directly in it; none if it is not there."""
        with engine_errors():
            return [str(name) for name in items(self._handle.folders())]

    def last_change(self) -> int:
        """When it or a file in it was last changed, in milliseconds since 1970; 0: never."""
        with engine_errors():
            return int(self._handle.lastChange())

    def delete(self, uris: list[str]) -> None:
        """Removes files; one that is gone is no error."""
        with engine_errors():
            self._handle.delete(uris)

    def prune(self) -> None:
        """Removes those folders, this one included, in which there is nothing."""
        with engine_errors():
            self._handle.prune()

    def clear(self) -> None:
        """Removes the files that it has now, and the folders that are empty then."""
        self.delete(self.files())
        self.prune()


def literal(location: str) -> str:
    """The pattern that only this location matches, for where Spark takes paths for patterns."""
    return re.sub(r"[][{}*?\\]", r"\\\g<0>", location)


_COMMITTER = "io.groundswell.storage.PartCommitter"
_STAYS = {
    "spark.sql.sources.outputCommitterClass": _COMMITTER,
    "spark.sql.parquet.output.committer.class": _COMMITTER,
}
_MOVED_ONCE = {
    "mapreduce.fileoutputcommitter.algorithm.version": 2,
    "mapreduce.fileoutputcommitter.marksuccessfuljobs": False,
}


class StagedPart:
    """A folder into which Spark writes one file, which comes to its place as a whole."""

    def __init__(self, spark: SparkSession, folder: str) -> None:
        self.folder = folder
        conf = spark._jsparkSession.sessionState().newHadoopConf()
        with engine_errors():
            self._handle = JavaPackage(spark, "io.groundswell.storage").StagedPart(folder, conf)

    def writer(self, rows: DataFrame) -> DataFrameWriter:
        """What writes the rows there, in any format: ``writer(rows).parquet(folder)``."""
        options = _STAYS if self._handle.seenWhenWhole() else _MOVED_ONCE
        return rows.coalesce(1).write.option("maxRecordsPerFile", 0).options(**options)

    def file(self) -> str:
        """Where the file is before it comes to its place."""
        with engine_errors():
            return str(self._handle.file())

    def publish(self, target: str, once: bool = False) -> None:
        """Moves the file there, and removes the folder.

        Args:
            target: where it is to be.
            once: a file that is there already stays as it is.
        """
        with engine_errors():
            (self._handle.publishOnce if once else self._handle.publish)(target)


@contextmanager
def storage_errors(what: str, then: str = AGAIN) -> Iterator[None]:
    """Turns what the storage refuses into one sentence with the place, the reason, the way on.

    Args:
        what: is done, after "cannot".
        then: what to do when the storage is mended.

    Raises:
        StorageFailed: the storage refused it.
    """
    try:
        with engine_errors():
            yield
    except (JavaFailed, PySparkException) as e:
        if not is_io(e.__cause__ if isinstance(e, JavaFailed) and e.__cause__ else e):
            raise
        why = str(e) if isinstance(e, JavaFailed) else summary(e)
        why = re.sub(r"\b(?:[a-z]\w*\.)+([A-Z]\w*: )", r"\1", " ".join(why.split()))
        first = way_on(why) or "Look after the storage"
        raise StorageFailed(f"cannot {what}: {why}. {first}, and {then}") from e


class JvmFolder:
    """A folder of any file system Spark knows, through the engine's API for I/O."""

    def __init__(self, spark: SparkSession, handle: Any) -> None:
        self._spark = spark
        self._handle = handle

    @classmethod
    def open(cls, spark: SparkSession, uri: str) -> JvmFolder:
        """Opens a path or URI; does no I/O."""
        conf = spark._jsparkSession.sessionState().newHadoopConf()
        with engine_errors():
            return cls(
                spark, JavaPackage(spark, "io.groundswell.storage").ObjectStores.open(uri, conf)
            )

    @property
    def location(self) -> str:
        """Path or URI, for messages."""
        return str(self._handle.location())

    def length(self, name: str) -> int | None:
        """The object's length in bytes, or None if there is none."""
        with engine_errors():
            length = self._handle.lengthIfThere(name)
            return None if length is None else int(length)

    def part(self, name: str, offset: int, length: int) -> bytes:
        """Exactly ``length`` bytes of an object that is there."""
        with engine_errors():
            return bytes(self._handle.read(name, offset, length))

    def read(self, name: str) -> bytes | None:
        """The object's bytes, or None if there is none."""
        with engine_errors():
            data = self._handle.readIfThere(name)
            return None if data is None else bytes(data)

    def put(self, name: str, data: bytes) -> None:
        """Writes an object; it becomes visible as a whole or not at all."""
        with storage_errors(f"write {self.location}/{name}"):
            self._handle.put(name, bytearray(data))

    def put_new(self, name: str, data: bytes) -> bool:
        """Writes an object unless there is one of that name; False if there is another."""
        with storage_errors(f"write {self.location}/{name}"):
            return bool(self._handle.putNew(name, bytearray(data)))

    def names(self, prefix: str = "") -> list[str]:
        """Names of the objects directly in this folder, ascending."""
        return self._names(prefix, _ANY_TIME)

    def names_before(self, millis: int) -> list[str]:
        """Names of the objects directly in this folder that are older than that."""
        return self._names("", millis)

    def _names(self, prefix: str, millis: int) -> list[str]:
        with engine_errors():  # one round trip, however many there are
            found = str(self._handle.names(prefix, millis))
        return sorted(found.split("/")) if found else []

    def sweep(self, millis: int) -> None:
        """Removes what writers that died left half-written before that."""
        with engine_errors():
            self._handle.sweep(millis)

    def delete(self, name: str) -> bool:
        """Removes an object; False if there was none."""
        with engine_errors():
            return bool(self._handle.delete(name))

    def child(self, name: str) -> JvmFolder:
        """The folder of that name in this one."""
        return JvmFolder(self._spark, self._handle.child(name))

    def log(self, name: str) -> JvmLog:
        """The log of that name in this one, a checkpoint."""
        return JvmLog(self._spark, self._handle.child(name))


class JvmLog(JvmFolder):
    """A log of Spark's checkpoint: what this process has just written there is read from memory."""

    def read(self, name: str) -> bytes | None:
        """The entry's bytes, or None if there is none."""
        checkpoint = JavaPackage(self._spark, "io.groundswell.spark.store.checkpoint")
        with engine_errors():
            data = checkpoint.RecentFiles.read(self._handle, name)
            return None if data is None else bytes(data)


class JvmTree:
    """A folder of any file system Spark knows, as the reader without a JVM sees folders."""

    def __init__(self, spark: SparkSession, location: str) -> None:
        self._spark = spark
        self.location = location.rstrip("/")
        self._folder = JvmFolder.open(spark, self.location)
        self._path = JavaPackage(spark, "org.apache.hadoop.fs").Path(location)
        conf = spark._jsparkSession.sessionState().newHadoopConf()
        self._files = self._path.getFileSystem(conf)

    def uri(self) -> str:
        """Its URI as listings of Spark's have it; there must be something in it."""
        (first, *_) = self._files.listStatus(self._path)
        return str(first.getPath().toUri().toString()).rpartition("/")[0]

    def names(self) -> list[str]:
        """Names of all objects directly in it; none if it does not exist."""
        return self._listed(folders=False)

    def folders(self) -> list[str]:
        """Names of the folders directly in it."""
        return self._listed(folders=True)

    def length(self, name: str) -> int:
        """An object's length; `VersionUnavailable` if it is missing."""
        length = self._folder.length(name)
        if length is None:
            raise VersionUnavailable(f"{self.location}/{name} is missing")
        return length

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Exactly ``length`` bytes from ``offset`` on."""
        return self._folder.part(name, offset, length)

    def whole(self, name: str) -> bytes:
        """All bytes of an object; for small ones."""
        return self.read(name, 0, self.length(name))

    def child(self, name: str) -> JvmTree:
        """The folder of that name in it, whether it is there or not."""
        return JvmTree(self._spark, f"{self.location}/{name}")

    def _listed(self, folders: bool) -> list[str]:
        if not self._files.exists(self._path):
            return []
        found = self._files.listStatus(self._path)
        return sorted(s.getPath().getName() for s in found if s.isDirectory() == folders)
