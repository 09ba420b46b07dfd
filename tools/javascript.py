"""Writes the messages of the play stream and of the games as JavaScript, for the kit in `bots/node/kit`.

    python -m tools.javascript [--python PYTHON] [--out DIRECTORY]

`make proto` runs it. PYTHON is the one that has grpcio-tools (by default that of `.venv-proto`).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
)

ROOT = Path(__file__).resolve().parents[1]
PROTOS = ROOT / "proto"
KIT = ROOT / "bots" / "node" / "kit"
_CODECS = {
    FieldDescriptorProto.TYPE_INT32: "int32",
    FieldDescriptorProto.TYPE_SINT32: "sint32",
    FieldDescriptorProto.TYPE_INT64: "int64",
    FieldDescriptorProto.TYPE_FIXED64: "fixed64",
    FieldDescriptorProto.TYPE_ENUM: "int32",
    FieldDescriptorProto.TYPE_BOOL: "bool",
    FieldDescriptorProto.TYPE_STRING: "string",
    FieldDescriptorProto.TYPE_BYTES: "bytes",
}
_TYPES = {"fixed64": "bigint", "bool": "boolean", "string": "string", "bytes": "Uint8Array"}
_ANY = ".google.protobuf.Any"


class UnknownTypeError(Exception):
    """A field has a type that the kit cannot read yet: teach it to `wire.mjs` and to this file."""


def wanted_protos() -> list[str]:
    """Return the .proto files that concern bots, relative to `proto/`, those that others import first."""
    games = sorted((PROTOS / "arena" / "games").rglob("*.proto"))
    return ["arena/v1/match.proto", "arena/v1/play.proto", *(str(path.relative_to(PROTOS)) for path in games)]


def read_protos(python: Path) -> dict[str, FileDescriptorProto]:
    """Return what the .proto files say, comments included. Raises CalledProcessError."""
    with TemporaryDirectory() as directory:
        out = Path(directory) / "protos"
        options = ["--include_source_info", "--include_imports", f"--descriptor_set_out={out}"]
        command = [str(python), "-m", "grpc_tools.protoc", "-I", ".", *options, *wanted_protos()]
        subprocess.run(command, check=True, cwd=PROTOS)
        files = FileDescriptorSet.FromString(out.read_bytes()).file
    return {file.name: file for file in files}


def write_messages(python: Path, directory: Path) -> None:
    """Write a module for each .proto file. Raises CalledProcessError, UnknownTypeError."""
    files = read_protos(python)
    directory.mkdir(parents=True, exist_ok=True)
    for name in wanted_protos():
        (directory / module_name(name)).write_text("\n".join(_module(files[name])) + "\n", encoding="utf-8")
    modules = [Path(module_name(name)).stem for name in wanted_protos() if name.startswith("arena/games/")]
    lines = ["// Generated from proto/ by `make proto`: the messages of all games. Do not edit."]
    lines += [f'import * as {name} from "./{name}.mjs";' for name in modules]
    lines += [f"\nexport const GAMES = [{', '.join(modules)}];", ""]
    (directory / "games.mjs").write_text("\n".join(lines), encoding="utf-8")


def module_name(proto: str) -> str:
    """Return the file for a .proto: `play.mjs`, or that of a game, which is `foreign_king.mjs`."""
    path = Path(proto)
    return f"{path.parts[2] if path.parts[1] == 'games' else path.stem}.mjs"


def _module(file: FileDescriptorProto) -> Iterator[str]:
    comments = {tuple(place.path): place.leading_comments for place in file.source_code_info.location}
    local = {f".{file.package}.{message.name}" for message in file.message_type}
    yield f"// Generated from proto/{file.name} by `make proto`. Do not edit."
    yield 'import * as wire from "../wire.mjs";'
    for name in file.dependency:
        if name.startswith("arena/"):
            yield f'import * as {Path(name).stem} from "./{module_name(name)}";'
    for index, enum in enumerate(file.enum_type):
        yield ""
        yield from _comment([*_lines(comments.get((5, index), "")), "@enum {number}"])
        yield f"export const {enum.name} = Object.freeze({{"
        yield from (f"  {value.name}: {value.number}," for value in enum.value)
        yield "});"
    places = {message.name: index for index, message in enumerate(file.message_type)}
    for message in _in_order(file.message_type, local):
        index = places[message.name]
        of_fields = [comments.get((4, index, 2, place), "") for place in range(len(message.field))]
        yield from _message(file.package, message, comments.get((4, index), ""), of_fields, local)


def _in_order(messages: Sequence[DescriptorProto], local: set[str]) -> Iterator[DescriptorProto]:
    """Yield the messages of a file, each behind those that it holds."""
    by_name = {message.name: message for message in messages}
    done: set[str] = set()

    def visit(message: DescriptorProto) -> Iterator[DescriptorProto]:
        if message.name not in done:
            done.add(message.name)
            for field in message.field:
                if field.type_name in local:
                    yield from visit(by_name[field.type_name.rpartition(".")[2]])
            yield message

    for message in messages:
        yield from visit(message)


def _message(
    package: str, message: DescriptorProto, comment: str, of_fields: Sequence[str], local: set[str]
) -> Iterator[str]:
    """Write a message: its type for those who read and for editors, then its table for the wire."""
    if message.nested_type:
        raise UnknownTypeError(f"{package}.{message.name} nests messages")
    yield ""
    types = [_property(field, text, local) for field, text in zip(message.field, of_fields, strict=True)]
    yield from _comment([*_lines(comment), f"@typedef {{object}} {message.name}", *types])
    yield f'export const {message.name} = wire.message("{package}.{message.name}", ['
    for field in message.field:
        if field.type == FieldDescriptorProto.TYPE_MESSAGE:
            name = field.type_name.rpartition(".")[2]
            # All of ours that are shared stand in one file.
            shared = "wire.Any" if field.type_name == _ANY else f"match.{name}"
            codec = f"wire.embedded({name if field.type_name in local else shared})"
        elif field.type in _CODECS:
            codec = f"wire.{_CODECS[field.type]}"
        else:
            raise UnknownTypeError(f"{package}.{message.name}.{field.name} has a type that the kit cannot read")
        if field.label == FieldDescriptorProto.LABEL_REPEATED:
            codec = f"wire.repeated({codec})"
        yield f'  [{field.number}, "{field.json_name}", {codec}],'
    yield "]);"


def _property(field: FieldDescriptorProto, comment: str, local: set[str]) -> str:
    if field.type == FieldDescriptorProto.TYPE_MESSAGE:
        kind = field.type_name.rpartition(".")[2]
        kind = f'import("./match.mjs").{kind}' if field.type_name not in (*local, _ANY) else kind
        kind = "{typeUrl: string, value: Uint8Array}" if field.type_name == _ANY else kind
    else:
        kind = _TYPES.get(_CODECS.get(field.type, ""), "number")
    if field.label == FieldDescriptorProto.LABEL_REPEATED:
        kind = f"{kind}[]"
    elif field.type == FieldDescriptorProto.TYPE_MESSAGE:
        kind = f"?{kind}"
    return f"@property {{{kind}}} {field.json_name} {' '.join(_lines(comment))}".rstrip()


def _lines(comment: str) -> list[str]:
    return [line.strip() for line in comment.strip().splitlines()]


def _comment(lines: Sequence[str]) -> Iterator[str]:
    yield "/**"
    yield from (f" * {line}".rstrip() for line in lines)
    yield " */"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the modules; 0."""
    parser = argparse.ArgumentParser(prog="python -m tools.javascript", description=__doc__)
    parser.add_argument("--python", type=Path, default=ROOT / ".venv-proto" / "bin" / "python")
    parser.add_argument("--out", type=Path, default=KIT / "messages")
    options = parser.parse_args(arguments)
    write_messages(options.python, options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
