"""Loads the engine's games before a match needs them, so that no decision pays for an import or a first use.

`bots.kit.run` does it before the bot joins; offline, and in a test, call `preload_rules` yourself if time counts there.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.core import Game, State

EVERY_GAME = "*"
_POSITIONS = 4  # so many positions of a random playing are looked at with each number of seats


def preload_rules(games: Iterable[str] | None = None) -> None:
    """Import these games and use each once; every installed one if None. One that is not installed is left out.

    Of a family of many games only those are loaded that are named.

    A game that cannot be loaded is told of on stderr: it raises again when it is used, and others are played meanwhile.
    Raises engine.build_info.HalfBuiltError if no game can be relied on.
    """
    from engine import registry
    from engine.build_info import need_whole

    need_whole()
    installed = registry.single_names()
    wanted = installed if games is None else [name for name in games if name in installed or registry.family_of(name)]
    for name in sorted(wanted):
        try:
            _preload(name)
        except Exception as error:  # an installed game may be anybody's, and raise anything
            sys.stderr.write(f"the game {name} cannot be loaded: {type(error).__name__}: {error}\n")


def preload_claimed(games: Sequence[str]) -> None:
    """Do that for the games that a bot claims, as far as the `bot.toml` it was started by claims them, too.

    A bot that claims every game is told by ARENA_GAME which it is started for, which may be one of a family.
    """
    claimed = [set(names) for names in (games, _games_of_manifest()) if EVERY_GAME not in names]
    wanted = set.intersection(*claimed) if claimed else None
    preload_rules(wanted)
    first = os.environ.get("ARENA_GAME")
    if first is not None and wanted is None:
        preload_rules([first])


def _games_of_manifest() -> Sequence[str]:
    """Return the `games` of the bot.toml in ARENA_BOT_DIR; without one that can be read, every game."""
    import tomllib

    directory = os.environ.get("ARENA_BOT_DIR")
    try:
        manifest = tomllib.loads(Path(directory, "bot.toml").read_text(encoding="utf-8-sig")) if directory else {}
    except (OSError, ValueError):
        manifest = {}
    games = manifest.get("games", [EVERY_GAME])
    return games if isinstance(games, list) else [EVERY_GAME]


@cache
def _preload(name: str) -> None:
    from engine import registry
    from engine.playout import positions

    game = registry.get(name)
    for seats in game.seats:
        for state in islice(positions(game, seats, seats), _POSITIONS):
            _use(game, state)


def _use(game: Game, state: State) -> None:
    """Do once what a bot does with a position: read, copy and value it, and play on."""
    seat = state.seat()
    if seat is None:
        return
    seen = game.observed(game.encode_observation(state, seat)[1])
    seen.to_json()
    playable = game.playable
    if playable is None:
        return
    random = Random(0)
    copy = playable.determinize(seen, random)
    playable.evaluate(copy, seat)
    copy.apply_unchecked(playable.quick_action(copy, random))
    playable.evaluate(copy, seat)
