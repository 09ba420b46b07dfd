"""Connects a bot: its program is made ready, tried out, and joined to the service. The one entry for a command."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from arena.connect.backoff import ReconnectBackoff
from arena.connect.bridge import Bridge, JoinOptions
from arena.connect.local import START_LIMIT_S, open_bots
from arena.connect.news import OnNews
from arena.connect.program import prepare
from arena.connect.service import find_route, games_to_join
from arena.hosting.manifest import ARENA, BotManifest
from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.sandbox.limits import SandboxPolicy
from arena.rpc.profiles import Profile
from engine import registry


@dataclass(frozen=True, slots=True)
class ConnectOptions:
    """What an author wants: which bot to connect, where, and how."""

    directory: Path
    manifest: BotManifest
    profile: Profile
    name: str
    version: str | None = None
    """The author's word for this version; None for the beginning of its hash."""
    matches: int = 1
    stop_after: int | None = None
    play_address: str | None = None
    policy: SandboxPolicy = field(default_factory=SandboxPolicy)
    runtimes: RuntimeCatalog = field(default_factory=RuntimeCatalog)
    backoff: ReconnectBackoff = field(default_factory=ReconnectBackoff)
    start_limit_s: float = START_LIMIT_S
    cache: Path | None = None
    """Where copies of bots are kept; None for this user's cache."""


async def run_bridge(order: ConnectOptions, tell: OnNews, when_ready: Callable[[Bridge], None]) -> None:
    """Connect a bot and play until it is to end; `when_ready` is given the bridge before it connects.

    Raises ClientError for what the service refuses, ConnectError, BotDirectoryError, StoreError, HostingError.
    """
    program = await prepare(order.directory, order.policy, order.runtimes, order.cache, tell)
    async with open_bots(program, tell, order.start_limit_s) as bots:
        route = await asyncio.to_thread(find_route, order.profile, order.play_address)
        games = games_to_join(program.manifest, await bots.try_out())
        await bots.warm_up(order.matches)
        version = order.version or program.default_version
        joining = JoinOptions(
            manifest=program.manifest,
            name=order.name,
            version=version,
            games=games,
            matches=order.matches,
            stop_after=order.stop_after,
            installed_rules=_installed_rules(program.manifest),
        )
        bridge = Bridge(route, joining, bots, tell, order.backoff)
        when_ready(bridge)
        await bridge.run()


def _installed_rules(manifest: BotManifest) -> Mapping[str, str]:
    """Return the rules_version of each game of this machine's engine, if the bot may use it."""
    if manifest.runtime != ARENA:
        return {}
    return {name: registry.get(name).rules_version for name in registry.names()}
