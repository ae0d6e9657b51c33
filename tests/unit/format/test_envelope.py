"""The envelope of documents: every changed byte is seen, and told from a later release's."""

import json
import zlib
from pathlib import Path

import pytest

from groundswell.errors import Corruption, FormatTooNew
from groundswell.format.envelope import FORMAT_VERSION, is_sealed, seal, unseal

CONTENT = {"epoch": 7, "views": {"größe": "view-1"}, "watermark": 1700000000123, "ids": ["a", None]}
WHERE = "/c/groundswell/epochs/7.json"


def test_what_was_sealed_is_read_and_is_json() -> None:
    data = seal("epoch", CONTENT)
    assert unseal(WHERE, data, "epoch") == CONTENT
    document = json.loads(data)
    assert document["content"] == CONTENT
    assert document["formatVersion"] == FORMAT_VERSION
    assert is_sealed(data)


def test_both_halves_write_the_same_bytes() -> None:
    fixture = Path(__file__).resolve().parents[2] / "fixtures" / "envelope" / "owner.json"
    data = fixture.read_bytes()  # EnvelopeTest of the JVM's half has it, too
    assert seal("owner", unseal(WHERE, data, "owner")) == data


def test_every_changed_byte_and_every_cut_is_an_error_that_names_the_file() -> None:
    data = seal("epoch", CONTENT)
    for at in range(len(data)):
        for bit in range(8):
            flipped = bytearray(data)
            flipped[at] ^= 1 << bit
            with pytest.raises(Corruption, match=WHERE):
                unseal(WHERE, bytes(flipped), "epoch")
        with pytest.raises(Corruption, match=WHERE):
            unseal(WHERE, data[:at], "epoch")
    with pytest.raises(Corruption, match=WHERE):
        unseal(WHERE, data + b"\n", "epoch")


def test_another_kind_of_document_is_refused() -> None:
    with pytest.raises(Corruption, match="it is of kind table, not epoch"):
        unseal(WHERE, seal("table", CONTENT), "epoch")


def test_what_a_later_release_wrote_is_told_from_damage() -> None:
    body = seal("epoch", CONTENT).replace(b":2,", b":8,", 1)[:-10]
    later = body + f'{zlib.crc32(body):08x}"}}'.encode()
    with pytest.raises(FormatTooNew, match=f"{WHERE} has format 8, this release reads up to 7"):
        unseal(WHERE, later, "epoch")


def test_documents_of_the_first_release_have_no_envelope() -> None:
    plain = json.dumps({"formatVersion": 1, **CONTENT}, indent=1).encode()
    assert not is_sealed(plain)
    assert unseal(WHERE, plain, "epoch") == {"formatVersion": 1, **CONTENT}
    for damaged in (b"", b"{}", b"[1]", plain[:-1], plain.replace(b": 1,", b": 2,", 1)):
        with pytest.raises(Corruption, match=WHERE):
            unseal(WHERE, damaged, "epoch")
