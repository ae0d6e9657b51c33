"""Reads the files of a store without a JVM; docs/format.md describes every byte.

::

    from groundswell.format import Store
    newest = Store("/checkpoint/state/0/0").version()
    for row in newest.scan("default"):
        row.key, row.value, row.hash, row.epoch

Roles: ``folder`` lists and reads objects, ``s3`` those of a bucket, ``arrow`` those of
other file systems, ``encoding`` has the words that
all parts are spelled with, ``lz4`` and ``zstd`` unpack, ``blocks`` reads the parts of an SST,
``envelope`` checks documents, ``packs`` and ``epoch_packs`` find commits that share objects,
``manifest`` reads a commit's picture of its version, ``lookup`` finds single rows, ``reader`` puts
them together. ``target`` alone writes: leases and copies. Nothing that was read is executed, and
damaged bytes raise
`groundswell.errors.Corruption` with the file's name. Imports only ``errors``; boto3 for a bucket,
pyarrow for other file systems and where a block is packed with zstd.
"""

from groundswell.format.folder import Folder, LocalFolder, open_folder
from groundswell.format.manifest import Manifest, SstInfo, Table
from groundswell.format.packs import States
from groundswell.format.reader import Row, Store, Version

__all__ = [
    "Folder",
    "LocalFolder",
    "Manifest",
    "Row",
    "SstInfo",
    "States",
    "Store",
    "Table",
    "Version",
    "open_folder",
]
