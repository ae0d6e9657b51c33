"""Reads ``spark-pipeline.yml``, by Spark's rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from groundswell.errors import ConfigurationError
from groundswell.suggestions import meant

FILE_NAMES = ("spark-pipeline.yaml", "spark-pipeline.yml")
_FIELDS = ("name", "storage", "catalog", "database", "schema", "configuration", "libraries")


@dataclass(frozen=True)
class Spec:
    """A project.

    Attributes:
        path: of the file.
        name: of the pipeline.
        storage: where its state is.
        catalog: the default catalog of its tables.
        database: their default database.
        configuration: Spark confs.
        include: patterns of its files, relative to the folder of the spec.
    """

    path: Path
    name: str
    storage: str
    catalog: str | None
    database: str | None
    configuration: Mapping[str, str]
    include: tuple[str, ...]

    def files(self) -> Iterator[Path]:
        """The project's files, in the order of their names.

        Raises:
            ConfigurationError: a file that is neither Python nor SQL.
        """
        root = self.path.resolve().parent
        found = {
            path
            for pattern in self.include
            for path in root.glob(pattern)
            if path.is_file() and "__pycache__" not in path.parts
        }
        for path in sorted(found):
            if path.suffix not in (".py", ".sql"):
                raise ConfigurationError(
                    f"{path} is neither Python nor SQL: leave it out of libraries in {self.path}"
                )
            yield path


def find_spec(given: str | None) -> Path:
    """The spec's file: as given, else in this folder or the next one above that has it.

    Raises:
        ConfigurationError: it is not there.
    """
    if given is not None:
        if not Path(given).is_file():
            raise ConfigurationError(f"there is no spec {given}")
        return Path(given)
    folder = Path.cwd()
    for each in (folder, *folder.parents):
        found = [each / name for name in FILE_NAMES if (each / name).is_file()]
        if len(found) > 1:
            raise ConfigurationError(f"{each} has two specs, {' and '.join(FILE_NAMES)}: keep one")
        if found:
            return found[0]
    raise ConfigurationError(
        f"there is no {FILE_NAMES[1]} in {folder} or above it: give --spec, or make a project with "
        "spark-pipelines init --name NAME"
    )


def load_spec(path: Path) -> Spec:
    """Reads a spec.

    Raises:
        ConfigurationError: it does not have what it must, or has what it may not.
    """
    try:
        yaml = import_module("yaml")
    except ImportError as e:
        raise ConfigurationError(
            "specs need the Python package PyYAML: pip install 'groundswell[pipelines]'"
        ) from e
    try:
        given = yaml.safe_load(path.read_text("utf-8"))
    except yaml.YAMLError as e:
        raise ConfigurationError(f"{path} is not valid YAML: {e}") from None
    return unpack(path, given)


def unpack(path: Path, given: Any) -> Spec:
    """A spec out of what its file says.

    Raises:
        ConfigurationError: as :func:`load_spec`.
    """
    if not isinstance(given, Mapping):
        raise ConfigurationError(f"{path} has no fields; it needs name and storage")
    for field in given:
        if field not in _FIELDS:
            hint = meant(str(field), list(_FIELDS))
            raise ConfigurationError(
                f"{path} has a field {field!r}, which specs do not have{hint}There are "
                f"{', '.join(_FIELDS)}"
            )
    for field in ("name", "storage"):
        if not isinstance(given.get(field), str):
            raise ConfigurationError(f"{path} has no {field}; write {field}: ...")
    return Spec(
        path,
        given["name"],
        given["storage"],
        given.get("catalog"),
        given.get("database", given.get("schema")),
        _configuration(path, given.get("configuration") or {}),
        tuple(_pattern(path, each) for each in given.get("libraries") or ()),
    )


def _configuration(path: Path, given: Any) -> Mapping[str, str]:
    if not isinstance(given, Mapping):
        raise ConfigurationError(f"{path}: configuration must be fields with texts, got {given!r}")
    for key, value in given.items():
        if not isinstance(key, str) or not isinstance(value, str):
            raise ConfigurationError(
                f"{path}: the value of {key} in configuration must be a text: write "
                f"{key}: '{value}'"
            )
    return given


def _pattern(path: Path, entry: Any) -> str:
    try:
        pattern = str(entry["glob"]["include"])
    except (KeyError, TypeError):
        raise ConfigurationError(
            f"{path}: an entry of libraries must be glob: include: PATTERN, got {entry!r}"
        ) from None
    plain = pattern.removesuffix("/**")
    if any(sign in plain for sign in "*?["):
        raise ConfigurationError(
            f"{path}: a pattern of libraries is a file, or a folder and /**, got {pattern!r}"
        )
    return f"{pattern}/*" if pattern.endswith("/**") else pattern
