from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Phase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PHASE_UNSPECIFIED: _ClassVar[Phase]
    PHASE_TURN: _ClassVar[Phase]
    PHASE_QUEEN_SUB: _ClassVar[Phase]
    PHASE_BUILD: _ClassVar[Phase]
    PHASE_PLACE_P: _ClassVar[Phase]
    PHASE_PLACE_N: _ClassVar[Phase]
    PHASE_MOVE_FROM: _ClassVar[Phase]
    PHASE_MOVE_TO: _ClassVar[Phase]
    PHASE_CONGRESS: _ClassVar[Phase]
    PHASE_KING_TO: _ClassVar[Phase]
    PHASE_KING_LEN: _ClassVar[Phase]
    PHASE_CONGRESS_ASK: _ClassVar[Phase]
    PHASE_INACTIVATE: _ClassVar[Phase]
    PHASE_VIRT: _ClassVar[Phase]
    PHASE_VIRT_TO: _ClassVar[Phase]
    PHASE_POST: _ClassVar[Phase]
    PHASE_ORDER: _ClassVar[Phase]
    PHASE_END: _ClassVar[Phase]

class Rulebook(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RULEBOOK_UNSPECIFIED: _ClassVar[Rulebook]
    RULEBOOK_CANONICAL: _ClassVar[Rulebook]
    RULEBOOK_EN: _ClassVar[Rulebook]
    RULEBOOK_DE: _ClassVar[Rulebook]
    RULEBOOK_IT: _ClassVar[Rulebook]
    RULEBOOK_FR: _ClassVar[Rulebook]
PHASE_UNSPECIFIED: Phase
PHASE_TURN: Phase
PHASE_QUEEN_SUB: Phase
PHASE_BUILD: Phase
PHASE_PLACE_P: Phase
PHASE_PLACE_N: Phase
PHASE_MOVE_FROM: Phase
PHASE_MOVE_TO: Phase
PHASE_CONGRESS: Phase
PHASE_KING_TO: Phase
PHASE_KING_LEN: Phase
PHASE_CONGRESS_ASK: Phase
PHASE_INACTIVATE: Phase
PHASE_VIRT: Phase
PHASE_VIRT_TO: Phase
PHASE_POST: Phase
PHASE_ORDER: Phase
PHASE_END: Phase
RULEBOOK_UNSPECIFIED: Rulebook
RULEBOOK_CANONICAL: Rulebook
RULEBOOK_EN: Rulebook
RULEBOOK_DE: Rulebook
RULEBOOK_IT: Rulebook
RULEBOOK_FR: Rulebook

class Options(_message.Message):
    __slots__ = ("rulebook", "queen_occupied_by_others", "congress_on_empty", "virtual_discs", "virtual_can_win", "bank", "max_rounds")
    RULEBOOK_FIELD_NUMBER: _ClassVar[int]
    QUEEN_OCCUPIED_BY_OTHERS_FIELD_NUMBER: _ClassVar[int]
    CONGRESS_ON_EMPTY_FIELD_NUMBER: _ClassVar[int]
    VIRTUAL_DISCS_FIELD_NUMBER: _ClassVar[int]
    VIRTUAL_CAN_WIN_FIELD_NUMBER: _ClassVar[int]
    BANK_FIELD_NUMBER: _ClassVar[int]
    MAX_ROUNDS_FIELD_NUMBER: _ClassVar[int]
    rulebook: Rulebook
    queen_occupied_by_others: bool
    congress_on_empty: bool
    virtual_discs: int
    virtual_can_win: bool
    bank: int
    max_rounds: int
    def __init__(self, rulebook: _Optional[_Union[Rulebook, str]] = ..., queen_occupied_by_others: bool = ..., congress_on_empty: bool = ..., virtual_discs: _Optional[int] = ..., virtual_can_win: bool = ..., bank: _Optional[int] = ..., max_rounds: _Optional[int] = ...) -> None: ...

class ForeignKingState(_message.Message):
    __slots__ = ("version", "seats", "phase", "seat", "active", "round", "order", "king", "marker", "scores", "hand", "congress", "discs", "francs", "medals", "loans", "pawns", "factories", "supply", "claims", "options", "pending_province", "pending_steps", "pending_last", "pending_asked", "pending_units", "pending_used")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_FIELD_NUMBER: _ClassVar[int]
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
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    PENDING_PROVINCE_FIELD_NUMBER: _ClassVar[int]
    PENDING_STEPS_FIELD_NUMBER: _ClassVar[int]
    PENDING_LAST_FIELD_NUMBER: _ClassVar[int]
    PENDING_ASKED_FIELD_NUMBER: _ClassVar[int]
    PENDING_UNITS_FIELD_NUMBER: _ClassVar[int]
    PENDING_USED_FIELD_NUMBER: _ClassVar[int]
    version: int
    seats: int
    phase: Phase
    seat: int
    active: int
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
    options: Options
    pending_province: int
    pending_steps: int
    pending_last: int
    pending_asked: _containers.RepeatedScalarFieldContainer[int]
    pending_units: int
    pending_used: int
    def __init__(self, version: _Optional[int] = ..., seats: _Optional[int] = ..., phase: _Optional[_Union[Phase, str]] = ..., seat: _Optional[int] = ..., active: _Optional[int] = ..., round: _Optional[int] = ..., order: _Optional[_Iterable[int]] = ..., king: _Optional[int] = ..., marker: _Optional[int] = ..., scores: _Optional[_Iterable[int]] = ..., hand: _Optional[_Iterable[int]] = ..., congress: _Optional[_Iterable[int]] = ..., discs: _Optional[_Iterable[int]] = ..., francs: _Optional[_Iterable[int]] = ..., medals: _Optional[_Iterable[int]] = ..., loans: _Optional[_Iterable[int]] = ..., pawns: _Optional[_Iterable[int]] = ..., factories: _Optional[_Iterable[int]] = ..., supply: _Optional[_Iterable[int]] = ..., claims: _Optional[_Iterable[int]] = ..., options: _Optional[_Union[Options, _Mapping]] = ..., pending_province: _Optional[int] = ..., pending_steps: _Optional[int] = ..., pending_last: _Optional[int] = ..., pending_asked: _Optional[_Iterable[int]] = ..., pending_units: _Optional[int] = ..., pending_used: _Optional[int] = ...) -> None: ...
