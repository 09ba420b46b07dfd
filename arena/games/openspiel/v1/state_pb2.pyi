from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class OpenSpielState(_message.Message):
    __slots__ = ("version", "game", "turn", "text", "history", "observer", "legal", "ranks", "words", "knows_last_action", "sample")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    HISTORY_FIELD_NUMBER: _ClassVar[int]
    OBSERVER_FIELD_NUMBER: _ClassVar[int]
    LEGAL_FIELD_NUMBER: _ClassVar[int]
    RANKS_FIELD_NUMBER: _ClassVar[int]
    WORDS_FIELD_NUMBER: _ClassVar[int]
    KNOWS_LAST_ACTION_FIELD_NUMBER: _ClassVar[int]
    SAMPLE_FIELD_NUMBER: _ClassVar[int]
    version: int
    game: str
    turn: int
    text: str
    history: _containers.RepeatedScalarFieldContainer[int]
    observer: int
    legal: _containers.RepeatedScalarFieldContainer[int]
    ranks: _containers.RepeatedScalarFieldContainer[int]
    words: _containers.RepeatedScalarFieldContainer[str]
    knows_last_action: bool
    sample: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, version: _Optional[int] = ..., game: _Optional[str] = ..., turn: _Optional[int] = ..., text: _Optional[str] = ..., history: _Optional[_Iterable[int]] = ..., observer: _Optional[int] = ..., legal: _Optional[_Iterable[int]] = ..., ranks: _Optional[_Iterable[int]] = ..., words: _Optional[_Iterable[str]] = ..., knows_last_action: bool = ..., sample: _Optional[_Iterable[int]] = ...) -> None: ...
