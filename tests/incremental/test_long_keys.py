"""Keys that are longer than the state takes: their rows are set aside with errors="divert"."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import groundswell as gs

pytestmark = pytest.mark.rest

LONG = ("needle", 900_000)
LIMIT = 1 << 20
TEXT_BESIDE = 16
"""What a row of one text takes beside it: which columns are null, and where the text is."""


class Texts:
    """A table of texts, and a view of how often each is there."""

    def __init__(self, session: SparkSession, path: Path, query: str, **options: Any) -> None:
        self.session, self.p = session, gs.pipeline(session, str(path / "c"))
        self.table = self.p.table("texts", "id bigint, text string, n int", key="id")
        self.table.df.createOrReplaceTempView("texts")
        self.p.view("v", session.sql(query), **options)

    def start(self) -> Texts:
        self.run = self.p.start()
        return self

    def upsert(self, *rows: tuple[int, str, int]) -> None:
        """Rows of a number, a text, and how often the text is repeated."""
        values = ", ".join(f"({key}, '{text}', {times})" for key, text, times in rows)
        self.table.upsert(
            self.session.sql(
                "SELECT id, repeat(text, times) text, nullif(id, 3) n "
                f"FROM VALUES {values} AS t(id, text, times)"
            )
        )
        self.run.processAllAvailable()

    def rows(self, view: str = "v") -> list[Any]:
        return sorted(self.run.view(view).collect(), key=repr)


def test_a_pipeline_that_ended_with_a_long_key_sets_its_rows_aside(
    session: SparkSession, tmp_path: Path
) -> None:
    """Nothing could be done about such a row but to write another query."""
    query = "SELECT text, count(*) n FROM texts GROUP BY text"
    texts = Texts(session, tmp_path, query).start()
    texts.upsert((1, "a", 1), (2, "a", 1))
    with pytest.raises(gs.RowFailed, match="5400016 bytes; the limit is 1048576"):
        texts.upsert((3, *LONG), (4, "b", 1))
    texts.run.stop()

    texts = Texts(session, tmp_path, query, errors="divert").start()
    texts.run.processAllAvailable()
    assert texts.rows() == [("a", 2), ("b", 1)]
    (aside,) = texts.rows("v_diverted")
    assert aside.expression == "GROUP BY text"
    assert "the key of GROUP BY text has 5400016 bytes; the limit is 1048576" in aside.error
    assert "sha2(k, 256)" in aside.error
    assert aside.row.startswith('{"id":3,"text":"needleneedle')

    texts.upsert((3, "b", 1), (1, *LONG))  # one comes back, one goes
    assert texts.rows() == [("a", 1), ("b", 2)]
    assert [row.row[:8] for row in texts.rows("v_diverted")] == ['{"id":1,']
    texts.run.stop()

    texts = Texts(session, tmp_path, query, errors="divert").start()
    texts.table.delete(session.createDataFrame([(1,)], "id bigint"))
    texts.run.processAllAvailable()
    assert texts.rows() == [("a", 1), ("b", 2)]
    assert texts.rows("v_diverted") == []
    texts.run.stop()


@pytest.mark.parametrize(
    ("query", "beside"),
    [
        ("SELECT text, count(*) FROM texts GROUP BY text", TEXT_BESIDE),
        ("SELECT DISTINCT text FROM texts", TEXT_BESIDE),
        ("SELECT n, text, count(*) FROM texts GROUP BY n, text", TEXT_BESIDE + 8),
        # a struct of one text is a row in a row; an array has a length and no more than that
        ("SELECT s, count(*) FROM (SELECT struct(text) s FROM texts) GROUP BY s", 32),
        ("SELECT b, count(*) FROM (SELECT cast(text AS binary) b FROM texts) GROUP BY b", 16),
        (
            "SELECT a, d, count(*) FROM (SELECT array(text) a, cast(n AS decimal(38, 2)) d"
            " FROM texts) GROUP BY a, d",
            64,
        ),
    ],
)
def test_what_is_set_aside_is_what_the_state_does_not_take(
    session: SparkSession, tmp_path: Path, query: str, beside: int
) -> None:
    """The longest key that fits is in the view, and one byte more is not."""
    longest = LIMIT - beside
    texts = Texts(session, tmp_path, query, errors="divert").start()
    texts.upsert((1, "x", longest), (2, "y", longest + 1), (3, "z", 1))
    assert len(texts.rows()) == 2
    (aside,) = texts.rows("v_diverted")
    assert aside.row.count("y") + aside.row.count("eXl5") > 1000 and "xxxx" not in aside.row
    assert f"has {LIMIT + 8} bytes" in aside.error
    texts.table.delete(session.createDataFrame([(1,), (2,), (3,)], "id bigint"))
    texts.run.processAllAvailable()
    assert texts.rows() == texts.rows("v_diverted") == []
    texts.run.stop()


def test_a_view_whose_groups_are_short_looks_for_none(
    session: SparkSession, tmp_path: Path
) -> None:
    texts = Texts(session, tmp_path, "SELECT n, count(*) c FROM texts GROUP BY n", errors="divert")
    assert list(texts.p.program.planned().streams) == ["v"]


KEPT_BY = {
    "joined": "SELECT a.id, b.id AS other FROM texts a JOIN texts b ON a.text = b.text",
    "computed": "SELECT a.id, b.id AS other FROM texts a JOIN texts b "
    "ON concat(a.text, a.n) = concat(b.text, b.n)",
    "semi": "SELECT id FROM texts WHERE text IN (SELECT text FROM texts WHERE id < 9)",
    "anti": "SELECT id FROM texts a WHERE NOT EXISTS "
    "(SELECT 1 FROM texts b WHERE a.text = b.text AND a.id <> b.id)",
    "intersected": "SELECT text FROM texts WHERE id < 5 INTERSECT SELECT text FROM texts",
    "less": "SELECT text FROM texts EXCEPT SELECT text FROM texts WHERE id = 4",
    "partitioned": "SELECT id, row_number() OVER (PARTITION BY text ORDER BY id) r FROM texts",
    "ordered": "SELECT id, row_number() OVER (PARTITION BY n ORDER BY text) r FROM texts",
    "top": "SELECT id FROM texts ORDER BY text, id LIMIT 5",
    "zeros": "SELECT id FROM texts ORDER BY repeat(char(0), length(text) DIV 2), id LIMIT 5",
    "nested": "SELECT id FROM texts ORDER BY array(text), id LIMIT 5",
    "extremes": "SELECT n, min(text) lo, max(concat(text, '!')) hi FROM texts GROUP BY n",
    "counted": "SELECT n, count(DISTINCT text) c, sum(id) s FROM texts GROUP BY n",
    "filtered": "SELECT count(DISTINCT text) FILTER (WHERE id < 9) c FROM texts",
    "newest": "SELECT n, max_by(id, text) i FROM texts GROUP BY n",
    "listed": "SELECT array_sort(collect_set(struct(text, CAST(n AS double) d))) l FROM texts",
}
"""By name, a view whose state has rows by a text."""


def test_rows_with_long_keys_of_every_operator_are_set_aside(
    session: SparkSession, tmp_path: Path
) -> None:
    """One such row ended the pipeline, and errors="divert" did not help but for groups."""
    p = gs.pipeline(session, str(tmp_path / "c"))
    table = p.table("texts", "id bigint, text string, n int", key="id")
    table.df.createOrReplaceTempView("texts")
    for name, query in KEPT_BY.items():
        p.view(name, session.sql(query), errors="divert")
    run = p.start()
    rows: dict[int, tuple[str, int]] = {}

    def step(*changed: tuple[int, str, int], long: set[int]) -> None:
        rows.update({key: (text, times) for key, text, times in changed})
        values = ", ".join(f"({key}, '{text}', {times})" for key, (text, times) in rows.items())
        every = session.sql(
            "SELECT id, repeat(text, times) text, CAST(id % 2 AS int) n "
            f"FROM VALUES {values} AS t(id, text, times)"
        )
        table.upsert(every)
        run.processAllAvailable()
        short = every.where(~every.id.isin(long)) if long else every
        short.createOrReplaceTempView("texts")
        for name, query in KEPT_BY.items():
            got, want = run.view(name).collect(), session.sql(query).collect()
            assert sorted(map(tuple, got)) == sorted(map(tuple, want)), name
            aside = run.view(f"{name}_diverted").collect()
            assert {int(each.row[6:].partition(",")[0]) for each in aside} == long, name
            limit = f"the limit is {983_040 // 2 if name == 'listed' else 983_040}"
            of_sets = name in ("intersected", "less")  # groups, or joins
            assert all(limit in each.error or of_sets for each in aside), name

    try:
        step((1, "a", 1), (2, "a", 1), (4, "b", 1), long=set())
        step((3, "needle", 200_000), long={3})
        step((3, "a", 1), (2, "needle", 200_000), long={2})
        step((2, "c", 1), long=set())
    finally:
        run.stop()


def test_rows_whose_long_values_are_not_kept_by_themselves_stay(
    session: SparkSession, tmp_path: Path
) -> None:
    """FILTER leaves them out, or nothing is ever taken back: then the group's row has one."""
    p = gs.pipeline(session, str(tmp_path / "c"))
    table = p.table("texts", "id bigint, text string")
    table.df.createOrReplaceTempView("texts")
    p.view("least", session.sql("SELECT length(min(text)) n FROM texts"), errors="divert")
    query = "SELECT count(DISTINCT text) FILTER (WHERE id < 2) n, sum(id) s FROM texts"
    p.view("some", session.sql(query), errors="divert")
    run = p.start()
    try:
        table.insert(session.sql("SELECT id, repeat('x', 2000000) text FROM VALUES (2), (3) t(id)"))
        run.processAllAvailable()
        assert run.view("least").collect() == [(2_000_000,)]
        assert run.view("some").collect() == [(0, 5)]
        assert run.view("some_diverted").isEmpty()
        assert "least_diverted" not in p.program.planned().streams
        table.insert(session.sql("SELECT 1L id, repeat('x', 2000000) text"))
        run.processAllAvailable()
        assert run.view("some").collect() == [(0, 5)]
        (aside,) = run.view("some_diverted").collect()
        assert "count(DISTINCT text)" in aside.expression and "2000016 bytes" in aside.error
    finally:
        run.stop()
