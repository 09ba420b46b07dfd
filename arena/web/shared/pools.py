"""Pools in words: the game by its title, seats, clock, and what else is not as usual."""

from __future__ import annotations

from arena.i18n.catalogue import words
from arena.model.pools import special_options
from engine import registry
from ratings.values.pools import Pool

FORMATS = ("adaptive", "compare", "final", "gauntlet", "knockout", "ladder", "match", "round-robin", "sample", "swiss")
"""Those that have a name in every language; another is called what it is called in the database."""


def format_words(name: str, language: str) -> str:
    """Return what people call a format of tournaments."""
    return words(language).say("format." + name.replace("-", "_")) if name in FORMATS else name


def game_title(name: str) -> str:
    """Return what people call a game; of one that is not installed its name."""
    return registry.get(name).title if name in registry.names() else name


def pool_details(pool: Pool, language: str) -> str:
    """Return a pool without its game in words; of the options only those that differ from the game's defaults."""
    say = words(language).say
    kind = [say("pool.remote")] if pool.remote else []
    usual = [say("pool.seats", count=pool.seats), say("pool.clock", clock=pool.time_control)]
    cores = [say("pool.cores", count=pool.cores)] if pool.cores > 1 else []
    special = [f"{name}={value}" for name, value in special_options(pool).items()]
    return " · ".join([*usual, *cores, *kind, *special])
