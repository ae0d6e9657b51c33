"""What a start leaves out because its fill was cut off, and how it comes back."""

from types import SimpleNamespace
from typing import Any

import pytest

from groundswell.runtime.held_back import hold_back

READS: dict[str, set[str]] = {"t": set(), "v": {"t"}, "w": {"v"}, "x": {"t"}, "y": {"x"}}


def declared(*views: str, kept: bool = True) -> Any:
    """With those of the views, and indexes on a table, on v and on x."""
    return SimpleNamespace(
        views={name: name for name in views},
        indexes={"on_t": ("t", ()), "on_v": ("v", ()), "on_x": ("x", ())},
        kept={"t": 1} if kept else {},
        reads=lambda: {name: READS[name] for name in views},
        read_by=lambda frame: {frame},
    )


def stages(made: Any, *fills: tuple[str, ...]) -> list[list[str]]:
    """What it has without them, and after each change; nothing where there is no change."""
    found = []
    if late := hold_back(made, fills):
        found.append([*made.views, *made.indexes])
    for change in late:
        change()
        found.append([*made.views, *made.indexes])
    return found


def test_each_fill_comes_back_by_itself_and_then_what_reads_it() -> None:
    made = declared("t", "v", "w", "x")
    assert stages(made, ("x",), ("v",)) == [
        ["t", "on_t"],
        ["t", "v", "on_t"],
        ["t", "v", "x", "on_t"],
        ["t", "v", "x", "w", "on_t", "on_v", "on_x"],
    ]


def test_an_index_that_was_being_filled_with_a_view() -> None:
    made = declared("t", "v")
    assert stages(made, ("index on_v", "v")) == [
        ["t", "on_t", "on_x"],
        ["t", "v", "on_t", "on_x", "on_v"],
    ]
    made = declared("t", "v")
    assert stages(made, ("index on_t",)) == [
        ["t", "v", "on_v", "on_x"],
        ["t", "v", "on_v", "on_x", "on_t"],
    ]


@pytest.mark.parametrize("fills", [(), (("z",),), (("index z",),)])
def test_what_the_pipeline_does_not_have_is_not_held_back(fills: Any) -> None:
    made = declared("t", "v")
    assert stages(made, *fills) == []


def test_a_start_has_something_to_run() -> None:
    made = declared("t", kept=False)
    assert stages(made, ("t",)) == [] and [*made.views] == ["t"]
