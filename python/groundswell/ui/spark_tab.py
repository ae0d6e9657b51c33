"""The same page as a tab of Spark's UI: one page a pipeline of the application."""

from __future__ import annotations

import logging
from urllib.parse import parse_qs

from pyspark.sql import SparkSession

from groundswell.jvm.tab import attach_tab
from groundswell.ui import render
from groundswell.ui.documents import PipelineReader
from groundswell.ui.server import HTML, Answer, Pages
from groundswell.ui.units import text

_log = logging.getLogger("groundswell")


class Tab:
    """The pages of all pipelines that this process has started, in the order of their starts."""

    def __init__(self) -> None:
        self._locations: list[str] = []
        self._pages: dict[str, Pages] = {}

    def opened(self, spark: SparkSession, location: str) -> None:
        """A pipeline has started: it is in the tab from now on. Never a reason to fail."""
        if location not in self._locations:
            self._locations.append(location)
        try:
            attach_tab(spark, self.answer)
        except Exception as e:  # noqa: BLE001 - nothing that is looked at may end what is computed
            _log.warning("no tab in Spark's UI: %s", e)

    def answer(self, path: str, query: str) -> str:
        """What a path of the tab gives, as the JVM's ``PageSource`` has it."""
        found = self._answer(path, {n: v[-1] for n, v in parse_qs(query).items()})
        return f"{found.type}\n{found.text}" if found else ""

    def _answer(self, path: str, query: dict[str, str]) -> Answer | None:
        number, _, rest = path.removeprefix("/").partition("/")
        if number.isdecimal() and int(number[:6]) < len(self._locations):
            return self._of(int(number)).answer(f"/{rest}", query)
        if path not in ("", "/", "/body"):
            return self._of(0).answer(path, query) if self._locations else None
        if len(self._locations) == 1:
            return self._of(0).answer(path, query)
        links = "".join(
            f'<li><a href="{i}/">{text(location)}</a></li>'
            for i, location in enumerate(self._locations)
        )
        body = f'<section class="card"><h2>Pipelines</h2><ul>{links}</ul></section>'
        return Answer(HTML, body if path == "/body" else render.page(body, "Pipelines"))

    def _of(self, number: int) -> Pages:
        location = self._locations[number]
        if location not in self._pages:
            self._pages[location] = Pages(PipelineReader(location))
        return self._pages[location]


TAB = Tab()
