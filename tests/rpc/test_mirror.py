"""Values become messages of the same shape and come back, and every call fits the method that it stands for."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, NoReturn, TypeVar

import grpc
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool
from google.protobuf.descriptor import Descriptor
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.cli.shared.errors import EXIT_CODES
from arena.hosting.uploads.errors import (
    UploadDamagedError,
    UploadInvalidError,
    UploadOffsetError,
    UploadReason,
    UploadRefusedError,
    UploadSupersededError,
    missing,
    space,
)
from arena.model.errors import kind_of
from arena.rpc.errors import error_of
from arena.rpc.method_table import PACKAGE, SERVICES, UPLOAD, all_rpcs
from arena.rpc.protobuf_codec import MirrorError, check, decode, decode_arguments, encode, encode_arguments, hints_of
from arena.service.server.errors import status_of
from arena.wire.status import STATUS_DETAILS_KEY, Status, encode_status
from engine.translatable import Text, parts_of
from ratings.values.page import MOST_LIMIT
from tests.support.reporting import report
from tests.support.sources import told_errors
from tests.support.texts import CHARACTERS
from tests.wire.surface import descriptors

Field = descriptor_pb2.FieldDescriptorProto
Item = TypeVar("Item")
_NUMBERS = itertools.count()


class Colour(enum.StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True)
class Inner:
    number: int
    text: str | None


@dataclass(frozen=True, slots=True)
class Outer:
    name: str
    count: int
    share: float
    is_open: bool
    data: bytes
    colour: Colour
    maybe: int | None
    maybe_colour: Colour | None
    inner: Inner
    maybe_inner: Inner | None
    inners: tuple[Inner, ...]
    numbers: tuple[int, ...]
    colours: tuple[Colour, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    limits: Mapping[str, Any] | None = None
    rows: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Listed(Generic[Item]):
    items: tuple[Item, ...]
    next: str | None


def declare(*messages: dict[str, str]) -> list[Descriptor]:
    """Messages M0, M1, ... with these fields: `int64`, `optional string`, `repeated M0`."""
    file = descriptor_pb2.FileDescriptorProto(name=f"mirror{next(_NUMBERS)}.proto", syntax="proto3")
    for place, declared in enumerate(messages):
        message = file.message_type.add(name=f"M{place}")
        for number, (name, kind) in enumerate(declared.items(), start=1):
            label, _, type_name = kind.rpartition(" ")
            entry = message.field.add(name=name, number=number, label=Field.LABEL_OPTIONAL)
            if type_name[0] == "M":
                entry.type, entry.type_name = Field.TYPE_MESSAGE, type_name
            else:
                entry.type = Field.Type.Value(f"TYPE_{type_name.upper()}")
            if label == "repeated":
                entry.label = Field.LABEL_REPEATED
            elif label == "optional":
                entry.proto3_optional, entry.oneof_index = True, len(message.oneof_decl)
                message.oneof_decl.add(name=f"_{name}")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return [pool.FindMessageTypeByName(f"M{place}") for place in range(len(messages))]


INNER = {"number": "int32", "text": "optional string"}
OUTER = {
    "name": "string",
    "count": "int64",
    "share": "double",
    "is_open": "bool",
    "data": "bytes",
    "colour": "string",
    "maybe": "optional int64",
    "maybe_colour": "optional string",
    "inner": "M0",
    "maybe_inner": "M0",
    "inners": "repeated M0",
    "numbers": "repeated int64",
    "colours": "repeated string",
    "options_json": "string",
    "limits_json": "optional string",
    "rows_json": "repeated string",
}
INNER_MESSAGE, OUTER_MESSAGE = declare(INNER, OUTER)

TEXTS = st.text(CHARACTERS)
SMALL = st.integers(-(2**31), 2**31 - 1)
WIDE = st.integers(-(2**63), 2**63 - 1)
JSON = st.dictionaries(TEXTS, st.none() | st.booleans() | WIDE | TEXTS | st.lists(TEXTS))
INNERS = st.builds(Inner, SMALL, st.none() | TEXTS)
OUTERS = st.builds(
    Outer,
    TEXTS,
    WIDE,
    st.floats(allow_nan=False),
    st.booleans(),
    st.binary(),
    st.sampled_from(Colour),
    st.none() | WIDE,
    st.none() | st.sampled_from(Colour),
    INNERS,
    st.none() | INNERS,
    st.lists(INNERS).map(tuple),
    st.lists(WIDE).map(tuple),
    st.lists(st.sampled_from(Colour)).map(tuple),
    JSON,
    st.none() | JSON,
    st.lists(JSON).map(tuple),
)


@settings(max_examples=40)
@given(OUTERS)
def test_a_value_comes_back_as_it_was(value: Outer) -> None:
    message = encode(Outer, value, OUTER_MESSAGE)
    again = type(message).FromString(message.SerializeToString())
    assert decode(Outer, again) == value


@given(st.lists(INNERS).map(tuple), st.none() | TEXTS)
def test_a_page_of_something_comes_back_as_it_was(items: tuple[Inner, ...], after: str | None) -> None:
    _, message = declare(INNER, {"items": "repeated M0", "next": "optional string"})
    page = Listed(items, after)
    assert decode(Listed[Inner], encode(Listed[Inner], page, message)) == page


@given(TEXTS, st.none() | WIDE)
def test_arguments_of_a_call_come_back_as_they_were(name: str, limit: int | None) -> None:
    (message,) = declare({"name": "string", "limit": "optional int64"})
    hints = (("name", str), ("limit", int | None))
    values = {"name": name, "limit": limit}
    assert decode_arguments(hints, encode_arguments(hints, values, message)) == values


@pytest.mark.parametrize("name", OUTER)
def test_a_field_that_the_message_lacks_is_refused(name: str) -> None:
    _, message = declare(INNER, {key: kind for key, kind in OUTER.items() if key != name})
    with pytest.raises(MirrorError, match=name.removesuffix("_json")):
        check(hints_of(Outer), message)


def test_a_field_that_the_value_lacks_is_refused() -> None:
    (message,) = declare({**INNER, "further": "string"})
    with pytest.raises(MirrorError, match="further"):
        check(hints_of(Inner), message)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("name", "bytes"),
        ("name", "optional string"),
        ("count", "string"),
        ("share", "float"),
        ("maybe", "int64"),
        ("numbers", "int64"),
        ("inner", "string"),
        ("options_json", "optional string"),
        ("limits_json", "string"),
        ("colour", "int32"),
    ],
)
def test_a_field_of_another_type_is_refused(name: str, kind: str) -> None:
    _, message = declare(INNER, {**OUTER, name: kind})
    with pytest.raises(MirrorError, match=name.removesuffix("_json")):
        check(hints_of(Outer), message)


def test_a_difference_deep_inside_is_found_before_a_value_is_sent() -> None:
    _, message = declare({**INNER, "number": "string"}, OUTER)
    with pytest.raises(MirrorError, match="number"):
        check(hints_of(Outer), message)


@pytest.mark.parametrize(
    "kind", [tuple[tuple[int, ...], ...], tuple[int, str], int | str, tuple[int, ...] | None, object]
)
def test_a_type_that_no_message_can_say_is_refused(kind: Any) -> None:
    (message,) = declare({"value": "repeated int64"})
    with pytest.raises(MirrorError):
        check((("value", kind),), message)


@dataclass(frozen=True, slots=True)
class Told:
    why: str
    summary: str | None
    problems: tuple[str, ...]


def declare_told(**more: str) -> Descriptor:
    """A message that says which texts the words of `Told` are."""
    words = {"why": "string", "summary": "optional string", "problems": "repeated string"}
    texts = {"why_text_json": "string", "summary_text_json": "string", "problems_text_json": "repeated string"}
    return declare({**words, **texts, **more})[-1]


def test_words_cross_with_the_text_that_they_are() -> None:
    message = declare_told()
    text = Text("late by {why}", why=Text("load {load}", load=7))
    told = Told(text, None, ("plain", text))
    crossed = decode(Told, encode(Told, told, message))
    assert crossed == told
    assert [parts_of(one) for one in (crossed.why, *crossed.problems)] == [parts_of(text), None, parts_of(text)]


@pytest.mark.parametrize("told", ["", "{", "[]", "7", "[" * 100_000, '{"id": 3}', '{"id": "a", "parts": []}'])
def test_words_stay_plain_if_what_is_said_of_them_is_no_text(told: str) -> None:
    message = encode(Told, Told("why", "so", ("one",)), declare_told())
    message.why_text_json = told  # type: ignore[attr-defined]
    crossed = decode(Told, message)
    assert crossed == Told("why", "so", ("one",))
    assert parts_of(crossed.why) is None


def test_a_list_of_words_keeps_its_length_whatever_is_said_of_them() -> None:
    message = encode(Told, Told("why", None, ("one", "two")), declare_told())
    message.problems_text_json.append("")  # type: ignore[attr-defined]
    assert decode(Told, message).problems == ("one", "two")


def test_what_says_the_text_of_a_word_is_a_string_and_never_optional() -> None:
    with pytest.raises(MirrorError, match="never optional"):
        check((("why", str),), declare({"why": "string", "why_text_json": "optional string"})[-1])
    with pytest.raises(MirrorError, match="has other_text_json that the value lacks"):
        check(hints_of(Told), declare_told(other_text_json="string"))


OF_UPLOADS = (
    *(missing(), space(""), UploadOffsetError("", 7), UploadSupersededError(UploadReason.SUPERSEDED, "")),
    *(UploadRefusedError(UploadReason.TOO_LARGE, ""), UploadInvalidError(UploadReason.INVALID, "")),
    UploadDamagedError(UploadReason.DAMAGED, ""),
)


def test_request_and_response_are_what_the_method_takes_and_returns() -> None:
    for rpc in all_rpcs().values():
        rpc.check()
        method = descriptor_pool.Default().FindMethodByName(rpc.path[1:].replace("/", "."))
        assert method.server_streaming is rpc.is_stream, rpc.path
        assert not method.client_streaming, rpc.path


def test_every_call_of_every_service_is_derived_from_the_interface_but_one() -> None:
    declared = {
        f"/{service.full_name}/{method.name}"
        for file in descriptors()
        for service in file.services_by_name.values()
        for method in service.methods
        if service.name in SERVICES
    }
    assert declared == {*all_rpcs(), UPLOAD}
    assert all(path.startswith(f"/{PACKAGE}.") for path in declared)


def test_what_is_not_sent_is_none_or_has_its_default_and_no_page_is_longer_than_allowed() -> None:
    rpc = all_rpcs()["/arena.v1.BotService/ListBots"]
    empty = rpc.encode_request({"limit": None, "after": None})
    assert rpc.decode_request(empty) == {"limit": MOST_LIMIT, "after": None}
    assert rpc.decode_request(rpc.encode_request({"limit": 10_000, "after": None}))["limit"] == MOST_LIMIT
    full = rpc.encode_request({"limit": 7, "after": "cursor"})
    assert rpc.decode_request(full) == {"limit": 7, "after": "cursor"}
    rpc = all_rpcs()["/arena.v1.LeaderboardService/GetCrosstable"]
    assert rpc.decode_request(rpc.encode_request({"tournament": None, "pool": None, "limit": 0}))["limit"] == 50


class Refused(grpc.RpcError):
    """A call that ended with a status."""

    def __init__(self, status: Status) -> None:
        super().__init__()
        self._status = status

    def code(self) -> grpc.StatusCode:
        return next(code for code in grpc.StatusCode if code.value[0] == self._status.code)

    def details(self) -> str:
        return self._status.message

    def trailing_metadata(self) -> Any:
        return ((STATUS_DETAILS_KEY, encode_status(self._status)),)


def diagnose() -> NoReturn:
    raise AssertionError("the service has answered")


def test_a_command_ends_alike_whether_the_arena_is_here_or_a_service() -> None:
    def exits(error: BaseException) -> tuple[int, int]:
        status = status_of(error)
        assert status is not None
        return EXIT_CODES[kind_of(error)], EXIT_CODES[kind_of(error_of(Refused(status), "there", diagnose))]

    codes = {type(error).__name__: exits(error) for error in (*told_errors(), *OF_UPLOADS)}
    report(f"{name}: {here} here, {there} there" for name, (here, there) in codes.items() if here != there)
