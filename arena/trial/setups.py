"""Lists where a bot must show that it can play: every game that it claims and that is installed, with all its seats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arena.model.bots import Finding
from arena.trial.values import RULES, TrialSetup, failed
from engine import registry
from engine.text import Text

EVERY_GAME = "*"


def setups_of(games: Sequence[str]) -> tuple[TrialSetup, ...]:
    """Return the setups of a manifest's `games`, with default options; empty if it plays nothing that is installed."""
    claimed = [registry.get(name) for name in registry.names() if name in games or EVERY_GAME in games]
    return tuple(TrialSetup(game.name, game.rules_version, seats) for game in claimed for seats in game.seats)


def of_known_rules(
    setups: Sequence[TrialSetup], rules: Mapping[str, str]
) -> tuple[tuple[TrialSetup, ...], tuple[Finding, ...]]:
    """Return the setups whose installed rules a bot knows, and a finding for each game of which it knows others.

    `rules` is the table of its manifest: the one version that it knows of some games.
    """
    known = tuple(setup for setup in setups if rules.get(setup.game, setup.rules_version) == setup.rules_version)
    others = {setup.game: setup.rules_version for setup in setups if setup not in known}
    return known, tuple(_other_rules(game, rules[game], installed) for game, installed in others.items())


def _other_rules(game: str, version: str, installed: str) -> Finding:
    return failed(
        RULES,
        Text(
            "trial.bot_toml_says_knows_version",
            "Its bot.toml says that it knows version {version} of the rules of {game} only, and version {installed} is "
            "installed here, so it plays none of it. Adapt it to what `arena game show {game_2}` tells, and write "
            "{line} into [rules].",
            version=version,
            game=game,
            installed=installed,
            game_2=game,
            line=f'{game} = "{installed}"',
        ),
        {"game": game, "rules_version": version, "installed": installed},
    )
