"""Writes the JVM's records of the documents in ``groundswell.contract``: ``make contract``."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType, NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))
if "groundswell" not in sys.modules:  # the package's own imports need what is written here
    sys.modules["groundswell"] = ModuleType("groundswell")
    sys.modules["groundswell"].__path__ = [str(ROOT / "python" / "groundswell")]

from groundswell.contract import schema  # noqa: E402
from groundswell.contract.codec import SparkType, hints  # noqa: E402

SPARK = "io.groundswell.spark"
FOLDER = ROOT / "jvm-shim" / "src" / "main" / "java" / Path(*SPARK.split("."))
VERSIONED = "views/contract/ContractVersion.java"
VERSION = ROOT / "python" / "groundswell" / "contract" / "version.py"
CLANG_FORMAT = Path(sys.executable).parent / "clang-format"
SCALARS = {bool: "boolean", int: "long", float: "double", str: "String"}
BOXES = {"boolean": "Boolean", "long": "Long", "double": "Double", "int": "Integer"}
MADE = "// Made by tools/contract.py from python/groundswell/contract.\n"
HEAD = MADE + "package {};\n\n"
IMPORTS = {
    "List": "java.util.List",
    "Map": "java.util.Map",
    "Serializable": "java.io.Serializable",
    "DataType": "org.apache.spark.sql.types.DataType",
    "JsonTypeInfo": "com.fasterxml.jackson.annotation.JsonTypeInfo",
    "JsonSubTypes": "com.fasterxml.jackson.annotation.JsonSubTypes",
}


def java_type(hint: Any) -> str:
    """The type of a record's component."""
    origin, args = get_origin(hint), get_args(hint)
    if hint == SparkType:
        return "DataType"
    if origin is Annotated:
        return str(args[1])
    if origin in (Union, UnionType):
        kinds = [each for each in args if each is not NoneType]
        return "Object" if len(kinds) > 1 else boxed(kinds[0])
    if origin is Literal:
        return "String"
    if origin is tuple:
        return f"List<{boxed(args[0])}>"
    if origin is not None and issubclass(origin, Mapping):
        return f"Map<String, {boxed(args[1])}>"
    return SCALARS.get(hint) or str(hint.__name__)


def boxed(hint: Any) -> str:
    name = java_type(hint)
    return BOXES.get(name, name)


def is_optional(hint: Any) -> bool:
    return NoneType in get_args(hint) and get_origin(hint) in (Union, UnionType)


def check(name: str, hint: Any) -> str | None:
    """The line of the constructor that keeps a component from being null or changed."""
    kind = java_type(hint)
    if kind in BOXES or (is_optional(hint) and not kind.startswith(("List", "Map"))):
        return None
    how = "list" if kind.startswith("List") else "map" if kind.startswith("Map") else "present"
    if how in ("list", "map") and takes_nulls(hint):
        how += "OfNullable"
    made = f'Checks.{how}({name}, "{name}")'
    if is_optional(hint):
        made = f"{name} == null ? null : {made}"
    return f"{name} = {made};" if how != "present" else f"{made};"


def takes_nulls(hint: Any) -> bool:
    """Whether the items of a list or mapping may be null."""
    if is_optional(hint):
        return takes_nulls(next(each for each in get_args(hint) if each is not NoneType))
    return any(map(is_optional, get_args(hint)))


def camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(each.capitalize() for each in rest)


def prose(text: str) -> str:
    """A docstring's sentence as Javadoc has it."""
    text = re.sub(r":\w+:`~?(?:[\w.]*\.)?(\w+)`", r"{@code \1}", text)
    text = re.sub(r"``([^`]+)``", r"{@code \1}", text)
    return re.sub(r"\bNone\b", "null", text)


def attributes(document: type) -> dict[str, str]:
    """What the docstring of a class, and of its bases, says of the fields."""
    found: dict[str, str] = {}
    for each in reversed(document.__mro__):
        _, _, listed = (each.__doc__ or "").partition("Attributes:")
        for name, said in re.findall(r"^ {8}(\w+): (.*(?:\n {10,}.*)*)", listed, re.MULTILINE):
            text = " ".join(said.split())
            found[name] = text if ". " in text else text.removesuffix(".")
    return found


def javadoc(document: type, with_fields: bool = True) -> str:
    text = (document.__doc__ or "").partition("Attributes:")[0].strip()
    paragraphs = [" ".join(each.split()) for each in text.split("\n\n") if each.strip()]
    lines = [textwrap.fill(prose(each), 94) for each in paragraphs]
    if with_fields and (said := attributes(document)):
        params = [f"@param {camel(n)} {prose(said[n])}" for n in hints(document) if n in said]
        params = [textwrap.fill(each, 94, subsequent_indent="    ") for each in params]
        lines.append("\n".join(params))
    body = "\n\n".join(lines)
    return "/**\n" + "".join(f" * {line}".rstrip() + "\n" for line in body.split("\n")) + " */\n"


def record(document: Any) -> str:
    """The record of a document."""
    components = {camel(name): hint for name, hint in hints(document).items()}
    listed = ", ".join(f"{java_type(hint)} {name}" for name, hint in components.items())
    checks = [line for name, hint in components.items() if (line := check(name, hint))]
    compact = f"\npublic {document.__name__} {{ {' '.join(checks)} }}" if checks else ""
    of = ", ".join(each.__name__ for each in document.__bases__ if each is not object)
    tagged = hasattr(document, "KIND") and not is_nested(base_of(document))
    said = f'\n\n@Override public String kind() {{ return "{document.KIND}"; }}' if tagged else ""
    return f"{javadoc(document)}public record {document.__name__}({listed}) " + (
        f"implements {of or 'Serializable'} "
        f"{{ private static final long serialVersionUID = 1L;\n{compact}{said} }}\n"
    )


def is_nested(base: Any) -> bool:
    """Whether a tagged base has its records inside it: all of them stand in its module."""
    return all(each.__module__ == base.__module__ for each in base.KINDS.values())


def below(base: Any) -> list[Any]:
    """What directly extends a base or family, in the order of the documents."""
    return [each for each in schema.documents() if base in each.__bases__]


def kinds(base: Any) -> list[Any]:
    """The documents of a base, in their order, whichever module was imported first."""
    return [each for each in schema.documents() if base in each.__mro__ and hasattr(each, "KIND")]


def union(base: Any) -> str:
    """A sealed interface, its records inside it or in files of their own."""
    nested = is_nested(base)
    inside = f"{base.__name__}." if nested else ""
    types = ", ".join(
        f'@JsonSubTypes.Type(value = {inside}{each.__name__}.class, name = "{each.KIND}")'
        for each in kinds(base)
    )
    records = "\n".join(map(record, kinds(base))) if nested else ""
    kind = "/** Its name among the documents of this base. */\nString kind();\n\n"
    return (
        f"{javadoc(base, False)}"
        '@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")\n'
        f"@JsonSubTypes({{{types}}})\n"
        f"{interface(base, 'Serializable', nested)} {{\n"
        f"{'' if nested else kind}{own_methods(base)}{records}}}\n"
    )


def family(document: Any) -> str:
    """What several documents of a base have in common."""
    of = ", ".join(each.__name__ for each in document.__bases__)
    return f"{javadoc(document, False)}{interface(document, of)} {{\n{own_methods(document)}}}\n"


def interface(document: Any, of: str, nested: bool = False) -> str:
    permits = "" if nested else f" permits {', '.join(e.__name__ for e in below(document))}"
    return f"public sealed interface {document.__name__} extends {of}{permits}"


def own_methods(document: Any) -> str:
    """The components that each record below has, but for those of the interfaces above."""
    if not hasattr(document, "__dataclass_fields__"):
        return ""
    said = attributes(document)
    return "".join(
        f"/** {sentence(said[name])} */\n{java_type(hint)} {camel(name)}();\n\n"
        for name, hint in hints(document).items()
        if name in document.__annotations__
    )


def sentence(said: str) -> str:
    return f"{prose(said[0].upper() + said[1:])}."


def package(document: Any) -> str:
    return f"{SPARK}.{schema.java_package(document)}"


def file_of(document: Any) -> str:
    """Below the folder of the records."""
    return f"{schema.java_package(document).replace('.', '/')}/{document.__name__}.java"


def source(document: Any, body: str) -> str:
    """The file of a class: what it imports, and its text."""
    code = re.sub(r"/\*.*?\*/", "", body, flags=re.DOTALL)
    own = package(document)
    named = {each.__name__: package(each) for each in schema.documents()}
    named["Checks"] = f"{SPARK}.contract"
    known = IMPORTS | {name: f"{of}.{name}" for name, of in named.items() if of != own}
    used = sorted(full for name, full in known.items() if re.search(rf"\b{name}\b", code))
    return HEAD.format(own) + "".join(f"import {each};\n" for each in used) + "\n" + body


def sources() -> dict[str, str]:
    """By path of the file, in the repository's style."""
    made: dict[str, str] = {}
    for each in schema.documents():
        if schema.is_base(each):
            made[file_of(each)] = source(each, union(each))
        elif schema.is_family(each):
            made[file_of(each)] = source(each, family(each))
        elif not hasattr(each, "KIND") or not is_nested(base_of(each)):
            made[file_of(each)] = source(each, record(each))
    version = version_of(made)
    made[VERSIONED] = HEAD.format(f"{SPARK}.views.contract") + (
        "/** The version of the documents in this jar; Python's must be the same. */\n"
        "public final class ContractVersion { private ContractVersion() {}\n\n"
        f'public static String text() {{ return "{version}"; }} }}\n'
    )
    return formatted(made)


def base_of(document: Any) -> Any:
    """The tagged base that a document belongs to."""
    return next(each for each in document.__mro__ if schema.is_base(each))


def there() -> dict[str, Path]:
    """By path below their folder: the files that are written here."""
    found = [path for path in FOLDER.rglob("*.java") if path.read_text("utf-8").startswith(MADE)]
    return {path.relative_to(FOLDER).as_posix(): path for path in found}


def version_of(made: Mapping[str, str]) -> str:
    """The number, and a digest of all names and types."""
    code = [re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL) for _, text in sorted(made.items())]
    return f"{schema.MAJOR}-{hashlib.sha256(''.join(code).encode()).hexdigest()[:12]}"


def version_module(made: Mapping[str, str]) -> str:
    """What ``groundswell.contract.version`` says."""
    found = re.search(r'return "(.*)"', made[VERSIONED])
    assert found
    return (
        '"""The version of the documents in this package; written by ``tools/contract.py``."""\n\n'
        f'VERSION = "{found[1]}"\n'
    )


def formatted(made: Mapping[str, str]) -> dict[str, str]:
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:
        for name, text in made.items():
            (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
            (Path(folder) / name).write_text(text, "utf-8")
        files = [str(Path(folder) / name) for name in made]
        style = f"--style=file:{ROOT / '.clang-format'}"
        subprocess.run([str(CLANG_FORMAT), style, "-i", *files], check=True)
        return {name: (Path(folder) / name).read_text("utf-8") for name in made}


def main() -> None:
    """Writes what differs, and deletes what has no class any more."""
    made = sources()
    for name, path in there().items():
        if name not in made:
            path.unlink()
    for name, text in made.items():
        path = FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_file() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
    VERSION.write_text(version_module(made), "utf-8")


if __name__ == "__main__":
    main()
