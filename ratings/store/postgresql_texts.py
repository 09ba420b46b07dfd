"""Has a server take every text, as a file does: it refuses NUL, which a bot or its author may have written.

Nothing is looked up by such a text, so nobody misses the character.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from psycopg.types.string import StrBinaryDumper, StrDumperUnknown

from ratings.store.storable import storable

if TYPE_CHECKING:
    from psycopg.abc import Buffer


# Of the driver's two kinds those in Python: one in C would not ask what is written here.
class _TextDumper(StrDumperUnknown):
    def dump(self, obj: str) -> Buffer | None:
        return super().dump(storable(obj))


class _BinaryDumper(StrBinaryDumper):
    def dump(self, obj: str) -> Buffer | None:
        return super().dump(storable(obj))


def send_storable(connection: Any, _record: object) -> None:
    """Have a connection of the driver send texts that the server takes; the last that is registered is the usual."""
    connection.adapters.register_dumper(str, _BinaryDumper)
    connection.adapters.register_dumper(str, _TextDumper)
