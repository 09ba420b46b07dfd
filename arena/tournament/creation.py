"""Plans a tournament and writes it into the database: what is planned later is a function of what was written.

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
from arena.match.time_control import TimeControl, format_time_control
from arena.tournament.errors import OrderError
from arena.tournament.formats import catalog, seeds
from arena.tournament.formats.blocks import BlockMaker
from arena.tournament.formats.format import Format
from arena.tournament.formats.roundrobin import RoundRobin
from arena.tournament.formats.situation import Entrant
from arena.tournament.formats.waves import plan_wave
from arena.tournament.planner import Planner
from engine import registry
from engine.core import Game
from ratings.ledger.bots import resolve_version
from ratings.ledger.planning import BlockPlan, TournamentPlan, create_tournament
from ratings.ledger.pools import PoolKey
from ratings.store.database import Session
from ratings.store.models import Tournament, Version

ROUND_ROBIN = RoundRobin.name
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


def create_format(
    session: Session, store: VersionStore, terms: Terms, form: Format, *, name: str, bots: Sequence[str]
) -> Tournament:
    """Plan a tournament of `bots` (`name`, the newest version, or `name@hash`): all of it, or its first waves."""
    game = _check_terms(terms, name)
    versions = _enter(session, store, terms.game, bots)
    form.check(len(versions))
    secret = _secret(terms)
    entrants = [Entrant(version.id) for version in versions]
    orders = plan_wave(form, entrants, [], seeds.schedule_seed(secret))
    maker = _maker(game, terms, secret)
    blocks = [maker.block(index, order, form.blocks_a_seed) for index, order in enumerate(orders)]
    tournament = _create(
        session, maker, terms, name, form.name, versions, blocks, catalog.to_settings(form), more_waves=form.lag > 0
    )
    if tournament.more_waves and (waves := Planner.of(session, tournament)):
        waves.plan_ready(session)
        session.refresh(tournament)
    return tournament


def create_round_robin(
    session: Session, store: VersionStore, terms: Terms, *, name: str, bots: Sequence[str], blocks: int = 1
) -> Tournament:
    """Plan a round robin: `blocks` blocks a combination; the rest as in `create_format`."""
    return create_format(session, store, terms, RoundRobin(terms.seats, blocks), name=name, bots=bots)


def create_match(session: Session, store: VersionStore, terms: Terms, *, name: str, bots: Sequence[str]) -> Tournament:
    """Plan one match, a tournament of its own format: `bots[seat]` as in `create_round_robin`.

    Unrated, a bot may sit in several seats: its author wants to see it play itself.
    """
    game = _check_terms(terms, name)
    if len(bots) != terms.seats:
        raise OrderError(f"{terms.seats} seats need {terms.seats} bots, not {len(bots)}; name one for each seat")
    versions = _enter(session, store, terms.game, bots, may_repeat=not terms.rated)
    maker = _maker(game, terms, _secret(terms))
    block = maker.part(0, [tuple(version.id for version in versions)])
    entrants = list({version.id: version for version in versions}.values())
    return _create(session, maker, terms, name, SINGLE_MATCH, entrants, [block], {})


def check_name(name: str) -> None:
    """Raise OrderError unless a tournament can be called so."""
    if not name.strip() or not name.isprintable() or len(name) > MAX_NAME_LENGTH:
        raise OrderError(f"{name!r} is no name for a tournament; use 1 to {MAX_NAME_LENGTH} printable characters")


def _check_terms(terms: Terms, name: str) -> Game:
    check_name(name)
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


def _maker(game: Game, terms: Terms, secret: bytes) -> BlockMaker:
    return BlockMaker(game, terms.seats, game.parse_options(terms.options), secret, terms.opening_plies)


def _create(
    session: Session,
    maker: BlockMaker,
    terms: Terms,
    name: str,
    format_: str,
    versions: Sequence[Version],
    blocks: Sequence[BlockPlan],
    settings: Mapping[str, Any],
    *,
    more_waves: bool = False,
) -> Tournament:
    """Write everything down."""
    game = maker.game
    pool = PoolKey(
        game=game.name,
        rules_version=game.rules_version,
        seats=terms.seats,
        options=game.options_json(maker.options),
        time_control=format_time_control(terms.clock),
        cores=terms.cores,
    )
    plan = TournamentPlan(
        name=name,
        format=format_,
        pool=pool,
        secret=maker.secret.hex(),
        seeded=terms.seed is not None,
        settings={**settings, **_settings(game, terms)},
        entrants=[version.id for version in versions],
        blocks=blocks,
        rated=terms.rated,
        more_waves=more_waves,
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
