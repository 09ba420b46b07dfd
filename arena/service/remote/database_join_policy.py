"""Decides over the database who may join as a remote bot: the token first, then names, then the rules of the book."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from arena.match.decisions import JoinRequest
from arena.model.human_play import GUEST_VERSION, guest_names
from arena.service.remote.join_interface import (
    FindOtherService,
    JoinGrant,
    JoinRefusal,
    bot_refusal,
    no_other_service,
    person_refusal,
)
from arena.service.server.authentication import LoginGuard, address_of
from arena.service.server.errors import CallError
from engine import registry
from engine.translatable import Text, with_parts
from ratings.errors import (
    AccessDeniedError,
    AccountError,
    BotError,
    BotKindError,
    DatabaseError,
    LimitError,
    RatingsError,
)
from ratings.ledger.remote_bots import JoinedVersion, RemoteJoin, find_joined
from ratings.ledger.service_ledger import ServiceLedger
from ratings.read.accounts import authenticate
from ratings.store.database import Database
from ratings.store.identifiers import check_bot_name, check_version_name, now_us
from ratings.store.models import OwnerRecord
from ratings.store.service import TokenRecord
from ratings.values.owners import PEOPLE, OwnerLimits
from ratings.values.states import Scope

ALL_GAMES = "*"
_LONGEST_TOKEN = 200
_MOST_GAMES = 100
_MOST_QUOTED = 80
_MINUTE_US = 60_000_000
_BUSY = "the service cannot write this down now, and nothing was recorded; join again in a moment"
_REFUSALS: Sequence[tuple[type[RatingsError], str, str]] = (
    (BotKindError, "FAILED_PRECONDITION", "BOT_IS_HOSTED"),
    (BotError, "FAILED_PRECONDITION", "BOT"),
    (LimitError, "RESOURCE_EXHAUSTED", "BOTS"),
    (AccountError, "UNAUTHENTICATED", "TOKEN_UNKNOWN"),
)
"""What the book of record refuses, the narrowest first: the class, the code, the reason. A name was judged before."""


_NO_LIMITS = OwnerLimits(versions=0, uploads_per_hour=0)


class DatabaseJoinPolicy:
    """Decides over a database as a `JoinPolicy`; it may be asked by several tasks at once."""

    def __init__(
        self,
        database: Database,
        limits: OwnerLimits,
        failed_logins_per_minute: int = 10,
        wake: Callable[[], None] = lambda: None,
        count_others: Callable[[str, str], int] = lambda _bot, _version: 0,
        people: int = 0,
        other_service: FindOtherService = no_other_service,
    ) -> None:
        """`limits` are those of all owners; `wake` is called when a join has changed which version plays.

        `count_others` returns in how many matches that go on a bot plays as another version than that. So many
        `people` may sit here at once. Nobody may while another service, `other_service`, takes them.
        """
        self._database = database
        self._limits = limits
        self._guard = LoginGuard(failed_logins_per_minute)
        self._wake = wake
        self._count_others = count_others
        self._people = people
        self._other_service = other_service
        self._writing = asyncio.Lock()
        """Who must be written down waits in turn here: hundreds at once would wear out the database's patience."""
        self._noted: set[str] = set()
        """The tokens that were used within the minute `_minute`, by their ids."""
        self._minute = 0
        self._notes: set[asyncio.Task[None]] = set()

    async def admit(self, request: JoinRequest) -> JoinGrant:
        if not request.token and address_of(request.peer) is None:
            return await self._admit_person(request)
        digest = hashlib.sha256(request.token.encode(errors="replace")).hexdigest()
        owner = await self._identify(request, digest)
        if (holder := self._other_service()) is not None:
            raise bot_refusal(holder)
        named = request.games[:_MOST_GAMES]
        games = tuple(dict.fromkeys(game for game in named if game == ALL_GAMES or game in registry.names()))
        if not games:
            said = ", ".join(map(_quoted, named[:3])) or "none at all"
            raise JoinRefusal(
                "FAILED_PRECONDITION",
                "NO_GAME",
                Text(
                    "none of the bot's games is played here: it names {said}; there are {names}",
                    said=said,
                    names=", ".join(registry.single_names()),
                ),
            )
        for check, text, reason in (
            (check_bot_name, request.name, "BOT_NAME"),
            (check_version_name, request.version, "VERSION_NAME"),
        ):
            try:
                check(text)
            except AccountError as error:
                raise JoinRefusal("INVALID_ARGUMENT", reason, _with_quoted(str(error), text)) from error
        join = RemoteJoin(owner.name, request.name, request.version, games)
        if count := self._count_others(join.bot, join.content_hash):
            raise JoinRefusal(
                "FAILED_PRECONDITION",
                "VERSION_IN_PLAY",
                Text(
                    "another version of {bot} is in the middle of {matches}; connect that version again to play on, or "
                    "wait until its time there has run out",
                    bot=join.bot,
                    matches=Text("{count} matches", count=count) if count > 1 else Text("{count} match", count=count),
                ),
            )
        with _refusing():
            joined = await self._join(join, self._limits.with_own(owner.limits))
        if joined.has_changed:
            self._wake()
        return JoinGrant(join.bot, join.content_hash, _known(games), digest)

    async def _admit_person(self, request: JoinRequest) -> JoinGrant:
        """Return the seat of a person, asked for over the socket of this machine. Raises Refusal."""
        if request.name not in guest_names(self._people) or request.version != GUEST_VERSION:
            raise JoinRefusal(
                "PERMISSION_DENIED",
                "SCOPE",
                Text(
                    "at this socket only {who} seats of people are taken; a bot joins at service.play_address, "
                    "with a token of its author",
                    who=self._people,
                ),
            )
        if self._other_service() is not None:
            raise person_refusal()
        join = RemoteJoin(PEOPLE, request.name, GUEST_VERSION, (ALL_GAMES,))
        with _refusing():
            await self._join(join, _NO_LIMITS)
        return JoinGrant(join.bot, join.content_hash, _known(join.games), "")

    async def _join(self, join: RemoteJoin, limits: OwnerLimits) -> JoinedVersion:
        """Return the version that joins; who comes back as what plays already does not wait for the right to write."""
        known = await asyncio.to_thread(find_joined, self._database, join)
        if known is not None:
            return known
        async with self._writing:
            return await asyncio.to_thread(ServiceLedger(self._database).join_remote, join, limits)

    async def _identify(self, request: JoinRequest, digest: str) -> OwnerRecord:
        """Return whose token it is. Raises Refusal; too many failures from one address are refused unseen."""
        address = address_of(request.peer) or ""
        try:
            self._guard.check(address, digest)
            if not 0 < len(request.token) <= _LONGEST_TOKEN:
                raise AccessDeniedError(
                    Text('a bot joins with a token of its author, sent as the metadata "authorization: Bearer <token>"')
                )
            holder = await asyncio.to_thread(authenticate, self._database, digest)
        except CallError as error:
            raise JoinRefusal(error.code.name, error.reason, str(error)) from error
        except AccessDeniedError as error:
            self._guard.note_failure(address, digest)
            raise JoinRefusal("UNAUTHENTICATED", "TOKEN_UNKNOWN", str(error)) from error
        except DatabaseError as error:
            raise JoinRefusal("UNAVAILABLE", "DATABASE_BUSY", _BUSY) from error
        self._guard.note_success(digest)
        token, owner = holder.token, holder.owner
        # That it was used is written in the background, once within a minute; no join waits for that.
        minute = now_us() // _MINUTE_US
        if minute != self._minute:
            self._minute, self._noted = minute, set()
        if token.id not in self._noted and (token.used_at_us or 0) < minute * _MINUTE_US:
            self._noted.add(token.id)
            task = asyncio.create_task(self._write_use(token))
            self._notes.add(task)
            task.add_done_callback(self._notes.discard)
        if owner is None:
            raise JoinRefusal(
                "PERMISSION_DENIED",
                "SCOPE",
                Text(
                    "the token {name} is the organiser's, and a remote bot belongs to an owner; join with a token of "
                    "one: arena token new --owner NAME",
                    name=repr(token.name),
                ),
            )
        if token.scope is Scope.VIEWER:
            raise JoinRefusal(
                "PERMISSION_DENIED",
                "SCOPE",
                Text(
                    "a bot joins with a token of scope {one} or {other}, and the token {name} has scope {scope}; ask "
                    "the organiser for another",
                    one=Scope.PLAYER.value,
                    other=Scope.COMPETITOR.value,
                    name=repr(token.name),
                    scope=token.scope.value,
                ),
            )
        return owner

    async def _write_use(self, token: TokenRecord) -> None:
        with suppress(DatabaseError):  # it is worth less than any call, and the next minute tries again
            async with self._writing:
                await asyncio.to_thread(ServiceLedger(self._database).note_token_use, [token.id])


def _known(games: Sequence[str]) -> tuple[str, ...]:
    return tuple(registry.names()) if ALL_GAMES in games else tuple(games)


def _with_quoted(message: str, text: str) -> str:
    return with_parts(message, lambda part: part.replace(repr(text), _quoted(text)))


def _quoted(text: str) -> str:
    """Return a text of any length for a message."""
    return repr(text) if len(text) <= _MOST_QUOTED else f"{text[:_MOST_QUOTED]!r}..."


@contextmanager
def _refusing() -> Iterator[None]:
    """Turn what the book of record refuses into what the bot is told."""
    try:
        yield
    except DatabaseError as error:
        raise JoinRefusal("UNAVAILABLE", "DATABASE_BUSY", _BUSY) from error
    except RatingsError as error:
        found = next(((code, reason) for kind, code, reason in _REFUSALS if isinstance(error, kind)), None)
        if found is None:
            raise
        raise JoinRefusal(*found, str(error)) from error
