"""Numbers, byte strings and checksums as all parts of all files have them.

Fixed-width numbers are big-endian, varints are LEB128. Whatever the bytes are, `ByteReader` raises
nothing but `Corruption`.
"""

import zlib

from groundswell.errors import Corruption

MAX_VARINT_BYTES = 10


class ByteReader:
    """Reads a byte string from front to back.

    Args:
        what: names the bytes in errors: file and part.
        data: the bytes.
    """

    def __init__(self, what: str, data: bytes) -> None:
        self.what = what
        self.data = data
        self.position = 0

    def remaining(self) -> int:
        """Bytes not read yet."""
        return len(self.data) - self.position

    def raw(self, length: int) -> bytes:
        """The next ``length`` bytes."""
        if length < 0 or length > self.remaining():
            raise self.corrupt(f"cut short: {length} bytes wanted, {self.remaining()} left")
        start = self.position
        self.position += length
        return self.data[start : self.position]

    def unsigned(self, width: int) -> int:
        """The next ``width`` bytes as a number."""
        return int.from_bytes(self.raw(width), "big")

    def varint(self) -> int:
        """An unsigned LEB128 number of at most 64 bits."""
        value = 0
        for i in range(MAX_VARINT_BYTES):
            byte = self.unsigned(1)
            value |= (byte & 0x7F) << 7 * i
            if byte < 0x80:
                if value >> 64:
                    break
                return value
        raise self.corrupt("a varint of more than 64 bits")

    def zigzag(self) -> int:
        """A signed number in zigzag form."""
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def count(self, limit: int) -> int:
        """A varint that counts things, at most ``limit``."""
        value = self.varint()
        if value > limit:
            raise self.corrupt(f"a count of {value} where {limit} is most")
        return value

    def blob(self) -> bytes:
        """A length, then that many bytes."""
        return self.raw(self.count(self.remaining()))

    def string(self) -> str:
        """A blob of UTF-8."""
        return self.blob().decode("utf-8", errors="replace")

    def expect_end(self) -> None:
        """Raises `Corruption` unless everything was read."""
        if self.remaining():
            raise self.corrupt(f"{self.remaining()} bytes too many")

    def corrupt(self, problem: str) -> Corruption:
        """The error to raise: what is wrong, and where."""
        return Corruption(f"{self.what}: {problem}, at byte {self.position}")


def varint_at(data: bytes, at: int) -> tuple[int, int]:
    """An unsigned LEB128 number, and where it ends; for loops that a `ByteReader` is too slow for.

    Raises:
        IndexError: it is cut short.
        OverflowError: it has more than 64 bits.
    """
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            if value >> 64:
                break
            return value, at
        shift += 7
        if shift >= 7 * MAX_VARINT_BYTES:
            break
    raise OverflowError("a varint of more than 64 bits")


def expect_checksum(what: str, data: bytes, stored: int) -> None:
    """Raises `Corruption` unless ``data`` has the CRC-32 that was stored with it."""
    actual = zlib.crc32(data)
    if actual != stored:
        raise Corruption(f"{what}: checksum is {stored:08x}, but its bytes have {actual:08x}")
