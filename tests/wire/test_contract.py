"""The wire contract: the style and frozen surface of the .proto files, and what is generated or written by hand."""

from __future__ import annotations

import contextlib
import re
import subprocess
from pathlib import Path, PurePosixPath

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor import EnumDescriptor
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.wire.status import Status, decode_status, encode_error_info, encode_status
from tests.support.needs import GENERATOR
from tests.support.texts import CHARACTERS
from tests.wire.surface import PROTOS, ROOT, descriptors, proto_files, surface
from tools.javascript import write_messages

SNAKE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
PASCAL = re.compile(r"([A-Z][a-z0-9]*)+")
DECLARATION = re.compile(r"\s*(message|enum|service|rpc|option)\s")
FILES = {file.name: file for file in descriptors()}


def all_enums() -> list[EnumDescriptor]:
    enums: list[EnumDescriptor] = []
    for file in FILES.values():
        enums.extend(file.enum_types_by_name.values())
        for message in file.message_types_by_name.values():
            enums.extend(message.enum_types)
    return enums


def test_the_package_is_the_path() -> None:
    for name, file in FILES.items():
        assert file.package == ".".join(PurePosixPath(name).parent.parts)
        assert re.fullmatch(r"v\d+", PurePosixPath(name).parent.name), f"{name}: a package ends with its major version"


def test_the_code_of_other_languages_has_a_place_of_its_own() -> None:
    for name, file in FILES.items():
        options = descriptor_pb2.FileOptions.FromString(file.GetOptions().SerializeToString())
        parts = file.package.split(".")
        said = {field.name: value for field, value in options.ListFields()}
        assert said == {
            "go_package": f"kingmaker.arena/{'/'.join(parts)};{''.join(parts[-2:]).replace('_', '')}",
            "java_package": f"kingmaker.{file.package}",
            "java_multiple_files": True,
            "csharp_namespace": ".".join(part.title().replace("_", "") for part in ("kingmaker", *parts)),
        }, name


def test_everything_that_is_declared_has_a_comment() -> None:
    bare = []
    for name in FILES:
        lines = (PROTOS / name).read_text(encoding="utf-8").splitlines()
        bare += [
            f"{name}: {line}"
            for before, line in zip(["", *lines], lines, strict=False)
            if DECLARATION.match(line) and not before.strip().startswith(("//", "option "))
        ]
    assert bare == []


def test_the_text_is_tidy() -> None:
    for name in FILES:
        text = (PROTOS / name).read_text(encoding="utf-8")
        assert text.startswith('syntax = "proto3";\n'), name
        assert text.endswith("\n"), name
        assert text.isascii(), name
        untidy = [line for line in text.splitlines() if len(line) > 120 or line != line.rstrip() or "\t" in line]
        assert untidy == [], name


def test_names_are_snake_and_pascal_case() -> None:
    for file in FILES.values():
        for message in file.message_types_by_name.values():
            assert PASCAL.fullmatch(message.name), message.full_name
            assert all(SNAKE.fullmatch(field.name) for field in message.fields), message.full_name


def test_an_enum_starts_unspecified_and_its_values_bear_its_name() -> None:
    for enum in all_enums():
        prefix = re.sub(r"(?<!^)(?=[A-Z])", "_", enum.name).upper() + "_"
        assert enum.values_by_number[0].name == f"{prefix}UNSPECIFIED"
        assert all(value.name.startswith(prefix) for value in enum.values), enum.full_name


def test_a_call_has_its_own_request_and_response() -> None:
    for file in FILES.values():
        for service in file.services_by_name.values():
            for method in service.methods:
                assert method.input_type.name == f"{method.name}Request"
                assert method.output_type.name == f"{method.name}Response"


def test_durations_and_instants_name_their_unit_and_are_64_bits_wide() -> None:
    for file in (file for file in FILES.values() if file.package == "arena.v1"):
        for message in file.message_types_by_name.values():
            for field in message.fields:
                is_time = re.search(r"(limit|bank|margin|increment|elapsed|duration|time)(_|$)", field.name)
                is_counted = field.name == "limit"  # how many items of a list are asked for
                if is_time and field.message_type is None and not is_counted and field.type != field.TYPE_STRING:
                    assert field.name.endswith("_us"), field.full_name
                    assert field.type == field.TYPE_INT64, field.full_name


LISTING = Path(__file__).with_name("surface.txt")


def test_the_wire_is_what_the_frozen_listing_says() -> None:
    frozen = LISTING.read_text(encoding="utf-8").splitlines()
    gone, new = sorted(set(frozen) - set(surface())), sorted(set(surface()) - set(frozen))
    assert not gone, f"this breaks bots in the field (another major version is needed): {gone}"
    assert not new, f"new on the wire; if that is meant, python -m tests.wire.surface > tests/wire/surface.txt: {new}"
    assert frozen == surface()


Field = descriptor_pb2.FieldDescriptorProto


def declare() -> tuple[type, type]:
    """google.rpc.Status and google.rpc.ErrorInfo as their package declares them, in a pool of our own."""
    file = descriptor_pb2.FileDescriptorProto(name="rpc.proto", package="google.rpc", syntax="proto3")
    file.dependency.append("google/protobuf/any.proto")
    status = file.message_type.add(name="Status")
    status.field.add(name="code", number=1, type=Field.TYPE_INT32, label=Field.LABEL_OPTIONAL)
    status.field.add(name="message", number=2, type=Field.TYPE_STRING, label=Field.LABEL_OPTIONAL)
    status.field.add(
        name="details",
        number=3,
        type=Field.TYPE_MESSAGE,
        type_name=".google.protobuf.Any",
        label=Field.LABEL_REPEATED,
    )
    info = file.message_type.add(name="ErrorInfo")
    info.field.add(name="reason", number=1, type=Field.TYPE_STRING, label=Field.LABEL_OPTIONAL)
    info.field.add(name="domain", number=2, type=Field.TYPE_STRING, label=Field.LABEL_OPTIONAL)
    entry = info.nested_type.add(name="MetadataEntry")
    entry.options.map_entry = True
    entry.field.add(name="key", number=1, type=Field.TYPE_STRING, label=Field.LABEL_OPTIONAL)
    entry.field.add(name="value", number=2, type=Field.TYPE_STRING, label=Field.LABEL_OPTIONAL)
    info.field.add(
        name="metadata",
        number=3,
        type=Field.TYPE_MESSAGE,
        type_name=".google.rpc.ErrorInfo.MetadataEntry",
        label=Field.LABEL_REPEATED,
    )
    pool = descriptor_pool.DescriptorPool()
    any_file = descriptor_pb2.FileDescriptorProto()
    descriptor_pool.Default().FindFileByName("google/protobuf/any.proto").CopyToProto(any_file)
    pool.Add(any_file)
    pool.Add(file)
    names = ("google.rpc.Status", "google.rpc.ErrorInfo")
    status_type, info_type = (message_factory.GetMessageClass(pool.FindMessageTypeByName(name)) for name in names)
    return status_type, info_type


STATUS, ERROR_INFO = declare()


TEXTS = st.text(CHARACTERS)


@settings(max_examples=40)
@given(TEXTS, TEXTS, st.dictionaries(TEXTS, st.text(CHARACTERS, max_size=300)))
def test_every_error_is_what_protobuf_reads(reason: str, message: str, metadata: dict[str, str]) -> None:
    status = STATUS.FromString(encode_status(Status(9, reason, message, metadata)))  # type: ignore[attr-defined]
    assert (status.code, status.message) == (9, message)
    (details,) = status.details
    assert details.type_url == "type.googleapis.com/google.rpc.ErrorInfo"
    info = ERROR_INFO.FromString(details.value)  # type: ignore[attr-defined]
    assert (info.reason, info.domain, dict(info.metadata)) == (reason, "arena", metadata)
    assert details.value == encode_error_info(reason, metadata)


@settings(max_examples=40)
@given(st.integers(0, 16), TEXTS, TEXTS, st.dictionaries(TEXTS, TEXTS))
def test_every_error_reads_back(code: int, reason: str, message: str, metadata: dict[str, str]) -> None:
    status = Status(code, reason, message, metadata)
    assert decode_status(encode_status(status)) == status


@settings(max_examples=40)
@given(TEXTS, TEXTS)
def test_details_of_another_domain_are_left_aside(reason: str, message: str) -> None:
    info = ERROR_INFO(reason=reason, domain="example.org", metadata={"a": "b"})
    status = STATUS(code=5, message=message)
    status.details.add().Pack(info)
    assert decode_status(status.SerializeToString()) == Status(5, "", message)


@settings(max_examples=40)
@given(st.binary())
def test_bytes_that_are_no_status_raise_nothing_but_value_error(data: bytes) -> None:
    with contextlib.suppress(ValueError):
        decode_status(data)


GENERATED = ("arena/v1", "arena/games")
KIT = "bots/node/kit/messages"


def contents(root: Path, *folders: str) -> dict[str, str]:
    """The generated files in these folders, by path."""
    return {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for folder in folders
        for path in (root / folder).rglob("*")
        if path.suffix in {".py", ".pyi", ".mjs"}
    }


def assert_fresh(fresh_root: Path, *folders: str) -> None:
    committed, fresh = contents(ROOT, *folders), contents(fresh_root, *folders)
    stale = sorted(name for name in committed.keys() | fresh.keys() if committed.get(name) != fresh.get(name))
    assert fresh
    assert not stale, f"run `make proto` and commit: {stale}"


@pytest.mark.needs("generator")
def test_the_generated_code_is_fresh(tmp_path: Path) -> None:
    command = [str(GENERATOR), "-m", "grpc_tools.protoc", "-I", str(PROTOS)]
    outputs = [f"--{kind}_out={tmp_path}" for kind in ("python", "pyi", "grpc_python")]
    subprocess.run([*command, *outputs, *proto_files()], check=True, cwd=PROTOS)
    assert_fresh(tmp_path, *GENERATED)


@pytest.mark.needs("generator")
def test_the_messages_of_the_node_kit_are_fresh(tmp_path: Path) -> None:
    write_messages(GENERATOR, tmp_path / KIT)
    assert_fresh(tmp_path, KIT)
