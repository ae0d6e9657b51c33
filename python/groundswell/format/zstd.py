"""Zstd frames, by pyarrow's codec: it is needed only for stores that have such blocks."""

from functools import cache
from typing import Any

from groundswell.errors import ConfigurationError, Corruption


def unpack(what: str, packed: bytes, length: int) -> bytes:
    """Unpacks one frame.

    Args:
        what: names the bytes in errors.
        packed: the frame.
        length: how many bytes it decompresses to.

    Raises:
        Corruption: it does not.
        ConfigurationError: pyarrow is not installed.
    """
    try:
        codec = _codec()
    except ImportError as error:
        raise ConfigurationError(f"{what}: packed with zstd; install pyarrow to read it") from error
    try:
        content: bytes = codec.decompress(packed, length, asbytes=True)
    except OSError as error:
        raise Corruption(f"{what}: cannot be decompressed: {error}") from error
    if len(content) != length:
        raise Corruption(f"{what}: decompresses to {len(content)} bytes instead of {length}")
    return content


@cache
def _codec() -> Any:
    import pyarrow

    return pyarrow.Codec("zstd")
