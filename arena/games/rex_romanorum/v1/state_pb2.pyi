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
    PHASE_KEEP: _ClassVar[Phase]
    PHASE_GARRISON: _ClassVar[Phase]
    PHASE_BUILD: _ClassVar[Phase]
    PHASE_MOVE_FROM: _ClassVar[Phase]
    PHASE_MOVE_TO: _ClassVar[Phase]
    PHASE_COUNT: _ClassVar[Phase]
    PHASE_PLACE: _ClassVar[Phase]
    PHASE_RAZE: _ClassVar[Phase]
    PHASE_FIGHT: _ClassVar[Phase]
    PHASE_FIGHT_ON: _ClassVar[Phase]
    PHASE_STAND: _ClassVar[Phase]
    PHASE_BISHOP_VOTE: _ClassVar[Phase]
    PHASE_OFFER: _ClassVar[Phase]
    PHASE_KING_VOTE: _ClassVar[Phase]
    PHASE_END: _ClassVar[Phase]
PHASE_UNSPECIFIED: Phase
PHASE_TURN: Phase
PHASE_KEEP: Phase
PHASE_GARRISON: Phase
PHASE_BUILD: Phase
PHASE_MOVE_FROM: Phase
PHASE_MOVE_TO: Phase
PHASE_COUNT: Phase
PHASE_PLACE: Phase
PHASE_RAZE: Phase
PHASE_FIGHT: Phase
PHASE_FIGHT_ON: Phase
PHASE_STAND: Phase
PHASE_BISHOP_VOTE: Phase
PHASE_OFFER: Phase
PHASE_KING_VOTE: Phase
PHASE_END: Phase

class RexRomanorumState(_message.Message):
    __slots__ = ("version", "seats", "phase", "seat", "active", "round", "final", "king", "gold", "titles", "owners", "churches", "castles", "foot", "archers", "knights", "pile", "discards", "drawn", "pending", "election", "options_json")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    FINAL_FIELD_NUMBER: _ClassVar[int]
    KING_FIELD_NUMBER: _ClassVar[int]
    GOLD_FIELD_NUMBER: _ClassVar[int]
    TITLES_FIELD_NUMBER: _ClassVar[int]
    OWNERS_FIELD_NUMBER: _ClassVar[int]
    CHURCHES_FIELD_NUMBER: _ClassVar[int]
    CASTLES_FIELD_NUMBER: _ClassVar[int]
    FOOT_FIELD_NUMBER: _ClassVar[int]
    ARCHERS_FIELD_NUMBER: _ClassVar[int]
    KNIGHTS_FIELD_NUMBER: _ClassVar[int]
    PILE_FIELD_NUMBER: _ClassVar[int]
    DISCARDS_FIELD_NUMBER: _ClassVar[int]
    DRAWN_FIELD_NUMBER: _ClassVar[int]
    PENDING_FIELD_NUMBER: _ClassVar[int]
    ELECTION_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_JSON_FIELD_NUMBER: _ClassVar[int]
    version: int
    seats: int
    phase: Phase
    seat: int
    active: int
    round: int
    final: bool
    king: int
    gold: _containers.RepeatedScalarFieldContainer[int]
    titles: _containers.RepeatedScalarFieldContainer[int]
    owners: bytes
    churches: bytes
    castles: int
    foot: _containers.RepeatedScalarFieldContainer[int]
    archers: _containers.RepeatedScalarFieldContainer[int]
    knights: _containers.RepeatedScalarFieldContainer[int]
    pile: bytes
    discards: bytes
    drawn: bytes
    pending: Pending
    election: Election
    options_json: str
    def __init__(self, version: _Optional[int] = ..., seats: _Optional[int] = ..., phase: _Optional[_Union[Phase, str]] = ..., seat: _Optional[int] = ..., active: _Optional[int] = ..., round: _Optional[int] = ..., final: bool = ..., king: _Optional[int] = ..., gold: _Optional[_Iterable[int]] = ..., titles: _Optional[_Iterable[int]] = ..., owners: _Optional[bytes] = ..., churches: _Optional[bytes] = ..., castles: _Optional[int] = ..., foot: _Optional[_Iterable[int]] = ..., archers: _Optional[_Iterable[int]] = ..., knights: _Optional[_Iterable[int]] = ..., pile: _Optional[bytes] = ..., discards: _Optional[bytes] = ..., drawn: _Optional[bytes] = ..., pending: _Optional[_Union[Pending, _Mapping]] = ..., election: _Optional[_Union[Election, _Mapping]] = ..., options_json: _Optional[str] = ...) -> None: ...

class Pending(_message.Message):
    __slots__ = ("action", "bought", "built", "source", "target", "last", "last_to", "arrived_figures", "arrived_numbers", "undefended", "contested")
    ACTION_FIELD_NUMBER: _ClassVar[int]
    BOUGHT_FIELD_NUMBER: _ClassVar[int]
    BUILT_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    LAST_FIELD_NUMBER: _ClassVar[int]
    LAST_TO_FIELD_NUMBER: _ClassVar[int]
    ARRIVED_FIGURES_FIELD_NUMBER: _ClassVar[int]
    ARRIVED_NUMBERS_FIELD_NUMBER: _ClassVar[int]
    UNDEFENDED_FIELD_NUMBER: _ClassVar[int]
    CONTESTED_FIELD_NUMBER: _ClassVar[int]
    action: int
    bought: bytes
    built: _containers.RepeatedScalarFieldContainer[int]
    source: int
    target: int
    last: int
    last_to: int
    arrived_figures: _containers.RepeatedScalarFieldContainer[int]
    arrived_numbers: _containers.RepeatedScalarFieldContainer[int]
    undefended: bytes
    contested: bytes
    def __init__(self, action: _Optional[int] = ..., bought: _Optional[bytes] = ..., built: _Optional[_Iterable[int]] = ..., source: _Optional[int] = ..., target: _Optional[int] = ..., last: _Optional[int] = ..., last_to: _Optional[int] = ..., arrived_figures: _Optional[_Iterable[int]] = ..., arrived_numbers: _Optional[_Iterable[int]] = ..., undefended: _Optional[bytes] = ..., contested: _Optional[bytes] = ...) -> None: ...

class Election(_message.Message):
    __slots__ = ("diocese", "asked", "at", "candidates", "ballot", "runoff", "votes", "cast", "lowest", "elector", "offers")
    DIOCESE_FIELD_NUMBER: _ClassVar[int]
    ASKED_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    BALLOT_FIELD_NUMBER: _ClassVar[int]
    RUNOFF_FIELD_NUMBER: _ClassVar[int]
    VOTES_FIELD_NUMBER: _ClassVar[int]
    CAST_FIELD_NUMBER: _ClassVar[int]
    LOWEST_FIELD_NUMBER: _ClassVar[int]
    ELECTOR_FIELD_NUMBER: _ClassVar[int]
    OFFERS_FIELD_NUMBER: _ClassVar[int]
    diocese: int
    asked: _containers.RepeatedScalarFieldContainer[int]
    at: int
    candidates: _containers.RepeatedScalarFieldContainer[int]
    ballot: _containers.RepeatedScalarFieldContainer[int]
    runoff: bool
    votes: _containers.RepeatedScalarFieldContainer[int]
    cast: int
    lowest: int
    elector: int
    offers: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, diocese: _Optional[int] = ..., asked: _Optional[_Iterable[int]] = ..., at: _Optional[int] = ..., candidates: _Optional[_Iterable[int]] = ..., ballot: _Optional[_Iterable[int]] = ..., runoff: bool = ..., votes: _Optional[_Iterable[int]] = ..., cast: _Optional[int] = ..., lowest: _Optional[int] = ..., elector: _Optional[int] = ..., offers: _Optional[_Iterable[int]] = ...) -> None: ...
