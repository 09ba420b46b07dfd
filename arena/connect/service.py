"""Finds out where a service takes remote bots, and whether it takes this one. It asks; it does not join."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from arena.hosting.manifest import BotManifest
from arena.model.accounts import Identity
from arena.model.errors import ForbiddenError, RefusedError
from arena.rpc.channel import UNIX, Endpoint
from arena.rpc.errors import ProtocolError, ServiceError
from arena.rpc.login import check_protocol, open_line
from arena.rpc.profiles import Profile, split_address
from arena.rpc.remote import RemoteArena
from arena.v1 import play_pb2
from arena.wire.encoding import EVERY_GAME, PROTOCOL_MAJOR
from ratings.values.states import Scope

_PLAYS = (Scope.PLAYER, Scope.COMPETITOR)


@dataclass(frozen=True, slots=True)
class PlayRoute:
    """How a bot reaches PlayService."""

    endpoint: Endpoint
    token: str
    owner: str | None


def find_route(profile: Profile, play_address: str | None = None) -> PlayRoute:
    """Return the route to PlayService of the service that a login is for; `play_address` is not asked for then.

    Raises ClientError if the service cannot be reached, takes no remote bots, or lets this token not play.
    """
    endpoint = Endpoint.of(profile)
    if play_address is not None:
        return PlayRoute(replace(endpoint, address=_checked(play_address)), profile.token, profile.owner)
    if profile.address.startswith(UNIX):
        raise RefusedError("a remote bot connects over the network; log in with HOST:PORT, or give --play-address")
    with open_line(endpoint, profile.token) as line:
        identity = RemoteArena(line).account.get_identity()
    check_protocol(identity, profile.address)
    _check_may_play(identity, profile)
    host = split_address(profile.address)[0]
    shown = f"[{host}]" if ":" in host else host
    return PlayRoute(
        replace(endpoint, address=f"{shown}:{_play_port(identity, profile)}"), profile.token, identity.owner
    )


def _checked(address: str) -> str:
    try:
        split_address(address)
    except ValueError as error:
        raise RefusedError(str(error)) from error
    return address


def _check_may_play(identity: Identity, profile: Profile) -> None:
    if identity.scope not in _PLAYS:
        raise ForbiddenError(
            f"the token of the login {profile.name!r} is one of scope {identity.scope.value}, which does not play; ask "
            f"the organiser for one of scope player, and `arena login {profile.address} --name {profile.name} "
            "--token-stdin` logs in with it"
        )
    if identity.owner is None:
        raise ForbiddenError(
            f"the token of the login {profile.name!r} belongs to no owner, and a bot needs one; ask the organiser for "
            "an invitation"
        )


def _play_port(identity: Identity, profile: Profile) -> int:
    port: int = getattr(identity, "play_port", 0)
    if not port:
        raise ServiceError(
            f"the service at {profile.address} takes no remote bots; hand the bot in with `arena bot submit`, or ask "
            "the organiser to set service.play_address"
        )
    return port


def games_to_join(manifest: BotManifest, joined: Sequence[str]) -> tuple[str, ...]:
    """Return the games to join for: those of bot.toml that the bot itself joins for. Raises RefusedError if none."""
    if EVERY_GAME in joined:
        return manifest.games
    games = tuple(game for game in joined if manifest.plays(game))
    if not games:
        raise RefusedError(
            f"bot.toml says that {manifest.name} plays {_listed(manifest.games)}, and the bot itself joins for "
            f"{_listed(joined)}; let them agree"
        )
    return games


def check_joined(joined: play_pb2.Joined, manifest: BotManifest, address: str) -> Mapping[str, play_pb2.GameInfo]:
    """Return what the service tells of the bot's games, by name.

    Raises ProtocolError if it speaks another major version, RefusedError if the bot can play none of its games.
    """
    if joined.protocol_major != PROTOCOL_MAJOR:
        raise ProtocolError(
            f"the service at {address} speaks protocol {joined.protocol_major}.{joined.protocol_minor} with bots, and "
            f"this arena {PROTOCOL_MAJOR}; install the arena of the service's version"
        )
    if not joined.games:
        raise RefusedError(
            f"the service at {address} plays none of the games of {manifest.name} ({_listed(manifest.games)}); "
            "`arena --server NAME ladder list` shows which it plays"
        )
    if sentences := differing_rules(joined.games, dict(manifest.rules)):
        raise RefusedError(
            f"{sentences[0]}, as bot.toml of {manifest.name} demands; connect a version of the bot for these rules, "
            "or take the game out of its games"
        )
    return {info.name: info for info in joined.games}


def differing_rules(games: Iterable[play_pb2.GameInfo], known: Mapping[str, str]) -> list[str]:
    """Return a sentence for each game that the service plays by other rules than are `known` by the game's name."""
    return [
        f"the service plays {info.name} by the rules {info.rules_version}, not {known[info.name]}"
        for info in games
        if known.get(info.name, info.rules_version) != info.rules_version
    ]


def _listed(games: Sequence[str]) -> str:
    return ", ".join(game[:40] for game in games[:5]) or "no game"
