from arena.v1 import account_pb2 as _account_pb2
from arena.v1 import ladder_pb2 as _ladder_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class AddOwnerRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class AddOwnerResponse(_message.Message):
    __slots__ = ("owner_summary",)
    OWNER_SUMMARY_FIELD_NUMBER: _ClassVar[int]
    owner_summary: OwnerSummary
    def __init__(self, owner_summary: _Optional[_Union[OwnerSummary, _Mapping]] = ...) -> None: ...

class ListOwnersRequest(_message.Message):
    __slots__ = ("limit", "after")
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    limit: int
    after: str
    def __init__(self, limit: _Optional[int] = ..., after: _Optional[str] = ...) -> None: ...

class ListOwnersResponse(_message.Message):
    __slots__ = ("items", "next")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[OwnerSummary]
    next: str
    def __init__(self, items: _Optional[_Iterable[_Union[OwnerSummary, _Mapping]]] = ..., next: _Optional[str] = ...) -> None: ...

class SetOwnerDisabledRequest(_message.Message):
    __slots__ = ("name", "disabled")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DISABLED_FIELD_NUMBER: _ClassVar[int]
    name: str
    disabled: bool
    def __init__(self, name: _Optional[str] = ..., disabled: bool = ...) -> None: ...

class SetOwnerDisabledResponse(_message.Message):
    __slots__ = ("owner_summary",)
    OWNER_SUMMARY_FIELD_NUMBER: _ClassVar[int]
    owner_summary: OwnerSummary
    def __init__(self, owner_summary: _Optional[_Union[OwnerSummary, _Mapping]] = ...) -> None: ...

class SetOwnerLimitsRequest(_message.Message):
    __slots__ = ("name", "limits_json", "resets")
    NAME_FIELD_NUMBER: _ClassVar[int]
    LIMITS_JSON_FIELD_NUMBER: _ClassVar[int]
    RESETS_FIELD_NUMBER: _ClassVar[int]
    name: str
    limits_json: str
    resets: bool
    def __init__(self, name: _Optional[str] = ..., limits_json: _Optional[str] = ..., resets: bool = ...) -> None: ...

class SetOwnerLimitsResponse(_message.Message):
    __slots__ = ("owner_summary",)
    OWNER_SUMMARY_FIELD_NUMBER: _ClassVar[int]
    owner_summary: OwnerSummary
    def __init__(self, owner_summary: _Optional[_Union[OwnerSummary, _Mapping]] = ...) -> None: ...

class InviteOwnerRequest(_message.Message):
    __slots__ = ("name", "scope", "expires_at_us")
    NAME_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_US_FIELD_NUMBER: _ClassVar[int]
    name: str
    scope: str
    expires_at_us: int
    def __init__(self, name: _Optional[str] = ..., scope: _Optional[str] = ..., expires_at_us: _Optional[int] = ...) -> None: ...

class InviteOwnerResponse(_message.Message):
    __slots__ = ("new_invitation",)
    NEW_INVITATION_FIELD_NUMBER: _ClassVar[int]
    new_invitation: NewInvitation
    def __init__(self, new_invitation: _Optional[_Union[NewInvitation, _Mapping]] = ...) -> None: ...

class ListInvitationsRequest(_message.Message):
    __slots__ = ("limit", "after")
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    limit: int
    after: str
    def __init__(self, limit: _Optional[int] = ..., after: _Optional[str] = ...) -> None: ...

class ListInvitationsResponse(_message.Message):
    __slots__ = ("items", "next")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[InvitationSummary]
    next: str
    def __init__(self, items: _Optional[_Iterable[_Union[InvitationSummary, _Mapping]]] = ..., next: _Optional[str] = ...) -> None: ...

class NewTokenRequest(_message.Message):
    __slots__ = ("owner", "name", "scope", "expires_at_us")
    OWNER_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_US_FIELD_NUMBER: _ClassVar[int]
    owner: str
    name: str
    scope: str
    expires_at_us: int
    def __init__(self, owner: _Optional[str] = ..., name: _Optional[str] = ..., scope: _Optional[str] = ..., expires_at_us: _Optional[int] = ...) -> None: ...

class NewTokenResponse(_message.Message):
    __slots__ = ("new_token",)
    NEW_TOKEN_FIELD_NUMBER: _ClassVar[int]
    new_token: _account_pb2.NewToken
    def __init__(self, new_token: _Optional[_Union[_account_pb2.NewToken, _Mapping]] = ...) -> None: ...

class ListTokensRequest(_message.Message):
    __slots__ = ("owner", "limit", "after")
    OWNER_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    owner: str
    limit: int
    after: str
    def __init__(self, owner: _Optional[str] = ..., limit: _Optional[int] = ..., after: _Optional[str] = ...) -> None: ...

class ListTokensResponse(_message.Message):
    __slots__ = ("items", "next")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_account_pb2.TokenSummary]
    next: str
    def __init__(self, items: _Optional[_Iterable[_Union[_account_pb2.TokenSummary, _Mapping]]] = ..., next: _Optional[str] = ...) -> None: ...

class RevokeTokenRequest(_message.Message):
    __slots__ = ("token", "owner")
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    token: str
    owner: str
    def __init__(self, token: _Optional[str] = ..., owner: _Optional[str] = ...) -> None: ...

class RevokeTokenResponse(_message.Message):
    __slots__ = ("token_summary",)
    TOKEN_SUMMARY_FIELD_NUMBER: _ClassVar[int]
    token_summary: _account_pb2.TokenSummary
    def __init__(self, token_summary: _Optional[_Union[_account_pb2.TokenSummary, _Mapping]] = ...) -> None: ...

class OpenLadderRequest(_message.Message):
    __slots__ = ("request",)
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    request: _ladder_pb2.LadderRequest
    def __init__(self, request: _Optional[_Union[_ladder_pb2.LadderRequest, _Mapping]] = ...) -> None: ...

class OpenLadderResponse(_message.Message):
    __slots__ = ("ladder",)
    LADDER_FIELD_NUMBER: _ClassVar[int]
    ladder: _ladder_pb2.Ladder
    def __init__(self, ladder: _Optional[_Union[_ladder_pb2.Ladder, _Mapping]] = ...) -> None: ...

class CloseLadderRequest(_message.Message):
    __slots__ = ("ladder", "why")
    LADDER_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    ladder: str
    why: str
    def __init__(self, ladder: _Optional[str] = ..., why: _Optional[str] = ...) -> None: ...

class CloseLadderResponse(_message.Message):
    __slots__ = ("ladder",)
    LADDER_FIELD_NUMBER: _ClassVar[int]
    ladder: _ladder_pb2.Ladder
    def __init__(self, ladder: _Optional[_Union[_ladder_pb2.Ladder, _Mapping]] = ...) -> None: ...

class AnnounceFreezeRequest(_message.Message):
    __slots__ = ("ladder", "at_us", "final_blocks")
    LADDER_FIELD_NUMBER: _ClassVar[int]
    AT_US_FIELD_NUMBER: _ClassVar[int]
    FINAL_BLOCKS_FIELD_NUMBER: _ClassVar[int]
    ladder: str
    at_us: int
    final_blocks: int
    def __init__(self, ladder: _Optional[str] = ..., at_us: _Optional[int] = ..., final_blocks: _Optional[int] = ...) -> None: ...

class AnnounceFreezeResponse(_message.Message):
    __slots__ = ("season",)
    SEASON_FIELD_NUMBER: _ClassVar[int]
    season: _ladder_pb2.LadderSeason
    def __init__(self, season: _Optional[_Union[_ladder_pb2.LadderSeason, _Mapping]] = ...) -> None: ...

class FreezeSeasonRequest(_message.Message):
    __slots__ = ("ladder", "final_blocks")
    LADDER_FIELD_NUMBER: _ClassVar[int]
    FINAL_BLOCKS_FIELD_NUMBER: _ClassVar[int]
    ladder: str
    final_blocks: int
    def __init__(self, ladder: _Optional[str] = ..., final_blocks: _Optional[int] = ...) -> None: ...

class FreezeSeasonResponse(_message.Message):
    __slots__ = ("season",)
    SEASON_FIELD_NUMBER: _ClassVar[int]
    season: _ladder_pb2.LadderSeason
    def __init__(self, season: _Optional[_Union[_ladder_pb2.LadderSeason, _Mapping]] = ...) -> None: ...

class CloseSeasonRequest(_message.Message):
    __slots__ = ("ladder",)
    LADDER_FIELD_NUMBER: _ClassVar[int]
    ladder: str
    def __init__(self, ladder: _Optional[str] = ...) -> None: ...

class CloseSeasonResponse(_message.Message):
    __slots__ = ("season",)
    SEASON_FIELD_NUMBER: _ClassVar[int]
    season: _ladder_pb2.LadderSeason
    def __init__(self, season: _Optional[_Union[_ladder_pb2.LadderSeason, _Mapping]] = ...) -> None: ...

class OpenSeasonRequest(_message.Message):
    __slots__ = ("ladder", "name")
    LADDER_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    ladder: str
    name: str
    def __init__(self, ladder: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class OpenSeasonResponse(_message.Message):
    __slots__ = ("season",)
    SEASON_FIELD_NUMBER: _ClassVar[int]
    season: _ladder_pb2.LadderSeason
    def __init__(self, season: _Optional[_Union[_ladder_pb2.LadderSeason, _Mapping]] = ...) -> None: ...

class OwnerSummary(_message.Message):
    __slots__ = ("name", "created_at_us", "disabled_at_us", "bots", "limits_json")
    NAME_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_US_FIELD_NUMBER: _ClassVar[int]
    DISABLED_AT_US_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    LIMITS_JSON_FIELD_NUMBER: _ClassVar[int]
    name: str
    created_at_us: int
    disabled_at_us: int
    bots: int
    limits_json: str
    def __init__(self, name: _Optional[str] = ..., created_at_us: _Optional[int] = ..., disabled_at_us: _Optional[int] = ..., bots: _Optional[int] = ..., limits_json: _Optional[str] = ...) -> None: ...

class NewInvitation(_message.Message):
    __slots__ = ("code", "owner", "scope", "expires_at_us")
    CODE_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_US_FIELD_NUMBER: _ClassVar[int]
    code: str
    owner: str
    scope: str
    expires_at_us: int
    def __init__(self, code: _Optional[str] = ..., owner: _Optional[str] = ..., scope: _Optional[str] = ..., expires_at_us: _Optional[int] = ...) -> None: ...

class InvitationSummary(_message.Message):
    __slots__ = ("id", "owner", "scope", "created_at_us", "expires_at_us", "used_at_us")
    ID_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_US_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_US_FIELD_NUMBER: _ClassVar[int]
    USED_AT_US_FIELD_NUMBER: _ClassVar[int]
    id: str
    owner: str
    scope: str
    created_at_us: int
    expires_at_us: int
    used_at_us: int
    def __init__(self, id: _Optional[str] = ..., owner: _Optional[str] = ..., scope: _Optional[str] = ..., created_at_us: _Optional[int] = ..., expires_at_us: _Optional[int] = ..., used_at_us: _Optional[int] = ...) -> None: ...
