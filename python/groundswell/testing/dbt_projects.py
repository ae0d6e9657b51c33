"""Reads the unit tests of a dbt project, with dbt itself: nothing is asked of a database.

dbt renders each model with its test's inputs in the place of what ``ref()`` and ``source()`` name,
and with the test's variables and macros. All that is known of dbt's insides is in this file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

from groundswell.errors import ConfigurationError
from groundswell.sql.parsing.grammar import head
from groundswell.sql.parsing.statements import TABLE, Column, CreateRelation
from groundswell.testing.case import Place
from groundswell.testing.dbt_tests import Input, UnitTest
from groundswell.testing.reading import tables_of

PROJECT_FILE = "dbt_project.yml"
_VERSIONS = "'dbt-core==1.11.*' 'dbt-spark==1.11.*'"
_NOT_INCREMENTAL = {"is_incremental": False}


def is_project(path: str) -> bool:
    """Whether there is a dbt project in a folder."""
    return (Path(path) / PROJECT_FILE).is_file()


def read_project(path: str) -> list[UnitTest]:
    """The unit tests of a dbt project.

    A test that cannot be rendered says so when it is run; the others are not in its way.

    Raises:
        ConfigurationError: dbt is not installed, or cannot read the project.
    """
    try:
        runner = import_module("dbt.cli.main").dbtRunner()
        import_module("dbt.adapters.spark")
    except ImportError as e:
        raise ConfigurationError(
            f"{path} is a dbt project, and its tests need dbt here: pip install {_VERSIONS} ({e})"
        ) from e
    words = ["--quiet", "--no-send-anonymous-usage-stats", "parse", "--project-dir", path]
    if "DBT_PROFILES_DIR" not in os.environ and (Path(path) / "profiles.yml").is_file():
        words += ["--profiles-dir", path]
    with redirect_stdout(StringIO()):  # dbt says there what its error says as well
        parsed = runner.invoke(words)
    if not parsed.success:
        raise ConfigurationError(f"{path}: dbt cannot read the project: {_said(parsed.exception)}")
    try:
        project = _Project(parsed.result)
        tests = [project.test(each) for _, each in sorted(parsed.result.unit_tests.items())]
    except (AttributeError, ImportError, TypeError) as e:
        version = import_module("importlib.metadata").version("dbt-core")
        raise ConfigurationError(
            f"{path}: dbt {version} is not as this was written for: pip install {_VERSIONS} ({e})"
        ) from e
    if not tests:
        raise ConfigurationError(f"{path}: the dbt project has no unit_tests that are enabled")
    return tests


def _said(error: BaseException | None) -> str:
    return " ".join(str(error).split())


class _UnknownTypesError(Exception):
    """The types of an input's columns are written nowhere."""


class _Project:
    """A project that dbt has parsed.

    Args:
        manifest: what dbt made of it.
    """

    def __init__(self, manifest: Any) -> None:
        self._manifest = manifest
        self._contexts: Any = import_module("dbt.context.providers")
        self._nodes: Any = import_module("dbt.contracts.graph.nodes")
        self._loader: Any = import_module("dbt.parser.unit_tests").UnitTestManifestLoader
        self._failure: type[Exception] = import_module("dbt_common.exceptions").DbtBaseException
        (self._adapter,) = import_module("dbt.adapters.factory").FACTORY.adapters.values()
        self._config = self._adapter.config
        self._created = self._of_hooks()

    def test(self, definition: Any) -> UnitTest:
        """A unit test, rendered."""
        name = f"{definition.model}: {definition.name}"
        if definition.version is not None:
            name = f"{definition.model}.v{definition.version}: {definition.name}"
        file = str(Path(self._config.project_root) / definition.original_file_path)
        tables: dict[str, CreateRelation] = {}
        views: dict[str, str] = {}
        try:
            query, nodes, render = self._rendered(definition)
            inputs = []
            for given, (of, node) in zip(definition.given, nodes, strict=True):
                rows = render(given.rows) if given.format == "sql" else given.rows or []
                inputs.append(Input(of, given.input, rows))
                try:
                    self._describe(of, node, tables, views)
                except _UnknownTypesError as e:
                    if given.format != "sql":  # which has types of its own
                        raise self._failure(
                            f"the types of the columns of {e} are not known. Give its columns "
                            "data_type in YAML, or create it in on-run-start"
                        ) from e
        except (self._failure, ConfigurationError) as e:
            return UnitTest(name, file, problem=self._problem(e))
        expect = definition.expect.rows
        return UnitTest(name, file, query, tuple(inputs), [] if expect is None else expect,
                        tables, views)  # fmt: skip

    def _problem(self, error: Exception) -> str:
        """Why a test cannot be rendered."""
        offline = import_module("dbt.adapters.exceptions.connection").InvalidConnectionError
        if isinstance(error, offline):
            return (
                "the model asks the database while it is rendered, and tests have none: override "
                "the macro that does so"
            )
        return _said(error)

    def _rendered(self, definition: Any) -> tuple[str, list[tuple[str, Any]], Callable[[str], str]]:
        """The query of a test's model, its inputs by the names there, and what renders texts."""
        loader = self._loader(self._manifest, self._config, {definition.unique_id})
        loader.parse_unit_test_case(definition)
        manifest = loader.unit_test_manifest
        made = manifest.nodes[definition.unique_id]
        tested = self._manifest.nodes[made.tested_node_unique_id]
        if str(tested.language) != "sql":
            raise self._failure(f"model {tested.name} is written in {tested.language}, not in SQL")
        context = self._contexts.generate_runtime_unit_test_context(made, self._config, manifest)

        def render(text: str) -> str:
            return str(self._contexts.get_rendered(text, context, made))

        inputs = []
        for given, unique_id in zip(definition.given, made.depends_on.nodes, strict=False):
            node = loader._get_original_input_node(given.input, tested, definition.name)
            stands = manifest.nodes[unique_id]
            of = getattr(stands, "cte_name", None) or stands.identifier
            inputs.append((self._adapter.Relation.add_ephemeral_prefix(of), node))
        return render(made.raw_code), inputs, render

    def _describe(
        self, name: str, node: Any, tables: dict[str, CreateRelation], views: dict[str, str]
    ) -> None:
        """Adds what an input is: a table with columns, or a view whose query tells them.

        Raises:
            _UnknownTypesError: neither is known; with what it is of.
        """
        if name in tables or name in views:
            return
        table = self._table(name, node)
        if table is not None:
            tables[name] = table
            return
        if str(node.resource_type) != "model" or str(node.language) != "sql":
            raise _UnknownTypesError(f"{node.resource_type} {node.name}")
        query, inputs, _ = self._rendered(self._bare_test(node))
        views[name] = query
        for of, below in inputs:
            self._describe(of, below, tables, views)

    def _table(self, name: str, node: Any) -> CreateRelation | None:
        """What a source, seed or model is by its columns; None: their types are written nowhere.

        Rows of tests leave columns out, so keys and constraints do not bind them.
        """
        created = self._created.get((str(node.schema).lower(), str(node.identifier).lower()))
        if created is not None and created.columns:
            columns = tuple(Column(c.name, c.type) for c in created.columns)
            return CreateRelation(TABLE, (name,), columns, watermark=created.watermark)
        types: dict[str, str | None] = {c.name: c.data_type for c in node.columns.values()}
        types |= getattr(node.config, "column_types", None) or {}
        if not types or not all(types.values()):
            return None
        text = ", ".join(f"`{column}` {of}" for column, of in types.items())
        return tables_of({name: text}, Place())[name.lower()]

    def _bare_test(self, model: Any) -> Any:
        """A test of a model without rows, for its query."""
        resources = import_module("dbt.artifacts.resources")
        given = [
            resources.UnitTestInputFixture(input=self._called(self._found(unique_id)), rows=[])
            for unique_id in model.depends_on.nodes
        ]
        name = f"query_of_{model.name}"
        return self._nodes.UnitTestDefinition(
            name=name,
            model=model.name,
            resource_type=import_module("dbt.node_types").NodeType.Unit,
            package_name=model.package_name,
            path=model.path,
            original_file_path=model.original_file_path,
            unique_id=f"unit_test.{model.package_name}.{model.name}.{name}",
            given=given,
            expect=resources.UnitTestOutputFixture(rows=[]),
            overrides=resources.UnitTestOverrides(macros=dict(_NOT_INCREMENTAL)),
            depends_on=resources.DependsOn(nodes=[model.unique_id]),
            fqn=[*model.fqn, name],
        )

    def _found(self, unique_id: str) -> Any:
        return self._manifest.nodes.get(unique_id) or self._manifest.sources[unique_id]

    @staticmethod
    def _called(node: Any) -> str:
        """What names a node in a model."""
        if str(node.resource_type) == "source":
            return f"source('{node.source_name}', '{node.name}')"
        version = getattr(node, "version", None)
        which = "" if version is None else f", v={version!r}"
        return f"ref('{node.package_name}', '{node.name}'{which})"

    def _of_hooks(self) -> dict[tuple[str, str], CreateRelation]:
        """What hooks create before a run, by schema and name in lower case."""
        found = {}
        for text in self._hooks():
            begins = head(text)
            statement = None if begins is None else begins.read()
            if isinstance(statement, CreateRelation):
                *schema, name = (part.lower() for part in statement.name)
                found[(schema[-1] if schema else self._config.credentials.schema.lower(), name)] = (
                    statement
                )
        return found

    def _hooks(self) -> Sequence[str]:
        found = []
        for node in self._manifest.nodes.values():
            if str(node.resource_type) == "operation" and "on-run-start" in node.tags:
                context = self._contexts.generate_runtime_model_context(
                    node, self._config, self._manifest
                )
                try:
                    found.append(str(self._contexts.get_rendered(node.raw_code, context, node)))
                except self._failure:
                    continue  # it asks the database; what it would create is not known
        return found
