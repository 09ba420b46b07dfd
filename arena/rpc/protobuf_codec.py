"""Turns the values of the port into protobuf messages of the same shape, and back: field by field, by name.

A field of a dataclass and the field of its message have one name. A scalar is a scalar, `T | None` is `optional`, a
tuple is `repeated`, a dataclass is a message, an enumeration is a string, and a mapping `x` (or whatever else JSON
alone can say) is the string `x_json`. Where a message has the string `x_text_json` beside `x`, it carries template and
parts of the text (`engine.translatable`) that `x` is. What a type needs is found out once; a pair that does not fit is
refused then.
"""

from __future__ import annotations

import enum
import json
import types
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, partial
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from engine.translatable import parts_of, text_from_json

Convert = Callable[[Any], Any]
Hints = tuple[tuple[str, Any], ...]

_F: Final = FieldDescriptor
_SCALARS: Final[Mapping[type, frozenset[int]]] = {
    bool: frozenset({_F.TYPE_BOOL}),
    int: frozenset({_F.TYPE_INT32, _F.TYPE_INT64, _F.TYPE_SINT32, _F.TYPE_SINT64, _F.TYPE_UINT32, _F.TYPE_UINT64}),
    float: frozenset({_F.TYPE_DOUBLE}),
    str: frozenset({_F.TYPE_STRING}),
    bytes: frozenset({_F.TYPE_BYTES}),
}


class MirrorError(TypeError):
    """A value and its message do not fit: a fault of the arena, found as soon as the pair is used."""


@dataclass(frozen=True, slots=True)
class _Part:
    """How one field crosses: its name on both sides, the two conversions, and whether it may be absent."""

    name: str
    field: str
    encode: Convert
    decode: Convert
    is_optional: bool
    text: str
    """The field that says which text its words are; empty if there is none."""


def encode(kind: Any, value: object, message: Descriptor) -> Message:
    """Return a dataclass of that kind as a message. Raises MirrorError if their fields differ."""
    return _encode_parts(_parts_of(kind, message), message, partial(getattr, value))


def decode(kind: Any, message: Message) -> Any:
    """Return a message as a dataclass of that kind. Raises MirrorError if their fields differ."""
    return (get_origin(kind) or kind)(**_decode_parts(_parts_of(kind, message.DESCRIPTOR), message))


def encode_arguments(hints: Hints, values: Mapping[str, Any], message: Descriptor) -> Message:
    """Return the arguments of a call, whose types are given, as a message with a field for each."""
    return _encode_parts(_parts(hints, message), message, values.__getitem__)


def decode_arguments(hints: Hints, message: Message, names: Collection[str] | None = None) -> dict[str, Any]:
    """Return a message as the arguments of a call, whose types are given; with `names`, only those."""
    parts = _parts(hints, message.DESCRIPTOR)
    return _decode_parts(parts if names is None else [part for part in parts if part.name in names], message)


def check(hints: Hints, message: Descriptor) -> None:
    """Raise MirrorError if these fields, or what they consist of, differ from those of the message."""
    _parts(hints, message)


@cache
def hints_of(kind: type) -> Hints:
    """Return the names and the types of the fields of a dataclass, in its order.

    The parameters of a generic dataclass are replaced by what it was asked for with, such as `Page[Bot]`.
    """
    origin = get_origin(kind) or kind
    if not is_dataclass(origin):
        raise MirrorError(f"{kind} is no dataclass")
    known = get_type_hints(origin)
    bound = dict(zip(getattr(origin, "__parameters__", ()), get_args(kind), strict=False))
    return tuple((field.name, _bind(known[field.name], bound)) for field in fields(origin))


def _bind(hint: Any, bound: Mapping[Any, Any]) -> Any:
    if hint in bound:
        return bound[hint]
    parameters = getattr(hint, "__parameters__", ())
    return hint[tuple(bound.get(parameter, parameter) for parameter in parameters)] if parameters and bound else hint


@cache
def _parts_of(kind: Any, message: Descriptor) -> tuple[_Part, ...]:
    return _parts(hints_of(kind), message)


@cache
def _parts(hints: Hints, message: Descriptor) -> tuple[_Part, ...]:
    """Return how each field crosses. Raises MirrorError if one side has a field that the other lacks."""
    parts = tuple(_part(name, hint, message) for name, hint in hints)
    unknown = {field.name for field in message.fields} - {name for part in parts for name in (part.field, part.text)}
    if unknown:
        raise MirrorError(f"{message.full_name} has {', '.join(sorted(unknown))} that the value lacks")
    return parts


def _part(name: str, hint: Any, message: Descriptor) -> _Part:
    hint, is_optional = _strip_optional(hint)
    item = _item_of(hint)
    is_json = _is_json(hint if item is None else item)
    field = message.fields_by_name.get(f"{name}_json" if is_json else name)
    if field is None:
        raise MirrorError(f"{message.full_name} lacks {name}")
    if field.is_repeated is (item is None) or (item is not None and is_optional):
        raise MirrorError(f"{field.full_name} and {hint} do not fit: a tuple is repeated, and never optional")
    if is_optional is not field.has_presence and not (item is None and is_dataclass(get_origin(hint) or hint)):
        raise MirrorError(f"{field.full_name}: `optional` stands exactly where the value may be None")
    encode_one, decode_one = _conversions(hint if item is None else item, field)
    text = _text_field(field, message) if str in {hint, item} else ""
    if item is None:
        return _Part(name, field.name, encode_one, decode_one, is_optional=is_optional, text=text)
    each_encoded, each_decoded = partial(_each, list, encode_one), partial(_each, tuple, decode_one)
    return _Part(name, field.name, each_encoded, each_decoded, is_optional=False, text=text)


def _text_field(field: FieldDescriptor, message: Descriptor) -> str:
    """Return the field that says which text the words of another are; empty if there is none."""
    beside = message.fields_by_name.get(f"{field.name}_text_json")
    if beside is None:
        return ""
    _expect(beside, _SCALARS[str], "a text")
    if beside.is_repeated is not field.is_repeated or (not beside.is_repeated and beside.has_presence):
        raise MirrorError(f"{beside.full_name} is repeated where {field.name} is, and never optional")
    return beside.name


def _each(container: Callable[[Iterable[Any]], Any], convert: Convert, values: Iterable[Any]) -> Any:
    return container(map(convert, values))


def _strip_optional(hint: Any) -> tuple[Any, bool]:
    """Return a type without its `| None`, and whether it had one."""
    if get_origin(hint) not in {Union, types.UnionType}:
        return hint, False
    kinds = [kind for kind in get_args(hint) if kind is not type(None)]
    if len(kinds) != 1 or len(kinds) == len(get_args(hint)):
        raise MirrorError(f"{hint} cannot be mirrored: `| None` is the only union there is")
    return kinds[0], True


def _item_of(hint: Any) -> Any:
    """Return what a tuple consists of, or `None` if the type is no tuple that `repeated` can say."""
    if get_origin(hint) is not tuple:
        return None
    item, *rest = get_args(hint)
    if rest != [...]:
        raise MirrorError(f"{hint} cannot be mirrored: a tuple has items of one type, and any number of them")
    if get_origin(item) is tuple or _strip_optional(item)[1]:
        raise MirrorError(f"{hint} cannot be mirrored: make a dataclass of what the tuple holds")
    return item


def _is_json(hint: Any) -> bool:
    return hint is Any or get_origin(hint) in {dict, Mapping} or hint in {dict, Mapping}


def _conversions(hint: Any, field: FieldDescriptor) -> tuple[Convert, Convert]:
    kind = get_origin(hint) or hint
    if _is_json(hint):
        _expect(field, _SCALARS[str], hint)
        write = partial(json.dumps, ensure_ascii=False, separators=(",", ":"))
        return write, lambda text: json.loads(text) if text else {}
    if is_dataclass(kind):
        if field.message_type is None:
            raise MirrorError(f"{field.full_name} is no message, and {hint} is a dataclass")
        _parts_of(hint, field.message_type)  # a pair that does not fit is refused now, not when it first comes up
        return partial(encode, hint, message=field.message_type), partial(decode, hint)
    if isinstance(kind, type) and issubclass(kind, enum.StrEnum):
        _expect(field, _SCALARS[str], hint)
        return str, kind
    if kind not in _SCALARS:
        raise MirrorError(f"{hint} of {field.full_name} cannot be mirrored")
    _expect(field, _SCALARS[kind], hint)
    return (float if kind is float else _same), _same


def _expect(field: FieldDescriptor, kinds: frozenset[int], hint: Any) -> None:
    if field.type not in kinds:
        raise MirrorError(f"{field.full_name} does not fit {hint}")


def _same(value: Any) -> Any:
    return value


def _encode_parts(parts: Iterable[_Part], message: Descriptor, get: Callable[[str], Any]) -> Message:
    values: dict[str, Any] = {}
    for part in parts:
        value = get(part.name)
        if value is None:
            continue
        values[part.field] = part.encode(value)
        if part.text:
            if isinstance(value, str):
                values[part.text] = _text_json(value)
            else:
                values[part.text] = list(map(_text_json, value)) if any(map(parts_of, value)) else []
    return GetMessageClass(message)(**values)


def _decode_parts(parts: Iterable[_Part], message: Message) -> dict[str, Any]:
    return {
        part.name: None if part.is_optional and not message.HasField(part.field) else _decode_part(part, message)
        for part in parts
    }


def _decode_part(part: _Part, message: Message) -> Any:
    value = part.decode(getattr(message, part.field))
    told = getattr(message, part.text) if part.text else ""
    if isinstance(value, str):
        return _with_text(value, told)
    return tuple(map(_with_text, value, told)) if told and len(told) == len(value) else value


def _text_json(words: str) -> str:
    parts = parts_of(words)
    return "" if parts is None else json.dumps(parts, ensure_ascii=False, separators=(",", ":"))


def _with_text(words: str, told: str) -> str:
    """Return the text that words are; they come as they are from whoever does not say it, or says it wrongly."""
    try:
        return text_from_json(words, json.loads(told)) if told else words
    except (ValueError, RecursionError):
        return words
