from arena.v1 import pool_pb2 as _pool_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ListMatchesRequest(_message.Message):
    __slots__ = ("tournament", "state", "bot", "fault", "pool", "limit", "after", "opponent", "fared", "least_plies", "most_plies")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    POOL_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    OPPONENT_FIELD_NUMBER: _ClassVar[int]
    FARED_FIELD_NUMBER: _ClassVar[int]
    LEAST_PLIES_FIELD_NUMBER: _ClassVar[int]
    MOST_PLIES_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    state: str
    bot: str
    fault: str
    pool: str
    limit: int
    after: str
    opponent: str
    fared: str
    least_plies: int
    most_plies: int
    def __init__(self, tournament: _Optional[str] = ..., state: _Optional[str] = ..., bot: _Optional[str] = ..., fault: _Optional[str] = ..., pool: _Optional[str] = ..., limit: _Optional[int] = ..., after: _Optional[str] = ..., opponent: _Optional[str] = ..., fared: _Optional[str] = ..., least_plies: _Optional[int] = ..., most_plies: _Optional[int] = ...) -> None: ...

class ListMatchesResponse(_message.Message):
    __slots__ = ("items", "next")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[MatchSummary]
    next: str
    def __init__(self, items: _Optional[_Iterable[_Union[MatchSummary, _Mapping]]] = ..., next: _Optional[str] = ...) -> None: ...

class GetMatchRequest(_message.Message):
    __slots__ = ("match",)
    MATCH_FIELD_NUMBER: _ClassVar[int]
    match: str
    def __init__(self, match: _Optional[str] = ...) -> None: ...

class GetMatchResponse(_message.Message):
    __slots__ = ("match_detail",)
    MATCH_DETAIL_FIELD_NUMBER: _ClassVar[int]
    match_detail: MatchDetail
    def __init__(self, match_detail: _Optional[_Union[MatchDetail, _Mapping]] = ...) -> None: ...

class GetTimesRequest(_message.Message):
    __slots__ = ("match",)
    MATCH_FIELD_NUMBER: _ClassVar[int]
    match: str
    def __init__(self, match: _Optional[str] = ...) -> None: ...

class GetTimesResponse(_message.Message):
    __slots__ = ("match_times",)
    MATCH_TIMES_FIELD_NUMBER: _ClassVar[int]
    match_times: MatchTimes
    def __init__(self, match_times: _Optional[_Union[MatchTimes, _Mapping]] = ...) -> None: ...

class GetLogsRequest(_message.Message):
    __slots__ = ("match", "seat")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    match: str
    seat: int
    def __init__(self, match: _Optional[str] = ..., seat: _Optional[int] = ...) -> None: ...

class GetLogsResponse(_message.Message):
    __slots__ = ("items",)
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[SeatLog]
    def __init__(self, items: _Optional[_Iterable[_Union[SeatLog, _Mapping]]] = ...) -> None: ...

class WatchMatchRequest(_message.Message):
    __slots__ = ("match", "after")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    match: str
    after: int
    def __init__(self, match: _Optional[str] = ..., after: _Optional[int] = ...) -> None: ...

class WatchMatchResponse(_message.Message):
    __slots__ = ("match_event",)
    MATCH_EVENT_FIELD_NUMBER: _ClassVar[int]
    match_event: MatchEvent
    def __init__(self, match_event: _Optional[_Union[MatchEvent, _Mapping]] = ...) -> None: ...

class WatchLogsRequest(_message.Message):
    __slots__ = ("match", "seat", "after")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    match: str
    seat: int
    after: int
    def __init__(self, match: _Optional[str] = ..., seat: _Optional[int] = ..., after: _Optional[int] = ...) -> None: ...

class WatchLogsResponse(_message.Message):
    __slots__ = ("log_part",)
    LOG_PART_FIELD_NUMBER: _ClassVar[int]
    log_part: LogPart
    def __init__(self, log_part: _Optional[_Union[LogPart, _Mapping]] = ...) -> None: ...

class GetReplayRequest(_message.Message):
    __slots__ = ("match",)
    MATCH_FIELD_NUMBER: _ClassVar[int]
    match: str
    def __init__(self, match: _Optional[str] = ...) -> None: ...

class GetReplayResponse(_message.Message):
    __slots__ = ("replay",)
    REPLAY_FIELD_NUMBER: _ClassVar[int]
    replay: Replay
    def __init__(self, replay: _Optional[_Union[Replay, _Mapping]] = ...) -> None: ...

class VerifyMatchRequest(_message.Message):
    __slots__ = ("match",)
    MATCH_FIELD_NUMBER: _ClassVar[int]
    match: str
    def __init__(self, match: _Optional[str] = ...) -> None: ...

class VerifyMatchResponse(_message.Message):
    __slots__ = ("replay_check",)
    REPLAY_CHECK_FIELD_NUMBER: _ClassVar[int]
    replay_check: ReplayCheck
    def __init__(self, replay_check: _Optional[_Union[ReplayCheck, _Mapping]] = ...) -> None: ...

class VerifyMatchesRequest(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    def __init__(self, tournament: _Optional[str] = ...) -> None: ...

class VerifyMatchesResponse(_message.Message):
    __slots__ = ("replay_check",)
    REPLAY_CHECK_FIELD_NUMBER: _ClassVar[int]
    replay_check: ReplayCheck
    def __init__(self, replay_check: _Optional[_Union[ReplayCheck, _Mapping]] = ...) -> None: ...

class DownloadReplaysRequest(_message.Message):
    __slots__ = ("bot", "after")
    BOT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    bot: str
    after: str
    def __init__(self, bot: _Optional[str] = ..., after: _Optional[str] = ...) -> None: ...

class DownloadReplaysResponse(_message.Message):
    __slots__ = ("replay",)
    REPLAY_FIELD_NUMBER: _ClassVar[int]
    replay: Replay
    def __init__(self, replay: _Optional[_Union[Replay, _Mapping]] = ...) -> None: ...

class MatchSummary(_message.Message):
    __slots__ = ("id", "tournament", "position", "block", "rotation", "seats", "attempt", "sandbox", "state", "void_reason", "plies", "decisions", "game_digest", "annulled", "hidden", "why_hidden", "ended_at_us", "void_reason_text_json", "why_hidden_text_json", "valid_result")
    ID_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    BLOCK_FIELD_NUMBER: _ClassVar[int]
    ROTATION_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    SANDBOX_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    VOID_REASON_FIELD_NUMBER: _ClassVar[int]
    PLIES_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    GAME_DIGEST_FIELD_NUMBER: _ClassVar[int]
    ANNULLED_FIELD_NUMBER: _ClassVar[int]
    HIDDEN_FIELD_NUMBER: _ClassVar[int]
    WHY_HIDDEN_FIELD_NUMBER: _ClassVar[int]
    ENDED_AT_US_FIELD_NUMBER: _ClassVar[int]
    VOID_REASON_TEXT_JSON_FIELD_NUMBER: _ClassVar[int]
    WHY_HIDDEN_TEXT_JSON_FIELD_NUMBER: _ClassVar[int]
    VALID_RESULT_FIELD_NUMBER: _ClassVar[int]
    id: str
    tournament: str
    position: int
    block: int
    rotation: int
    seats: _containers.RepeatedCompositeFieldContainer[SeatSummary]
    attempt: int
    sandbox: str
    state: str
    void_reason: str
    plies: int
    decisions: int
    game_digest: str
    annulled: str
    hidden: bool
    why_hidden: str
    ended_at_us: int
    void_reason_text_json: str
    why_hidden_text_json: str
    valid_result: bool
    def __init__(self, id: _Optional[str] = ..., tournament: _Optional[str] = ..., position: _Optional[int] = ..., block: _Optional[int] = ..., rotation: _Optional[int] = ..., seats: _Optional[_Iterable[_Union[SeatSummary, _Mapping]]] = ..., attempt: _Optional[int] = ..., sandbox: _Optional[str] = ..., state: _Optional[str] = ..., void_reason: _Optional[str] = ..., plies: _Optional[int] = ..., decisions: _Optional[int] = ..., game_digest: _Optional[str] = ..., annulled: _Optional[str] = ..., hidden: bool = ..., why_hidden: _Optional[str] = ..., ended_at_us: _Optional[int] = ..., void_reason_text_json: _Optional[str] = ..., why_hidden_text_json: _Optional[str] = ..., valid_result: bool = ...) -> None: ...

class SeatSummary(_message.Message):
    __slots__ = ("bot", "rank", "fault")
    BOT_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    bot: str
    rank: int
    fault: str
    def __init__(self, bot: _Optional[str] = ..., rank: _Optional[int] = ..., fault: _Optional[str] = ...) -> None: ...

class MatchDetail(_message.Message):
    __slots__ = ("match_id", "tournament", "tournament_id", "pool", "block", "rotation", "state", "void_reason", "attempt", "rated", "sandbox", "seats", "by_rules", "plies", "decisions", "started_at_us", "duration_us", "game_digest", "record_digest", "details_json", "faults", "attempts", "leak_checks", "annulled", "hidden", "why_hidden", "logs_removed_at_us", "replay_removed_at_us", "awaits", "void_reason_text_json", "why_hidden_text_json", "valid_result")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_ID_FIELD_NUMBER: _ClassVar[int]
    POOL_FIELD_NUMBER: _ClassVar[int]
    BLOCK_FIELD_NUMBER: _ClassVar[int]
    ROTATION_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    VOID_REASON_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    RATED_FIELD_NUMBER: _ClassVar[int]
    SANDBOX_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    BY_RULES_FIELD_NUMBER: _ClassVar[int]
    PLIES_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_US_FIELD_NUMBER: _ClassVar[int]
    DURATION_US_FIELD_NUMBER: _ClassVar[int]
    GAME_DIGEST_FIELD_NUMBER: _ClassVar[int]
    RECORD_DIGEST_FIELD_NUMBER: _ClassVar[int]
    DETAILS_JSON_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    LEAK_CHECKS_FIELD_NUMBER: _ClassVar[int]
    ANNULLED_FIELD_NUMBER: _ClassVar[int]
    HIDDEN_FIELD_NUMBER: _ClassVar[int]
    WHY_HIDDEN_FIELD_NUMBER: _ClassVar[int]
    LOGS_REMOVED_AT_US_FIELD_NUMBER: _ClassVar[int]
    REPLAY_REMOVED_AT_US_FIELD_NUMBER: _ClassVar[int]
    AWAITS_FIELD_NUMBER: _ClassVar[int]
    VOID_REASON_TEXT_JSON_FIELD_NUMBER: _ClassVar[int]
    WHY_HIDDEN_TEXT_JSON_FIELD_NUMBER: _ClassVar[int]
    VALID_RESULT_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    tournament: str
    tournament_id: str
    pool: _pool_pb2.Pool
    block: int
    rotation: int
    state: str
    void_reason: str
    attempt: int
    rated: bool
    sandbox: str
    seats: _containers.RepeatedCompositeFieldContainer[MatchSeat]
    by_rules: bool
    plies: int
    decisions: int
    started_at_us: int
    duration_us: int
    game_digest: str
    record_digest: str
    details_json: str
    faults: _containers.RepeatedCompositeFieldContainer[FaultFact]
    attempts: _containers.RepeatedCompositeFieldContainer[AttemptFact]
    leak_checks: _containers.RepeatedCompositeFieldContainer[LeakFact]
    annulled: str
    hidden: bool
    why_hidden: str
    logs_removed_at_us: int
    replay_removed_at_us: int
    awaits: _containers.RepeatedScalarFieldContainer[str]
    void_reason_text_json: str
    why_hidden_text_json: str
    valid_result: bool
    def __init__(self, match_id: _Optional[str] = ..., tournament: _Optional[str] = ..., tournament_id: _Optional[str] = ..., pool: _Optional[_Union[_pool_pb2.Pool, _Mapping]] = ..., block: _Optional[int] = ..., rotation: _Optional[int] = ..., state: _Optional[str] = ..., void_reason: _Optional[str] = ..., attempt: _Optional[int] = ..., rated: bool = ..., sandbox: _Optional[str] = ..., seats: _Optional[_Iterable[_Union[MatchSeat, _Mapping]]] = ..., by_rules: bool = ..., plies: _Optional[int] = ..., decisions: _Optional[int] = ..., started_at_us: _Optional[int] = ..., duration_us: _Optional[int] = ..., game_digest: _Optional[str] = ..., record_digest: _Optional[str] = ..., details_json: _Optional[str] = ..., faults: _Optional[_Iterable[_Union[FaultFact, _Mapping]]] = ..., attempts: _Optional[_Iterable[_Union[AttemptFact, _Mapping]]] = ..., leak_checks: _Optional[_Iterable[_Union[LeakFact, _Mapping]]] = ..., annulled: _Optional[str] = ..., hidden: bool = ..., why_hidden: _Optional[str] = ..., logs_removed_at_us: _Optional[int] = ..., replay_removed_at_us: _Optional[int] = ..., awaits: _Optional[_Iterable[str]] = ..., void_reason_text_json: _Optional[str] = ..., why_hidden_text_json: _Optional[str] = ..., valid_result: bool = ...) -> None: ...

class MatchSeat(_message.Message):
    __slots__ = ("seat", "bot", "version", "content_hash", "rank", "forfeit", "resigned", "ended", "rating_change", "runtime", "runtime_name", "remote", "person", "sandbox", "notes_left_out")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    CONTENT_HASH_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    FORFEIT_FIELD_NUMBER: _ClassVar[int]
    RESIGNED_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    RATING_CHANGE_FIELD_NUMBER: _ClassVar[int]
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    RUNTIME_NAME_FIELD_NUMBER: _ClassVar[int]
    REMOTE_FIELD_NUMBER: _ClassVar[int]
    PERSON_FIELD_NUMBER: _ClassVar[int]
    SANDBOX_FIELD_NUMBER: _ClassVar[int]
    NOTES_LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    bot: str
    version: int
    content_hash: str
    rank: int
    forfeit: int
    resigned: bool
    ended: str
    rating_change: float
    runtime: str
    runtime_name: str
    remote: bool
    person: str
    sandbox: str
    notes_left_out: bool
    def __init__(self, seat: _Optional[int] = ..., bot: _Optional[str] = ..., version: _Optional[int] = ..., content_hash: _Optional[str] = ..., rank: _Optional[int] = ..., forfeit: _Optional[int] = ..., resigned: bool = ..., ended: _Optional[str] = ..., rating_change: _Optional[float] = ..., runtime: _Optional[str] = ..., runtime_name: _Optional[str] = ..., remote: bool = ..., person: _Optional[str] = ..., sandbox: _Optional[str] = ..., notes_left_out: bool = ...) -> None: ...

class FaultFact(_message.Message):
    __slots__ = ("seat", "bot", "cause", "ply", "explanation", "evidence_json", "owner", "explanation_text_json")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    PLY_FIELD_NUMBER: _ClassVar[int]
    EXPLANATION_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_JSON_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    EXPLANATION_TEXT_JSON_FIELD_NUMBER: _ClassVar[int]
    seat: int
    bot: str
    cause: str
    ply: int
    explanation: str
    evidence_json: str
    owner: str
    explanation_text_json: str
    def __init__(self, seat: _Optional[int] = ..., bot: _Optional[str] = ..., cause: _Optional[str] = ..., ply: _Optional[int] = ..., explanation: _Optional[str] = ..., evidence_json: _Optional[str] = ..., owner: _Optional[str] = ..., explanation_text_json: _Optional[str] = ...) -> None: ...

class AttemptFact(_message.Message):
    __slots__ = ("number", "worker", "state", "owner", "cause", "reason", "evidence_json", "leased_at_us", "ended_at_us", "reason_text_json")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    WORKER_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_JSON_FIELD_NUMBER: _ClassVar[int]
    LEASED_AT_US_FIELD_NUMBER: _ClassVar[int]
    ENDED_AT_US_FIELD_NUMBER: _ClassVar[int]
    REASON_TEXT_JSON_FIELD_NUMBER: _ClassVar[int]
    number: int
    worker: str
    state: str
    owner: str
    cause: str
    reason: str
    evidence_json: str
    leased_at_us: int
    ended_at_us: int
    reason_text_json: str
    def __init__(self, number: _Optional[int] = ..., worker: _Optional[str] = ..., state: _Optional[str] = ..., owner: _Optional[str] = ..., cause: _Optional[str] = ..., reason: _Optional[str] = ..., evidence_json: _Optional[str] = ..., leased_at_us: _Optional[int] = ..., ended_at_us: _Optional[int] = ..., reason_text_json: _Optional[str] = ...) -> None: ...

class LeakFact(_message.Message):
    __slots__ = ("seat", "bot", "verdict", "ply", "sentence", "evidence_json", "sentence_text_json")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    PLY_FIELD_NUMBER: _ClassVar[int]
    SENTENCE_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_JSON_FIELD_NUMBER: _ClassVar[int]
    SENTENCE_TEXT_JSON_FIELD_NUMBER: _ClassVar[int]
    seat: int
    bot: str
    verdict: str
    ply: int
    sentence: str
    evidence_json: str
    sentence_text_json: str
    def __init__(self, seat: _Optional[int] = ..., bot: _Optional[str] = ..., verdict: _Optional[str] = ..., ply: _Optional[int] = ..., sentence: _Optional[str] = ..., evidence_json: _Optional[str] = ..., sentence_text_json: _Optional[str] = ...) -> None: ...

class MatchTimes(_message.Message):
    __slots__ = ("decisions", "totals")
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    TOTALS_FIELD_NUMBER: _ClassVar[int]
    decisions: _containers.RepeatedCompositeFieldContainer[DecisionTime]
    totals: _containers.RepeatedCompositeFieldContainer[SeatTime]
    def __init__(self, decisions: _Optional[_Iterable[_Union[DecisionTime, _Mapping]]] = ..., totals: _Optional[_Iterable[_Union[SeatTime, _Mapping]]] = ...) -> None: ...

class DecisionTime(_message.Message):
    __slots__ = ("ply", "seat", "bot", "wall_us", "cpu_us", "queue_wait_us", "referee_lag_us", "charged_us", "looks", "readable")
    PLY_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    WALL_US_FIELD_NUMBER: _ClassVar[int]
    CPU_US_FIELD_NUMBER: _ClassVar[int]
    QUEUE_WAIT_US_FIELD_NUMBER: _ClassVar[int]
    REFEREE_LAG_US_FIELD_NUMBER: _ClassVar[int]
    CHARGED_US_FIELD_NUMBER: _ClassVar[int]
    LOOKS_FIELD_NUMBER: _ClassVar[int]
    READABLE_FIELD_NUMBER: _ClassVar[int]
    ply: int
    seat: int
    bot: str
    wall_us: int
    cpu_us: int
    queue_wait_us: int
    referee_lag_us: int
    charged_us: int
    looks: int
    readable: bool
    def __init__(self, ply: _Optional[int] = ..., seat: _Optional[int] = ..., bot: _Optional[str] = ..., wall_us: _Optional[int] = ..., cpu_us: _Optional[int] = ..., queue_wait_us: _Optional[int] = ..., referee_lag_us: _Optional[int] = ..., charged_us: _Optional[int] = ..., looks: _Optional[int] = ..., readable: bool = ...) -> None: ...

class SeatTime(_message.Message):
    __slots__ = ("seat", "bot", "decisions", "wall_us", "cpu_us", "queue_wait_us", "referee_lag_us", "charged_us", "longest_us")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    WALL_US_FIELD_NUMBER: _ClassVar[int]
    CPU_US_FIELD_NUMBER: _ClassVar[int]
    QUEUE_WAIT_US_FIELD_NUMBER: _ClassVar[int]
    REFEREE_LAG_US_FIELD_NUMBER: _ClassVar[int]
    CHARGED_US_FIELD_NUMBER: _ClassVar[int]
    LONGEST_US_FIELD_NUMBER: _ClassVar[int]
    seat: int
    bot: str
    decisions: int
    wall_us: int
    cpu_us: int
    queue_wait_us: int
    referee_lag_us: int
    charged_us: int
    longest_us: int
    def __init__(self, seat: _Optional[int] = ..., bot: _Optional[str] = ..., decisions: _Optional[int] = ..., wall_us: _Optional[int] = ..., cpu_us: _Optional[int] = ..., queue_wait_us: _Optional[int] = ..., referee_lag_us: _Optional[int] = ..., charged_us: _Optional[int] = ..., longest_us: _Optional[int] = ...) -> None: ...

class SeatLog(_message.Message):
    __slots__ = ("match_id", "seat", "bot", "text", "cut_bytes")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    CUT_BYTES_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    seat: int
    bot: str
    text: str
    cut_bytes: int
    def __init__(self, match_id: _Optional[str] = ..., seat: _Optional[int] = ..., bot: _Optional[str] = ..., text: _Optional[str] = ..., cut_bytes: _Optional[int] = ...) -> None: ...

class MatchEvent(_message.Message):
    __slots__ = ("sequence", "start", "move", "end")
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    MOVE_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    start: LiveStart
    move: LiveMove
    end: LiveEnd
    def __init__(self, sequence: _Optional[int] = ..., start: _Optional[_Union[LiveStart, _Mapping]] = ..., move: _Optional[_Union[LiveMove, _Mapping]] = ..., end: _Optional[_Union[LiveEnd, _Mapping]] = ...) -> None: ...

class LiveStart(_message.Message):
    __slots__ = ("match_id", "attempt", "game", "rules_version", "options_json", "cores", "clock_json", "opening", "bots", "started_at_us", "chance")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_JSON_FIELD_NUMBER: _ClassVar[int]
    CORES_FIELD_NUMBER: _ClassVar[int]
    CLOCK_JSON_FIELD_NUMBER: _ClassVar[int]
    OPENING_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_US_FIELD_NUMBER: _ClassVar[int]
    CHANCE_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    attempt: int
    game: str
    rules_version: str
    options_json: str
    cores: int
    clock_json: str
    opening: _containers.RepeatedScalarFieldContainer[int]
    bots: _containers.RepeatedScalarFieldContainer[str]
    started_at_us: int
    chance: _containers.RepeatedCompositeFieldContainer[ChanceOutcome]
    def __init__(self, match_id: _Optional[str] = ..., attempt: _Optional[int] = ..., game: _Optional[str] = ..., rules_version: _Optional[str] = ..., options_json: _Optional[str] = ..., cores: _Optional[int] = ..., clock_json: _Optional[str] = ..., opening: _Optional[_Iterable[int]] = ..., bots: _Optional[_Iterable[str]] = ..., started_at_us: _Optional[int] = ..., chance: _Optional[_Iterable[_Union[ChanceOutcome, _Mapping]]] = ...) -> None: ...

class ChanceOutcome(_message.Message):
    __slots__ = ("values",)
    VALUES_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, values: _Optional[_Iterable[int]] = ...) -> None: ...

class LiveMove(_message.Message):
    __slots__ = ("ply", "seat", "bot", "action", "text", "by", "decide", "elapsed_us", "charged_us", "note", "chance")
    PLY_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    BY_FIELD_NUMBER: _ClassVar[int]
    DECIDE_FIELD_NUMBER: _ClassVar[int]
    ELAPSED_US_FIELD_NUMBER: _ClassVar[int]
    CHARGED_US_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    CHANCE_FIELD_NUMBER: _ClassVar[int]
    ply: int
    seat: int
    bot: str
    action: int
    text: str
    by: str
    decide: int
    elapsed_us: int
    charged_us: int
    note: str
    chance: _containers.RepeatedCompositeFieldContainer[ChanceOutcome]
    def __init__(self, ply: _Optional[int] = ..., seat: _Optional[int] = ..., bot: _Optional[str] = ..., action: _Optional[int] = ..., text: _Optional[str] = ..., by: _Optional[str] = ..., decide: _Optional[int] = ..., elapsed_us: _Optional[int] = ..., charged_us: _Optional[int] = ..., note: _Optional[str] = ..., chance: _Optional[_Iterable[_Union[ChanceOutcome, _Mapping]]] = ...) -> None: ...

class LiveEnd(_message.Message):
    __slots__ = ("ranks", "by_rules", "forfeits", "resigned", "faults", "details_json", "lost", "lost_text_json")
    RANKS_FIELD_NUMBER: _ClassVar[int]
    BY_RULES_FIELD_NUMBER: _ClassVar[int]
    FORFEITS_FIELD_NUMBER: _ClassVar[int]
    RESIGNED_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    DETAILS_JSON_FIELD_NUMBER: _ClassVar[int]
    LOST_FIELD_NUMBER: _ClassVar[int]
    LOST_TEXT_JSON_FIELD_NUMBER: _ClassVar[int]
    ranks: _containers.RepeatedScalarFieldContainer[int]
    by_rules: bool
    forfeits: _containers.RepeatedScalarFieldContainer[int]
    resigned: _containers.RepeatedScalarFieldContainer[int]
    faults: _containers.RepeatedCompositeFieldContainer[FaultFact]
    details_json: str
    lost: str
    lost_text_json: str
    def __init__(self, ranks: _Optional[_Iterable[int]] = ..., by_rules: bool = ..., forfeits: _Optional[_Iterable[int]] = ..., resigned: _Optional[_Iterable[int]] = ..., faults: _Optional[_Iterable[_Union[FaultFact, _Mapping]]] = ..., details_json: _Optional[str] = ..., lost: _Optional[str] = ..., lost_text_json: _Optional[str] = ...) -> None: ...

class LogPart(_message.Message):
    __slots__ = ("match_id", "seat", "bot", "start", "data", "cut_bytes")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    CUT_BYTES_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    seat: int
    bot: str
    start: int
    data: bytes
    cut_bytes: int
    def __init__(self, match_id: _Optional[str] = ..., seat: _Optional[int] = ..., bot: _Optional[str] = ..., start: _Optional[int] = ..., data: _Optional[bytes] = ..., cut_bytes: _Optional[int] = ...) -> None: ...

class Replay(_message.Message):
    __slots__ = ("match_id", "data", "is_whole")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    IS_WHOLE_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    data: bytes
    is_whole: bool
    def __init__(self, match_id: _Optional[str] = ..., data: _Optional[bytes] = ..., is_whole: bool = ...) -> None: ...

class ReplayCheck(_message.Message):
    __slots__ = ("match_id", "problems", "removed_at_us", "problems_text_json")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    PROBLEMS_FIELD_NUMBER: _ClassVar[int]
    REMOVED_AT_US_FIELD_NUMBER: _ClassVar[int]
    PROBLEMS_TEXT_JSON_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    problems: _containers.RepeatedScalarFieldContainer[str]
    removed_at_us: int
    problems_text_json: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, match_id: _Optional[str] = ..., problems: _Optional[_Iterable[str]] = ..., removed_at_us: _Optional[int] = ..., problems_text_json: _Optional[_Iterable[str]] = ...) -> None: ...

class AnnulMatchRequest(_message.Message):
    __slots__ = ("match", "why")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    match: str
    why: str
    def __init__(self, match: _Optional[str] = ..., why: _Optional[str] = ...) -> None: ...

class AnnulMatchResponse(_message.Message):
    __slots__ = ("annulled",)
    ANNULLED_FIELD_NUMBER: _ClassVar[int]
    annulled: Annulled
    def __init__(self, annulled: _Optional[_Union[Annulled, _Mapping]] = ...) -> None: ...

class AnnulVersionRequest(_message.Message):
    __slots__ = ("version", "why")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    version: str
    why: str
    def __init__(self, version: _Optional[str] = ..., why: _Optional[str] = ...) -> None: ...

class AnnulVersionResponse(_message.Message):
    __slots__ = ("annulled",)
    ANNULLED_FIELD_NUMBER: _ClassVar[int]
    annulled: Annulled
    def __init__(self, annulled: _Optional[_Union[Annulled, _Mapping]] = ...) -> None: ...

class ListAnnulmentsRequest(_message.Message):
    __slots__ = ("limit", "after")
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    limit: int
    after: str
    def __init__(self, limit: _Optional[int] = ..., after: _Optional[str] = ...) -> None: ...

class ListAnnulmentsResponse(_message.Message):
    __slots__ = ("items", "next")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[Annulment]
    next: str
    def __init__(self, items: _Optional[_Iterable[_Union[Annulment, _Mapping]]] = ..., next: _Optional[str] = ...) -> None: ...

class Annulment(_message.Message):
    __slots__ = ("id", "match", "version", "why", "actor", "at_us")
    ID_FIELD_NUMBER: _ClassVar[int]
    MATCH_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    ACTOR_FIELD_NUMBER: _ClassVar[int]
    AT_US_FIELD_NUMBER: _ClassVar[int]
    id: str
    match: str
    version: str
    why: str
    actor: str
    at_us: int
    def __init__(self, id: _Optional[str] = ..., match: _Optional[str] = ..., version: _Optional[str] = ..., why: _Optional[str] = ..., actor: _Optional[str] = ..., at_us: _Optional[int] = ...) -> None: ...

class Annulled(_message.Message):
    __slots__ = ("annulment", "matches", "pools")
    ANNULMENT_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    POOLS_FIELD_NUMBER: _ClassVar[int]
    annulment: Annulment
    matches: int
    pools: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, annulment: _Optional[_Union[Annulment, _Mapping]] = ..., matches: _Optional[int] = ..., pools: _Optional[_Iterable[str]] = ...) -> None: ...
