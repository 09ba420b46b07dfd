"""Plans a tournament whole and writes it into the database: nothing about it is drawn later.

Errors name what is wrong and the remedy, and then nothing was written: OrderError and ScheduleError of this package,
UnknownGameError, OptionsError and SeatsError of the engine, NotFoundError, AmbiguousError and BotError of the book of
record, StoreError of the version store.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.hosting.manifest import BotManifest
from arena.hosting.store import VersionStore
from arena.match.clock import TimeControl, format_time_control
from arena.tournament import roundrobin, seeds
from arena.tournament.errors import OrderError
from arena.tournament.openings import draw_opening
from engine import registry
from engine.core import Game
from ratings.bots import resolve_version
from ratings.database import Session
from ratings.models import Tournament, Version
from ratings.planning import BlockPlan, MatchPlan, TournamentPlan, create_tournament
from ratings.pools import PoolKey

ROUND_ROBIN = "round-robin"
SINGLE_MATCH = "match"
MAX_NAME_LENGTH = 80


@dataclass(frozen=True, slots=True)
class Terms:
    """What all matches of a tournament share."""

    game: str
    seats: int
    clock: TimeControl
    options: Mapping[str, Any] = field(default_factory=dict)
    """Values may be texts, as `Game.parse_options` takes them."""
    cores: int = 1
    """Granted to each bot."""
    opening_plies: int | None = None
    """Random plies before the first decision; None is the game's own default."""
    seed: int | None = None
    """Makes everything drawn here repeatable; None: the operating system's randomness."""
    rated: bool = True


def create_round_robin(
    session: Session, store: VersionStore, terms: Terms, *, name: str, bots: Sequence[str], blocks: int = 1
) -> Tournament:
    """Plan a round robin of `bots` (`name`, the newest version, or `name@hash`): `blocks` blocks a combination."""
    game = _check_terms(terms, name)
    versions = _enter(session, store, terms.game, bots)
    roundrobin.check_schedule(bots, seats=terms.seats, blocks=blocks)
    secret = _secret(terms)
    scheduled = roundrobin.schedule(
        [version.id for version in versions], seats=terms.seats, blocks=blocks, seed=seeds.schedule_seed(secret)
    )
    orders = [block.pairings for block in scheduled]
    return _create(session, game, terms, secret, name, ROUND_ROBIN, versions, orders, {"blocks": blocks})


def create_match(session: Session, store: VersionStore, terms: Terms, *, name: str, bots: Sequence[str]) -> Tournament:
    """Plan one match, a tournament of its own format: `bots[seat]` as in `create_round_robin`.

    Unrated, a bot may sit in several seats: its author wants to see it play itself.
    """
    game = _check_terms(terms, name)
    if len(bots) != terms.seats:
        raise OrderError(f"{terms.seats} seats need {terms.seats} bots, not {len(bots)}; name one for each seat")
    versions = _enter(session, store, terms.game, bots, may_repeat=not terms.rated)
    orders = [(tuple(version.id for version in versions),)]
    entrants = list({version.id: version for version in versions}.values())
    return _create(session, game, terms, _secret(terms), name, SINGLE_MATCH, entrants, orders, {})


def _check_terms(terms: Terms, name: str) -> Game:
    if not name.strip() or not name.isprintable() or len(name) > MAX_NAME_LENGTH:
        raise OrderError(f"{name!r} is no name for a tournament; use 1 to {MAX_NAME_LENGTH} printable characters")
    if terms.seed is not None and not 0 <= terms.seed <= seeds.MAX_SEED:
        raise OrderError(f"seed {terms.seed} is out of range; use 0 to {seeds.MAX_SEED} (below 2^53)")
    if terms.cores < 1:
        raise OrderError(f"{terms.cores} cores cannot play; grant each bot at least 1")
    game = registry.get(terms.game)
    game.check_seats(terms.seats)
    if terms.opening_plies is not None and not 0 <= terms.opening_plies <= game.max_plies:
        raise OrderError(f"an opening of {terms.opening_plies} plies is impossible; use 0 to {game.max_plies}")
    return game


def _enter(
    session: Session, store: VersionStore, game: str, bots: Sequence[str], *, may_repeat: bool = False
) -> list[Version]:
    """The versions named, with sound files, and of bots that play the game; each once unless they may repeat."""
    versions = [resolve_version(session, text) for text in bots]
    counts = Counter(version.id for version in versions)
    for text, version in zip(bots, versions, strict=True):
        if counts[version.id] > 1 and not may_repeat:
            raise OrderError(f"{text} is entered more than once; name each version once")
        manifest = BotManifest.from_json(version.manifest)
        if not manifest.plays(game):
            raise OrderError(f"{text} does not play {game}; its bot.toml names: {', '.join(manifest.games)}")
        store.get(version.content_hash)
    return versions


def _secret(terms: Terms) -> bytes:
    return seeds.new_secret() if terms.seed is None else seeds.secret_from_seed(terms.seed)


def _create(
    session: Session,
    game: Game,
    terms: Terms,
    secret: bytes,
    name: str,
    format_: str,
    versions: Sequence[Version],
    orders: Sequence[Sequence[tuple[str, ...]]],
    settings: Mapping[str, Any],
) -> Tournament:
    """Draw seeds and openings for the pairings of each block, and write all of it down."""
    options = game.parse_options(terms.options)
    pool = PoolKey(
        game=game.name,
        rules_version=game.rules_version,
        seats=terms.seats,
        options=game.options_json(options),
        time_control=format_time_control(terms.clock),
        cores=terms.cores,
    )
    plan = TournamentPlan(
        name=name,
        format=format_,
        pool=pool,
        secret=secret.hex(),
        seeded=terms.seed is not None,
        settings={**settings, **_settings(game, terms)},
        entrants=[version.id for version in versions],
        blocks=[_block(game, options, terms, secret, index, order) for index, order in enumerate(orders)],
        rated=terms.rated,
    )
    return create_tournament(session, plan)


def _settings(game: Game, terms: Terms) -> dict[str, Any]:
    """What `runner` and people need to know later and the pool does not say."""
    return {
        "seed": terms.seed,
        "opening_plies": game.opening_plies(terms.seats) if terms.opening_plies is None else terms.opening_plies,
        "start_limit_us": terms.clock.start_limit_us,
        "margin_us": terms.clock.margin_us,
    }


def _block(
    game: Game, options: Any, terms: Terms, secret: bytes, index: int, pairings: Sequence[tuple[str, ...]]
) -> BlockPlan:
    chance_seed = seeds.chance_seed(secret, index)
    opening = draw_opening(
        game,
        seats=terms.seats,
        options=options,
        chance_seed=chance_seed,
        seed=seeds.opening_seed(secret, index),
        plies=terms.opening_plies,
    )
    return BlockPlan(index, opening, chance_seed, [MatchPlan(turn, seated) for turn, seated in enumerate(pairings)])
