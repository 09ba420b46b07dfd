from arena.v1 import match_pb2 as _match_pb2
from google.protobuf import any_pb2 as _any_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class PlayRequest(_message.Message):
    __slots__ = ("join", "act", "resign", "leave")
    JOIN_FIELD_NUMBER: _ClassVar[int]
    ACT_FIELD_NUMBER: _ClassVar[int]
    RESIGN_FIELD_NUMBER: _ClassVar[int]
    LEAVE_FIELD_NUMBER: _ClassVar[int]
    join: Join
    act: Act
    resign: Resign
    leave: Leave
    def __init__(self, join: _Optional[_Union[Join, _Mapping]] = ..., act: _Optional[_Union[Act, _Mapping]] = ..., resign: _Optional[_Union[Resign, _Mapping]] = ..., leave: _Optional[_Union[Leave, _Mapping]] = ...) -> None: ...

class PlayResponse(_message.Message):
    __slots__ = ("joined", "match_started", "decide", "match_finished")
    JOINED_FIELD_NUMBER: _ClassVar[int]
    MATCH_STARTED_FIELD_NUMBER: _ClassVar[int]
    DECIDE_FIELD_NUMBER: _ClassVar[int]
    MATCH_FINISHED_FIELD_NUMBER: _ClassVar[int]
    joined: Joined
    match_started: MatchStarted
    decide: Decide
    match_finished: MatchFinished
    def __init__(self, joined: _Optional[_Union[Joined, _Mapping]] = ..., match_started: _Optional[_Union[MatchStarted, _Mapping]] = ..., decide: _Optional[_Union[Decide, _Mapping]] = ..., match_finished: _Optional[_Union[MatchFinished, _Mapping]] = ...) -> None: ...

class Join(_message.Message):
    __slots__ = ("name", "protocol_major", "protocol_minor", "games", "max_concurrent_matches", "version")
    NAME_FIELD_NUMBER: _ClassVar[int]
    PROTOCOL_MAJOR_FIELD_NUMBER: _ClassVar[int]
    PROTOCOL_MINOR_FIELD_NUMBER: _ClassVar[int]
    GAMES_FIELD_NUMBER: _ClassVar[int]
    MAX_CONCURRENT_MATCHES_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    name: str
    protocol_major: int
    protocol_minor: int
    games: _containers.RepeatedScalarFieldContainer[str]
    max_concurrent_matches: int
    version: str
    def __init__(self, name: _Optional[str] = ..., protocol_major: _Optional[int] = ..., protocol_minor: _Optional[int] = ..., games: _Optional[_Iterable[str]] = ..., max_concurrent_matches: _Optional[int] = ..., version: _Optional[str] = ...) -> None: ...

class Joined(_message.Message):
    __slots__ = ("protocol_major", "protocol_minor", "games")
    PROTOCOL_MAJOR_FIELD_NUMBER: _ClassVar[int]
    PROTOCOL_MINOR_FIELD_NUMBER: _ClassVar[int]
    GAMES_FIELD_NUMBER: _ClassVar[int]
    protocol_major: int
    protocol_minor: int
    games: _containers.RepeatedCompositeFieldContainer[GameInfo]
    def __init__(self, protocol_major: _Optional[int] = ..., protocol_minor: _Optional[int] = ..., games: _Optional[_Iterable[_Union[GameInfo, _Mapping]]] = ...) -> None: ...

class GameInfo(_message.Message):
    __slots__ = ("name", "rules_version", "actions", "options_schema_json", "observation_type")
    NAME_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    ACTIONS_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_SCHEMA_JSON_FIELD_NUMBER: _ClassVar[int]
    OBSERVATION_TYPE_FIELD_NUMBER: _ClassVar[int]
    name: str
    rules_version: str
    actions: _containers.RepeatedScalarFieldContainer[str]
    options_schema_json: str
    observation_type: str
    def __init__(self, name: _Optional[str] = ..., rules_version: _Optional[str] = ..., actions: _Optional[_Iterable[str]] = ..., options_schema_json: _Optional[str] = ..., observation_type: _Optional[str] = ...) -> None: ...

class MatchStarted(_message.Message):
    __slots__ = ("match_id", "game", "rules_version", "seat", "seats", "options_json", "clock", "cores", "seed", "resumed", "events", "game_info")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_JSON_FIELD_NUMBER: _ClassVar[int]
    CLOCK_FIELD_NUMBER: _ClassVar[int]
    CORES_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    RESUMED_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    GAME_INFO_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    game: str
    rules_version: str
    seat: int
    seats: int
    options_json: str
    clock: _match_pb2.Clock
    cores: int
    seed: int
    resumed: bool
    events: _containers.RepeatedCompositeFieldContainer[_match_pb2.Event]
    game_info: GameInfo
    def __init__(self, match_id: _Optional[str] = ..., game: _Optional[str] = ..., rules_version: _Optional[str] = ..., seat: _Optional[int] = ..., seats: _Optional[int] = ..., options_json: _Optional[str] = ..., clock: _Optional[_Union[_match_pb2.Clock, _Mapping]] = ..., cores: _Optional[int] = ..., seed: _Optional[int] = ..., resumed: bool = ..., events: _Optional[_Iterable[_Union[_match_pb2.Event, _Mapping]]] = ..., game_info: _Optional[_Union[GameInfo, _Mapping]] = ...) -> None: ...

class Decide(_message.Message):
    __slots__ = ("match_id", "ply", "observation", "legal_actions", "events", "bank_us", "time_limit_us", "dropped_actions")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    PLY_FIELD_NUMBER: _ClassVar[int]
    OBSERVATION_FIELD_NUMBER: _ClassVar[int]
    LEGAL_ACTIONS_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    BANK_US_FIELD_NUMBER: _ClassVar[int]
    TIME_LIMIT_US_FIELD_NUMBER: _ClassVar[int]
    DROPPED_ACTIONS_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    ply: int
    observation: _any_pb2.Any
    legal_actions: _containers.RepeatedScalarFieldContainer[int]
    events: _containers.RepeatedCompositeFieldContainer[_match_pb2.Event]
    bank_us: int
    time_limit_us: int
    dropped_actions: int
    def __init__(self, match_id: _Optional[str] = ..., ply: _Optional[int] = ..., observation: _Optional[_Union[_any_pb2.Any, _Mapping]] = ..., legal_actions: _Optional[_Iterable[int]] = ..., events: _Optional[_Iterable[_Union[_match_pb2.Event, _Mapping]]] = ..., bank_us: _Optional[int] = ..., time_limit_us: _Optional[int] = ..., dropped_actions: _Optional[int] = ...) -> None: ...

class Act(_message.Message):
    __slots__ = ("match_id", "ply", "actions", "note")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    PLY_FIELD_NUMBER: _ClassVar[int]
    ACTIONS_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    ply: int
    actions: _containers.RepeatedScalarFieldContainer[int]
    note: str
    def __init__(self, match_id: _Optional[str] = ..., ply: _Optional[int] = ..., actions: _Optional[_Iterable[int]] = ..., note: _Optional[str] = ...) -> None: ...

class Resign(_message.Message):
    __slots__ = ("match_id",)
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    def __init__(self, match_id: _Optional[str] = ...) -> None: ...

class Leave(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class MatchFinished(_message.Message):
    __slots__ = ("match_id", "result", "faults", "events")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    result: _match_pb2.Result
    faults: _containers.RepeatedCompositeFieldContainer[_match_pb2.Fault]
    events: _containers.RepeatedCompositeFieldContainer[_match_pb2.Event]
    def __init__(self, match_id: _Optional[str] = ..., result: _Optional[_Union[_match_pb2.Result, _Mapping]] = ..., faults: _Optional[_Iterable[_Union[_match_pb2.Fault, _Mapping]]] = ..., events: _Optional[_Iterable[_Union[_match_pb2.Event, _Mapping]]] = ...) -> None: ...
