"""Who may call what: one table, and nothing is served that does not stand in it.

It says which scope a token needs; whether a bot, a log or a tournament is the caller's own is decided by the interface
that the call asks.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

from arena.rpc.method_table import PACKAGE
from ratings.values.states import Scope

_ORGANISER = frozenset({Scope.ORGANISER})
_COMPETITOR = _ORGANISER | {Scope.COMPETITOR}
_VIEWER = _COMPETITOR | {Scope.VIEWER}
_ANYBODY = frozenset(Scope)

OPEN = f"/{PACKAGE}.AccountService/RedeemInvitation"
"""The one call that needs no token: it needs the code of an invitation."""

_BY_SERVICE: Mapping[str, Mapping[str, Set[Scope]]] = {
    "AccountService": {
        "GetIdentity": _ANYBODY,
        "GetUsage": _VIEWER,
        "ListNotices": _VIEWER,
        "ListOwnTokens": _COMPETITOR,
        "NewOwnToken": _COMPETITOR,
        "RevokeOwnToken": _COMPETITOR,
    },
    "AdminService": {
        "AddOwner": _ORGANISER,
        "ListOwners": _ORGANISER,
        "SetOwnerDisabled": _ORGANISER,
        "SetOwnerLimits": _ORGANISER,
        "InviteOwner": _ORGANISER,
        "ListInvitations": _ORGANISER,
        "NewToken": _ORGANISER,
        "ListTokens": _ORGANISER,
        "RevokeToken": _ORGANISER,
        "OpenLadder": _ORGANISER,
        "CloseLadder": _ORGANISER,
        "AnnounceFreeze": _ORGANISER,
        "FreezeSeason": _ORGANISER,
        "CloseSeason": _ORGANISER,
        "OpenSeason": _ORGANISER,
    },
    "BotService": {
        "ListBots": _VIEWER,
        "GetBot": _VIEWER,
        "FindVersion": _VIEWER,
        "ListEvents": _VIEWER,
        "GetBuildLog": _COMPETITOR,
        "ListVersions": _VIEWER,
        "ListRuntimes": _VIEWER,
        "SetDisabled": _COMPETITOR,
        "RemoveBot": _COMPETITOR,
        "RenameBot": _COMPETITOR,
        "PromoteVersion": _COMPETITOR,
        "WithdrawVersion": _COMPETITOR,
        "RollBack": _COMPETITOR,
        "ListAdmissions": _COMPETITOR,
        "GetAdmission": _COMPETITOR,
        "RequestAdmission": _COMPETITOR,
        "WatchAdmission": _COMPETITOR,
        "BeginUpload": _COMPETITOR,
        "Upload": _COMPETITOR,
        "SubmitVersion": _COMPETITOR,
    },
    "LadderService": {"ListLadders": _VIEWER, "GetLadder": _VIEWER, "ListSeasons": _VIEWER, "GetSeasonTable": _VIEWER},
    "LeaderboardService": {
        "ListLeaderboards": _VIEWER,
        "GetCrosstable": _VIEWER,
        "ListHistory": _VIEWER,
        "ListOpponents": _VIEWER,
        "ListSeats": _VIEWER,
        "ListLengths": _VIEWER,
        "GetOfficialTable": _VIEWER,
        "GetOverallTable": _VIEWER,
        "ListSuspicions": _ORGANISER,
        "GetFairPlay": _ORGANISER,
    },
    "MatchService": {
        "ListMatches": _VIEWER,
        "GetMatch": _VIEWER,
        "GetTimes": _VIEWER,
        "GetReplay": _VIEWER,
        "VerifyMatch": _COMPETITOR,
        "DownloadReplays": _COMPETITOR,
        "GetLogs": _COMPETITOR,
        "WatchMatch": _VIEWER,
        "WatchLogs": _COMPETITOR,
        "VerifyMatches": _ORGANISER,
        "AnnulMatch": _ORGANISER,
        "AnnulVersion": _ORGANISER,
        "ListAnnulments": _VIEWER,
    },
    "OperationService": {"GetOperation": _VIEWER, "WatchOperation": _VIEWER},
    "TournamentService": {
        "ListTournaments": _VIEWER,
        "GetTournament": _VIEWER,
        "ListStandings": _VIEWER,
        "ListLeakChecks": _VIEWER,
        "ListPairings": _VIEWER,
        "ListConfidence": _VIEWER,
        "GetProgress": _VIEWER,
        "WatchTournament": _VIEWER,
        "CreateTournament": _COMPETITOR,
        "ForecastTournament": _COMPETITOR,
        "ChallengeBot": _COMPETITOR,
        "OpenTable": _ORGANISER,
        "CancelTournament": _COMPETITOR,
        "JoinTournament": _COMPETITOR,
        "WithdrawBot": _COMPETITOR,
    },
}
ACCESS: Mapping[str, Set[Scope]] = {
    **{
        f"/{PACKAGE}.{service}/{name}": scopes
        for service, calls in _BY_SERVICE.items()
        for name, scopes in calls.items()
    },
    "/grpc.health.v1.Health/Check": _ANYBODY,
    "/grpc.health.v1.Health/Watch": _ANYBODY,
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo": _VIEWER,
}
"""The scopes that may make each call."""


def may_call(path: str, scope: Scope) -> bool:
    """Return whether a token of that scope may make a call; a call that the table lacks is nobody's."""
    return scope in ACCESS.get(path, frozenset())


def needed_scope(path: str) -> Scope:
    """Return the least scope that may make a call, to tell those who may not."""
    return next(scope for scope in reversed(Scope) if may_call(path, scope))
