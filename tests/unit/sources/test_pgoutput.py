"""Messages of a PostgreSQL 15, as it sent them."""

import pytest

from groundswell.sources.pgoutput import (
    UNCHANGED,
    Begin,
    Commit,
    Delete,
    Insert,
    Other,
    PgColumn,
    ProtocolError,
    Relation,
    Truncate,
    Update,
    decode,
)

RELATION = (
    "52000040057075626c69630061006400030169640000000017ffffffff006e616d6500000000"
    "19ffffffff00617400000004a0ffffffff"
)
RECORDED = {
    "420000000001536e780003040ed5744528000002da": Begin(0x1536E78, 848886687352104, 730),
    "43000000000001536e780000000001536ea80003040ed5744528": Commit(
        0x1536E78, 0x1536EA8, 848886687352104
    ),
    RELATION: Relation(
        16389,
        "public",
        "a",
        "d",
        (
            PgColumn(True, "id", 23, -1),
            PgColumn(False, "name", 25, -1),
            PgColumn(False, "at", 1184, -1),
        ),
    ),
    "49000040054e00037400000001317400000003616e6e6e": Insert(16389, ("1", "ann", None)),
    "55000040054e00037400000001317400000003626f626e": Update(16389, ("1", "bob", None)),
    "55000040054b00037400000001326e6e4e000374000000013974000000007400000018323032342d3032"
    "2d32392030313a30323a30332e342b3030": Update(
        16389, ("9", "", "2024-02-29 01:02:03.4+00"), key=("2", None, None)
    ),
    "44000040054b00037400000001396e6e": Delete(16389, key=("9", None, None)),
    "550000400c4f00027400000001317400000004312e35304e00027400000001317400000004322e3030": Update(
        16396, ("1", "2.00"), old=("1", "1.50")
    ),
    "440000400c4f00027400000001317400000004322e3030": Delete(16396, old=("1", "2.00")),
    "55000040114e00047400000001317400000001327574000000026f6b": Update(
        16401, ("1", "2", UNCHANGED, "ok")
    ),
    "540000000200000040050000400c": Truncate((16389, 16396)),
    "59000040017075626c6963006d6f6f6400": Other("Y"),
}


@pytest.mark.parametrize("text", RECORDED, ids=lambda text: bytes.fromhex(text[:2]).decode())
def test_what_a_server_sent(text: str) -> None:
    assert decode(bytes.fromhex(text)) == RECORDED[text]


@pytest.mark.parametrize("text", [t for t in RECORDED if t[:2] != "59"])
def test_a_message_that_ends_early_is_named(text: str) -> None:
    data = bytes.fromhex(text)
    for length in range(1, len(data)):
        with pytest.raises(ProtocolError):
            decode(data[:length])


def test_a_message_that_is_not_known_is_named() -> None:
    with pytest.raises(ProtocolError, match="kind b'Z'"):
        decode(b"Z")
    with pytest.raises(ProtocolError, match="kind b''"):
        decode(b"")
