"""Writes the headers of an archive: a POSIX tar of files alone, with nothing in it but path, size and executable bit.

There is one way to write a file's header, so that equal files give equal archives, and a reader can tell whatever was
not written here by writing the header again. Every tar program can read the result.
"""

from __future__ import annotations

BLOCK_BYTES = 512
END = bytes(2 * BLOCK_BYTES)

NAME = slice(0, 100)
MODE = slice(100, 108)
SIZE = slice(124, 136)
CHECKSUM = slice(148, 156)
KIND = slice(156, 157)
MAGIC = slice(257, 265)

PLAIN = b"0000644\0"
EXECUTABLE = b"0000755\0"
USTAR = b"ustar\x0000"
FILE = b"0"
EXTENDED = b"x"

_ZERO_8 = b"0000000\0"
_ZERO_12 = b"00000000000\0"
_BLANK_CHECKSUM = b" " * 8
# What stands in the field for the name where an extended header tells it: a name too long, or not ASCII.
_TOLD_ELSEWHERE = b"pax"


def header(path: str, size_bytes: int, *, executable: bool) -> bytes:
    """Return all blocks that stand before the bytes of a file. The path is checked and the size below 8 GiB."""
    name, mode = path.encode(), EXECUTABLE if executable else PLAIN
    if len(name) <= NAME.stop and name.isascii():
        return _block(name, mode, size_bytes, FILE)
    record = _record(name)
    extended = _block(_TOLD_ELSEWHERE, PLAIN, len(record), EXTENDED) + record + bytes(padding_bytes(len(record)))
    return extended + _block(_TOLD_ELSEWHERE, mode, size_bytes, FILE)


def padding_bytes(size_bytes: int) -> int:
    """Return how many zero bytes stand after so many bytes, up to the next whole block."""
    return -size_bytes % BLOCK_BYTES


def checksum_is_right(block: bytes) -> bool:
    """Return whether a block of a header carries its own checksum."""
    return block[CHECKSUM] == _checksum(block)


def _block(name: bytes, mode: bytes, size_bytes: int, kind: bytes) -> bytes:
    size = b"%011o\0" % size_bytes
    owner = _ZERO_8 + _ZERO_8
    start = name.ljust(100, b"\0") + mode + owner + size + _ZERO_12
    end = kind + bytes(100) + USTAR + bytes(247)
    return start + _checksum(start + _BLANK_CHECKSUM + end) + end


def _checksum(block: bytes) -> bytes:
    total = sum(block) - sum(block[CHECKSUM]) + sum(_BLANK_CHECKSUM)
    return b"%06o\0 " % total


def _record(name: bytes) -> bytes:
    """Return the record of an extended header that tells a path; it begins with its own length."""
    rest = b" path=" + name + b"\n"
    length = len(rest)
    while length != len(rest) + len(str(length)):
        length = len(rest) + len(str(length))
    return str(length).encode() + rest
