"""Documents as JSON, and what is refused."""

from dataclasses import dataclass

import pytest

from groundswell.contract.codec import Int, Tagged, decode, encode
from groundswell.contract.commits import CommitRef, StateCommits
from groundswell.errors import IllegalState

STATE = StateCommits("/s", (CommitRef(7, "00ab", 12, 345), CommitRef(0, None, 0, 0)))


class Shape(Tagged):
    """A shape."""


@dataclass(frozen=True)
class Circle(Shape, kind="circle"):
    """A circle."""

    radius: Int


@dataclass(frozen=True)
class Empty(Shape, kind="empty"):
    """Nothing."""


@dataclass(frozen=True)
class Drawing:
    """Some shapes."""

    shapes: tuple[Shape, ...]


def test_a_document_is_read_as_it_was_written() -> None:
    assert decode(StateCommits, encode(STATE)) == STATE


def test_a_tagged_document_says_its_kind() -> None:
    drawing = Drawing((Circle(2), Empty()))
    text = encode(drawing)
    assert text == '{"shapes":[{"kind":"circle","radius":2},{"kind":"empty"}]}'
    assert decode(Drawing, text) == drawing
    with pytest.raises(IllegalState, match="'square' where Shape is expected"):
        decode(Drawing, text.replace("circle", "square"))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"rows":12,', "", r"missing are \['rows'\]"),
        ('"rows":12', '"rows":12,"size":1', r"unknown are \['size'\]"),
        ('"rows":12', '"rows":"12"', "'12' where int is expected"),
        ('"rows":12', '"rows":null', "None where int is expected"),
        ('"rows":12', '"rows":true', "True where int is expected"),
        ('"id":"00ab"', '"id":1', "1 where str is expected"),
        ("[{", "{", "Expecting"),
    ],
)
def test_what_is_missing_unknown_or_of_another_type_is_refused(
    old: str, new: str, said: str
) -> None:
    text = encode(STATE)
    assert old in text
    with pytest.raises((IllegalState, ValueError), match=said):
        decode(StateCommits, text.replace(old, new, 1))
