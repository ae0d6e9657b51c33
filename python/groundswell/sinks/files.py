"""Files of an append-only view: one file an epoch, under the epoch's number.

An epoch is written beside the folder's files, and one rename shows it: a reader sees all of it or
nothing. The same epoch has the same name and the same rows, so a second delivery changes nothing.
``_groundswell/NAME.json`` holds the last epoch and the token; readers of Spark, pyarrow and others
pass over names that begin with an underscore.
"""

from __future__ import annotations

import json
from typing import Any, ClassVar

from groundswell import jvm
from groundswell.errors import SinkError
from groundswell.plan.sources import CHANGE_TYPE
from groundswell.sinks.changes import Changes
from groundswell.sinks.columns import check_types
from groundswell.sinks.options import SinkOption, SinkOptions
from groundswell.sinks.sink import Sink, SinkProgress, SinkStart

HOME = "_groundswell"


class FileSink(Sink):
    """Adds a file to a folder for every epoch that has rows."""

    FORMAT: ClassVar[str]
    WRITER: ClassVar[dict[str, str]] = {}
    """Options of Spark's writer."""
    OPTIONS = (
        SinkOption("path", "folder of any file system that Spark knows", required=True),
        SinkOption("compression", "as Spark's writer takes it; default: Spark's own"),
    )

    def __init__(self, options: SinkOptions) -> None:
        self._options = options
        self._staged: jvm.StagedPart | None = None

    def open(self, start: SinkStart) -> None:
        """Makes the folder; refuses a view that takes rows back."""
        start.need_append_only()
        check_types(start, f"files of format {self.FORMAT}", ("CalendarIntervalType",))
        self._start = start
        self._staged = None
        self._spark = start.spark
        self._path = jvm.qualify(start.spark, self._options["path"])
        self._home = jvm.JvmFolder.open(start.spark, self._path).child(HOME)
        self._progress = f"{start.name}.json"
        document = self._document()
        if document is not None and document["id"] != start.id:
            raise SinkError(
                f"sink {start.name}: {self._path} has files of another sink of that name, up to "
                f"epoch {document['epoch']} (its pipeline's location was another, or was begun "
                "anew): name another path, or empty this one"
            )

    def recover(self) -> SinkProgress | None:
        """The last epoch that the folder has."""
        document = self._document()
        return None if document is None else SinkProgress(document["token"], document["epoch"])

    def write(self, epoch: int, changes: Changes) -> None:
        """Writes one file, where no reader looks."""
        self._staged = None
        if changes.is_empty:
            return
        staging = f"{self._path}/{HOME}/{self._start.name}-{self._start.token}-staging"
        part = jvm.StagedPart(self._spark, staging)
        rows = part.writer(changes.frame.drop(CHANGE_TYPE)).mode("overwrite")
        if self._options["compression"]:
            rows = rows.option("compression", self._options["compression"])
        rows.format(self.FORMAT).options(**self.WRITER).save(staging)
        self._staged = part

    def commit(self, epoch: int) -> None:
        """Moves the file to its name, and keeps the epoch's number."""
        self._start.check_owner(self.recover())
        if self._staged is not None:
            name = f"{self._start.name}-{epoch:020d}.{self.FORMAT}"
            self._staged.publish(f"{self._path}/{name}", once=True)
            self._staged = None
        body = {"id": self._start.id, "token": self._start.token, "epoch": epoch}
        self._home.put(self._progress, json.dumps(body).encode())

    def _document(self) -> dict[str, Any] | None:
        data = self._home.read(self._progress)
        return None if data is None else dict(json.loads(data))


class ParquetSink(FileSink):
    """Parquet files."""

    FORMAT = "parquet"


class JsonSink(FileSink):
    """Lines of JSON.

    Spark's own format of times ends at milliseconds, and the offset of a zone at minutes, where
    clocks of the 19th century had seconds: so times have six digits, and those with a zone UTC's.
    """

    FORMAT = "json"
    WRITER: ClassVar[dict[str, str]] = {
        "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
        "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
        "timeZone": "UTC",
    }
