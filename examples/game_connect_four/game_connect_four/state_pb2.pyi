from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class State(_message.Message):
    __slots__ = ("version", "line", "columns")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    version: int
    line: int
    columns: bytes
    def __init__(self, version: _Optional[int] = ..., line: _Optional[int] = ..., columns: _Optional[bytes] = ...) -> None: ...
