"""The page of types is what the matrix found, and the matrix has no hole."""

from __future__ import annotations

from matrix import cells
from matrix.kinds import KINDS
from matrix.page import PAGE, page


def test_the_page_is_what_the_matrix_found() -> None:
    assert PAGE.read_text("utf-8") == page(), "run python tests/matrix/page.py"


def test_every_cell_of_a_sink_is_equal_refused_or_a_named_row() -> None:
    for door, roles in cells.load().items():
        for role, found in roles.items():
            words = {verdict.partition(": ")[0] for verdict in found.values()}
            assert words <= {cells.EQUAL, cells.REFUSED, cells.ROW}, (door, role)
            if door.startswith("sink"):
                assert list(found) == [kind.name for kind in KINDS], (door, role)
