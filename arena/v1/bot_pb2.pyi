from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ListBotsRequest(_message.Message):
    __slots__ = ("limit", "after")
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    limit: int
    after: str
    def __init__(self, limit: _Optional[int] = ..., after: _Optional[str] = ...) -> None: ...

class ListBotsResponse(_message.Message):
    __slots__ = ("items", "next")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[BotSummary]
    next: str
    def __init__(self, items: _Optional[_Iterable[_Union[BotSummary, _Mapping]]] = ..., next: _Optional[str] = ...) -> None: ...

class GetBotRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class GetBotResponse(_message.Message):
    __slots__ = ("bot_detail",)
    BOT_DETAIL_FIELD_NUMBER: _ClassVar[int]
    bot_detail: BotDetail
    def __init__(self, bot_detail: _Optional[_Union[BotDetail, _Mapping]] = ...) -> None: ...

class ListVersionsRequest(_message.Message):
    __slots__ = ("name", "limit", "after")
    NAME_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    name: str
    limit: int
    after: str
    def __init__(self, name: _Optional[str] = ..., limit: _Optional[int] = ..., after: _Optional[str] = ...) -> None: ...

class ListVersionsResponse(_message.Message):
    __slots__ = ("items", "next")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[BotVersion]
    next: str
    def __init__(self, items: _Optional[_Iterable[_Union[BotVersion, _Mapping]]] = ..., next: _Optional[str] = ...) -> None: ...

class FindVersionRequest(_message.Message):
    __slots__ = ("text",)
    TEXT_FIELD_NUMBER: _ClassVar[int]
    text: str
    def __init__(self, text: _Optional[str] = ...) -> None: ...

class FindVersionResponse(_message.Message):
    __slots__ = ("named_version",)
    NAMED_VERSION_FIELD_NUMBER: _ClassVar[int]
    named_version: NamedVersion
    def __init__(self, named_version: _Optional[_Union[NamedVersion, _Mapping]] = ...) -> None: ...

class GetBuildLogRequest(_message.Message):
    __slots__ = ("text",)
    TEXT_FIELD_NUMBER: _ClassVar[int]
    text: str
    def __init__(self, text: _Optional[str] = ...) -> None: ...

class GetBuildLogResponse(_message.Message):
    __slots__ = ("build_log",)
    BUILD_LOG_FIELD_NUMBER: _ClassVar[int]
    build_log: BuildLog
    def __init__(self, build_log: _Optional[_Union[BuildLog, _Mapping]] = ...) -> None: ...

class SetDisabledRequest(_message.Message):
    __slots__ = ("name", "disabled")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DISABLED_FIELD_NUMBER: _ClassVar[int]
    name: str
    disabled: bool
    def __init__(self, name: _Optional[str] = ..., disabled: bool = ...) -> None: ...

class SetDisabledResponse(_message.Message):
    __slots__ = ("value",)
    VALUE_FIELD_NUMBER: _ClassVar[int]
    value: str
    def __init__(self, value: _Optional[str] = ...) -> None: ...

class RemoveBotRequest(_message.Message):
    __slots__ = ("text",)
    TEXT_FIELD_NUMBER: _ClassVar[int]
    text: str
    def __init__(self, text: _Optional[str] = ...) -> None: ...

class RemoveBotResponse(_message.Message):
    __slots__ = ("removed_bot",)
    REMOVED_BOT_FIELD_NUMBER: _ClassVar[int]
    removed_bot: RemovedBot
    def __init__(self, removed_bot: _Optional[_Union[RemovedBot, _Mapping]] = ...) -> None: ...

class RemovedBot(_message.Message):
    __slots__ = ("bot", "versions", "is_whole")
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSIONS_FIELD_NUMBER: _ClassVar[int]
    IS_WHOLE_FIELD_NUMBER: _ClassVar[int]
    bot: str
    versions: int
    is_whole: bool
    def __init__(self, bot: _Optional[str] = ..., versions: _Optional[int] = ..., is_whole: bool = ...) -> None: ...

class RenameBotRequest(_message.Message):
    __slots__ = ("name", "new_name")
    NAME_FIELD_NUMBER: _ClassVar[int]
    NEW_NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    new_name: str
    def __init__(self, name: _Optional[str] = ..., new_name: _Optional[str] = ...) -> None: ...

class RenameBotResponse(_message.Message):
    __slots__ = ("bot_detail",)
    BOT_DETAIL_FIELD_NUMBER: _ClassVar[int]
    bot_detail: BotDetail
    def __init__(self, bot_detail: _Optional[_Union[BotDetail, _Mapping]] = ...) -> None: ...

class ListEventsRequest(_message.Message):
    __slots__ = ("name", "limit", "after")
    NAME_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    name: str
    limit: int
    after: str
    def __init__(self, name: _Optional[str] = ..., limit: _Optional[int] = ..., after: _Optional[str] = ...) -> None: ...

class ListEventsResponse(_message.Message):
    __slots__ = ("items", "next")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[BotEvent]
    next: str
    def __init__(self, items: _Optional[_Iterable[_Union[BotEvent, _Mapping]]] = ..., next: _Optional[str] = ...) -> None: ...

class PromoteVersionRequest(_message.Message):
    __slots__ = ("text", "message")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    text: str
    message: str
    def __init__(self, text: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class PromoteVersionResponse(_message.Message):
    __slots__ = ("bot_detail",)
    BOT_DETAIL_FIELD_NUMBER: _ClassVar[int]
    bot_detail: BotDetail
    def __init__(self, bot_detail: _Optional[_Union[BotDetail, _Mapping]] = ...) -> None: ...

class WithdrawVersionRequest(_message.Message):
    __slots__ = ("text", "message")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    text: str
    message: str
    def __init__(self, text: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class WithdrawVersionResponse(_message.Message):
    __slots__ = ("bot_detail",)
    BOT_DETAIL_FIELD_NUMBER: _ClassVar[int]
    bot_detail: BotDetail
    def __init__(self, bot_detail: _Optional[_Union[BotDetail, _Mapping]] = ...) -> None: ...

class RollBackRequest(_message.Message):
    __slots__ = ("name", "message")
    NAME_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    name: str
    message: str
    def __init__(self, name: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class RollBackResponse(_message.Message):
    __slots__ = ("bot_detail",)
    BOT_DETAIL_FIELD_NUMBER: _ClassVar[int]
    bot_detail: BotDetail
    def __init__(self, bot_detail: _Optional[_Union[BotDetail, _Mapping]] = ...) -> None: ...

class ListAdmissionsRequest(_message.Message):
    __slots__ = ("state", "limit", "after")
    STATE_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    state: str
    limit: int
    after: str
    def __init__(self, state: _Optional[str] = ..., limit: _Optional[int] = ..., after: _Optional[str] = ...) -> None: ...

class ListAdmissionsResponse(_message.Message):
    __slots__ = ("items", "next")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[Admission]
    next: str
    def __init__(self, items: _Optional[_Iterable[_Union[Admission, _Mapping]]] = ..., next: _Optional[str] = ...) -> None: ...

class GetAdmissionRequest(_message.Message):
    __slots__ = ("admission",)
    ADMISSION_FIELD_NUMBER: _ClassVar[int]
    admission: str
    def __init__(self, admission: _Optional[str] = ...) -> None: ...

class GetAdmissionResponse(_message.Message):
    __slots__ = ("admission",)
    ADMISSION_FIELD_NUMBER: _ClassVar[int]
    admission: Admission
    def __init__(self, admission: _Optional[_Union[Admission, _Mapping]] = ...) -> None: ...

class RequestAdmissionRequest(_message.Message):
    __slots__ = ("text",)
    TEXT_FIELD_NUMBER: _ClassVar[int]
    text: str
    def __init__(self, text: _Optional[str] = ...) -> None: ...

class RequestAdmissionResponse(_message.Message):
    __slots__ = ("admission",)
    ADMISSION_FIELD_NUMBER: _ClassVar[int]
    admission: Admission
    def __init__(self, admission: _Optional[_Union[Admission, _Mapping]] = ...) -> None: ...

class WatchAdmissionRequest(_message.Message):
    __slots__ = ("admission",)
    ADMISSION_FIELD_NUMBER: _ClassVar[int]
    admission: str
    def __init__(self, admission: _Optional[str] = ...) -> None: ...

class WatchAdmissionResponse(_message.Message):
    __slots__ = ("admission",)
    ADMISSION_FIELD_NUMBER: _ClassVar[int]
    admission: Admission
    def __init__(self, admission: _Optional[_Union[Admission, _Mapping]] = ...) -> None: ...

class BeginUploadRequest(_message.Message):
    __slots__ = ("archive_sha256", "size_bytes")
    ARCHIVE_SHA256_FIELD_NUMBER: _ClassVar[int]
    SIZE_BYTES_FIELD_NUMBER: _ClassVar[int]
    archive_sha256: str
    size_bytes: int
    def __init__(self, archive_sha256: _Optional[str] = ..., size_bytes: _Optional[int] = ...) -> None: ...

class BeginUploadResponse(_message.Message):
    __slots__ = ("upload_ticket",)
    UPLOAD_TICKET_FIELD_NUMBER: _ClassVar[int]
    upload_ticket: UploadTicket
    def __init__(self, upload_ticket: _Optional[_Union[UploadTicket, _Mapping]] = ...) -> None: ...

class UploadRequest(_message.Message):
    __slots__ = ("upload", "turn", "offset", "chunk")
    UPLOAD_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    upload: str
    turn: int
    offset: int
    chunk: bytes
    def __init__(self, upload: _Optional[str] = ..., turn: _Optional[int] = ..., offset: _Optional[int] = ..., chunk: _Optional[bytes] = ...) -> None: ...

class UploadResponse(_message.Message):
    __slots__ = ("offset",)
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    offset: int
    def __init__(self, offset: _Optional[int] = ...) -> None: ...

class SubmitVersionRequest(_message.Message):
    __slots__ = ("upload", "content_hash", "message", "predecessor")
    UPLOAD_FIELD_NUMBER: _ClassVar[int]
    CONTENT_HASH_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    PREDECESSOR_FIELD_NUMBER: _ClassVar[int]
    upload: str
    content_hash: str
    message: str
    predecessor: int
    def __init__(self, upload: _Optional[str] = ..., content_hash: _Optional[str] = ..., message: _Optional[str] = ..., predecessor: _Optional[int] = ...) -> None: ...

class SubmitVersionResponse(_message.Message):
    __slots__ = ("submitted",)
    SUBMITTED_FIELD_NUMBER: _ClassVar[int]
    submitted: Submitted
    def __init__(self, submitted: _Optional[_Union[Submitted, _Mapping]] = ...) -> None: ...

class ListRuntimesRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListRuntimesResponse(_message.Message):
    __slots__ = ("items",)
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[Runtime]
    def __init__(self, items: _Optional[_Iterable[_Union[Runtime, _Mapping]]] = ...) -> None: ...

class BotSummary(_message.Message):
    __slots__ = ("name", "owner", "versions", "content_hash", "games", "disabled_at_us", "remote", "named")
    NAME_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    VERSIONS_FIELD_NUMBER: _ClassVar[int]
    CONTENT_HASH_FIELD_NUMBER: _ClassVar[int]
    GAMES_FIELD_NUMBER: _ClassVar[int]
    DISABLED_AT_US_FIELD_NUMBER: _ClassVar[int]
    REMOTE_FIELD_NUMBER: _ClassVar[int]
    NAMED_FIELD_NUMBER: _ClassVar[int]
    name: str
    owner: str
    versions: int
    content_hash: str
    games: _containers.RepeatedScalarFieldContainer[str]
    disabled_at_us: int
    remote: bool
    named: str
    def __init__(self, name: _Optional[str] = ..., owner: _Optional[str] = ..., versions: _Optional[int] = ..., content_hash: _Optional[str] = ..., games: _Optional[_Iterable[str]] = ..., disabled_at_us: _Optional[int] = ..., remote: bool = ..., named: _Optional[str] = ...) -> None: ...

class BotDetail(_message.Message):
    __slots__ = ("name", "owner", "disabled_at_us", "newest", "versions", "active", "remote")
    NAME_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    DISABLED_AT_US_FIELD_NUMBER: _ClassVar[int]
    NEWEST_FIELD_NUMBER: _ClassVar[int]
    VERSIONS_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_FIELD_NUMBER: _ClassVar[int]
    REMOTE_FIELD_NUMBER: _ClassVar[int]
    name: str
    owner: str
    disabled_at_us: int
    newest: BotVersion
    versions: int
    active: int
    remote: bool
    def __init__(self, name: _Optional[str] = ..., owner: _Optional[str] = ..., disabled_at_us: _Optional[int] = ..., newest: _Optional[_Union[BotVersion, _Mapping]] = ..., versions: _Optional[int] = ..., active: _Optional[int] = ..., remote: bool = ...) -> None: ...

class BotVersion(_message.Message):
    __slots__ = ("version_id", "number", "content_hash", "manifest_json", "created_at_us", "directory", "message", "predecessor", "withdrawn_at_us")
    VERSION_ID_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    CONTENT_HASH_FIELD_NUMBER: _ClassVar[int]
    MANIFEST_JSON_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_US_FIELD_NUMBER: _ClassVar[int]
    DIRECTORY_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    PREDECESSOR_FIELD_NUMBER: _ClassVar[int]
    WITHDRAWN_AT_US_FIELD_NUMBER: _ClassVar[int]
    version_id: str
    number: int
    content_hash: str
    manifest_json: str
    created_at_us: int
    directory: str
    message: str
    predecessor: int
    withdrawn_at_us: int
    def __init__(self, version_id: _Optional[str] = ..., number: _Optional[int] = ..., content_hash: _Optional[str] = ..., manifest_json: _Optional[str] = ..., created_at_us: _Optional[int] = ..., directory: _Optional[str] = ..., message: _Optional[str] = ..., predecessor: _Optional[int] = ..., withdrawn_at_us: _Optional[int] = ...) -> None: ...

class NamedVersion(_message.Message):
    __slots__ = ("bot", "version_id", "number", "content_hash")
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_ID_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    CONTENT_HASH_FIELD_NUMBER: _ClassVar[int]
    bot: str
    version_id: str
    number: int
    content_hash: str
    def __init__(self, bot: _Optional[str] = ..., version_id: _Optional[str] = ..., number: _Optional[int] = ..., content_hash: _Optional[str] = ...) -> None: ...

class BotEvent(_message.Message):
    __slots__ = ("number", "kind", "at_us", "actor", "message", "version", "content_hash", "message_text_json")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    AT_US_FIELD_NUMBER: _ClassVar[int]
    ACTOR_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    CONTENT_HASH_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_TEXT_JSON_FIELD_NUMBER: _ClassVar[int]
    number: int
    kind: str
    at_us: int
    actor: str
    message: str
    version: int
    content_hash: str
    message_text_json: str
    def __init__(self, number: _Optional[int] = ..., kind: _Optional[str] = ..., at_us: _Optional[int] = ..., actor: _Optional[str] = ..., message: _Optional[str] = ..., version: _Optional[int] = ..., content_hash: _Optional[str] = ..., message_text_json: _Optional[str] = ...) -> None: ...

class BuildLog(_message.Message):
    __slots__ = ("bot", "version", "content_hash", "runtime", "built_at_us", "text")
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    CONTENT_HASH_FIELD_NUMBER: _ClassVar[int]
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    BUILT_AT_US_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    bot: str
    version: int
    content_hash: str
    runtime: str
    built_at_us: int
    text: str
    def __init__(self, bot: _Optional[str] = ..., version: _Optional[int] = ..., content_hash: _Optional[str] = ..., runtime: _Optional[str] = ..., built_at_us: _Optional[int] = ..., text: _Optional[str] = ...) -> None: ...

class Admission(_message.Message):
    __slots__ = ("id", "bot", "version", "content_hash", "state", "requested_at_us", "started_at_us", "ended_at_us", "findings", "summary", "summary_text_json")
    ID_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    CONTENT_HASH_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    REQUESTED_AT_US_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_US_FIELD_NUMBER: _ClassVar[int]
    ENDED_AT_US_FIELD_NUMBER: _ClassVar[int]
    FINDINGS_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_TEXT_JSON_FIELD_NUMBER: _ClassVar[int]
    id: str
    bot: str
    version: int
    content_hash: str
    state: str
    requested_at_us: int
    started_at_us: int
    ended_at_us: int
    findings: _containers.RepeatedCompositeFieldContainer[Finding]
    summary: str
    summary_text_json: str
    def __init__(self, id: _Optional[str] = ..., bot: _Optional[str] = ..., version: _Optional[int] = ..., content_hash: _Optional[str] = ..., state: _Optional[str] = ..., requested_at_us: _Optional[int] = ..., started_at_us: _Optional[int] = ..., ended_at_us: _Optional[int] = ..., findings: _Optional[_Iterable[_Union[Finding, _Mapping]]] = ..., summary: _Optional[str] = ..., summary_text_json: _Optional[str] = ...) -> None: ...

class Finding(_message.Message):
    __slots__ = ("check", "state", "sentence", "evidence_json", "sentence_text_json")
    CHECK_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    SENTENCE_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_JSON_FIELD_NUMBER: _ClassVar[int]
    SENTENCE_TEXT_JSON_FIELD_NUMBER: _ClassVar[int]
    check: str
    state: str
    sentence: str
    evidence_json: str
    sentence_text_json: str
    def __init__(self, check: _Optional[str] = ..., state: _Optional[str] = ..., sentence: _Optional[str] = ..., evidence_json: _Optional[str] = ..., sentence_text_json: _Optional[str] = ...) -> None: ...

class UploadTicket(_message.Message):
    __slots__ = ("upload", "turn", "offset", "size_bytes", "chunk_bytes")
    UPLOAD_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    SIZE_BYTES_FIELD_NUMBER: _ClassVar[int]
    CHUNK_BYTES_FIELD_NUMBER: _ClassVar[int]
    upload: str
    turn: int
    offset: int
    size_bytes: int
    chunk_bytes: int
    def __init__(self, upload: _Optional[str] = ..., turn: _Optional[int] = ..., offset: _Optional[int] = ..., size_bytes: _Optional[int] = ..., chunk_bytes: _Optional[int] = ...) -> None: ...

class Submitted(_message.Message):
    __slots__ = ("bot", "number", "version_id", "content_hash", "new", "admission")
    BOT_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    VERSION_ID_FIELD_NUMBER: _ClassVar[int]
    CONTENT_HASH_FIELD_NUMBER: _ClassVar[int]
    NEW_FIELD_NUMBER: _ClassVar[int]
    ADMISSION_FIELD_NUMBER: _ClassVar[int]
    bot: str
    number: int
    version_id: str
    content_hash: str
    new: bool
    admission: Admission
    def __init__(self, bot: _Optional[str] = ..., number: _Optional[int] = ..., version_id: _Optional[str] = ..., content_hash: _Optional[str] = ..., new: bool = ..., admission: _Optional[_Union[Admission, _Mapping]] = ...) -> None: ...

class Runtime(_message.Message):
    __slots__ = ("name", "kind", "hash", "contents_json", "seen_at_us")
    NAME_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    HASH_FIELD_NUMBER: _ClassVar[int]
    CONTENTS_JSON_FIELD_NUMBER: _ClassVar[int]
    SEEN_AT_US_FIELD_NUMBER: _ClassVar[int]
    name: str
    kind: str
    hash: str
    contents_json: str
    seen_at_us: int
    def __init__(self, name: _Optional[str] = ..., kind: _Optional[str] = ..., hash: _Optional[str] = ..., contents_json: _Optional[str] = ..., seen_at_us: _Optional[int] = ...) -> None: ...
