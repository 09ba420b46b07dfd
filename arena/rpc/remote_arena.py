"""The interface over a connection: each method of each Protocol becomes the call that is derived from it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar, cast

import grpc
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from arena.model import port
from arena.model.accounts import PROTOCOL_MAJOR
from arena.model.errors import FellBehindError, RefusedError
from arena.rpc.channel import Endpoint
from arena.rpc.errors import UnreachableError, error_of
from arena.rpc.method_table import PLACES, UPLOAD, Rpc, rpcs_of
from arena.v1 import bot_pb2
from engine.translatable import Text

_PATIENCE_S = 120.0
"""For one answer; the official table of a large pool takes long."""
T = TypeVar("T")
P = TypeVar("P")
_PAUSES_S = (0.2, 1.0, 3.0)
"""How long to wait before each attempt to go on; whatever arrives lets them begin anew."""


def _write(message: Message) -> bytes:
    data: bytes = message.SerializeToString()
    return data


def _encode(rpc: Rpc, arguments: Mapping[str, Any]) -> Message:
    """Return the request of a call. Raises RefusedError for a number or a text that no message can hold."""
    try:
        return rpc.encode_request(arguments)
    except UnicodeEncodeError as error:
        raise RefusedError(Text("{text} is not Unicode text; write it anew", text=repr(error.object))) from error
    except ValueError as error:
        raise RefusedError(Text("this cannot be sent: {why}; give a smaller number", why=error)) from error


@dataclass(frozen=True, slots=True)
class Behalf:
    """For whom a program on the machine of a service asks over its socket; without any it is the organiser there."""

    address: str
    """Where the visitor comes from: failed logins are counted by it."""


class Line:
    """An open connection to a service. `close` is called once."""

    def __init__(self, endpoint: Endpoint, token: str | None = None, behalf: Behalf | None = None) -> None:
        """`behalf` says for whom a program on the machine of the service asks over its socket."""
        self._endpoint = endpoint
        self._channel = endpoint.open()
        spoken = [("arena-protocol", str(PROTOCOL_MAJOR))]
        if behalf is not None:
            spoken.append(("arena-address", behalf.address))
        if token is not None:
            spoken.append(("authorization", f"Bearer {token}"))
        elif behalf is not None:
            spoken.append(("arena-viewer", "public"))
        self._metadata = tuple(spoken)

    @property
    def place(self) -> str:
        """Return the address of the service, for messages."""
        return self._endpoint.address

    def ask(self, rpc: Rpc, arguments: Mapping[str, Any]) -> Any:
        """Return the result of a call, or an iterator over its results. Raises ClientError."""
        request = _encode(rpc, arguments)
        parse = GetMessageClass(rpc.response).FromString
        if rpc.is_stream:
            return self._items(rpc, self._channel.unary_stream(rpc.path, _write, parse), request)
        call = self._channel.unary_unary(rpc.path, _write, parse)
        try:
            response = call(request, timeout=_PATIENCE_S, metadata=self._metadata)
        except grpc.RpcError as error:
            raise self._meaning(error) from error
        return rpc.decode_response(response)

    def upload(self, parts: Iterator[bot_pb2.UploadRequest]) -> int:
        """Send the parts of an archive and return how much of it the service has then. Raises ClientError."""
        call = self._channel.stream_unary(UPLOAD, _write, bot_pb2.UploadResponse.FromString)
        try:
            response: bot_pb2.UploadResponse = call(parts, metadata=self._metadata)
        except grpc.RpcError as error:
            raise self._meaning(error) from error
        return response.offset

    def close(self) -> None:
        """Close the connection; whatever still goes on over it is broken off."""
        self._channel.close()

    def _items(self, rpc: Rpc, call: Any, request: Message) -> Iterator[Any]:
        answers = call(request, metadata=self._metadata)
        try:
            for response in answers:
                yield rpc.decode_response(response)
        except grpc.RpcError as error:
            raise self._meaning(error) from error
        finally:
            answers.cancel()  # one that is left open can keep the program from ending

    def _meaning(self, error: grpc.RpcError) -> Exception:
        return error_of(error, self.place, self._endpoint.diagnose)


class _Noun:
    """Answers to every method of the Protocols that a noun stands for."""

    def __init__(self, line: Line, noun: str) -> None:
        self._line = line
        self._rpcs = rpcs_of(noun)

    def __getattr__(self, method: str) -> Callable[..., Any]:
        rpc = self._rpcs.get(method)
        if rpc is None:
            raise AttributeError(method)
        return partial(self._ask, rpc)

    def _ask(self, rpc: Rpc, *positional: Any, **named: Any) -> Any:
        names = [name for name, _ in rpc.parameters]
        arguments = {**rpc.defaults, **dict(zip(names, positional, strict=False)), **named}
        place_of = PLACES.get(rpc.method)
        if place_of is None:
            return self._line.ask(rpc, arguments)
        return follow(lambda after: self._line.ask(rpc, {**arguments, "after": after}), place_of, arguments["after"])


class RemoteArena:
    """An `ArenaPort` over an open connection, with what only a service offers besides."""

    def __init__(self, line: Line) -> None:
        self.line = line
        """The connection, over which archives are sent."""
        self.bots = cast(port.Bots, _Noun(line, "bots"))
        self.admissions = cast(port.Admissions, _Noun(line, "admissions"))
        self.tournaments = cast(port.Tournaments, _Noun(line, "tournaments"))
        self.forecasts = cast(port.Forecasts, _Noun(line, "forecasts"))
        self.matches = cast(port.Matches, _Noun(line, "matches"))
        self.replays = cast(port.Replays, _Noun(line, "replays"))
        self.leaderboards = cast(port.Leaderboards, _Noun(line, "leaderboards"))
        self.statistics = cast(port.Statistics, _Noun(line, "statistics"))
        self.ratings = cast(port.Ratings, _Noun(line, "ratings"))
        self.ladders = cast(port.Ladders, _Noun(line, "ladders"))
        self.runtimes = cast(port.Runtimes, _Noun(line, "runtimes"))
        self.account = cast(port.Account, _Noun(line, "account"))
        self.operations = cast(port.Operations, _Noun(line, "operations"))
        self.admin = cast(port.Admin, _Noun(line, "admin"))
        self.seasons = cast(port.Seasons, _Noun(line, "seasons"))
        self.annulments = cast(port.Annulments, _Noun(line, "annulments"))
        self.tables = cast(port.Tables, _Noun(line, "tables"))
        self.entrance = cast(port.Entrance, _Noun(line, "entrance"))
        """What needs no token yet."""
        self.submissions = cast(port.Submissions, _Noun(line, "submissions"))
        """How bots are handed in."""


def follow(begin: Callable[[P], Iterator[T]], place_of: Callable[[T], P], after: P) -> Iterator[T]:
    """Yield what `begin` yields after a place, and go on behind the last item when the stream breaks.

    Raises UnreachableError if the service cannot be reached any more, and whatever else ends the stream.
    """
    failures = 0
    while True:
        try:
            for item in begin(after):
                failures, after = 0, place_of(item)
                yield item
            return
        except (FellBehindError, UnreachableError):
            if failures == len(_PAUSES_S):
                raise
            time.sleep(_PAUSES_S[failures])
            failures += 1
