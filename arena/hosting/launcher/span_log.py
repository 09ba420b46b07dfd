"""Keeps a bounded part of what a bot wrote since a mark: its first bytes and its last ones. No I/O."""

from __future__ import annotations

HEAD_BYTES = 16 * 1024
"""How much of the beginning is kept: the reason for trouble often stands there, and noise follows."""
TAIL_BYTES = 48 * 1024


class SpanLog:
    """The output of a bot, both streams in the order in which they were read, from a mark on."""

    __slots__ = ("_head", "_tail", "_total")

    def __init__(self) -> None:
        self._head, self._tail, self._total = b"", bytearray(), 0

    def add(self, data: bytes) -> None:
        """Append data; of what is too much the middle is forgotten."""
        self._total += len(data)
        room = HEAD_BYTES - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        if len(self._tail) > 2 * TAIL_BYTES:
            del self._tail[:-TAIL_BYTES]

    def clear(self) -> None:
        """Forget everything: what is written from now on belongs to another match."""
        self._head, self._total = b"", 0
        self._tail.clear()

    def since(self, start: int) -> tuple[bytes, bytes, int]:
        """Return what is kept from byte `start` on, in two parts, and how many bytes are missing between them."""
        kept = bytes(self._tail[-TAIL_BYTES:])
        head, tail = self._head[start:], kept[max(start - (self._total - len(kept)), 0) :]
        return head, tail, max(self._total - start, 0) - len(head) - len(tail)
