"""Columns that a view has and the server does not serve."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pytest

from groundswell.serve.engine import Engine, Query, Relation
from groundswell.serve.errors import ServeError


class OneView:
    """A view ``v`` with a column that is left out."""

    names: Sequence[str] = ("v",)

    def find(self, name: str) -> Relation | None:
        table = pa.table({"id": [1]})
        gaps = {"Doc": "variant", "span": "calendar interval"}
        return Relation(table.schema, lambda _, __: table, {}, gaps=gaps) if name == "v" else None


@pytest.mark.parametrize(
    "sql", ["SELECT doc FROM v", "SELECT v.doc FROM v", "SELECT x.id FROM v x WHERE x.doc IS NULL"]
)
def test_a_column_that_is_left_out_is_told_with_what_to_take(sql: str) -> None:
    query = Query(Engine(), sql, OneView())
    for run in (query.describe, query.start):
        with pytest.raises(ServeError) as e:
            run()
        assert e.value.code == "0A000"
        assert 'column "Doc" is of type variant, which is not served' in str(e.value)
        assert "to_json(Doc)" in str(e.value.hint)


def test_a_column_that_there_is_not_stays_unknown() -> None:
    with pytest.raises(ServeError, match="nope") as e:
        Query(Engine(), "SELECT nope FROM v", OneView()).start()
    assert e.value.code == "42703"
    with pytest.raises(ServeError, match="calendar interval") as e:
        Query(Engine(), "SELECT span FROM v", OneView()).start()
    assert e.value.code == "0A000"
