"""Writes the frozen listing of the wire: everything a bot may rely on, one line each.

    python -m tests.wire.surface > tests/wire/surface.txt

Lines may be added within a major version; a line that changes or goes breaks bots in the field.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

from google.protobuf import descriptor_pool
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor, FileDescriptor, ServiceDescriptor

ROOT = Path(__file__).resolve().parents[2]
PROTOS = ROOT / "proto"

_TYPES = {
    value: name.removeprefix("TYPE_").lower() for name, value in vars(FieldDescriptor).items() if name[:5] == "TYPE_"
}


def proto_files() -> list[str]:
    """Paths of our .proto files relative to `proto/`."""
    return sorted(path.relative_to(PROTOS).as_posix() for path in PROTOS.rglob("*.proto"))


def descriptors() -> list[FileDescriptor]:
    """The generated descriptors of our files."""
    for name in proto_files():
        importlib.import_module(name.removesuffix(".proto").replace("/", ".") + "_pb2")
    pool = descriptor_pool.Default()
    return [pool.FindFileByName(name) for name in proto_files()]


def list_field(field: FieldDescriptor) -> str:
    kind = field.message_type or field.enum_type
    type_name = kind.full_name if kind else _TYPES[field.type]
    repeated = "repeated " if field.is_repeated else ""
    oneof = f" oneof {field.containing_oneof.name}" if field.containing_oneof else ""
    return f"field {field.full_name} = {field.number} {repeated}{type_name}{oneof}"


def list_message(message: Descriptor) -> Iterator[str]:
    yield f"message {message.full_name}"
    yield from (list_field(field) for field in message.fields)
    for nested in message.nested_types:
        yield from list_message(nested)
    for enum in message.enum_types:
        yield from list_enum(enum)


def list_enum(enum: EnumDescriptor) -> Iterator[str]:
    yield f"enum {enum.full_name}"
    yield from (f"value {enum.full_name}.{value.name} = {value.number}" for value in enum.values)


def list_service(service: ServiceDescriptor) -> Iterator[str]:
    yield f"service {service.full_name}"
    for method in service.methods:
        request = f"{'stream ' if method.client_streaming else ''}{method.input_type.full_name}"
        response = f"{'stream ' if method.server_streaming else ''}{method.output_type.full_name}"
        yield f"rpc {service.full_name}.{method.name} ({request}) ({response})"


def surface() -> list[str]:
    """All lines, sorted."""
    lines: list[str] = []
    for file in descriptors():
        for message in file.message_types_by_name.values():
            lines.extend(list_message(message))
        for enum in file.enum_types_by_name.values():
            lines.extend(list_enum(enum))
        for service in file.services_by_name.values():
            lines.extend(list_service(service))
    return sorted(lines)


if __name__ == "__main__":
    sys.stdout.write("\n".join(surface()) + "\n")
