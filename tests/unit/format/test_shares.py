"""What a reader without a JVM takes of files that several partitions have."""

import pytest

import groundswell as gs
from groundswell.format.manifest import Share
from groundswell.format.packs import is_elsewhere, path_of


def stem(table: int, number: int, key: bytes, ordered: bool) -> bytes:
    hashed = number.to_bytes(4, "big", signed=True)
    return table.to_bytes(2, "big") + (key + hashed if ordered else hashed + key)


def test_rows_of_the_residues_above_the_floor_are_there() -> None:
    share = Share(((8, 3), (3, 1)), {1: (False, b""), 2: (True, b"m")})
    assert share.has(stem(1, 19, b"k", ordered=False))
    assert share.has(stem(1, -5 - 24 * 3, b"k", ordered=False)) is (-77 % 8 == 3 and -77 % 3 == 1)
    assert not share.has(stem(1, 3, b"k", ordered=False)), "3 is 0 modulo 3"
    assert share.has(stem(2, 19, b"n", ordered=True))
    assert not share.has(stem(2, 19, b"l", ordered=True)), "below the floor"
    assert not share.has(stem(3, 19, b"k", ordered=False)), "of a table that is left out"


def test_names_of_files_elsewhere_lead_nowhere_else() -> None:
    assert is_elsewhere("@state/view-v/0/x.sst") and not is_elsewhere("x.sst")
    assert path_of("@generation-1/state/_packs/x.pack") == [
        "generation-1",
        "state",
        "_packs",
        "x.pack",
    ]
    for wrong in ("@x.sst", "@../x/y.sst", "@state//x.sst", "@state/./x.sst"):
        with pytest.raises(gs.Corruption):
            path_of(wrong)
