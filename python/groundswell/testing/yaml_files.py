"""Reads files of tests: YAML whose parts know their lines.

Scalars stay the texts that were written, but for nulls: the type of a column says what a text
means, not YAML, for which ``2024-01-01`` is a date and ``1.10`` a number.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from groundswell.errors import ConfigurationError
from groundswell.testing.case import Case, Place
from groundswell.testing.reading import read_cases

SUFFIXES = (".yml", ".yaml")
_NULL = "tag:yaml.org,2002:null"


class Text(str):
    """A scalar with its line."""

    line: int


class Items(list[Any]):
    """A sequence with its line."""

    line: int


class Entries(dict[Any, Any]):
    """A mapping with its line."""

    line: int


def files_in(paths: list[str]) -> list[Path]:
    """The files of tests that are named, or lie in folders that are.

    Raises:
        ConfigurationError: there is nothing at a path, or no file of tests in a folder.
    """
    found: list[Path] = []
    for path in map(Path, paths):
        if path.is_dir():
            inside = sorted(each for each in path.rglob("*") if each.suffix in SUFFIXES)
            if not inside:
                raise ConfigurationError(f"folder {path} has no file *.yml or *.yaml")
            found += inside
        elif path.is_file():
            found.append(path)
        else:
            raise ConfigurationError(f"there is no file or folder {path}")
    return list(dict.fromkeys(found))


def read_tests(path: Path) -> list[Case]:
    """The tests of a file.

    Raises:
        ConfigurationError: it is no YAML, or something in it is not what it must be: with the line.
    """
    try:
        yaml = import_module("yaml")
    except ImportError as e:
        raise ConfigurationError(
            "files of tests need PyYAML: pip install 'groundswell[pipelines]'"
        ) from e
    place = Place(str(path))
    try:
        loader = yaml.SafeLoader(path.read_text("utf-8"))
        node = loader.get_single_node()
        if node is None:
            raise place.error("the file is empty: write tables and tests into it")
        document = _plain(loader, node, place, ())
    except yaml.MarkedYAMLError as e:
        mark = e.problem_mark or e.context_mark
        line = None if mark is None else mark.line + 1
        raise Place(str(path), line).error(
            f"this is not valid YAML: {e.problem or e.context}"
        ) from e
    except (yaml.YAMLError, UnicodeDecodeError) as e:
        raise place.error(f"this is not valid YAML: {str(e).splitlines()[0]}") from e
    except OSError as e:
        raise place.error(f"cannot read it: {e.strerror}") from e
    return read_cases(document, place)


def _plain(loader: Any, node: Any, place: Place, above: tuple[Any, ...]) -> Any:
    """A node of YAML, and those below it, with their lines."""
    place = Place(place.file, node.start_mark.line + 1)
    if node in above:
        raise place.error("an alias stands inside of what it stands for")
    made: Any
    if node.id == "sequence":
        made = Items(_plain(loader, each, place, (*above, node)) for each in node.value)
    elif node.id == "mapping":
        loader.flatten_mapping(node)
        made = Entries()
        for key, value in node.value:
            name = _plain(loader, key, place, (*above, node))
            if not isinstance(name, str):
                raise place.error("a key is a text")
            if name in made:
                raise place.at(name).error(f"{name!r} is there twice")
            made[name] = _plain(loader, value, place, (*above, node))
    elif node.tag == _NULL:
        return None
    else:
        made = Text(node.value)
    made.line = place.line
    return made
