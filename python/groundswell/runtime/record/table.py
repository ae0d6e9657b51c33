"""The document that says what a table is."""

from __future__ import annotations

from groundswell.catalog.table_spec import TableSpec
from groundswell.plan.sources import version_columns, version_text
from groundswell.runtime.record.location import Folder, read_document, write_document

STAGING = "staging"
"""In a table's folder: writes that are under way."""
ROWS = "rows"
"""In a table's folder: writes that are complete, a file each."""
DOCUMENT = "table.json"
KIND = "table"


def load(folder: Folder) -> TableSpec | None:
    """What a table is by its document; None: there is none."""
    document = read_document(folder, DOCUMENT, KIND)
    if document is None:
        return None
    return TableSpec(
        document["schema"],
        tuple(document["key"]),
        document["conflict"],
        version_columns(document["version"]),
        document.get("lifeMicros", 0),
        document.get("keep", bool(document["key"])),
        document.get("defaults", {}),
        document.get("dropped", {}),
        document.get("stored", {}),
        document.get("checks", {}),
    )


def store(folder: Folder, spec: TableSpec) -> None:
    """Notes what a table is."""
    content = {
        "schema": dict(spec.schema),
        "key": list(spec.key),
        "conflict": spec.conflict,
        "version": version_text(spec.version),
        "lifeMicros": spec.life_micros,
        "keep": spec.keep,
        **({"defaults": dict(spec.defaults)} if spec.defaults else {}),
        **({"dropped": dict(spec.dropped)} if spec.dropped else {}),
        **({"stored": dict(spec.stored)} if spec.stored else {}),
        **({"checks": dict(spec.checks)} if spec.checks else {}),
    }
    write_document(folder, DOCUMENT, KIND, content)
