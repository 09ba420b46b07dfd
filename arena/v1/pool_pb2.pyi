from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class Pool(_message.Message):
    __slots__ = ("pool_id", "game", "rules_version", "seats", "options_json", "time_control", "cores", "remote", "rating_method")
    POOL_ID_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_JSON_FIELD_NUMBER: _ClassVar[int]
    TIME_CONTROL_FIELD_NUMBER: _ClassVar[int]
    CORES_FIELD_NUMBER: _ClassVar[int]
    REMOTE_FIELD_NUMBER: _ClassVar[int]
    RATING_METHOD_FIELD_NUMBER: _ClassVar[int]
    pool_id: str
    game: str
    rules_version: str
    seats: int
    options_json: str
    time_control: str
    cores: int
    remote: bool
    rating_method: str
    def __init__(self, pool_id: _Optional[str] = ..., game: _Optional[str] = ..., rules_version: _Optional[str] = ..., seats: _Optional[int] = ..., options_json: _Optional[str] = ..., time_control: _Optional[str] = ..., cores: _Optional[int] = ..., remote: bool = ..., rating_method: _Optional[str] = ...) -> None: ...
