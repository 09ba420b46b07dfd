"""Orders a match or a tournament, and sees it to its end in this program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from arena.app.lookup import find_game
from arena.hosting.procfs.machine import count_cores
from arena.model.errors import RefusedError
from arena.model.planning import TournamentRequest
from arena.model.tournaments import SINGLE_MATCH
from arena.scripting.arguments import (
    need_flags,
    need_texts,
    need_wholes,
    optional_mappings,
    optional_texts,
    optional_wholes,
)
from arena.scripting.errors import RunStoppedError
from arena.scripting.loop_thread import run_in_loop_thread
from arena.scripting.open_arena import OpenArena
from arena.scripting.progress import OnProgress, ProgressLine, progress_listener
from arena.tournament.formats import catalog
from arena.tournament.formats.adaptive import Adaptive, with_zone
from arena.tournament.formats.compare import Compare, design_for
from arena.tournament.formats.swiss import USUAL, Swiss
from arena.tournament.run_progress import RunProgress
from arena.tournament.runner import run_tournament
from ratings.read.tournaments import tournament_row

DEFAULT_CLOCK = "100ms"
DEFAULT_START_LIMIT = "10s"
DEFAULT_FORMAT = "round-robin"


def check_order(order: TournamentRequest) -> None:
    """Raise UnknownError, before any bot is added, if there is no such game, and RefusedError for other types."""
    need_texts(game=order.game, clock=order.time, start_limit=order.start_limit)
    optional_texts(secret=order.secret, name=order.name)
    need_wholes(cores=order.cores)
    optional_wholes(seed=order.seed, opening_plies=order.opening_plies)
    need_flags(rated=order.rated, same_owner=order.same_owner)
    optional_mappings(options=order.options)
    find_game(order.game)
    if order.cores is not None and order.cores > (there := count_cores()):
        raise RefusedError(f"{order.cores} cores for a bot are more than the {there} here; grant fewer cores")


def with_bots(
    order: TournamentRequest, bots: tuple[str, ...], seats: int | None, settings: Mapping[str, Any] | None = None
) -> TournamentRequest:
    """Return an order with its entrants; without `seats` the game's tables are as small as may be.

    `settings` are those of the format (`arena.tournament.formats`), where None is as if it were not given. Raises
    UnknownError, ScheduleError.
    """
    order = replace(order, bots=bots, options=dict(order.options), cores=None if order.cores == 1 else order.cores)
    if order.format == SINGLE_MATCH:
        return replace(order, seats=len(bots))
    if seats is None:
        allowed = find_game(order.game).seats
        seats = next((number for number in allowed if number > 1), allowed[0])
    own = {key: value for key, value in (settings or {}).items() if value is not None}
    own = _settled(order.format, seats, own, has_field=len(bots) > 2)
    return replace(order, seats=seats, settings=own, rated=order.rated and order.format != Compare.traits.name)


def _settled(form: str, seats: int, own: dict[str, Any], *, has_field: bool) -> dict[str, Any]:
    """Return the settings of a format, with those that have another value where nobody gives one than the format's own.

    Raises ScheduleError if there is no such format or setting, and ResultsError for a comparison that cannot be.
    """
    catalog.check_settings(form, own)
    if form == Swiss.traits.name:
        return {"rounds": USUAL, **own}
    if form == Adaptive.traits.name and "until" in own:
        return {**own, "until": with_zone(own["until"], None)}
    if form == Compare.traits.name:
        own = {"design": str(design_for(seats, has_field=has_field)), **own}
        return {"pairs": Compare(seats, **own).usual_limit(), **own}
    return own


def play(arena: OpenArena, tournament: str, progress: OnProgress | bool | None) -> None:
    """Play what is left of a tournament, named by its id.

    Raises RunStoppedError after Ctrl-C, what `progress` raises, and what `arena.tournament.runner.run_tournament` does;
    then what was finished is recorded, and it can be played on. Raises RefusedError if it is for remote bots, or if
    another program cancelled it meanwhile.
    """
    row = tournament_row(arena.database, tournament)
    name = row.tournament.name
    if row.pool.remote:
        raise RefusedError(f"{name!r} is for remote bots, and only a service plays with them; leave them out here")
    on_news = progress_listener(progress)
    try:
        end = run_in_loop_thread(lambda on_progress: _run(arena, tournament, on_progress), on_news)
    except KeyboardInterrupt:
        state = tournament_row(arena.database, tournament).progress
        raise RunStoppedError(
            f"stopped: {state.finished} matches of {state.total} are recorded; Arena.resume({name!r}) plays the rest",
            name,
        ) from None
    finally:
        if isinstance(on_news, ProgressLine):
            on_news.end()
    if end.is_cancelled:
        raise RefusedError(f"{name!r} was cancelled by another program; its {end.finished} results stay")


async def _run(arena: OpenArena, tournament: str, on_progress: OnProgress) -> RunProgress:
    row = tournament_row(arena.database, tournament)
    async with arena.hosting.executor(row) as executor:
        return await run_tournament(
            arena.database,
            tournament,
            executor,
            arena.programs,
            on_progress=on_progress,
            leak_checks=arena.hosting.leak_checks,
            keep_logs=arena.hosting.keep_logs,
        )
