from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class ForeignKingState(_message.Message):
    __slots__ = ("version", "seats", "seat", "active", "phase", "round", "order", "king", "marker", "scores", "hand", "congress", "discs", "francs", "medals", "loans", "pawns", "factories", "supply", "claims", "pending_json", "options_json")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    KING_FIELD_NUMBER: _ClassVar[int]
    MARKER_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    CONGRESS_FIELD_NUMBER: _ClassVar[int]
    DISCS_FIELD_NUMBER: _ClassVar[int]
    FRANCS_FIELD_NUMBER: _ClassVar[int]
    MEDALS_FIELD_NUMBER: _ClassVar[int]
    LOANS_FIELD_NUMBER: _ClassVar[int]
    PAWNS_FIELD_NUMBER: _ClassVar[int]
    FACTORIES_FIELD_NUMBER: _ClassVar[int]
    SUPPLY_FIELD_NUMBER: _ClassVar[int]
    CLAIMS_FIELD_NUMBER: _ClassVar[int]
    PENDING_JSON_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_JSON_FIELD_NUMBER: _ClassVar[int]
    version: int
    seats: int
    seat: int
    active: int
    phase: str
    round: int
    order: _containers.RepeatedScalarFieldContainer[int]
    king: int
    marker: int
    scores: _containers.RepeatedScalarFieldContainer[int]
    hand: _containers.RepeatedScalarFieldContainer[int]
    congress: _containers.RepeatedScalarFieldContainer[int]
    discs: _containers.RepeatedScalarFieldContainer[int]
    francs: _containers.RepeatedScalarFieldContainer[int]
    medals: _containers.RepeatedScalarFieldContainer[int]
    loans: _containers.RepeatedScalarFieldContainer[int]
    pawns: _containers.RepeatedScalarFieldContainer[int]
    factories: _containers.RepeatedScalarFieldContainer[int]
    supply: _containers.RepeatedScalarFieldContainer[int]
    claims: _containers.RepeatedScalarFieldContainer[int]
    pending_json: str
    options_json: str
    def __init__(self, version: _Optional[int] = ..., seats: _Optional[int] = ..., seat: _Optional[int] = ..., active: _Optional[int] = ..., phase: _Optional[str] = ..., round: _Optional[int] = ..., order: _Optional[_Iterable[int]] = ..., king: _Optional[int] = ..., marker: _Optional[int] = ..., scores: _Optional[_Iterable[int]] = ..., hand: _Optional[_Iterable[int]] = ..., congress: _Optional[_Iterable[int]] = ..., discs: _Optional[_Iterable[int]] = ..., francs: _Optional[_Iterable[int]] = ..., medals: _Optional[_Iterable[int]] = ..., loans: _Optional[_Iterable[int]] = ..., pawns: _Optional[_Iterable[int]] = ..., factories: _Optional[_Iterable[int]] = ..., supply: _Optional[_Iterable[int]] = ..., claims: _Optional[_Iterable[int]] = ..., pending_json: _Optional[str] = ..., options_json: _Optional[str] = ...) -> None: ...
