"""How the confs of a session follow from the builder, the command line and our own."""

from pathlib import Path

from groundswell import confs
from groundswell.api.session import settled

MEMORY = {confs.MEMORY_KEY: confs.MEMORY}


def made(own: dict[str, str], given: dict[str, str], jar: Path) -> dict[str, str]:
    return {**own, **settled(own, given, jar)}


def test_nothing_is_said(jar: Path) -> None:
    assert made({}, {}, jar) == {"spark.jars": str(jar), **confs.CLASSES, **MEMORY}


def test_lists_of_the_builder_and_the_command_line_are_united(jar: Path) -> None:
    own = {"spark.jars": "b.jar", confs.PLUGIN_KEY: "b.P", confs.EXTENSIONS_KEY: "a.E"}
    given = {"spark.jars": "file:///a.jar", confs.PLUGIN_KEY: "a.P, a.Q"}
    found = made(own, given, jar)
    assert found["spark.jars"] == f"file:///a.jar,b.jar,{jar}"
    assert found[confs.PLUGIN_KEY] == f"a.P,a.Q,b.P,{confs.PLUGIN}"
    assert found[confs.EXTENSIONS_KEY] == f"a.E,{confs.EXTENSIONS}"


def test_what_is_there_is_not_added_again(jar: Path) -> None:
    given = {"spark.jars": f"file://{jar},/a.jar", **confs.CLASSES, **MEMORY}
    found = settled({"spark.jars": f"/a.jar,{jar}"}, given, jar)
    assert found == {"spark.jars": f"file://{jar},/a.jar", **lists()}
    assert settled(found, given, jar) == {}


def lists() -> dict[str, str]:
    return {key: confs.CLASSES[key] for key in (confs.PLUGIN_KEY, confs.EXTENSIONS_KEY)}


def test_another_jar_of_ours_is_left_to_the_check_of_versions(jar: Path) -> None:
    given = {"spark.jars": "/old/groundswell-0.0.9.jar"}
    assert made({}, given, jar)["spark.jars"] == "/old/groundswell-0.0.9.jar"


def test_choices_are_left_alone(jar: Path) -> None:
    given = {confs.PROVIDER_KEY: "a.Provider"}
    found = settled({confs.FILE_MANAGER_KEY: "b.Manager", confs.MEMORY_KEY: "5s"}, given, jar)
    assert confs.MEMORY_KEY not in found
    assert confs.PROVIDER_KEY not in found
    assert confs.FILE_MANAGER_KEY not in found
