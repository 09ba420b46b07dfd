"""The hand-written google.rpc messages are what protobuf reads."""

import contextlib

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.wire.status import Status, decode_status, encode_error_info, encode_status
from tests.support.texts import CHARACTERS

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
