"""Writes protobuf messages from plain values, byte for byte as the library does, without building its objects. No I/O.

    _WRITER: Final = MessageWriter(state_pb2.NimState)

    def encode(state: NimState) -> bytes:
        return _WRITER.write({"version": POSITION.version, "heap": state.heap, "taken": state.taken})

An object of the library is filled field by field and then walked once more; most of a position are lists of small
numbers, which stand in a message as they do in `bytes`. The format: https://protobuf.dev/programming-guides/encoding.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

_ONE_BYTE: Final = tuple(bytes([number]) for number in range(128))
"""The numbers that take one byte."""
_UNSIGNED_64: Final = (1 << 64) - 1
_VARINT: Final = 0
_FIXED_64: Final = 1
_LENGTH: Final = 2
"""How a value is laid out, in the low bits of the key before it."""

_NUMBERS: Final = 0
_NUMBER: Final = 1
_MESSAGE: Final = 2
_MESSAGES: Final = 3
_BYTES: Final = 4
_TEXT: Final = 5
_SIGNED_NUMBERS: Final = 6
_SIGNED_NUMBER: Final = 7
_FIXED: Final = 8


def varint(number: int) -> bytes:
    """Return an integer of up to 64 bits in as few bytes as its size needs; a negative one takes ten."""
    if 0 <= number < 128:
        return _ONE_BYTE[number]
    if 0 < number < 16384:
        return bytes((number & 127 | 128, number >> 7))
    number &= _UNSIGNED_64
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    found.append(number)
    return bytes(found)


def pack(numbers: Collection[int]) -> bytes:
    """Return integers behind each other; most are small."""
    try:
        packed = bytes(numbers)
        if packed.isascii():
            return packed
    except ValueError:  # one is negative or above 255
        pass
    return b"".join(map(varint, numbers))


def with_length(key: bytes, content: bytes) -> bytes:
    """Return a field of bytes, a text, a message or packed integers."""
    return key + varint(len(content)) + content


def number_field(key: bytes, number: int) -> bytes:
    """Return a field of an integer; nothing if that is 0."""
    return key + varint(number) if number else b""


def field_keys(kind: type[Any]) -> dict[str, bytes]:
    """Return what stands in a message of that class before the value of each field, by its name. Raises ValueError."""
    return {field.name: _lay_out(field)[1] for field in kind.DESCRIPTOR.fields}


class MessageWriter:
    """Writes the messages of one class of the library's."""

    __slots__ = ("_fields",)

    def __init__(self, kind: type[Any]) -> None:
        """Take the fields of a class of messages. Raises ValueError if one is of no kind that the arena has."""
        fields = sorted(kind.DESCRIPTOR.fields, key=lambda field: field.number)
        self._fields: Final = tuple((field.name, *_lay_out(field)) for field in fields)

    def write(self, values: Mapping[str, Any]) -> bytes:
        """Return a message of these values, the keys being names of fields; what stands at its default is left out.

        A message within it comes as its own bytes. Numbers must be in their range.
        """
        parts: list[bytes] = []
        add, find = parts.append, values.get
        for name, kind, key in self._fields:
            value = find(name)
            if not value:
                if kind != _MESSAGE or value is None:
                    continue
                content = value
            elif kind == _NUMBERS:
                content = pack(value)
            elif kind == _NUMBER:
                add(key + (_ONE_BYTE[value] if 0 < value < 128 else varint(value)))
                continue
            elif kind == _SIGNED_NUMBERS:
                content = pack([number << 1 ^ number >> 63 for number in value])
            elif kind == _SIGNED_NUMBER:
                add(key + varint(value << 1 ^ value >> 63))
                continue
            elif kind == _FIXED:
                add(key + value.to_bytes(8, "little"))
                continue
            elif kind == _MESSAGES:
                parts += [with_length(key, content) for content in value]
                continue
            else:
                content = value.encode("utf-8") if kind == _TEXT else value
            size = len(content)
            add(key)
            add(_ONE_BYTE[size] if size < 128 else varint(size))
            add(content)
        return b"".join(parts)


def _lay_out(field: Any) -> tuple[int, bytes]:
    """Return the kind of a field, and its key. Raises ValueError."""
    kinds = {
        **dict.fromkeys((field.TYPE_INT32, field.TYPE_INT64, field.TYPE_UINT32, field.TYPE_UINT64), _NUMBER),
        **dict.fromkeys((field.TYPE_BOOL, field.TYPE_ENUM), _NUMBER),
        **dict.fromkeys((field.TYPE_SINT32, field.TYPE_SINT64), _SIGNED_NUMBER),
        field.TYPE_FIXED64: _FIXED,
        field.TYPE_BYTES: _BYTES,
        field.TYPE_STRING: _TEXT,
        field.TYPE_MESSAGE: _MESSAGE,
    }
    kind = kinds.get(field.type)
    if field.is_repeated:
        repeated = {_NUMBER: _NUMBERS, _SIGNED_NUMBER: _SIGNED_NUMBERS, _MESSAGE: _MESSAGES}
        kind = repeated.get(kind) if kind is not None and field.is_packed == (kind != _MESSAGE) else None
    elif field.has_presence and kind != _MESSAGE:
        kind = None
    if kind is None:
        raise ValueError(f"{field.full_name} is of a kind that is not written here")
    layout = {_NUMBER: _VARINT, _SIGNED_NUMBER: _VARINT, _FIXED: _FIXED_64}.get(kind, _LENGTH)
    return kind, varint(field.number << 3 | layout)
