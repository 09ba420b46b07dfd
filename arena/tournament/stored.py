"""What the book of record holds of a tournament, as values of this package and of `arena.match`. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.match.time_control import TimeControl, parse_time_control
from arena.tournament.formats import catalog, seeds
from arena.tournament.formats.blocks import BlockDraw
from arena.tournament.formats.format import Format
from arena.tournament.formats.format import blocks_per_seed as of_form
from arena.tournament.formats.past import NOTHING, Past
from arena.tournament.formats.remembering import Remembering, from_json
from arena.tournament.formats.situation import BlockState, Entrant, PlayedBlock, Situation, Wave
from engine import registry
from ratings.read.tournaments import TournamentWaves
from ratings.store.models import PoolRecord, TournamentRecord
from ratings.store.waves import EnteredVersion, WaveBlock, WaveMatch
from ratings.values.states import MatchState


def format_of(tournament: TournamentRecord, pool: PoolRecord) -> Format | None:
    """Return the format of a tournament, or `None` for a single match."""
    return catalog.from_settings(tournament.format, pool.seats, tournament.settings)


def blocks_per_seed(tournament: TournamentRecord, pool: PoolRecord) -> int:
    """Return how many successive blocks of a tournament share opening and chance seed."""
    form = format_of(tournament, pool)
    return 1 if form is None else of_form(form)


def draw_of(tournament: TournamentRecord, pool: PoolRecord) -> BlockDraw:
    """Return what the blocks of a tournament are drawn from."""
    game = registry.get(pool.game)
    return BlockDraw(
        game=game,
        seats=pool.seats,
        options=game.parse_options(pool.options),
        secret=bytes.fromhex(tournament.secret),
        opening_plies=tournament.settings["opening_plies"],
        blocks_per_seed=blocks_per_seed(tournament, pool),
    )


def clock_of(tournament: TournamentRecord, pool: PoolRecord) -> TimeControl:
    """Return the time control of a tournament: the pool's, with the limits that do not name a pool."""
    settings = tournament.settings
    return parse_time_control(
        pool.time_control, start_limit_us=settings["start_limit_us"], margin_us=settings["margin_us"]
    )


def clock_settings(clock: TimeControl) -> dict[str, Any]:
    """Return what a tournament keeps of its time control besides the pool's text; `clock_of` is the inverse."""
    return {"start_limit_us": clock.start_limit_us, "margin_us": clock.margin_us}


def situation_of(played: TournamentWaves) -> Situation:
    """Return everything that was planned and played so far, or is remembered of it; entrants by version id."""
    return Situation(
        tuple(entrant_of(version) for version in played.entrants),
        tuple(wave_of(wave) for wave in played.waves),
        seeds.schedule_seed(bytes.fromhex(played.tournament.secret)),
        _past_of(played),
    )


def _past_of(played: TournamentWaves) -> Past:
    form = format_of(played.tournament, played.pool)
    if played.memory is None or not isinstance(form, Remembering):
        return NOTHING
    return from_json(form, played.memory.data, [version.version_id for version in played.entrants])


def entrant_of(version: EnteredVersion) -> Entrant:
    """Return a version that entered as its format sees it."""
    return Entrant(version.version_id, version.joined_wave, version.withdrawn_wave, version.away, version.owner)


def wave_of(records: Sequence[WaveBlock]) -> Wave:
    """Return the blocks of a wave as its format sees them."""
    return tuple(_played_block(matches) for matches in records)


def _played_block(matches: WaveBlock) -> PlayedBlock:
    """Return a block: whole only if all its matches are finished and count, void as soon as one is void."""
    order = matches[0].versions
    if any(match.state is MatchState.VOID for match in matches):
        # Its other matches are played all the same, and its wave is not over before they are.
        return PlayedBlock(order, BlockState.VOID)
    if any(match.state is not MatchState.FINISHED for match in matches):
        return PlayedBlock(order)
    return PlayedBlock(
        order,
        BlockState.ANNULLED if matches[0].is_annulled else BlockState.WHOLE,
        ranks=tuple(tuple(rank or 0 for rank in match.ranks) for match in matches),
        forfeits=tuple(_forfeited(match) for match in matches),
        digests=tuple(match.game_digest or "" for match in matches),
    )


def _forfeited(match: WaveMatch) -> frozenset[str]:
    return frozenset(version for version, did in zip(match.versions, match.has_forfeited, strict=True) if did)
