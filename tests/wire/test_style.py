"""The .proto files: the style of their names and comments, and the frozen surface that bots may rely on."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from google.protobuf.descriptor import EnumDescriptor

from tests.wire.surface import PROTOS, descriptors, surface

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


def test_everything_that_is_declared_has_a_comment() -> None:
    bare = []
    for name in FILES:
        lines = (PROTOS / name).read_text(encoding="utf-8").splitlines()
        bare += [
            f"{name}: {line}"
            for before, line in zip(["", *lines], lines, strict=False)
            if DECLARATION.match(line) and not before.strip().startswith("//")
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
