"""What a start leaves out because its fill was cut off, and how it comes back."""

from typing import Any

import pytest

from groundswell.catalog.catalog import Catalog
from groundswell.catalog.parts import Index, Kept, Table
from groundswell.catalog.view import View
from groundswell.runtime.postponed import postpone

READS: dict[str, set[str]] = {"t": set(), "v": {"t"}, "w": {"v"}, "x": {"t"}, "y": {"x"}}


def catalog(*views: str, kept: bool = True) -> Catalog:
    """With those of the views, and indexes on a table, on v and on x."""
    frame: Any = None  # nothing is planned here
    return Catalog(
        {},
        {name: View(frame, reads=frozenset(READS[name])) for name in views},
        {"t": Table(frame, Kept.ALWAYS)} if kept else {},
        {f"on_{name}": Index(frame, (), frozenset(name)) for name in ("t", "v", "x")},
    )


def stages(whole: Catalog, *fills: tuple[str, ...]) -> list[list[str]]:
    """What it has without them, and after each change; nothing where there is no change."""
    made, late = postpone(whole, fills)
    if not late:
        assert made == whole
        return []
    found = [[*made.views, *made.indexes]]
    for changes in late:
        made = made.apply(*changes)
        found.append([*made.views, *made.indexes])
    return found


def test_each_fill_comes_back_by_itself_and_then_what_reads_it() -> None:
    made = catalog("t", "v", "w", "x")
    assert stages(made, ("x",), ("v",)) == [
        ["t", "on_t"],
        ["t", "v", "on_t"],
        ["t", "v", "x", "on_t"],
        ["t", "v", "x", "w", "on_t", "on_v", "on_x"],
    ]


def test_an_index_that_was_being_filled_with_a_view() -> None:
    made = catalog("t", "v")
    assert stages(made, ("index on_v", "v")) == [
        ["t", "on_t", "on_x"],
        ["t", "v", "on_t", "on_x", "on_v"],
    ]
    made = catalog("t", "v")
    assert stages(made, ("index on_t",)) == [
        ["t", "v", "on_v", "on_x"],
        ["t", "v", "on_v", "on_x", "on_t"],
    ]


@pytest.mark.parametrize("fills", [(), (("z",),), (("index z",),)])
def test_what_the_pipeline_does_not_have_is_not_held_back(fills: Any) -> None:
    made = catalog("t", "v")
    assert stages(made, *fills) == []


def test_a_start_has_something_to_run() -> None:
    made = catalog("t", kept=False)
    assert stages(made, ("t",)) == [] and [*made.views] == ["t"]
