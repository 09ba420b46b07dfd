"""Finds out where a service takes remote bots, and whether it takes this one. It asks; it does not join."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from arena.hosting.manifest import BotManifest
from arena.model.errors import ForbiddenError, RefusedError
from arena.rpc.channel import UNIX, Endpoint
from arena.rpc.errors import ProtocolError, ServiceError
from arena.rpc.login import check_protocol, open_line
from arena.rpc.profiles import Profile, split_address
from arena.rpc.remote_arena import RemoteArena
from arena.v1 import play_pb2
from arena.wire.messages import EVERY_GAME, PROTOCOL_MAJOR
from engine.translatable import Text
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
        try:
            split_address(play_address)
        except ValueError as error:
            raise RefusedError(str(error)) from error
        return PlayRoute(replace(endpoint, address=play_address), profile.token, profile.owner)
    if profile.address.startswith(UNIX):
        raise RefusedError(
            Text("a remote bot connects over the network; log in with HOST:PORT, or give --play-address")
        )
    with open_line(endpoint, profile.token) as line:
        identity = RemoteArena(line).account.get_identity()
    check_protocol(identity, profile.address)
    if identity.scope not in _PLAYS:
        raise ForbiddenError(
            Text(
                "the token of the login {login} is one of scope {scope}, which does not play; ask the organiser "
                "for one of scope player, and `arena login {address} --name {name} --token-stdin` logs in with it",
                login=repr(profile.name),
                scope=identity.scope.value,
                address=profile.address,
                name=profile.name,
            )
        )
    if identity.owner is None:
        raise ForbiddenError(
            Text(
                "the token of the login {login} belongs to no owner, and a bot needs one; ask the organiser for "
                "an invitation",
                login=repr(profile.name),
            )
        )
    host = split_address(profile.address)[0]
    shown = f"[{host}]" if ":" in host else host
    port: int = getattr(identity, "play_port", 0)
    if not port:
        raise ServiceError(
            Text(
                "the service at {address} takes no remote bots; hand the bot in with `arena bot submit`, or ask "
                "the organiser to set service.play_address",
                address=profile.address,
            )
        )
    return PlayRoute(replace(endpoint, address=f"{shown}:{port}"), profile.token, identity.owner)


def games_to_join(manifest: BotManifest, joined: Sequence[str]) -> tuple[str, ...]:
    """Return the games to join for: those of bot.toml that the bot itself joins for. Raises RefusedError if none."""
    if EVERY_GAME in joined:
        return manifest.games
    games = tuple(game for game in joined if manifest.plays(game))
    if not games:
        raise RefusedError(
            Text(
                "bot.toml says that {bot} plays {games}, and the bot itself joins for {joined}; let them agree",
                bot=manifest.name,
                games=_listed(manifest.games),
                joined=_listed(joined),
            )
        )
    return games


def check_joined(joined: play_pb2.Joined, manifest: BotManifest, address: str) -> Mapping[str, play_pb2.GameInfo]:
    """Return what the service tells of the bot's games, by name.

    Raises ProtocolError if it speaks another major version, RefusedError if the bot can play none of its games.
    """
    if joined.protocol_major != PROTOCOL_MAJOR:
        raise ProtocolError(
            Text(
                "the service at {address} speaks protocol {theirs} with bots, and this arena {ours}; install the arena "
                "of the service's version",
                address=address,
                theirs=f"{joined.protocol_major}.{joined.protocol_minor}",
                ours=PROTOCOL_MAJOR,
            )
        )
    if not joined.games:
        raise RefusedError(
            Text(
                "the service at {address} plays none of the games of {bot} ({games}); `arena --server NAME "
                "ladder list` shows which it plays",
                address=address,
                bot=manifest.name,
                games=_listed(manifest.games),
            )
        )
    if sentences := differing_rules(joined.games, dict(manifest.rules)):
        raise RefusedError(
            Text(
                "{what}, as bot.toml of {bot} demands; connect a version of the bot for these rules, or take the "
                "game out of its games",
                what=sentences[0],
                bot=manifest.name,
            )
        )
    return {info.name: info for info in joined.games}


def differing_rules(games: Iterable[play_pb2.GameInfo], known: Mapping[str, str]) -> list[str]:
    """Return a sentence for each game that the service plays by other rules than are `known` by the game's name."""
    return [
        Text(
            "the service plays {game} by the rules {version}, not {wanted}",
            game=info.name,
            version=info.rules_version,
            wanted=known[info.name],
        )
        for info in games
        if known.get(info.name, info.rules_version) != info.rules_version
    ]


def _listed(games: Sequence[str]) -> str:
    return ", ".join(game[:40] for game in games[:5]) or "no game"
