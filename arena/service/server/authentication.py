"""Finds out who calls, by the token of the call or by the local socket, and slows down whoever guesses tokens."""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any

import grpc

from arena.app.policy import Viewer
from arena.model.accounts import PROTOCOL_MAJOR
from arena.service.server.access import ACCESS, OPEN, may_call, needed_scope
from arena.service.server.errors import CallError
from engine.translatable import Text
from ratings.errors import AccessDeniedError
from ratings.read.accounts import TokenHolder
from ratings.values.states import Scope

Metadata = Sequence[tuple[str, str | bytes]]
Find = Callable[[str], Awaitable[TokenHolder]]

PROTOCOL_KEY = "arena-protocol"
"""The key of the metadata in which a client names the major version that it speaks."""
VIEWER_KEY = "arena-viewer"
"""The key of the metadata by which a caller on this machine asks as somebody who is less than the organiser."""
PUBLIC = "public"
"""Its one value: a viewer without a token, who sees what any holder of a token may see, and nothing of his own."""
ADDRESS_KEY = "arena-address"
"""The key of the metadata by which a caller on this machine says from which address comes whom it asks for."""
_TOKEN_KEY = "authorization"
_PREFIX = "Bearer "
_RECHECK_S = 2.0
"""How old the last look at a token may be while a stream that it opened goes on."""
_LONGEST_TOKEN = 200
_LONGEST_ADDRESS = 100
_WINDOW_S = 60.0
_MOST_ADDRESSES = 10_000
"""Older ones are forgotten, so that many addresses cannot fill the memory."""
_MOST_KNOWN = 10_000


@dataclass(frozen=True, slots=True)
class Caller:
    """Whoever makes a call."""

    viewer: Viewer
    digest: str | None = None
    """That of his token; `None` for whoever is on the machine itself, or has none yet."""


CALLER: ContextVar[Caller] = ContextVar("caller")
"""Who makes the call that is being answered."""


_PUBLIC = Caller(Viewer(scope=Scope.VIEWER))


class Authenticator:
    """Lets calls in or refuses them. `find` looks a token up by its digest, and raises AccessDeniedError."""

    def __init__(self, find: Find, guard: LoginGuard) -> None:
        self._find = find
        self._guard = guard
        self._looked: dict[str, float] = {}
        self._used: set[str] = set()

    async def admit(self, path: str, context: grpc.aio.ServicerContext[Any, Any]) -> Caller:
        """Return who calls. Raises CallError, or AccessDeniedError, for whoever may not make this call."""
        metadata: Metadata = tuple(context.invocation_metadata() or ())
        _check_protocol(metadata)
        if path != OPEN and path not in ACCESS:
            raise CallError(
                grpc.StatusCode.UNIMPLEMENTED, "CALL_UNKNOWN", Text("this service does not offer {call}", call=path)
            )
        is_local, address = _place_of(context.peer(), metadata)
        if is_local and _is_organiser(metadata):
            return Caller(Viewer())
        if path == OPEN:
            self._guard.check(address)
            return Caller(Viewer(), None)
        caller = _PUBLIC if is_local and _asks_as_public(metadata) else await self._identify(address, metadata)
        if not may_call(path, caller.viewer.scope):
            raise _wrong_scope(path, caller.viewer)
        return caller

    async def look_again(self, caller: Caller, fresh_s: float = _RECHECK_S) -> None:
        """Raise AccessDeniedError if a token that opened a stream is worth nothing any more.

        A look that is younger than `fresh_s` is good enough.
        """
        if caller.digest is None or time.monotonic() - self._looked.get(caller.digest, float("-inf")) < fresh_s:
            return
        self._looked[caller.digest] = time.monotonic()
        try:
            await self._find(caller.digest)
        except AccessDeniedError:
            self._looked.pop(caller.digest, None)
            raise

    def note_failure(self, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        """Count a code of an invitation that was none."""
        metadata: Metadata = tuple(context.invocation_metadata() or ())
        is_local, address = _place_of(context.peer(), metadata)
        if not (is_local and _is_organiser(metadata)):
            self._guard.note_failure(address)

    def take_used(self) -> set[str]:
        """Return the ids of the tokens that were used since this was asked last."""
        used, self._used = self._used, set()
        self._looked = {digest: at for digest, at in self._looked.items() if time.monotonic() - at < 60 * _RECHECK_S}
        return used

    async def _identify(self, address: str, metadata: Metadata) -> Caller:
        digest = hashlib.sha256(_token_of(metadata).encode()).hexdigest()
        self._guard.check(address, digest)
        try:
            holder = await self._find(digest)
        except AccessDeniedError:
            self._guard.note_failure(address, digest)
            raise
        self._guard.note_success(digest)
        self._used.add(holder.token.id)
        self._looked[digest] = time.monotonic()
        token, owner = holder.token, holder.owner
        return Caller(
            Viewer(
                scope=token.scope,
                owner_id=owner.id if owner else None,
                owner_name=owner.name if owner else None,
                token=token.name,
                expires_at_us=token.expires_at_us,
            ),
            digest,
        )


def address_of(peer: str) -> str | None:
    """Return the host that a call comes from, or `None` if it came over the socket on this machine."""
    kind, _, rest = peer.partition(":")
    if kind == "unix":
        return None
    return rest.replace("%5B", "[").replace("%5D", "]").rpartition(":")[0].strip("[]") or rest


def _place_of(peer: str, metadata: Metadata) -> tuple[bool, str]:
    """Return whether a call came over the socket on this machine, and the address for which logins are counted."""
    address = address_of(peer)
    if address is not None:
        return False, address
    asked = next((value for key, value in metadata if key == ADDRESS_KEY and isinstance(value, str)), "")
    return True, asked[:_LONGEST_ADDRESS]


def _is_organiser(metadata: Metadata) -> bool:
    """Return whether a call over the socket says nothing of whom it is for."""
    return not any(key in {_TOKEN_KEY, VIEWER_KEY} for key, _ in metadata)


def _asks_as_public(metadata: Metadata) -> bool:
    """Return whether a call over the socket is for the public. Raises CallError if it says anything else besides."""
    said = [value for key, value in metadata if key == VIEWER_KEY]
    if said and (said != [PUBLIC] or any(key == _TOKEN_KEY for key, _ in metadata)):
        raise CallError(
            grpc.StatusCode.INVALID_ARGUMENT,
            "VIEWER",
            Text(
                'the metadata "{key}" may only be "{value}", once, and without a token; send it, or the token',
                key=VIEWER_KEY,
                value=PUBLIC,
            ),
        )
    return bool(said)


def _token_of(metadata: Metadata) -> str:
    for key, value in metadata:
        if key == _TOKEN_KEY and isinstance(value, str) and value.startswith(_PREFIX):
            token = value.removeprefix(_PREFIX).strip()
            if 0 < len(token) <= _LONGEST_TOKEN:
                return token
    raise CallError(
        grpc.StatusCode.UNAUTHENTICATED,
        "TOKEN_MISSING",
        Text(
            "this service asks for a token; `arena login ADDRESS` stores one, other clients send it as the "
            'metadata "authorization: Bearer <token>"'
        ),
    )


def _check_protocol(metadata: Metadata) -> None:
    """Raise CallError if a client says that it speaks another major version; one that says nothing is taken at ours."""
    spoken = next((str(value) for key, value in metadata if key == PROTOCOL_KEY), str(PROTOCOL_MAJOR))
    if spoken != str(PROTOCOL_MAJOR):
        raise CallError(
            grpc.StatusCode.FAILED_PRECONDITION,
            "PROTOCOL_VERSION",
            Text(
                "the client speaks version {theirs} of the protocol, and the service version {ours}; install the "
                "arena of the service's version",
                theirs=spoken[:20],
                ours=PROTOCOL_MAJOR,
            ),
            {"service": str(PROTOCOL_MAJOR)},
        )


def _wrong_scope(path: str, viewer: Viewer) -> CallError:
    call = path.rpartition("/")[2]
    need = needed_scope(path).value
    has = (
        Text("the token {name} has scope {scope}", name=repr(viewer.token), scope=viewer.scope.value)
        if viewer.token
        else Text("none was shown")
    )
    return CallError(
        grpc.StatusCode.PERMISSION_DENIED,
        "SCOPE",
        Text(
            "{call} needs a token of scope {scope}, and {what}; ask the organiser for another",
            call=call,
            scope=need,
            what=has,
        ),
        {"needed": need, "has": viewer.scope.value},
    )


class LoginGuard:
    """Counts failed logins by address, of IPv6 by its /64, all of which belongs to whoever has one address of it.

    Tokens that opened the service before are not held up by their neighbours.
    """

    def __init__(self, most_failures: int = 10, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most_failures
        self._clock = clock
        self._failures: OrderedDict[str, deque[float]] = OrderedDict()
        self._known: OrderedDict[str, None] = OrderedDict()

    def check(self, address: str, digest: str = "") -> None:
        """Raise CallError (RESOURCE_EXHAUSTED), with the time to wait, if the address failed too often."""
        failures = self._recent(_counted(address))
        if len(failures) < self._most or digest in self._known:
            return
        wait_s = max(1, round(failures[0] + _WINDOW_S - self._clock()))
        raise CallError(
            grpc.StatusCode.RESOURCE_EXHAUSTED,
            "TOO_MANY_LOGINS",
            Text(
                "too many failed logins from {address}; try again in {seconds} s, with the right token",
                address=address or "this machine",
                seconds=wait_s,
            ),
            {"retry_after_s": str(wait_s)},
        )

    def note_failure(self, address: str, digest: str = "") -> None:
        """Count a failed login, and forget that its token was ever good."""
        self._known.pop(digest, None)
        address = _counted(address)
        self._recent(address).append(self._clock())
        self._failures.move_to_end(address)
        while len(self._failures) > _MOST_ADDRESSES:
            self._failures.popitem(last=False)

    def note_success(self, digest: str) -> None:
        """Remember that a token is good."""
        self._known[digest] = None
        self._known.move_to_end(digest)
        while len(self._known) > _MOST_KNOWN:
            self._known.popitem(last=False)

    def _recent(self, address: str) -> deque[float]:
        """Return the times of the failures that still count; the last ones suffice."""
        failures = self._failures.setdefault(address, deque(maxlen=self._most))
        oldest = self._clock() - _WINDOW_S
        while failures and failures[0] <= oldest:
            failures.popleft()
        return failures


def _counted(address: str) -> str:
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if isinstance(found, IPv6Address) and found.ipv4_mapped is None:
        return str(ip_network((found, 64), strict=False))
    return address
