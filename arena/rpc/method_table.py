"""Which call of which service asks what of the interface: both ends of the wire are derived from this.

A Protocol of the interface becomes calls of a service, a method `list_bots` the call `ListBots`; its parameters are the
fields of the request, and what it returns is the only field of the response (a page: its two fields).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import Any, get_args, get_origin, get_type_hints

from google.protobuf import descriptor_pool
from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message

from arena.model import port
from arena.rpc import protobuf_codec as mirror
from arena.rpc.protobuf_codec import Hints
from arena.v1 import (  # noqa: F401 - what is imported is known to the pool of descriptors
    account_pb2,
    admin_pb2,
    bot_pb2,
    ladder_pb2,
    leaderboard_pb2,
    match_service_pb2,
    operation_pb2,
    tournament_pb2,
)
from ratings.values.page import MOST_LIMIT, Page

PACKAGE = "arena.v1"
SERVICES: Mapping[str, Mapping[str, type]] = {
    "AccountService": {"account": port.Account, "entrance": port.Entrance},
    "AdminService": {"admin": port.Admin, "seasons": port.Seasons},
    "BotService": {
        "bots": port.Bots,
        "admissions": port.Admissions,
        "submissions": port.Submissions,
        "runtimes": port.Runtimes,
    },
    "LadderService": {"ladders": port.Ladders},
    "LeaderboardService": {"leaderboards": port.Leaderboards, "statistics": port.Statistics, "ratings": port.Ratings},
    "MatchService": {"matches": port.Matches, "replays": port.Replays, "annulments": port.Annulments},
    "OperationService": {"operations": port.Operations},
    "TournamentService": {"tournaments": port.Tournaments, "forecasts": port.Forecasts, "tables": port.Tables},
}
"""The services, each with the nouns that it serves and their Protocols."""
PLACES: Mapping[str, Callable[[Any], Any]] = {
    "watch_match": attrgetter("sequence"),
    "watch_logs": attrgetter("end"),
    "download_replays": attrgetter("match_id"),
}
"""The streams that go on behind the item that came last, by method, and where that is: their parameter `after`."""
UPLOAD = f"/{PACKAGE}.BotService/Upload"
"""The one call that no Protocol describes: a stream from the client."""


@dataclass(frozen=True, slots=True)
class Rpc:
    """A call of a service, and the method of the interface that it asks."""

    path: str
    noun: str
    method: str
    parameters: Hints
    defaults: Mapping[str, Any]
    result: Any
    """The type that is returned; of an iterator, that of its items."""
    is_stream: bool
    request: Descriptor
    response: Descriptor

    def encode_request(self, arguments: Mapping[str, Any]) -> Message:
        """Return the arguments, which must all be there, as a request."""
        return mirror.encode_arguments(self.parameters, arguments, self.request)

    def decode_request(self, request: Message) -> dict[str, Any]:
        """Return a request as arguments; where nothing was sent, those that have a default get it, or `None`.

        A page has MOST_LIMIT items at most, whatever is asked for. Raises ValueError for a text that is no enumerated
        value or no JSON.
        """
        sent = {field.name.removesuffix("_json") for field, _ in request.ListFields()}
        # What has presence is `None` if it was not sent; of the rest, what was not sent cannot be told from zero.
        present = {field.name.removesuffix("_json") for field in self.request.fields if field.has_presence}
        names = {name for name, _ in self.parameters if name in sent | present or name not in self.defaults}
        arguments = {**self.defaults, **mirror.decode_arguments(self.parameters, request, names)}
        if {"limit", "after"} <= arguments.keys():
            arguments["limit"] = min(arguments["limit"] or MOST_LIMIT, MOST_LIMIT)
        return arguments

    def encode_response(self, result: Any) -> Message:
        """Return what the method returned, or one item of it, as a response."""
        if self._is_page:
            return mirror.encode(self.result, result, self.response)
        return mirror.encode_arguments(
            self._result_hints, {name: result for name, _ in self._result_hints}, self.response
        )

    def decode_response(self, response: Message) -> Any:
        """Return a response as what the method returns, or one item of it."""
        if self._is_page:
            return mirror.decode(self.result, response)
        return next(iter(mirror.decode_arguments(self._result_hints, response).values()), None)

    def check(self) -> None:
        """Raise MirrorError if request or response differ from what the method takes and returns."""
        mirror.check(self.parameters, self.request)
        mirror.check(mirror.hints_of(self.result) if self._is_page else self._result_hints, self.response)

    @property
    def _is_page(self) -> bool:
        return get_origin(self.result) is Page

    @property
    def _result_hints(self) -> Hints:
        return () if self.result is type(None) else ((self.response.fields[0].name, self.result),)


@cache
def all_rpcs() -> Mapping[str, Rpc]:
    """Return every call that is derived from the interface, by its path."""
    return {
        rpc.path: rpc
        for service, nouns in SERVICES.items()
        for noun, protocol in nouns.items()
        for rpc in _rpcs_of(service, noun, protocol)
    }


@cache
def rpcs_of(noun: str) -> Mapping[str, Rpc]:
    """Return the calls of a noun by the name of the method."""
    return {rpc.method: rpc for rpc in all_rpcs().values() if rpc.noun == noun}


def nouns() -> Iterator[str]:
    """Yield the nouns of all services."""
    for served in SERVICES.values():
        yield from served


def _rpcs_of(service: str, noun: str, protocol: type) -> Iterator[Rpc]:
    descriptor = descriptor_pool.Default().FindServiceByName(f"{PACKAGE}.{service}")
    for name, method in vars(protocol).items():
        if not name.startswith("_") and inspect.isfunction(method):
            call = descriptor.methods_by_name["".join(word.capitalize() for word in name.split("_"))]
            hints = get_type_hints(method)
            result = hints.pop("return")
            is_stream = get_origin(result) is Iterator
            defaults = {one.name: one.default for one in inspect.signature(method).parameters.values()}
            yield Rpc(
                path=f"/{PACKAGE}.{service}/{call.name}",
                noun=noun,
                method=name,
                parameters=tuple(hints.items()),
                defaults={name: value for name, value in defaults.items() if value is not inspect.Parameter.empty},
                result=get_args(result)[0] if is_stream else result,
                is_stream=is_stream,
                request=call.input_type,
                response=call.output_type,
            )
