from arena.v1 import operation_pb2 as _operation_pb2
from arena.v1 import pool_pb2 as _pool_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ListTournamentsRequest(_message.Message):
    __slots__ = ("limit", "after")
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    limit: int
    after: str
    def __init__(self, limit: _Optional[int] = ..., after: _Optional[str] = ...) -> None: ...

class ListTournamentsResponse(_message.Message):
    __slots__ = ("items", "next")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[TournamentSummary]
    next: str
    def __init__(self, items: _Optional[_Iterable[_Union[TournamentSummary, _Mapping]]] = ..., next: _Optional[str] = ...) -> None: ...

class GetTournamentRequest(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    def __init__(self, tournament: _Optional[str] = ...) -> None: ...

class GetTournamentResponse(_message.Message):
    __slots__ = ("tournament_detail",)
    TOURNAMENT_DETAIL_FIELD_NUMBER: _ClassVar[int]
    tournament_detail: TournamentDetail
    def __init__(self, tournament_detail: _Optional[_Union[TournamentDetail, _Mapping]] = ...) -> None: ...

class ListStandingsRequest(_message.Message):
    __slots__ = ("tournament", "limit", "after")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    limit: int
    after: str
    def __init__(self, tournament: _Optional[str] = ..., limit: _Optional[int] = ..., after: _Optional[str] = ...) -> None: ...

class ListStandingsResponse(_message.Message):
    __slots__ = ("items", "next")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[StandingRow]
    next: str
    def __init__(self, items: _Optional[_Iterable[_Union[StandingRow, _Mapping]]] = ..., next: _Optional[str] = ...) -> None: ...

class ListLeakChecksRequest(_message.Message):
    __slots__ = ("tournament", "limit", "after")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    limit: int
    after: str
    def __init__(self, tournament: _Optional[str] = ..., limit: _Optional[int] = ..., after: _Optional[str] = ...) -> None: ...

class ListLeakChecksResponse(_message.Message):
    __slots__ = ("items", "next")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[LeakFinding]
    next: str
    def __init__(self, items: _Optional[_Iterable[_Union[LeakFinding, _Mapping]]] = ..., next: _Optional[str] = ...) -> None: ...

class ListPairingsRequest(_message.Message):
    __slots__ = ("tournament", "limit", "after")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    limit: int
    after: str
    def __init__(self, tournament: _Optional[str] = ..., limit: _Optional[int] = ..., after: _Optional[str] = ...) -> None: ...

class ListPairingsResponse(_message.Message):
    __slots__ = ("items", "next")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[Pairing]
    next: str
    def __init__(self, items: _Optional[_Iterable[_Union[Pairing, _Mapping]]] = ..., next: _Optional[str] = ...) -> None: ...

class ListConfidenceRequest(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    def __init__(self, tournament: _Optional[str] = ...) -> None: ...

class ListConfidenceResponse(_message.Message):
    __slots__ = ("confidence",)
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    confidence: _containers.RepeatedCompositeFieldContainer[ConfidencePoint]
    def __init__(self, confidence: _Optional[_Iterable[_Union[ConfidencePoint, _Mapping]]] = ...) -> None: ...

class CreateTournamentRequest(_message.Message):
    __slots__ = ("request",)
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    request: TournamentRequest
    def __init__(self, request: _Optional[_Union[TournamentRequest, _Mapping]] = ...) -> None: ...

class CreateTournamentResponse(_message.Message):
    __slots__ = ("planned_tournament",)
    PLANNED_TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    planned_tournament: PlannedTournament
    def __init__(self, planned_tournament: _Optional[_Union[PlannedTournament, _Mapping]] = ...) -> None: ...

class ForecastTournamentRequest(_message.Message):
    __slots__ = ("request",)
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    request: TournamentRequest
    def __init__(self, request: _Optional[_Union[TournamentRequest, _Mapping]] = ...) -> None: ...

class ForecastTournamentResponse(_message.Message):
    __slots__ = ("forecast",)
    FORECAST_FIELD_NUMBER: _ClassVar[int]
    forecast: Forecast
    def __init__(self, forecast: _Optional[_Union[Forecast, _Mapping]] = ...) -> None: ...

class Forecast(_message.Message):
    __slots__ = ("format", "pool", "is_new_pool", "bots", "left_out", "matches", "is_most", "match_us", "measured")
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    POOL_FIELD_NUMBER: _ClassVar[int]
    IS_NEW_POOL_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    IS_MOST_FIELD_NUMBER: _ClassVar[int]
    MATCH_US_FIELD_NUMBER: _ClassVar[int]
    MEASURED_FIELD_NUMBER: _ClassVar[int]
    format: str
    pool: _pool_pb2.Pool
    is_new_pool: bool
    bots: _containers.RepeatedScalarFieldContainer[str]
    left_out: _containers.RepeatedCompositeFieldContainer[LeftOut]
    matches: int
    is_most: bool
    match_us: int
    measured: int
    def __init__(self, format: _Optional[str] = ..., pool: _Optional[_Union[_pool_pb2.Pool, _Mapping]] = ..., is_new_pool: bool = ..., bots: _Optional[_Iterable[str]] = ..., left_out: _Optional[_Iterable[_Union[LeftOut, _Mapping]]] = ..., matches: _Optional[int] = ..., is_most: bool = ..., match_us: _Optional[int] = ..., measured: _Optional[int] = ...) -> None: ...

class ChallengeBotRequest(_message.Message):
    __slots__ = ("request",)
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    request: ChallengeRequest
    def __init__(self, request: _Optional[_Union[ChallengeRequest, _Mapping]] = ...) -> None: ...

class ChallengeBotResponse(_message.Message):
    __slots__ = ("planned_tournament",)
    PLANNED_TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    planned_tournament: PlannedTournament
    def __init__(self, planned_tournament: _Optional[_Union[PlannedTournament, _Mapping]] = ...) -> None: ...

class OpenTableRequest(_message.Message):
    __slots__ = ("request",)
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    request: TableRequest
    def __init__(self, request: _Optional[_Union[TableRequest, _Mapping]] = ...) -> None: ...

class OpenTableResponse(_message.Message):
    __slots__ = ("opened_table",)
    OPENED_TABLE_FIELD_NUMBER: _ClassVar[int]
    opened_table: OpenedTable
    def __init__(self, opened_table: _Optional[_Union[OpenedTable, _Mapping]] = ...) -> None: ...

class CancelTournamentRequest(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    def __init__(self, tournament: _Optional[str] = ...) -> None: ...

class CancelTournamentResponse(_message.Message):
    __slots__ = ("cancelled",)
    CANCELLED_FIELD_NUMBER: _ClassVar[int]
    cancelled: Cancelled
    def __init__(self, cancelled: _Optional[_Union[Cancelled, _Mapping]] = ...) -> None: ...

class JoinTournamentRequest(_message.Message):
    __slots__ = ("tournament", "bot")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    bot: str
    def __init__(self, tournament: _Optional[str] = ..., bot: _Optional[str] = ...) -> None: ...

class JoinTournamentResponse(_message.Message):
    __slots__ = ("joined",)
    JOINED_FIELD_NUMBER: _ClassVar[int]
    joined: LateEntry
    def __init__(self, joined: _Optional[_Union[LateEntry, _Mapping]] = ...) -> None: ...

class WithdrawBotRequest(_message.Message):
    __slots__ = ("tournament", "bot")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    bot: str
    def __init__(self, tournament: _Optional[str] = ..., bot: _Optional[str] = ...) -> None: ...

class WithdrawBotResponse(_message.Message):
    __slots__ = ("withdrawn",)
    WITHDRAWN_FIELD_NUMBER: _ClassVar[int]
    withdrawn: Withdrawn
    def __init__(self, withdrawn: _Optional[_Union[Withdrawn, _Mapping]] = ...) -> None: ...

class GetProgressRequest(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    def __init__(self, tournament: _Optional[str] = ...) -> None: ...

class GetProgressResponse(_message.Message):
    __slots__ = ("operation",)
    OPERATION_FIELD_NUMBER: _ClassVar[int]
    operation: _operation_pb2.Operation
    def __init__(self, operation: _Optional[_Union[_operation_pb2.Operation, _Mapping]] = ...) -> None: ...

class WatchTournamentRequest(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    def __init__(self, tournament: _Optional[str] = ...) -> None: ...

class WatchTournamentResponse(_message.Message):
    __slots__ = ("operation",)
    OPERATION_FIELD_NUMBER: _ClassVar[int]
    operation: _operation_pb2.Operation
    def __init__(self, operation: _Optional[_Union[_operation_pb2.Operation, _Mapping]] = ...) -> None: ...

class TournamentSummary(_message.Message):
    __slots__ = ("id", "name", "format", "status", "game", "seats", "time_control", "pool_id", "rated", "created_at_us", "cancelled_at_us", "planned", "leased", "finished", "void", "total", "more_waves", "remote", "played_by")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    TIME_CONTROL_FIELD_NUMBER: _ClassVar[int]
    POOL_ID_FIELD_NUMBER: _ClassVar[int]
    RATED_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_US_FIELD_NUMBER: _ClassVar[int]
    CANCELLED_AT_US_FIELD_NUMBER: _ClassVar[int]
    PLANNED_FIELD_NUMBER: _ClassVar[int]
    LEASED_FIELD_NUMBER: _ClassVar[int]
    FINISHED_FIELD_NUMBER: _ClassVar[int]
    VOID_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    MORE_WAVES_FIELD_NUMBER: _ClassVar[int]
    REMOTE_FIELD_NUMBER: _ClassVar[int]
    PLAYED_BY_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    format: str
    status: str
    game: str
    seats: int
    time_control: str
    pool_id: str
    rated: bool
    created_at_us: int
    cancelled_at_us: int
    planned: int
    leased: int
    finished: int
    void: int
    total: int
    more_waves: bool
    remote: bool
    played_by: PlayedBy
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ..., format: _Optional[str] = ..., status: _Optional[str] = ..., game: _Optional[str] = ..., seats: _Optional[int] = ..., time_control: _Optional[str] = ..., pool_id: _Optional[str] = ..., rated: bool = ..., created_at_us: _Optional[int] = ..., cancelled_at_us: _Optional[int] = ..., planned: _Optional[int] = ..., leased: _Optional[int] = ..., finished: _Optional[int] = ..., void: _Optional[int] = ..., total: _Optional[int] = ..., more_waves: bool = ..., remote: bool = ..., played_by: _Optional[_Union[PlayedBy, _Mapping]] = ...) -> None: ...

class PlayedBy(_message.Message):
    __slots__ = ("host", "pid", "since_us")
    HOST_FIELD_NUMBER: _ClassVar[int]
    PID_FIELD_NUMBER: _ClassVar[int]
    SINCE_US_FIELD_NUMBER: _ClassVar[int]
    host: str
    pid: int
    since_us: int
    def __init__(self, host: _Optional[str] = ..., pid: _Optional[int] = ..., since_us: _Optional[int] = ...) -> None: ...

class TournamentDetail(_message.Message):
    __slots__ = ("summary", "pool", "settings_json", "secret", "standings", "best", "comparison", "leak_checks", "more_standings", "more_leak_checks", "host_losses", "faults", "commitment")
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    POOL_FIELD_NUMBER: _ClassVar[int]
    SETTINGS_JSON_FIELD_NUMBER: _ClassVar[int]
    SECRET_FIELD_NUMBER: _ClassVar[int]
    STANDINGS_FIELD_NUMBER: _ClassVar[int]
    BEST_FIELD_NUMBER: _ClassVar[int]
    COMPARISON_FIELD_NUMBER: _ClassVar[int]
    LEAK_CHECKS_FIELD_NUMBER: _ClassVar[int]
    MORE_STANDINGS_FIELD_NUMBER: _ClassVar[int]
    MORE_LEAK_CHECKS_FIELD_NUMBER: _ClassVar[int]
    HOST_LOSSES_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    summary: TournamentSummary
    pool: _pool_pb2.Pool
    settings_json: str
    secret: str
    standings: _containers.RepeatedCompositeFieldContainer[StandingRow]
    best: BestKnown
    comparison: ComparisonResult
    leak_checks: _containers.RepeatedCompositeFieldContainer[LeakFinding]
    more_standings: str
    more_leak_checks: str
    host_losses: _containers.RepeatedCompositeFieldContainer[HostLoss]
    faults: _containers.RepeatedCompositeFieldContainer[BotFaults]
    commitment: Commitment
    def __init__(self, summary: _Optional[_Union[TournamentSummary, _Mapping]] = ..., pool: _Optional[_Union[_pool_pb2.Pool, _Mapping]] = ..., settings_json: _Optional[str] = ..., secret: _Optional[str] = ..., standings: _Optional[_Iterable[_Union[StandingRow, _Mapping]]] = ..., best: _Optional[_Union[BestKnown, _Mapping]] = ..., comparison: _Optional[_Union[ComparisonResult, _Mapping]] = ..., leak_checks: _Optional[_Iterable[_Union[LeakFinding, _Mapping]]] = ..., more_standings: _Optional[str] = ..., more_leak_checks: _Optional[str] = ..., host_losses: _Optional[_Iterable[_Union[HostLoss, _Mapping]]] = ..., faults: _Optional[_Iterable[_Union[BotFaults, _Mapping]]] = ..., commitment: _Optional[_Union[Commitment, _Mapping]] = ...) -> None: ...

class Commitment(_message.Message):
    __slots__ = ("digest", "public_key", "at_us")
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    PUBLIC_KEY_FIELD_NUMBER: _ClassVar[int]
    AT_US_FIELD_NUMBER: _ClassVar[int]
    digest: str
    public_key: str
    at_us: int
    def __init__(self, digest: _Optional[str] = ..., public_key: _Optional[str] = ..., at_us: _Optional[int] = ...) -> None: ...

class StandingRow(_message.Message):
    __slots__ = ("place", "version_id", "bot", "number", "content_hash", "matches", "wins", "blocks", "points", "score", "forfeits", "status", "shared", "draws", "status_text_json")
    PLACE_FIELD_NUMBER: _ClassVar[int]
    VERSION_ID_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    CONTENT_HASH_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    WINS_FIELD_NUMBER: _ClassVar[int]
    BLOCKS_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    FORFEITS_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    SHARED_FIELD_NUMBER: _ClassVar[int]
    DRAWS_FIELD_NUMBER: _ClassVar[int]
    STATUS_TEXT_JSON_FIELD_NUMBER: _ClassVar[int]
    place: int
    version_id: str
    bot: str
    number: int
    content_hash: str
    matches: int
    wins: int
    blocks: int
    points: int
    score: float
    forfeits: int
    status: str
    shared: int
    draws: int
    status_text_json: str
    def __init__(self, place: _Optional[int] = ..., version_id: _Optional[str] = ..., bot: _Optional[str] = ..., number: _Optional[int] = ..., content_hash: _Optional[str] = ..., matches: _Optional[int] = ..., wins: _Optional[int] = ..., blocks: _Optional[int] = ..., points: _Optional[int] = ..., score: _Optional[float] = ..., forfeits: _Optional[int] = ..., status: _Optional[str] = ..., shared: _Optional[int] = ..., draws: _Optional[int] = ..., status_text_json: _Optional[str] = ...) -> None: ...

class BestKnown(_message.Message):
    __slots__ = ("until", "is_known", "confidence", "leaders", "contenders", "leader_names", "contender_names", "drifting")
    UNTIL_FIELD_NUMBER: _ClassVar[int]
    IS_KNOWN_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    LEADERS_FIELD_NUMBER: _ClassVar[int]
    CONTENDERS_FIELD_NUMBER: _ClassVar[int]
    LEADER_NAMES_FIELD_NUMBER: _ClassVar[int]
    CONTENDER_NAMES_FIELD_NUMBER: _ClassVar[int]
    DRIFTING_FIELD_NUMBER: _ClassVar[int]
    until: str
    is_known: bool
    confidence: float
    leaders: _containers.RepeatedScalarFieldContainer[str]
    contenders: _containers.RepeatedScalarFieldContainer[str]
    leader_names: _containers.RepeatedScalarFieldContainer[str]
    contender_names: _containers.RepeatedScalarFieldContainer[str]
    drifting: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, until: _Optional[str] = ..., is_known: bool = ..., confidence: _Optional[float] = ..., leaders: _Optional[_Iterable[str]] = ..., contenders: _Optional[_Iterable[str]] = ..., leader_names: _Optional[_Iterable[str]] = ..., contender_names: _Optional[_Iterable[str]] = ..., drifting: _Optional[_Iterable[str]] = ...) -> None: ...

class ConfidencePoint(_message.Message):
    __slots__ = ("blocks", "confidence", "leaders")
    BLOCKS_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    LEADERS_FIELD_NUMBER: _ClassVar[int]
    blocks: int
    confidence: float
    leaders: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, blocks: _Optional[int] = ..., confidence: _Optional[float] = ..., leaders: _Optional[_Iterable[str]] = ...) -> None: ...

class Pairing(_message.Message):
    __slots__ = ("round", "entrants", "blocks", "is_over")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    ENTRANTS_FIELD_NUMBER: _ClassVar[int]
    BLOCKS_FIELD_NUMBER: _ClassVar[int]
    IS_OVER_FIELD_NUMBER: _ClassVar[int]
    round: int
    entrants: _containers.RepeatedCompositeFieldContainer[Paired]
    blocks: int
    is_over: bool
    def __init__(self, round: _Optional[int] = ..., entrants: _Optional[_Iterable[_Union[Paired, _Mapping]]] = ..., blocks: _Optional[int] = ..., is_over: bool = ...) -> None: ...

class Paired(_message.Message):
    __slots__ = ("version_id", "bot", "points", "lost", "goes_on")
    VERSION_ID_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    LOST_FIELD_NUMBER: _ClassVar[int]
    GOES_ON_FIELD_NUMBER: _ClassVar[int]
    version_id: str
    bot: str
    points: int
    lost: int
    goes_on: bool
    def __init__(self, version_id: _Optional[str] = ..., bot: _Optional[str] = ..., points: _Optional[int] = ..., lost: _Optional[int] = ..., goes_on: bool = ...) -> None: ...

class ComparisonResult(_message.Message):
    __slots__ = ("answer", "log_ratio", "bounds", "mean", "error", "pairs", "answered_after", "games", "identical_games", "identical_pairs", "lower", "upper", "alpha", "beta", "wins", "ties", "losses", "new_forfeits", "old_forfeits", "low", "high", "superiority")
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    LOG_RATIO_FIELD_NUMBER: _ClassVar[int]
    BOUNDS_FIELD_NUMBER: _ClassVar[int]
    MEAN_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    PAIRS_FIELD_NUMBER: _ClassVar[int]
    ANSWERED_AFTER_FIELD_NUMBER: _ClassVar[int]
    GAMES_FIELD_NUMBER: _ClassVar[int]
    IDENTICAL_GAMES_FIELD_NUMBER: _ClassVar[int]
    IDENTICAL_PAIRS_FIELD_NUMBER: _ClassVar[int]
    LOWER_FIELD_NUMBER: _ClassVar[int]
    UPPER_FIELD_NUMBER: _ClassVar[int]
    ALPHA_FIELD_NUMBER: _ClassVar[int]
    BETA_FIELD_NUMBER: _ClassVar[int]
    WINS_FIELD_NUMBER: _ClassVar[int]
    TIES_FIELD_NUMBER: _ClassVar[int]
    LOSSES_FIELD_NUMBER: _ClassVar[int]
    NEW_FORFEITS_FIELD_NUMBER: _ClassVar[int]
    OLD_FORFEITS_FIELD_NUMBER: _ClassVar[int]
    LOW_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    SUPERIORITY_FIELD_NUMBER: _ClassVar[int]
    answer: str
    log_ratio: float
    bounds: _containers.RepeatedScalarFieldContainer[float]
    mean: float
    error: float
    pairs: int
    answered_after: int
    games: int
    identical_games: int
    identical_pairs: int
    lower: float
    upper: float
    alpha: float
    beta: float
    wins: int
    ties: int
    losses: int
    new_forfeits: int
    old_forfeits: int
    low: float
    high: float
    superiority: float
    def __init__(self, answer: _Optional[str] = ..., log_ratio: _Optional[float] = ..., bounds: _Optional[_Iterable[float]] = ..., mean: _Optional[float] = ..., error: _Optional[float] = ..., pairs: _Optional[int] = ..., answered_after: _Optional[int] = ..., games: _Optional[int] = ..., identical_games: _Optional[int] = ..., identical_pairs: _Optional[int] = ..., lower: _Optional[float] = ..., upper: _Optional[float] = ..., alpha: _Optional[float] = ..., beta: _Optional[float] = ..., wins: _Optional[int] = ..., ties: _Optional[int] = ..., losses: _Optional[int] = ..., new_forfeits: _Optional[int] = ..., old_forfeits: _Optional[int] = ..., low: _Optional[float] = ..., high: _Optional[float] = ..., superiority: _Optional[float] = ...) -> None: ...

class LeakFinding(_message.Message):
    __slots__ = ("bot", "version", "match_id", "seat", "verdict", "ply", "sentence", "evidence_json", "sentence_text_json")
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    PLY_FIELD_NUMBER: _ClassVar[int]
    SENTENCE_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_JSON_FIELD_NUMBER: _ClassVar[int]
    SENTENCE_TEXT_JSON_FIELD_NUMBER: _ClassVar[int]
    bot: str
    version: int
    match_id: str
    seat: int
    verdict: str
    ply: int
    sentence: str
    evidence_json: str
    sentence_text_json: str
    def __init__(self, bot: _Optional[str] = ..., version: _Optional[int] = ..., match_id: _Optional[str] = ..., seat: _Optional[int] = ..., verdict: _Optional[str] = ..., ply: _Optional[int] = ..., sentence: _Optional[str] = ..., evidence_json: _Optional[str] = ..., sentence_text_json: _Optional[str] = ...) -> None: ...

class HostLoss(_message.Message):
    __slots__ = ("cause", "attempts", "matches", "bot", "version", "sat_in")
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    SAT_IN_FIELD_NUMBER: _ClassVar[int]
    cause: str
    attempts: int
    matches: int
    bot: str
    version: int
    sat_in: int
    def __init__(self, cause: _Optional[str] = ..., attempts: _Optional[int] = ..., matches: _Optional[int] = ..., bot: _Optional[str] = ..., version: _Optional[int] = ..., sat_in: _Optional[int] = ...) -> None: ...

class BotFaults(_message.Message):
    __slots__ = ("bot", "version", "cause", "matches", "match_id")
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    bot: str
    version: int
    cause: str
    matches: int
    match_id: str
    def __init__(self, bot: _Optional[str] = ..., version: _Optional[int] = ..., cause: _Optional[str] = ..., matches: _Optional[int] = ..., match_id: _Optional[str] = ...) -> None: ...

class TournamentRequest(_message.Message):
    __slots__ = ("format", "settings_json", "game", "seats", "bots", "time", "start_limit", "options_json", "opening_plies", "seed", "rated", "name", "kind", "secret", "same_owner", "cores", "openings", "rating_method")
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    SETTINGS_JSON_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    START_LIMIT_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_JSON_FIELD_NUMBER: _ClassVar[int]
    OPENING_PLIES_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    RATED_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    SECRET_FIELD_NUMBER: _ClassVar[int]
    SAME_OWNER_FIELD_NUMBER: _ClassVar[int]
    CORES_FIELD_NUMBER: _ClassVar[int]
    OPENINGS_FIELD_NUMBER: _ClassVar[int]
    RATING_METHOD_FIELD_NUMBER: _ClassVar[int]
    format: str
    settings_json: str
    game: str
    seats: int
    bots: _containers.RepeatedScalarFieldContainer[str]
    time: str
    start_limit: str
    options_json: str
    opening_plies: int
    seed: int
    rated: bool
    name: str
    kind: str
    secret: str
    same_owner: bool
    cores: int
    openings: str
    rating_method: str
    def __init__(self, format: _Optional[str] = ..., settings_json: _Optional[str] = ..., game: _Optional[str] = ..., seats: _Optional[int] = ..., bots: _Optional[_Iterable[str]] = ..., time: _Optional[str] = ..., start_limit: _Optional[str] = ..., options_json: _Optional[str] = ..., opening_plies: _Optional[int] = ..., seed: _Optional[int] = ..., rated: bool = ..., name: _Optional[str] = ..., kind: _Optional[str] = ..., secret: _Optional[str] = ..., same_owner: bool = ..., cores: _Optional[int] = ..., openings: _Optional[str] = ..., rating_method: _Optional[str] = ...) -> None: ...

class ChallengeRequest(_message.Message):
    __slots__ = ("bot", "opponents", "game", "seats", "blocks", "time", "start_limit", "options_json", "opening_plies", "seed")
    BOT_FIELD_NUMBER: _ClassVar[int]
    OPPONENTS_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    BLOCKS_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    START_LIMIT_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_JSON_FIELD_NUMBER: _ClassVar[int]
    OPENING_PLIES_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    bot: str
    opponents: _containers.RepeatedScalarFieldContainer[str]
    game: str
    seats: int
    blocks: int
    time: str
    start_limit: str
    options_json: str
    opening_plies: int
    seed: int
    def __init__(self, bot: _Optional[str] = ..., opponents: _Optional[_Iterable[str]] = ..., game: _Optional[str] = ..., seats: _Optional[int] = ..., blocks: _Optional[int] = ..., time: _Optional[str] = ..., start_limit: _Optional[str] = ..., options_json: _Optional[str] = ..., opening_plies: _Optional[int] = ..., seed: _Optional[int] = ...) -> None: ...

class PlannedTournament(_message.Message):
    __slots__ = ("id", "name", "seed", "seeded", "secret", "left_out")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    SEEDED_FIELD_NUMBER: _ClassVar[int]
    SECRET_FIELD_NUMBER: _ClassVar[int]
    LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    seed: int
    seeded: bool
    secret: str
    left_out: _containers.RepeatedCompositeFieldContainer[LeftOut]
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ..., seed: _Optional[int] = ..., seeded: bool = ..., secret: _Optional[str] = ..., left_out: _Optional[_Iterable[_Union[LeftOut, _Mapping]]] = ...) -> None: ...

class LeftOut(_message.Message):
    __slots__ = ("bot", "why", "why_text_json")
    BOT_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    WHY_TEXT_JSON_FIELD_NUMBER: _ClassVar[int]
    bot: str
    why: str
    why_text_json: str
    def __init__(self, bot: _Optional[str] = ..., why: _Optional[str] = ..., why_text_json: _Optional[str] = ...) -> None: ...

class Cancelled(_message.Message):
    __slots__ = ("tournament", "matches")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    matches: int
    def __init__(self, tournament: _Optional[str] = ..., matches: _Optional[int] = ...) -> None: ...

class LateEntry(_message.Message):
    __slots__ = ("tournament", "bot", "number", "wave")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    WAVE_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    bot: str
    number: int
    wave: int
    def __init__(self, tournament: _Optional[str] = ..., bot: _Optional[str] = ..., number: _Optional[int] = ..., wave: _Optional[int] = ...) -> None: ...

class Withdrawn(_message.Message):
    __slots__ = ("tournament", "bot", "number", "matches")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    bot: str
    number: int
    matches: int
    def __init__(self, tournament: _Optional[str] = ..., bot: _Optional[str] = ..., number: _Optional[int] = ..., matches: _Optional[int] = ...) -> None: ...

class TableRequest(_message.Message):
    __slots__ = ("game", "bots", "people", "time", "options_json", "rated")
    GAME_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    PEOPLE_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_JSON_FIELD_NUMBER: _ClassVar[int]
    RATED_FIELD_NUMBER: _ClassVar[int]
    game: str
    bots: _containers.RepeatedScalarFieldContainer[str]
    people: _containers.RepeatedScalarFieldContainer[str]
    time: str
    options_json: str
    rated: bool
    def __init__(self, game: _Optional[str] = ..., bots: _Optional[_Iterable[str]] = ..., people: _Optional[_Iterable[str]] = ..., time: _Optional[str] = ..., options_json: _Optional[str] = ..., rated: bool = ...) -> None: ...

class OpenedTable(_message.Message):
    __slots__ = ("tournament", "match_id")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    match_id: str
    def __init__(self, tournament: _Optional[str] = ..., match_id: _Optional[str] = ...) -> None: ...
