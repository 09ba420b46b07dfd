from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GetIdentityRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetIdentityResponse(_message.Message):
    __slots__ = ("identity",)
    IDENTITY_FIELD_NUMBER: _ClassVar[int]
    identity: Identity
    def __init__(self, identity: _Optional[_Union[Identity, _Mapping]] = ...) -> None: ...

class GetUsageRequest(_message.Message):
    __slots__ = ("owner",)
    OWNER_FIELD_NUMBER: _ClassVar[int]
    owner: str
    def __init__(self, owner: _Optional[str] = ...) -> None: ...

class GetUsageResponse(_message.Message):
    __slots__ = ("usage",)
    USAGE_FIELD_NUMBER: _ClassVar[int]
    usage: OwnerUsage
    def __init__(self, usage: _Optional[_Union[OwnerUsage, _Mapping]] = ...) -> None: ...

class ListNoticesRequest(_message.Message):
    __slots__ = ("limit", "after")
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    limit: int
    after: str
    def __init__(self, limit: _Optional[int] = ..., after: _Optional[str] = ...) -> None: ...

class ListNoticesResponse(_message.Message):
    __slots__ = ("items", "next")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[Notice]
    next: str
    def __init__(self, items: _Optional[_Iterable[_Union[Notice, _Mapping]]] = ..., next: _Optional[str] = ...) -> None: ...

class ListOwnTokensRequest(_message.Message):
    __slots__ = ("limit", "after")
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    limit: int
    after: str
    def __init__(self, limit: _Optional[int] = ..., after: _Optional[str] = ...) -> None: ...

class ListOwnTokensResponse(_message.Message):
    __slots__ = ("items", "next")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[TokenSummary]
    next: str
    def __init__(self, items: _Optional[_Iterable[_Union[TokenSummary, _Mapping]]] = ..., next: _Optional[str] = ...) -> None: ...

class NewOwnTokenRequest(_message.Message):
    __slots__ = ("name", "scope", "expires_at_us")
    NAME_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_US_FIELD_NUMBER: _ClassVar[int]
    name: str
    scope: str
    expires_at_us: int
    def __init__(self, name: _Optional[str] = ..., scope: _Optional[str] = ..., expires_at_us: _Optional[int] = ...) -> None: ...

class NewOwnTokenResponse(_message.Message):
    __slots__ = ("new_token",)
    NEW_TOKEN_FIELD_NUMBER: _ClassVar[int]
    new_token: NewToken
    def __init__(self, new_token: _Optional[_Union[NewToken, _Mapping]] = ...) -> None: ...

class RevokeOwnTokenRequest(_message.Message):
    __slots__ = ("token",)
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    token: str
    def __init__(self, token: _Optional[str] = ...) -> None: ...

class RevokeOwnTokenResponse(_message.Message):
    __slots__ = ("token_summary",)
    TOKEN_SUMMARY_FIELD_NUMBER: _ClassVar[int]
    token_summary: TokenSummary
    def __init__(self, token_summary: _Optional[_Union[TokenSummary, _Mapping]] = ...) -> None: ...

class RedeemInvitationRequest(_message.Message):
    __slots__ = ("code", "token_name")
    CODE_FIELD_NUMBER: _ClassVar[int]
    TOKEN_NAME_FIELD_NUMBER: _ClassVar[int]
    code: str
    token_name: str
    def __init__(self, code: _Optional[str] = ..., token_name: _Optional[str] = ...) -> None: ...

class RedeemInvitationResponse(_message.Message):
    __slots__ = ("new_token",)
    NEW_TOKEN_FIELD_NUMBER: _ClassVar[int]
    new_token: NewToken
    def __init__(self, new_token: _Optional[_Union[NewToken, _Mapping]] = ...) -> None: ...

class Identity(_message.Message):
    __slots__ = ("scope", "owner", "token", "expires_at_us", "protocol_major", "protocol_minor", "play_port")
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_US_FIELD_NUMBER: _ClassVar[int]
    PROTOCOL_MAJOR_FIELD_NUMBER: _ClassVar[int]
    PROTOCOL_MINOR_FIELD_NUMBER: _ClassVar[int]
    PLAY_PORT_FIELD_NUMBER: _ClassVar[int]
    scope: str
    owner: str
    token: str
    expires_at_us: int
    protocol_major: int
    protocol_minor: int
    play_port: int
    def __init__(self, scope: _Optional[str] = ..., owner: _Optional[str] = ..., token: _Optional[str] = ..., expires_at_us: _Optional[int] = ..., protocol_major: _Optional[int] = ..., protocol_minor: _Optional[int] = ..., play_port: _Optional[int] = ...) -> None: ...

class OwnerUsage(_message.Message):
    __slots__ = ("owner", "limits", "own", "bots", "versions", "stored_bytes", "uploads_last_hour", "note_bytes")
    OWNER_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    OWN_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    VERSIONS_FIELD_NUMBER: _ClassVar[int]
    STORED_BYTES_FIELD_NUMBER: _ClassVar[int]
    UPLOADS_LAST_HOUR_FIELD_NUMBER: _ClassVar[int]
    NOTE_BYTES_FIELD_NUMBER: _ClassVar[int]
    owner: str
    limits: OwnerLimits
    own: _containers.RepeatedScalarFieldContainer[str]
    bots: int
    versions: int
    stored_bytes: int
    uploads_last_hour: int
    note_bytes: int
    def __init__(self, owner: _Optional[str] = ..., limits: _Optional[_Union[OwnerLimits, _Mapping]] = ..., own: _Optional[_Iterable[str]] = ..., bots: _Optional[int] = ..., versions: _Optional[int] = ..., stored_bytes: _Optional[int] = ..., uploads_last_hour: _Optional[int] = ..., note_bytes: _Optional[int] = ...) -> None: ...

class OwnerLimits(_message.Message):
    __slots__ = ("uploads_per_hour", "versions", "archive_mb", "stored_mb", "concurrent_matches", "notes_mb")
    UPLOADS_PER_HOUR_FIELD_NUMBER: _ClassVar[int]
    VERSIONS_FIELD_NUMBER: _ClassVar[int]
    ARCHIVE_MB_FIELD_NUMBER: _ClassVar[int]
    STORED_MB_FIELD_NUMBER: _ClassVar[int]
    CONCURRENT_MATCHES_FIELD_NUMBER: _ClassVar[int]
    NOTES_MB_FIELD_NUMBER: _ClassVar[int]
    uploads_per_hour: int
    versions: int
    archive_mb: int
    stored_mb: int
    concurrent_matches: int
    notes_mb: int
    def __init__(self, uploads_per_hour: _Optional[int] = ..., versions: _Optional[int] = ..., archive_mb: _Optional[int] = ..., stored_mb: _Optional[int] = ..., concurrent_matches: _Optional[int] = ..., notes_mb: _Optional[int] = ...) -> None: ...

class Notice(_message.Message):
    __slots__ = ("id", "at_us", "subject", "sentence", "for_everybody", "sentence_text_json")
    ID_FIELD_NUMBER: _ClassVar[int]
    AT_US_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    SENTENCE_FIELD_NUMBER: _ClassVar[int]
    FOR_EVERYBODY_FIELD_NUMBER: _ClassVar[int]
    SENTENCE_TEXT_JSON_FIELD_NUMBER: _ClassVar[int]
    id: str
    at_us: int
    subject: str
    sentence: str
    for_everybody: bool
    sentence_text_json: str
    def __init__(self, id: _Optional[str] = ..., at_us: _Optional[int] = ..., subject: _Optional[str] = ..., sentence: _Optional[str] = ..., for_everybody: bool = ..., sentence_text_json: _Optional[str] = ...) -> None: ...

class NewToken(_message.Message):
    __slots__ = ("token", "summary")
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    token: str
    summary: TokenSummary
    def __init__(self, token: _Optional[str] = ..., summary: _Optional[_Union[TokenSummary, _Mapping]] = ...) -> None: ...

class TokenSummary(_message.Message):
    __slots__ = ("id", "owner", "name", "scope", "created_at_us", "expires_at_us", "revoked_at_us", "used_at_us")
    ID_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_US_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_US_FIELD_NUMBER: _ClassVar[int]
    REVOKED_AT_US_FIELD_NUMBER: _ClassVar[int]
    USED_AT_US_FIELD_NUMBER: _ClassVar[int]
    id: str
    owner: str
    name: str
    scope: str
    created_at_us: int
    expires_at_us: int
    revoked_at_us: int
    used_at_us: int
    def __init__(self, id: _Optional[str] = ..., owner: _Optional[str] = ..., name: _Optional[str] = ..., scope: _Optional[str] = ..., created_at_us: _Optional[int] = ..., expires_at_us: _Optional[int] = ..., revoked_at_us: _Optional[int] = ..., used_at_us: _Optional[int] = ...) -> None: ...
