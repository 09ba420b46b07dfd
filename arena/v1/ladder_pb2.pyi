from arena.v1 import pool_pb2 as _pool_pb2
from arena.v1 import tournament_pb2 as _tournament_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ListLaddersRequest(_message.Message):
    __slots__ = ("limit", "after")
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    limit: int
    after: str
    def __init__(self, limit: _Optional[int] = ..., after: _Optional[str] = ...) -> None: ...

class ListLaddersResponse(_message.Message):
    __slots__ = ("items", "next")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[Ladder]
    next: str
    def __init__(self, items: _Optional[_Iterable[_Union[Ladder, _Mapping]]] = ..., next: _Optional[str] = ...) -> None: ...

class GetLadderRequest(_message.Message):
    __slots__ = ("ladder",)
    LADDER_FIELD_NUMBER: _ClassVar[int]
    ladder: str
    def __init__(self, ladder: _Optional[str] = ...) -> None: ...

class GetLadderResponse(_message.Message):
    __slots__ = ("ladder",)
    LADDER_FIELD_NUMBER: _ClassVar[int]
    ladder: Ladder
    def __init__(self, ladder: _Optional[_Union[Ladder, _Mapping]] = ...) -> None: ...

class ListSeasonsRequest(_message.Message):
    __slots__ = ("ladder", "limit", "after")
    LADDER_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    ladder: str
    limit: int
    after: str
    def __init__(self, ladder: _Optional[str] = ..., limit: _Optional[int] = ..., after: _Optional[str] = ...) -> None: ...

class ListSeasonsResponse(_message.Message):
    __slots__ = ("items", "next")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[LadderSeason]
    next: str
    def __init__(self, items: _Optional[_Iterable[_Union[LadderSeason, _Mapping]]] = ..., next: _Optional[str] = ...) -> None: ...

class GetSeasonTableRequest(_message.Message):
    __slots__ = ("ladder", "number", "limit", "after")
    LADDER_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    ladder: str
    number: int
    limit: int
    after: str
    def __init__(self, ladder: _Optional[str] = ..., number: _Optional[int] = ..., limit: _Optional[int] = ..., after: _Optional[str] = ...) -> None: ...

class GetSeasonTableResponse(_message.Message):
    __slots__ = ("season_table",)
    SEASON_TABLE_FIELD_NUMBER: _ClassVar[int]
    season_table: SeasonTable
    def __init__(self, season_table: _Optional[_Union[SeasonTable, _Mapping]] = ...) -> None: ...

class Ladder(_message.Message):
    __slots__ = ("id", "name", "pool", "settings_json", "opened_at_us", "closed_at_us", "closed_because", "season", "tournament", "bots", "absent", "pace", "note", "closed_because_text_json", "note_text_json")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    POOL_FIELD_NUMBER: _ClassVar[int]
    SETTINGS_JSON_FIELD_NUMBER: _ClassVar[int]
    OPENED_AT_US_FIELD_NUMBER: _ClassVar[int]
    CLOSED_AT_US_FIELD_NUMBER: _ClassVar[int]
    CLOSED_BECAUSE_FIELD_NUMBER: _ClassVar[int]
    SEASON_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    ABSENT_FIELD_NUMBER: _ClassVar[int]
    PACE_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    CLOSED_BECAUSE_TEXT_JSON_FIELD_NUMBER: _ClassVar[int]
    NOTE_TEXT_JSON_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    pool: _pool_pb2.Pool
    settings_json: str
    opened_at_us: int
    closed_at_us: int
    closed_because: str
    season: int
    tournament: str
    bots: int
    absent: _containers.RepeatedCompositeFieldContainer[AbsentBot]
    pace: int
    note: str
    closed_because_text_json: str
    note_text_json: str
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ..., pool: _Optional[_Union[_pool_pb2.Pool, _Mapping]] = ..., settings_json: _Optional[str] = ..., opened_at_us: _Optional[int] = ..., closed_at_us: _Optional[int] = ..., closed_because: _Optional[str] = ..., season: _Optional[int] = ..., tournament: _Optional[str] = ..., bots: _Optional[int] = ..., absent: _Optional[_Iterable[_Union[AbsentBot, _Mapping]]] = ..., pace: _Optional[int] = ..., note: _Optional[str] = ..., closed_because_text_json: _Optional[str] = ..., note_text_json: _Optional[str] = ...) -> None: ...

class AbsentBot(_message.Message):
    __slots__ = ("bot", "content_hash", "why", "since_us", "why_text_json")
    BOT_FIELD_NUMBER: _ClassVar[int]
    CONTENT_HASH_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    SINCE_US_FIELD_NUMBER: _ClassVar[int]
    WHY_TEXT_JSON_FIELD_NUMBER: _ClassVar[int]
    bot: str
    content_hash: str
    why: str
    since_us: int
    why_text_json: str
    def __init__(self, bot: _Optional[str] = ..., content_hash: _Optional[str] = ..., why: _Optional[str] = ..., since_us: _Optional[int] = ..., why_text_json: _Optional[str] = ...) -> None: ...

class LadderSeason(_message.Message):
    __slots__ = ("ladder", "number", "name", "tournament", "opened_at_us", "freezes_at_us", "frozen_at_us", "final_tournament", "closed_at_us", "secret")
    LADDER_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    OPENED_AT_US_FIELD_NUMBER: _ClassVar[int]
    FREEZES_AT_US_FIELD_NUMBER: _ClassVar[int]
    FROZEN_AT_US_FIELD_NUMBER: _ClassVar[int]
    FINAL_TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    CLOSED_AT_US_FIELD_NUMBER: _ClassVar[int]
    SECRET_FIELD_NUMBER: _ClassVar[int]
    ladder: str
    number: int
    name: str
    tournament: str
    opened_at_us: int
    freezes_at_us: int
    frozen_at_us: int
    final_tournament: str
    closed_at_us: int
    secret: str
    def __init__(self, ladder: _Optional[str] = ..., number: _Optional[int] = ..., name: _Optional[str] = ..., tournament: _Optional[str] = ..., opened_at_us: _Optional[int] = ..., freezes_at_us: _Optional[int] = ..., frozen_at_us: _Optional[int] = ..., final_tournament: _Optional[str] = ..., closed_at_us: _Optional[int] = ..., secret: _Optional[str] = ...) -> None: ...

class SeasonTable(_message.Message):
    __slots__ = ("season", "rows", "next")
    SEASON_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    season: LadderSeason
    rows: _containers.RepeatedCompositeFieldContainer[SeasonRow]
    next: str
    def __init__(self, season: _Optional[_Union[LadderSeason, _Mapping]] = ..., rows: _Optional[_Iterable[_Union[SeasonRow, _Mapping]]] = ..., next: _Optional[str] = ...) -> None: ...

class SeasonRow(_message.Message):
    __slots__ = ("facts_json",)
    FACTS_JSON_FIELD_NUMBER: _ClassVar[int]
    facts_json: str
    def __init__(self, facts_json: _Optional[str] = ...) -> None: ...

class LadderRequest(_message.Message):
    __slots__ = ("name", "tournament", "matches_per_day", "season", "remote")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    MATCHES_PER_DAY_FIELD_NUMBER: _ClassVar[int]
    SEASON_FIELD_NUMBER: _ClassVar[int]
    REMOTE_FIELD_NUMBER: _ClassVar[int]
    name: str
    tournament: _tournament_pb2.TournamentRequest
    matches_per_day: int
    season: str
    remote: bool
    def __init__(self, name: _Optional[str] = ..., tournament: _Optional[_Union[_tournament_pb2.TournamentRequest, _Mapping]] = ..., matches_per_day: _Optional[int] = ..., season: _Optional[str] = ..., remote: bool = ...) -> None: ...
