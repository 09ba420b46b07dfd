from arena.v1 import pool_pb2 as _pool_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ListLeaderboardsRequest(_message.Message):
    __slots__ = ("game", "seats", "pool", "limit", "after")
    GAME_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    POOL_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    game: str
    seats: int
    pool: str
    limit: int
    after: str
    def __init__(self, game: _Optional[str] = ..., seats: _Optional[int] = ..., pool: _Optional[str] = ..., limit: _Optional[int] = ..., after: _Optional[str] = ...) -> None: ...

class ListLeaderboardsResponse(_message.Message):
    __slots__ = ("leaderboard_list",)
    LEADERBOARD_LIST_FIELD_NUMBER: _ClassVar[int]
    leaderboard_list: LeaderboardList
    def __init__(self, leaderboard_list: _Optional[_Union[LeaderboardList, _Mapping]] = ...) -> None: ...

class GetCrosstableRequest(_message.Message):
    __slots__ = ("tournament", "pool", "limit")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    POOL_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    pool: str
    limit: int
    def __init__(self, tournament: _Optional[str] = ..., pool: _Optional[str] = ..., limit: _Optional[int] = ...) -> None: ...

class GetCrosstableResponse(_message.Message):
    __slots__ = ("crosstable",)
    CROSSTABLE_FIELD_NUMBER: _ClassVar[int]
    crosstable: Crosstable
    def __init__(self, crosstable: _Optional[_Union[Crosstable, _Mapping]] = ...) -> None: ...

class ListHistoryRequest(_message.Message):
    __slots__ = ("bot", "pool", "limit", "after")
    BOT_FIELD_NUMBER: _ClassVar[int]
    POOL_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    bot: str
    pool: str
    limit: int
    after: str
    def __init__(self, bot: _Optional[str] = ..., pool: _Optional[str] = ..., limit: _Optional[int] = ..., after: _Optional[str] = ...) -> None: ...

class ListHistoryResponse(_message.Message):
    __slots__ = ("items", "next")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[RatingChange]
    next: str
    def __init__(self, items: _Optional[_Iterable[_Union[RatingChange, _Mapping]]] = ..., next: _Optional[str] = ...) -> None: ...

class ListOpponentsRequest(_message.Message):
    __slots__ = ("bot", "tournament", "pool", "limit", "after")
    BOT_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    POOL_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    bot: str
    tournament: str
    pool: str
    limit: int
    after: str
    def __init__(self, bot: _Optional[str] = ..., tournament: _Optional[str] = ..., pool: _Optional[str] = ..., limit: _Optional[int] = ..., after: _Optional[str] = ...) -> None: ...

class ListOpponentsResponse(_message.Message):
    __slots__ = ("items", "next")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[Meeting]
    next: str
    def __init__(self, items: _Optional[_Iterable[_Union[Meeting, _Mapping]]] = ..., next: _Optional[str] = ...) -> None: ...

class ListSeatsRequest(_message.Message):
    __slots__ = ("bot", "tournament", "pool")
    BOT_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    POOL_FIELD_NUMBER: _ClassVar[int]
    bot: str
    tournament: str
    pool: str
    def __init__(self, bot: _Optional[str] = ..., tournament: _Optional[str] = ..., pool: _Optional[str] = ...) -> None: ...

class ListSeatsResponse(_message.Message):
    __slots__ = ("items",)
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[SeatResult]
    def __init__(self, items: _Optional[_Iterable[_Union[SeatResult, _Mapping]]] = ...) -> None: ...

class ListLengthsRequest(_message.Message):
    __slots__ = ("tournament", "pool")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    POOL_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    pool: str
    def __init__(self, tournament: _Optional[str] = ..., pool: _Optional[str] = ...) -> None: ...

class ListLengthsResponse(_message.Message):
    __slots__ = ("items",)
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[Spread]
    def __init__(self, items: _Optional[_Iterable[_Union[Spread, _Mapping]]] = ...) -> None: ...

class GetOfficialTableRequest(_message.Message):
    __slots__ = ("pool", "anchors", "confidence", "limit", "after", "circles")
    POOL_FIELD_NUMBER: _ClassVar[int]
    ANCHORS_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    CIRCLES_FIELD_NUMBER: _ClassVar[int]
    pool: str
    anchors: _containers.RepeatedCompositeFieldContainer[Anchor]
    confidence: float
    limit: int
    after: str
    circles: bool
    def __init__(self, pool: _Optional[str] = ..., anchors: _Optional[_Iterable[_Union[Anchor, _Mapping]]] = ..., confidence: _Optional[float] = ..., limit: _Optional[int] = ..., after: _Optional[str] = ..., circles: bool = ...) -> None: ...

class GetOfficialTableResponse(_message.Message):
    __slots__ = ("official_table",)
    OFFICIAL_TABLE_FIELD_NUMBER: _ClassVar[int]
    official_table: OfficialTable
    def __init__(self, official_table: _Optional[_Union[OfficialTable, _Mapping]] = ...) -> None: ...

class GetOverallTableRequest(_message.Message):
    __slots__ = ("pools", "games", "methods", "confidence")
    POOLS_FIELD_NUMBER: _ClassVar[int]
    GAMES_FIELD_NUMBER: _ClassVar[int]
    METHODS_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    pools: _containers.RepeatedScalarFieldContainer[str]
    games: _containers.RepeatedScalarFieldContainer[str]
    methods: _containers.RepeatedScalarFieldContainer[str]
    confidence: float
    def __init__(self, pools: _Optional[_Iterable[str]] = ..., games: _Optional[_Iterable[str]] = ..., methods: _Optional[_Iterable[str]] = ..., confidence: _Optional[float] = ...) -> None: ...

class GetOverallTableResponse(_message.Message):
    __slots__ = ("overall_table",)
    OVERALL_TABLE_FIELD_NUMBER: _ClassVar[int]
    overall_table: OverallTable
    def __init__(self, overall_table: _Optional[_Union[OverallTable, _Mapping]] = ...) -> None: ...

class ListSuspicionsRequest(_message.Message):
    __slots__ = ("pool", "alarm", "limit", "after")
    POOL_FIELD_NUMBER: _ClassVar[int]
    ALARM_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    pool: str
    alarm: float
    limit: int
    after: str
    def __init__(self, pool: _Optional[str] = ..., alarm: _Optional[float] = ..., limit: _Optional[int] = ..., after: _Optional[str] = ...) -> None: ...

class ListSuspicionsResponse(_message.Message):
    __slots__ = ("items", "next")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[Suspicion]
    next: str
    def __init__(self, items: _Optional[_Iterable[_Union[Suspicion, _Mapping]]] = ..., next: _Optional[str] = ...) -> None: ...

class GetFairPlayRequest(_message.Message):
    __slots__ = ("pool", "alarm", "limit", "after")
    POOL_FIELD_NUMBER: _ClassVar[int]
    ALARM_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    pool: str
    alarm: float
    limit: int
    after: str
    def __init__(self, pool: _Optional[str] = ..., alarm: _Optional[float] = ..., limit: _Optional[int] = ..., after: _Optional[str] = ...) -> None: ...

class GetFairPlayResponse(_message.Message):
    __slots__ = ("fair_play",)
    FAIR_PLAY_FIELD_NUMBER: _ClassVar[int]
    fair_play: FairPlay
    def __init__(self, fair_play: _Optional[_Union[FairPlay, _Mapping]] = ...) -> None: ...

class LeaderboardList(_message.Message):
    __slots__ = ("boards", "is_empty", "next")
    BOARDS_FIELD_NUMBER: _ClassVar[int]
    IS_EMPTY_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    boards: _containers.RepeatedCompositeFieldContainer[Leaderboard]
    is_empty: bool
    next: str
    def __init__(self, boards: _Optional[_Iterable[_Union[Leaderboard, _Mapping]]] = ..., is_empty: bool = ..., next: _Optional[str] = ...) -> None: ...

class Leaderboard(_message.Message):
    __slots__ = ("pool", "matches", "table", "behind", "next")
    POOL_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    BEHIND_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    pool: _pool_pb2.Pool
    matches: int
    table: _containers.RepeatedCompositeFieldContainer[LeaderboardRow]
    behind: int
    next: str
    def __init__(self, pool: _Optional[_Union[_pool_pb2.Pool, _Mapping]] = ..., matches: _Optional[int] = ..., table: _Optional[_Iterable[_Union[LeaderboardRow, _Mapping]]] = ..., behind: _Optional[int] = ..., next: _Optional[str] = ...) -> None: ...

class LeaderboardRow(_message.Message):
    __slots__ = ("rank", "version_id", "bot", "number", "content_hash", "owner", "mu", "sigma", "exposure", "matches", "wins", "score", "disabled", "shared", "draws")
    RANK_FIELD_NUMBER: _ClassVar[int]
    VERSION_ID_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    CONTENT_HASH_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    MU_FIELD_NUMBER: _ClassVar[int]
    SIGMA_FIELD_NUMBER: _ClassVar[int]
    EXPOSURE_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    WINS_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    DISABLED_FIELD_NUMBER: _ClassVar[int]
    SHARED_FIELD_NUMBER: _ClassVar[int]
    DRAWS_FIELD_NUMBER: _ClassVar[int]
    rank: int
    version_id: str
    bot: str
    number: int
    content_hash: str
    owner: str
    mu: float
    sigma: float
    exposure: float
    matches: int
    wins: int
    score: float
    disabled: bool
    shared: int
    draws: int
    def __init__(self, rank: _Optional[int] = ..., version_id: _Optional[str] = ..., bot: _Optional[str] = ..., number: _Optional[int] = ..., content_hash: _Optional[str] = ..., owner: _Optional[str] = ..., mu: _Optional[float] = ..., sigma: _Optional[float] = ..., exposure: _Optional[float] = ..., matches: _Optional[int] = ..., wins: _Optional[int] = ..., score: _Optional[float] = ..., disabled: bool = ..., shared: _Optional[int] = ..., draws: _Optional[int] = ...) -> None: ...

class Crosstable(_message.Message):
    __slots__ = ("versions", "meetings")
    VERSIONS_FIELD_NUMBER: _ClassVar[int]
    MEETINGS_FIELD_NUMBER: _ClassVar[int]
    versions: _containers.RepeatedCompositeFieldContainer[Counted]
    meetings: _containers.RepeatedCompositeFieldContainer[Meeting]
    def __init__(self, versions: _Optional[_Iterable[_Union[Counted, _Mapping]]] = ..., meetings: _Optional[_Iterable[_Union[Meeting, _Mapping]]] = ...) -> None: ...

class Counted(_message.Message):
    __slots__ = ("version_id", "name")
    VERSION_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    version_id: str
    name: str
    def __init__(self, version_id: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class Meeting(_message.Message):
    __slots__ = ("bot", "opponent", "version_id", "opponent_id", "matches", "points", "score", "wins", "ties", "losses")
    BOT_FIELD_NUMBER: _ClassVar[int]
    OPPONENT_FIELD_NUMBER: _ClassVar[int]
    VERSION_ID_FIELD_NUMBER: _ClassVar[int]
    OPPONENT_ID_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    WINS_FIELD_NUMBER: _ClassVar[int]
    TIES_FIELD_NUMBER: _ClassVar[int]
    LOSSES_FIELD_NUMBER: _ClassVar[int]
    bot: str
    opponent: str
    version_id: str
    opponent_id: str
    matches: int
    points: int
    score: float
    wins: int
    ties: int
    losses: int
    def __init__(self, bot: _Optional[str] = ..., opponent: _Optional[str] = ..., version_id: _Optional[str] = ..., opponent_id: _Optional[str] = ..., matches: _Optional[int] = ..., points: _Optional[int] = ..., score: _Optional[float] = ..., wins: _Optional[int] = ..., ties: _Optional[int] = ..., losses: _Optional[int] = ...) -> None: ...

class RatingChange(_message.Message):
    __slots__ = ("match_id", "seat", "pool_id", "version_id", "rating_seq", "mu_before", "sigma_before", "mu_after", "sigma_after", "exposure")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    POOL_ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_ID_FIELD_NUMBER: _ClassVar[int]
    RATING_SEQ_FIELD_NUMBER: _ClassVar[int]
    MU_BEFORE_FIELD_NUMBER: _ClassVar[int]
    SIGMA_BEFORE_FIELD_NUMBER: _ClassVar[int]
    MU_AFTER_FIELD_NUMBER: _ClassVar[int]
    SIGMA_AFTER_FIELD_NUMBER: _ClassVar[int]
    EXPOSURE_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    seat: int
    pool_id: str
    version_id: str
    rating_seq: int
    mu_before: float
    sigma_before: float
    mu_after: float
    sigma_after: float
    exposure: float
    def __init__(self, match_id: _Optional[str] = ..., seat: _Optional[int] = ..., pool_id: _Optional[str] = ..., version_id: _Optional[str] = ..., rating_seq: _Optional[int] = ..., mu_before: _Optional[float] = ..., sigma_before: _Optional[float] = ..., mu_after: _Optional[float] = ..., sigma_after: _Optional[float] = ..., exposure: _Optional[float] = ...) -> None: ...

class SeatResult(_message.Message):
    __slots__ = ("seat", "matches", "wins", "score", "forfeits", "shared", "draws")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    WINS_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    FORFEITS_FIELD_NUMBER: _ClassVar[int]
    SHARED_FIELD_NUMBER: _ClassVar[int]
    DRAWS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    matches: int
    wins: int
    score: float
    forfeits: int
    shared: int
    draws: int
    def __init__(self, seat: _Optional[int] = ..., matches: _Optional[int] = ..., wins: _Optional[int] = ..., score: _Optional[float] = ..., forfeits: _Optional[int] = ..., shared: _Optional[int] = ..., draws: _Optional[int] = ...) -> None: ...

class Spread(_message.Message):
    __slots__ = ("measure", "matches", "least", "median", "mean", "most", "p95")
    MEASURE_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    LEAST_FIELD_NUMBER: _ClassVar[int]
    MEDIAN_FIELD_NUMBER: _ClassVar[int]
    MEAN_FIELD_NUMBER: _ClassVar[int]
    MOST_FIELD_NUMBER: _ClassVar[int]
    P95_FIELD_NUMBER: _ClassVar[int]
    measure: str
    matches: int
    least: int
    median: int
    mean: float
    most: int
    p95: int
    def __init__(self, measure: _Optional[str] = ..., matches: _Optional[int] = ..., least: _Optional[int] = ..., median: _Optional[int] = ..., mean: _Optional[float] = ..., most: _Optional[int] = ..., p95: _Optional[int] = ...) -> None: ...

class Anchor(_message.Message):
    __slots__ = ("bot", "elo")
    BOT_FIELD_NUMBER: _ClassVar[int]
    ELO_FIELD_NUMBER: _ClassVar[int]
    bot: str
    elo: float
    def __init__(self, bot: _Optional[str] = ..., elo: _Optional[float] = ...) -> None: ...

class OfficialTable(_message.Message):
    __slots__ = ("pool", "confidence", "matches", "blocks", "repeats", "groups", "dispersion", "rows", "seats", "next", "circles", "circle_count", "threes", "unsteady")
    POOL_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    BLOCKS_FIELD_NUMBER: _ClassVar[int]
    REPEATS_FIELD_NUMBER: _ClassVar[int]
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    DISPERSION_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    CIRCLES_FIELD_NUMBER: _ClassVar[int]
    CIRCLE_COUNT_FIELD_NUMBER: _ClassVar[int]
    THREES_FIELD_NUMBER: _ClassVar[int]
    UNSTEADY_FIELD_NUMBER: _ClassVar[int]
    pool: _pool_pb2.Pool
    confidence: float
    matches: int
    blocks: int
    repeats: int
    groups: int
    dispersion: float
    rows: _containers.RepeatedCompositeFieldContainer[OfficialRow]
    seats: _containers.RepeatedCompositeFieldContainer[SeatAdvantage]
    next: str
    circles: _containers.RepeatedCompositeFieldContainer[Circle]
    circle_count: int
    threes: int
    unsteady: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, pool: _Optional[_Union[_pool_pb2.Pool, _Mapping]] = ..., confidence: _Optional[float] = ..., matches: _Optional[int] = ..., blocks: _Optional[int] = ..., repeats: _Optional[int] = ..., groups: _Optional[int] = ..., dispersion: _Optional[float] = ..., rows: _Optional[_Iterable[_Union[OfficialRow, _Mapping]]] = ..., seats: _Optional[_Iterable[_Union[SeatAdvantage, _Mapping]]] = ..., next: _Optional[str] = ..., circles: _Optional[_Iterable[_Union[Circle, _Mapping]]] = ..., circle_count: _Optional[int] = ..., threes: _Optional[int] = ..., unsteady: _Optional[_Iterable[str]] = ...) -> None: ...

class Circle(_message.Message):
    __slots__ = ("versions", "bots", "shares", "blocks", "elo", "chance")
    VERSIONS_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    SHARES_FIELD_NUMBER: _ClassVar[int]
    BLOCKS_FIELD_NUMBER: _ClassVar[int]
    ELO_FIELD_NUMBER: _ClassVar[int]
    CHANCE_FIELD_NUMBER: _ClassVar[int]
    versions: _containers.RepeatedScalarFieldContainer[str]
    bots: _containers.RepeatedScalarFieldContainer[str]
    shares: _containers.RepeatedScalarFieldContainer[float]
    blocks: _containers.RepeatedScalarFieldContainer[int]
    elo: float
    chance: float
    def __init__(self, versions: _Optional[_Iterable[str]] = ..., bots: _Optional[_Iterable[str]] = ..., shares: _Optional[_Iterable[float]] = ..., blocks: _Optional[_Iterable[int]] = ..., elo: _Optional[float] = ..., chance: _Optional[float] = ...) -> None: ...

class OfficialRow(_message.Message):
    __slots__ = ("version", "bot", "strength", "low", "high", "elo", "elo_low", "elo_high", "rank", "best_rank", "worst_rank", "matches", "is_anchor", "group", "above_next", "stronger", "mixture_share", "mixture_elo")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    STRENGTH_FIELD_NUMBER: _ClassVar[int]
    LOW_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    ELO_FIELD_NUMBER: _ClassVar[int]
    ELO_LOW_FIELD_NUMBER: _ClassVar[int]
    ELO_HIGH_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    BEST_RANK_FIELD_NUMBER: _ClassVar[int]
    WORST_RANK_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    IS_ANCHOR_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    ABOVE_NEXT_FIELD_NUMBER: _ClassVar[int]
    STRONGER_FIELD_NUMBER: _ClassVar[int]
    MIXTURE_SHARE_FIELD_NUMBER: _ClassVar[int]
    MIXTURE_ELO_FIELD_NUMBER: _ClassVar[int]
    version: str
    bot: str
    strength: float
    low: float
    high: float
    elo: float
    elo_low: float
    elo_high: float
    rank: int
    best_rank: int
    worst_rank: int
    matches: int
    is_anchor: bool
    group: int
    above_next: float
    stronger: _containers.RepeatedScalarFieldContainer[float]
    mixture_share: float
    mixture_elo: float
    def __init__(self, version: _Optional[str] = ..., bot: _Optional[str] = ..., strength: _Optional[float] = ..., low: _Optional[float] = ..., high: _Optional[float] = ..., elo: _Optional[float] = ..., elo_low: _Optional[float] = ..., elo_high: _Optional[float] = ..., rank: _Optional[int] = ..., best_rank: _Optional[int] = ..., worst_rank: _Optional[int] = ..., matches: _Optional[int] = ..., is_anchor: bool = ..., group: _Optional[int] = ..., above_next: _Optional[float] = ..., stronger: _Optional[_Iterable[float]] = ..., mixture_share: _Optional[float] = ..., mixture_elo: _Optional[float] = ...) -> None: ...

class OverallTable(_message.Message):
    __slots__ = ("confidence", "pools", "methods", "rows", "apart", "met", "groups", "share", "left_out")
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    POOLS_FIELD_NUMBER: _ClassVar[int]
    METHODS_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    APART_FIELD_NUMBER: _ClassVar[int]
    MET_FIELD_NUMBER: _ClassVar[int]
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    SHARE_FIELD_NUMBER: _ClassVar[int]
    LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    confidence: float
    pools: _containers.RepeatedCompositeFieldContainer[OverallPool]
    methods: _containers.RepeatedScalarFieldContainer[str]
    rows: _containers.RepeatedCompositeFieldContainer[OverallRow]
    apart: _containers.RepeatedCompositeFieldContainer[OverallRow]
    met: float
    groups: int
    share: float
    left_out: int
    def __init__(self, confidence: _Optional[float] = ..., pools: _Optional[_Iterable[_Union[OverallPool, _Mapping]]] = ..., methods: _Optional[_Iterable[str]] = ..., rows: _Optional[_Iterable[_Union[OverallRow, _Mapping]]] = ..., apart: _Optional[_Iterable[_Union[OverallRow, _Mapping]]] = ..., met: _Optional[float] = ..., groups: _Optional[int] = ..., share: _Optional[float] = ..., left_out: _Optional[int] = ...) -> None: ...

class OverallPool(_message.Message):
    __slots__ = ("pool", "bots", "matches", "spread", "low", "high")
    POOL_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    SPREAD_FIELD_NUMBER: _ClassVar[int]
    LOW_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    pool: _pool_pb2.Pool
    bots: int
    matches: int
    spread: float
    low: float
    high: float
    def __init__(self, pool: _Optional[_Union[_pool_pb2.Pool, _Mapping]] = ..., bots: _Optional[int] = ..., matches: _Optional[int] = ..., spread: _Optional[float] = ..., low: _Optional[float] = ..., high: _Optional[float] = ...) -> None: ...

class OverallRow(_message.Message):
    __slots__ = ("bot", "copies", "strength", "low", "high", "rank", "best_rank", "worst_rank", "above_next", "matches", "games", "missing", "met", "known", "group", "figures", "places")
    BOT_FIELD_NUMBER: _ClassVar[int]
    COPIES_FIELD_NUMBER: _ClassVar[int]
    STRENGTH_FIELD_NUMBER: _ClassVar[int]
    LOW_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    BEST_RANK_FIELD_NUMBER: _ClassVar[int]
    WORST_RANK_FIELD_NUMBER: _ClassVar[int]
    ABOVE_NEXT_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    GAMES_FIELD_NUMBER: _ClassVar[int]
    MISSING_FIELD_NUMBER: _ClassVar[int]
    MET_FIELD_NUMBER: _ClassVar[int]
    KNOWN_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    FIGURES_FIELD_NUMBER: _ClassVar[int]
    PLACES_FIELD_NUMBER: _ClassVar[int]
    bot: str
    copies: _containers.RepeatedScalarFieldContainer[str]
    strength: float
    low: float
    high: float
    rank: int
    best_rank: int
    worst_rank: int
    above_next: float
    matches: int
    games: int
    missing: _containers.RepeatedScalarFieldContainer[str]
    met: float
    known: float
    group: int
    figures: _containers.RepeatedScalarFieldContainer[float]
    places: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, bot: _Optional[str] = ..., copies: _Optional[_Iterable[str]] = ..., strength: _Optional[float] = ..., low: _Optional[float] = ..., high: _Optional[float] = ..., rank: _Optional[int] = ..., best_rank: _Optional[int] = ..., worst_rank: _Optional[int] = ..., above_next: _Optional[float] = ..., matches: _Optional[int] = ..., games: _Optional[int] = ..., missing: _Optional[_Iterable[str]] = ..., met: _Optional[float] = ..., known: _Optional[float] = ..., group: _Optional[int] = ..., figures: _Optional[_Iterable[float]] = ..., places: _Optional[_Iterable[int]] = ...) -> None: ...

class SeatAdvantage(_message.Message):
    __slots__ = ("seat", "advantage", "low", "high")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    ADVANTAGE_FIELD_NUMBER: _ClassVar[int]
    LOW_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    seat: int
    advantage: float
    low: float
    high: float
    def __init__(self, seat: _Optional[int] = ..., advantage: _Optional[float] = ..., low: _Optional[float] = ..., high: _Optional[float] = ...) -> None: ...

class Suspicion(_message.Message):
    __slots__ = ("sentence", "kind", "first", "second", "elo", "z", "chance", "matches", "sentence_text_json")
    SENTENCE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    SECOND_FIELD_NUMBER: _ClassVar[int]
    ELO_FIELD_NUMBER: _ClassVar[int]
    Z_FIELD_NUMBER: _ClassVar[int]
    CHANCE_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    SENTENCE_TEXT_JSON_FIELD_NUMBER: _ClassVar[int]
    sentence: str
    kind: str
    first: str
    second: str
    elo: float
    z: float
    chance: float
    matches: int
    sentence_text_json: str
    def __init__(self, sentence: _Optional[str] = ..., kind: _Optional[str] = ..., first: _Optional[str] = ..., second: _Optional[str] = ..., elo: _Optional[float] = ..., z: _Optional[float] = ..., chance: _Optional[float] = ..., matches: _Optional[int] = ..., sentence_text_json: _Optional[str] = ...) -> None: ...

class FairPlayAsked(_message.Message):
    __slots__ = ("kind", "asked", "possible", "spread", "least_elo")
    KIND_FIELD_NUMBER: _ClassVar[int]
    ASKED_FIELD_NUMBER: _ClassVar[int]
    POSSIBLE_FIELD_NUMBER: _ClassVar[int]
    SPREAD_FIELD_NUMBER: _ClassVar[int]
    LEAST_ELO_FIELD_NUMBER: _ClassVar[int]
    kind: str
    asked: int
    possible: int
    spread: float
    least_elo: float
    def __init__(self, kind: _Optional[str] = ..., asked: _Optional[int] = ..., possible: _Optional[int] = ..., spread: _Optional[float] = ..., least_elo: _Optional[float] = ...) -> None: ...

class FairPlay(_message.Message):
    __slots__ = ("pool", "seats", "bots", "matches", "asked", "more_matches", "styles", "circles", "suspicions", "next")
    POOL_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    ASKED_FIELD_NUMBER: _ClassVar[int]
    MORE_MATCHES_FIELD_NUMBER: _ClassVar[int]
    STYLES_FIELD_NUMBER: _ClassVar[int]
    CIRCLES_FIELD_NUMBER: _ClassVar[int]
    SUSPICIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    pool: _pool_pb2.Pool
    seats: int
    bots: int
    matches: int
    asked: _containers.RepeatedCompositeFieldContainer[FairPlayAsked]
    more_matches: int
    styles: int
    circles: int
    suspicions: _containers.RepeatedCompositeFieldContainer[Suspicion]
    next: str
    def __init__(self, pool: _Optional[_Union[_pool_pb2.Pool, _Mapping]] = ..., seats: _Optional[int] = ..., bots: _Optional[int] = ..., matches: _Optional[int] = ..., asked: _Optional[_Iterable[_Union[FairPlayAsked, _Mapping]]] = ..., more_matches: _Optional[int] = ..., styles: _Optional[int] = ..., circles: _Optional[int] = ..., suspicions: _Optional[_Iterable[_Union[Suspicion, _Mapping]]] = ..., next: _Optional[str] = ...) -> None: ...
