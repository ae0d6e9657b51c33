"""A catalog is a value: each change gives another one, or an error and the same one."""

import tokenize
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from groundswell import config
from groundswell.catalog import change as c
from groundswell.catalog.catalog import Catalog
from groundswell.catalog.parts import Index, Kept, Table
from groundswell.catalog.suspended import Suspended
from groundswell.catalog.view import SET_ASIDE, SETTINGS, View, view_of
from groundswell.errors import ConfigurationError, GroundswellError, SourceError
from groundswell.sinks.options import SinkOptions
from groundswell.sinks.registry import SinkSpec

FRAME: Any = object()
"""Stands for a query: nothing here looks at it."""


def view(*reads: str, **more: Any) -> View:
    return View(FRAME, reads=frozenset(reads), **more)


def sink(name: str, of: str) -> SinkSpec:
    nothing: Any = None
    return SinkSpec(name, of, "json", SinkOptions((), {}, name), lambda: nothing)


def catalog(*changes: c.Change) -> Catalog:
    """Views a, b over a, and c over b with rows that failed; an index on b, and a sink of a."""
    options = config.check({"checkpointLocation": "/x"})
    return Catalog(options).apply(
        c.AddView("a", view()),
        c.AddView("b", view("a")),
        c.AddView("c", view("b", has_error_rows=True)),
        c.AddIndex("i", Index(FRAME, ("k",), frozenset("b"))),
        c.AddSink(sink("s", "a")),
        *changes,
    )


SPEC: Any = object()
NAMED = (
    c.AddView("e_diverted", view()),
    c.AddView("o", view(has_error_rows=True)),
    c.PutTable("F_DIVERTED", Table(FRAME, spec=SPEC)),
    c.PutTable("a_diverted", Table(FRAME)),
)
"""What has the name that rows of a view would have, or will have such rows."""
REFUSED: list[tuple[c.Change, str]] = [
    (c.AddView("a", view()), "two views are named 'a'"),
    (c.AddView("A", view()), "views 'a' and 'A' have one name, for SQL and some file systems do"),
    (c.AddView("C_diverted", view()), "view C_diverted would have the name of the rows of view c"),
    (c.PutTable("c_diverted", Table(FRAME)), "source c_diverted would have the .* give it another"),
    (c.PutTable("O_Diverted", Table(FRAME, spec=SPEC)), "table O_Diverted would .* of view o that"),
    (c.AddView("e", view(has_error_rows=True)), "view e_diverted would .* of view e that fail, or"),
    (c.ReplaceView("e", view(has_error_rows=True)), "pipeline has no view 'e' to replace"),
    (c.AddView("f", view(has_error_rows=True)), "table F_DIVERTED would .* give the view another"),
    (c.ReplaceView("a", view(has_error_rows=True)), "source a_diverted would .* give the view an"),
    (c.PutTable("f_diverted", Table(FRAME)), "'F_DIVERTED' and 'f_diverted' have one name"),
    (c.PutTable("f diverted", Table(FRAME)), "must be ASCII letters"),
    (c.AddIndex("I", Index(FRAME, ("k",))), "indexes 'i' and 'I' have one name"),
    (c.AddSink(sink("S", "b")), "sinks 's' and 'S' have one name"),
    (c.AddView("a-b", view()), "must be ASCII letters"),
    (c.AddView("d", view("nobody")), "view d: the pipeline has no view 'nobody'"),
    (
        c.ReplaceView("d", view()),
        "the pipeline has no view 'd' to replace; it has a, b, c, new, e_diverted, o",
    ),
    (c.ReplaceView("a", view("c")), "view 'a' cannot read 'c', which reads 'a' itself"),
    (c.ReplaceView("a", view("a")), "view 'a' cannot read 'a', which reads 'a' itself"),
    (c.ReplaceView("a", view("nobody")), "view a: the pipeline has no view 'nobody'"),
    (c.DropView("a"), "view 'a' is read by b, sink s: drop them first"),
    (c.DropView("b"), "view 'b' is read by c, index i: drop them first"),
    (c.AddIndex("i", Index(FRAME, ("k",))), "two indexes are named 'i'"),
    (c.DropIndex("j"), "the pipeline has no index 'j'; it has i"),
    (c.AddSink(sink("s", "b")), "two sinks are named 's'"),
    (c.AddSink(sink("t", "nobody")), "sink t: the pipeline has no view 'nobody'"),
    (c.DropSink("t"), "the pipeline has no sink 't'; it has s"),
    (c.Resume("a"), "view 'a' is not set aside"),
    (c.Resume("nope"), "the pipeline has no view 'nope'; it has a"),
    (c.SetOption("partitions", 0), "option partitions must be a whole number from 1 on"),
    (c.SetOption("partition", 2), "unknown pipeline option 'partition'"),
]


@pytest.mark.parametrize(("change", "why"), REFUSED)
def test_a_change_that_cannot_be_leaves_the_catalog(change: c.Change, why: str) -> None:
    made = catalog()
    before = vars(made).copy()
    with pytest.raises(GroundswellError, match=why):
        made.apply(c.AddView("new", view("c")), *NAMED, change)
    assert vars(made) == before
    assert "new" not in made.views


APPLIED: list[tuple[c.Change, Callable[[Catalog], object]]] = [
    (c.AddView("d", view("c")), lambda made: [*made.views] == ["a", "b", "c", "d"]),
    (c.DropView("c"), lambda made: made.dropped == {"c", "c_diverted"} and len(made.views) == 2),
    (c.DropView("of_the_location"), lambda made: "of_the_location" in made.dropped),
    (c.ReplaceView("a", view(policy="FULL")), lambda made: made.policies == {"a": "FULL"}),
    (c.PutTable("t", Table(FRAME, Kept.ALWAYS)), lambda made: made.tables["t"].kept == 2),
    (c.DropTable("t"), lambda made: not made.tables),
    (c.DropIndex("i"), lambda made: made.readers_of("b") == ["c"]),
    (c.AddSink(sink("t", "c_diverted")), lambda made: "t" in made.sinks),
    (c.DropSink("s"), lambda made: made.readers_of("a") == ["b"]),
    (c.Replan(frozenset("a")), lambda made: made.replanned == {"a"} and not made.begun().replanned),
    (c.SetOption("joins", "delta"), lambda made: made.options["joins"] == "delta"),
    (c.Revise(7), lambda made: made.revision == 7),
    (c.rescaled(3), lambda made: made.options["partitions"] == 3),
]


@pytest.mark.parametrize(("change", "holds"), APPLIED)
def test_a_change_gives_another_catalog(
    change: c.Change, holds: Callable[[Catalog], object]
) -> None:
    old = catalog()
    before = vars(old).copy()
    assert holds(old.apply(change))
    assert vars(old) == before and old == catalog_like(old)


def catalog_like(old: Catalog) -> Catalog:
    return Catalog(**vars(old))


def test_every_kind_of_change_is_tried() -> None:
    tried = {type(change) for change, _ in [*REFUSED, *APPLIED]} | {c.Suspend}
    assert tried == set(c.Change.__args__)


def test_changes_go_together_or_not_at_all() -> None:
    made = catalog().apply(c.DropSink("s"), c.DropView("c"), c.DropIndex("i"), c.DropView("b"))
    assert [*made.views] == ["a"]
    replaced = made.apply(c.DropView("a"), c.AddView("a", view()))
    assert "a" not in replaced.dropped


def test_a_change_is_applied_again_though_others_came_between() -> None:
    """A view that is filled beside the barriers comes to the catalog that there is by then."""
    change = c.AddView("d", view("a"))
    planned = catalog().apply(change)
    meanwhile = catalog().apply(c.DropView("c"))
    assert planned != meanwhile.apply(change)
    assert [*meanwhile.apply(change).views] == ["a", "b", "d"]


def test_a_start_that_failed_may_have_left_its_views_in_the_location() -> None:
    old = catalog()
    assert old.giving_up(old.apply(c.AddView("d", view()))).dropped == {"d", "d_diverted"}
    assert old.giving_up(old.apply(c.DropView("c"))) == old


def test_a_suspended_view_takes_its_readers_with_it_and_back() -> None:
    old = catalog(c.ReplaceView("a", view(on_failure=SET_ASIDE)))
    assert old.suspends and old.outlives(["a"]) and not old.outlives(["b"]) and not old.outlives([])
    made = old.apply(c.Suspend({n: Suspended("a", "why", 0) for n in ("a", "b", "c")}))
    with pytest.raises(ConfigurationError, match="every view of the pipeline is set aside"):
        made.check_goes()
    with pytest.raises(ConfigurationError, match="because it reads 'a'"):
        made.apply(c.Resume("b"))
    assert made.apply(c.Resume("a")).going == old.views
    with pytest.raises(ConfigurationError, match="view d cannot run: view a is set aside"):
        made.apply(c.AddView("d", view("a")), c.AddView("e", view())).check_goes()


def test_a_table_that_is_always_kept_stays_so_when_it_is_opened_again() -> None:
    made = catalog(c.PutTable("t", Table(FRAME, Kept.ALWAYS)))
    assert made.apply(c.PutTable("t", Table(FRAME, Kept.ONCE_READ))).tables["t"].kept is Kept.ALWAYS


def test_a_view_that_is_replaced_comes_after_what_it_reads() -> None:
    made = catalog(c.AddView("d", view()), c.ReplaceView("a", view("d")))
    assert [*made.views] == ["d", "a", "b", "c"]
    assert made.replaced == {"a"} and not made.begun().replaced
    assert catalog().giving_up(made).replaced == {"a"}, "the location may have the new query"


def test_a_view_that_failed_goes_on_with_another_query() -> None:
    failed = {n: Suspended("b", "why", 0) for n in ("b", "c")}
    made = catalog(c.Suspend(failed), c.ReplaceView("b", view("a")))
    assert not made.suspended
    assert catalog(c.Suspend(failed), c.ReplaceView("c", view("a"))).suspended == failed


def test_settings_are_checked_before_there_is_a_view() -> None:
    with pytest.raises(ConfigurationError, match="must be a DataFrame"):
        view_of("v", 7)
    with pytest.raises(SourceError, match="must be ASCII letters"):
        catalog().apply(c.DropView("a b"))


def test_one_more_option_of_a_view_touches_few_files() -> None:
    """Each setting is named where it is checked, where users give it, and where it acts."""
    root = Path(__file__).resolve().parents[3] / "python" / "groundswell"
    words = {
        path.relative_to(root).as_posix(): {
            word.string for word in tokenize.generate_tokens(path.open(encoding="utf-8").readline)
        }
        for path in root.rglob("*.py")
    }
    for names in ({"onFailure", "on_failure"}, {"maxStateBytes", "max_state_bytes"}):
        found = {path for path, used in words.items() if used & names}
        assert {"catalog/view.py", "runtime/pipeline.py", "runtime/live.py"} < found
        assert len(found) == 4, found
    assert {"onFailure", "maxStateBytes"} <= set(SETTINGS)
