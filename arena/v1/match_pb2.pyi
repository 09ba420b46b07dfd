from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class FaultCause(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FAULT_CAUSE_UNSPECIFIED: _ClassVar[FaultCause]
    FAULT_CAUSE_START_FAILED: _ClassVar[FaultCause]
    FAULT_CAUSE_PROTOCOL: _ClassVar[FaultCause]
    FAULT_CAUSE_TIMEOUT: _ClassVar[FaultCause]
    FAULT_CAUSE_MALFORMED: _ClassVar[FaultCause]
    FAULT_CAUSE_ILLEGAL_ACTION: _ClassVar[FaultCause]
    FAULT_CAUSE_DISCONNECTED: _ClassVar[FaultCause]
    FAULT_CAUSE_RESOURCE: _ClassVar[FaultCause]
    FAULT_CAUSE_FLOOD: _ClassVar[FaultCause]
FAULT_CAUSE_UNSPECIFIED: FaultCause
FAULT_CAUSE_START_FAILED: FaultCause
FAULT_CAUSE_PROTOCOL: FaultCause
FAULT_CAUSE_TIMEOUT: FaultCause
FAULT_CAUSE_MALFORMED: FaultCause
FAULT_CAUSE_ILLEGAL_ACTION: FaultCause
FAULT_CAUSE_DISCONNECTED: FaultCause
FAULT_CAUSE_RESOURCE: FaultCause
FAULT_CAUSE_FLOOD: FaultCause

class Clock(_message.Message):
    __slots__ = ("decision_limit_us", "bank_us", "increment_us", "start_limit_us", "margin_us")
    DECISION_LIMIT_US_FIELD_NUMBER: _ClassVar[int]
    BANK_US_FIELD_NUMBER: _ClassVar[int]
    INCREMENT_US_FIELD_NUMBER: _ClassVar[int]
    START_LIMIT_US_FIELD_NUMBER: _ClassVar[int]
    MARGIN_US_FIELD_NUMBER: _ClassVar[int]
    decision_limit_us: int
    bank_us: int
    increment_us: int
    start_limit_us: int
    margin_us: int
    def __init__(self, decision_limit_us: _Optional[int] = ..., bank_us: _Optional[int] = ..., increment_us: _Optional[int] = ..., start_limit_us: _Optional[int] = ..., margin_us: _Optional[int] = ...) -> None: ...

class Fault(_message.Message):
    __slots__ = ("cause", "ply", "explanation")
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    PLY_FIELD_NUMBER: _ClassVar[int]
    EXPLANATION_FIELD_NUMBER: _ClassVar[int]
    cause: FaultCause
    ply: int
    explanation: str
    def __init__(self, cause: _Optional[_Union[FaultCause, str]] = ..., ply: _Optional[int] = ..., explanation: _Optional[str] = ...) -> None: ...

class Result(_message.Message):
    __slots__ = ("ranks", "by_rules", "forfeited_seats", "details_json")
    RANKS_FIELD_NUMBER: _ClassVar[int]
    BY_RULES_FIELD_NUMBER: _ClassVar[int]
    FORFEITED_SEATS_FIELD_NUMBER: _ClassVar[int]
    DETAILS_JSON_FIELD_NUMBER: _ClassVar[int]
    ranks: _containers.RepeatedScalarFieldContainer[int]
    by_rules: bool
    forfeited_seats: _containers.RepeatedScalarFieldContainer[int]
    details_json: str
    def __init__(self, ranks: _Optional[_Iterable[int]] = ..., by_rules: bool = ..., forfeited_seats: _Optional[_Iterable[int]] = ..., details_json: _Optional[str] = ...) -> None: ...

class Reveal(_message.Message):
    __slots__ = ("kind", "values")
    KIND_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    kind: str
    values: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, kind: _Optional[str] = ..., values: _Optional[_Iterable[int]] = ...) -> None: ...

class Event(_message.Message):
    __slots__ = ("ply", "seat", "action", "forced", "reveals")
    PLY_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    FORCED_FIELD_NUMBER: _ClassVar[int]
    REVEALS_FIELD_NUMBER: _ClassVar[int]
    ply: int
    seat: int
    action: int
    forced: bool
    reveals: _containers.RepeatedCompositeFieldContainer[Reveal]
    def __init__(self, ply: _Optional[int] = ..., seat: _Optional[int] = ..., action: _Optional[int] = ..., forced: bool = ..., reveals: _Optional[_Iterable[_Union[Reveal, _Mapping]]] = ...) -> None: ...
