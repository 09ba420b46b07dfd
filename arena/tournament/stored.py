"""Reads tournaments from the book of record as values: formats, situations, tables, and whether memories are true."""

from __future__ import annotations

import json
import reprlib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final

from arena.match.time_control import TimeControl, parse_time_control
from arena.tournament.errors import RequestError
from arena.tournament.formats import catalog
from arena.tournament.formats import random_seeds as seeds
from arena.tournament.formats.format import (
    NOTHING,
    BlockState,
    Entrant,
    Format,
    Past,
    PlayedBlock,
    Situation,
    Tally,
    Wave,
)
from arena.tournament.formats.format import blocks_per_seed as of_form
from arena.tournament.formats.openings import BlockDraw, place_in_book
from arena.tournament.formats.random_seeds import schedule_seed
from arena.tournament.formats.tally import Remembering, fold, from_json, is_understood, to_json
from engine import registry
from engine.translatable import Text
from ratings.read.tournament_report import TournamentReport
from ratings.read.tournaments import (
    Remembered,
    TournamentWaves,
    entrants_of,
    recent_waves,
    remembered,
    remembered_waves,
    tournament_row,
    tournament_waves,
)
from ratings.store.database import Database
from ratings.store.models import PoolRecord, TournamentRecord
from ratings.store.waves import EnteredVersion, WaveBlock
from ratings.values.states import MatchState, OnWorkProgress, WorkStage, no_progress

OPENINGS = "openings"
"""The setting that holds the openings of a file as ids of actions; none if they are random."""
STARTS = "starts"
"""The setting that holds for each of these openings the options that set up where it begins; none if all begin alike.

They are not in the pool: who plays well from one position plays well from another.
"""
PERSONS: Final = "persons"
"""The setting of a single match with the names of the people in it, by seat."""
_MAX_NAME_LENGTH: Final = 80
_CLOCK: Final = ("start_limit_us", "margin_us")


def format_of(tournament: TournamentRecord, pool: PoolRecord) -> Format | None:
    """Return the format of a tournament, or `None` for a single match."""
    form = catalog.from_settings(tournament.format, pool.seats, tournament.settings)
    return None if form is None else catalog.in_pool(form, pool.rating_method)


def blocks_per_seed(tournament: TournamentRecord, pool: PoolRecord) -> int:
    """Return how many successive blocks of a tournament share opening and chance seed."""
    form = format_of(tournament, pool)
    return 1 if form is None else of_form(form)


def options_of(tournament: TournamentRecord, pool: PoolRecord, block: int) -> Mapping[str, Any]:
    """Return the options of the matches of a block: those of the pool, and where its opening begins."""
    starts = tournament.settings.get(STARTS)
    if not starts:
        return pool.options
    number = block // blocks_per_seed(tournament, pool)
    return {**pool.options, **starts[place_in_book(bytes.fromhex(tournament.secret), len(starts), number)]}


def check_name(name: str) -> str:
    """Return the name if a tournament can have it. Raises RequestError."""
    if not name.strip() or not name.isprintable() or len(name) > _MAX_NAME_LENGTH:
        raise RequestError(
            Text(
                "{name} is no name for a tournament; use 1 to {most} printable characters",
                name=repr(name),
                most=_MAX_NAME_LENGTH,
            )
        )
    return name


def check_stored(tournament: TournamentRecord, pool: PoolRecord) -> None:
    """Raise ValueError, KeyError or TypeError if a tournament from elsewhere has settings or a name that do not fit."""
    check_name(tournament.name)
    settings, kind = tournament.settings, catalog.kind_of(tournament.format)
    own = set() if kind is None else {field.name for field in fields(kind)}
    if kind is not None:
        catalog.check_settings(tournament.format, {key: value for key, value in settings.items() if key in own})
    seed, people = settings["seed"], settings.get(PERSONS, {})
    starts = settings.get(STARTS, [])
    for is_right, key in (
        *((type(settings[key]) is int and settings[key] >= 0, key) for key in ("opening_plies", *_CLOCK)),
        (seed is None or type(seed) is int, "seed"),
        (isinstance(people, dict) and all(isinstance(name, str) for name in people.values()), PERSONS),
        (isinstance(starts, list) and all(isinstance(start, dict) for start in starts), STARTS),
        (not starts or len(starts) == len(settings.get(OPENINGS, ())), STARTS),
    ):
        if not is_right:
            raise ValueError(f"{key} is {reprlib.repr(settings[key])}")
    bytes.fromhex(tournament.secret)
    clock_of(tournament, pool)
    if tournament.format == "adaptive":
        from arena.tournament.formats.adaptive import Adaptive
        from ratings.statistics.stopping_question import parse_question

        form = Adaptive(pool.seats, **{key: value for key, value in settings.items() if key in own})
        parse_question(form.until)
        if tournament.answer is not None:
            form.recorded(tournament.answer)
    elif tournament.format == "compare" and "design" in settings:
        from arena.tournament.formats.compare import Design

        Design(settings["design"])
    if pool.game in registry.names():
        game = registry.get(pool.game)
        for start in starts or [{}]:
            game.parse_options({**pool.options, **start})
            if game.asked_options(start):  # what the pool tells is the same for all its matches
                raise ValueError(f"{STARTS} has {reprlib.repr(start)}")


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
        book=tuple(map(tuple, tournament.settings.get(OPENINGS, ()))),
        starts=tuple(tournament.settings.get(STARTS, ())),
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
    form = format_of(played.tournament, played.pool)
    if played.memory is None or not isinstance(form, Remembering):
        past = NOTHING
    else:
        past = from_json(form, played.memory.data, [version.version_id for version in played.entrants])
    return Situation(
        tuple(entrant_of(version) for version in played.entrants),
        tuple(wave_of(wave) for wave in played.waves),
        seeds.schedule_seed(bytes.fromhex(played.tournament.secret)),
        past,
    )


def entrant_of(version: EnteredVersion) -> Entrant:
    """Return a version that entered as its format sees it."""
    return Entrant(version.version_id, version.joined_wave, version.withdrawn_wave, version.away, version.owner)


def wave_of(records: Sequence[WaveBlock]) -> Wave:
    """Return the blocks of a wave as its format sees them."""
    return tuple(_played_block(matches) for matches in records)


def _played_block(matches: WaveBlock) -> PlayedBlock:
    """Return a block: whole only if all its matches have a result and count, void as soon as one is void."""
    order = matches[0].versions
    if any(match.state is MatchState.VOID for match in matches):
        # Its other matches are played all the same, and its wave is not over before they are.
        return PlayedBlock(order, BlockState.VOID)
    if any(match.state is not MatchState.FINISHED for match in matches):
        return PlayedBlock(order)
    is_valid = all(match.is_valid for match in matches)
    return PlayedBlock(
        order,
        BlockState.ANNULLED if matches[0].is_annulled else BlockState.WHOLE if is_valid else BlockState.INVALID,
        ranks=tuple(tuple(rank or 0 for rank in match.ranks) for match in matches),
        forfeits=tuple(
            frozenset(version for version, did in zip(match.versions, match.has_forfeited, strict=True) if did)
            for match in matches
        ),
        digests=tuple(match.game_digest or "" for match in matches),
    )


def read_situation(database: Database, tournament_id: str) -> Situation:
    """Return what a format knows of its tournament now, as far back as it must. Raises NotFoundError."""
    waves = recent_waves(database, tournament_id)
    situation = situation_of(waves)
    if waves.memory is not None and situation.past.waves != waves.memory.index + 1:
        return situation_of(tournament_waves(database, tournament_id))  # a memory that is not understood here
    return situation


def table_situation(database: Database, form: Format, report: TournamentReport) -> Situation:
    """Return what the format makes the table of a tournament from."""
    tournament = report.row.tournament
    if form.traits.lag:
        return read_situation(database, tournament.id)
    seed = seeds.schedule_seed(bytes.fromhex(tournament.secret))
    # The tallies of the one wave as far as it was played, as if it were over.
    tallies = {
        row.version_id: Tally(points=row.whole.points, possible=row.whole.possible, whole=row.whole.blocks)
        for row in report.entrants
    }
    return Situation(tuple(map(entrant_of, report.entered)), (), seed, Past(waves=1, tallies=tallies))


def memory_problems(database: Database, report: OnWorkProgress = no_progress) -> Iterator[tuple[str, str]]:
    """Yield the id, with a sentence, of every tournament of which something else is remembered than its matches give.

    The matches are read wave by wave, about 8 s for 100,000, each wave in a view of its own: a service may go on.
    """
    for one in remembered(database):
        for problem in _problems(database, one, report):
            yield one.tournament_id, problem


def _problems(database: Database, one: Remembered, report: OnWorkProgress) -> Iterator[str]:
    row = tournament_row(database, one.tournament_id)
    name, form = row.tournament.name, format_of(row.tournament, row.pool)
    if not isinstance(form, Remembering):
        yield f"tournament {name!r}: its format remembers nothing, and yet there is a memory"
        return
    if not is_understood(form, one.memory.data):
        return  # the planner forgets it and reads the matches anew, and so does whoever looks
    entrants = tuple(entrant_of(version) for version in entrants_of(database, one.tournament_id))
    seed = schedule_seed(bytes.fromhex(row.tournament.secret))
    names = [entrant.id for entrant in entrants]
    places = {name: place for place, name in enumerate(names)}
    past, gathered = NOTHING, Counter[tuple[int, ...]]()
    for records in remembered_waves(database, one):
        report(WorkStage.MEMORIES, 0, 0)
        situation = Situation(entrants, (wave_of(records),), seed, past)
        past = fold(form, situation)
        if len(situation.blocks[0].order) > 2:  # where it is kept who sat together
            gathered.update(tuple(sorted({places[name] for name in block.order})) for block in situation.blocks)
    # Who entered only then may have been there or not when it was written, with nothing to his name.
    early = {place for place, entrant in enumerate(entrants) if entrant.joined <= one.memory.index}
    found = json.loads(json.dumps(to_json(form, past, names)))
    if _of(early, found) != _of(early, {key: one.memory.data.get(key) for key in found}):
        yield f"tournament {name!r}: what is remembered up to wave {one.memory.index} is not what its matches give"
    if gathered != one.gathered:
        yield f"tournament {name!r}: who gathered up to wave {one.memory.index} is not what its matches give"


def _of(places: Collection[int], data: Mapping[str, Any]) -> Mapping[str, Any]:
    own = data["own"]
    kept = {**data, "tallies": _rows_of(places, data["tallies"])}
    if isinstance(own, dict) and own.keys() == {"skills", "starts"}:
        kept["own"] = {name: _rows_of(places, rows) for name, rows in own.items()}
    return kept


def _rows_of(places: Collection[int], rows: Sequence[Any]) -> list[Any]:
    """Return the rows of these entrants, by place; in which order others were met says nothing."""
    return sorted(
        [part if not isinstance(part, list) else sorted(part) for part in row] for row in rows if row[0] in places
    )
