"""Which database a model is in."""

from __future__ import annotations

from typing import Any

from django.db.models import Model

from dashboard.models import View


class ViewsRouter:
    """Views are read from ``views``, which nothing is ever written to or migrated in."""

    def db_for_read(self, model: type[Model], **hints: Any) -> str | None:
        return "views" if issubclass(model, View) else None

    def allow_relation(self, one: Model, other: Model, **hints: Any) -> bool | None:
        return False if isinstance(one, View) != isinstance(other, View) else None

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool | None:
        return False if db == "views" else None
