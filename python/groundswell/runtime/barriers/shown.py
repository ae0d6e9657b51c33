"""How a query shows itself, in notebooks and elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any, ClassVar


class Shown:
    """What notebooks ask of an object, and what it prints of itself."""

    _explanation: str
    lastProgress: Any  # noqa: N815
    _html: ClassVar[Callable[[Any, str], str] | None] = None
    _show: ClassVar[Callable[[Any, Callable[[], str]], bool] | None] = None

    @classmethod
    def drawn_by(
        cls, html: Callable[[Any, str], str], show: Callable[[Any, Callable[[], str]], bool]
    ) -> None:
        """Says how queries show themselves in notebooks.

        Args:
            html: (query, plans) -> HTML.
            show: shows it and keeps it up to date; False: this is no notebook.
        """
        cls._html, cls._show = staticmethod(html), staticmethod(show)

    def explain(self) -> None:
        """Prints the plans of its views, and what its last barrier chose by their policies.

        Fills that were cut off, and can go on, stand below.
        """
        unfinished = [each["text"] for each in self._unfinished()]
        print("\n\n".join([self._explanation, *self._chosen(), *unfinished]))  # noqa: T201

    def _unfinished(self) -> list[dict[str, Any]]:
        """The fills that were cut off and can go on."""
        return []

    def _chosen(self) -> list[str]:
        told = (self.lastProgress or {}).get("refresh", {})
        lines = [f"View {v}: {of['choice']}, for {of['reason']}" for v, of in told.items()]
        return ["\n".join(["Last barrier:", *lines])] if lines else []

    def _repr_html_(self) -> str:
        draw = type(self)._html
        return escape(repr(self)) if draw is None else draw(self, self._explanation)

    def _ipython_display_(self) -> None:
        show = type(self)._show
        if show is None or not show(self, lambda: self._explanation):
            print(repr(self))  # noqa: T201
