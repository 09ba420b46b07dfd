"""Orders a match or a tournament, and sees it to its end in this program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from arena.app.games import find_game
from arena.hosting.procfs.machine import count_cores
from arena.model.errors import RefusedError
from arena.model.planning import TournamentRequest
from arena.model.tournaments import SINGLE_MATCH
from arena.scripting.apart import run_apart
from arena.scripting.arguments import (
    need_flags,
    need_texts,
    need_wholes,
    optional_mappings,
    optional_texts,
    optional_wholes,
)
from arena.scripting.errors import RunStoppedError
from arena.scripting.house import House
from arena.scripting.progress import OnProgress, ProgressLine, hearer
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """On what terms a game is played."""

    game: str
    clock: str = DEFAULT_CLOCK
    start_limit: str = DEFAULT_START_LIMIT
    cores: int = 1
    options: Mapping[str, Any] | None = None
    opening_plies: int | None = None
    seed: int | None = None
    secret: str | None = None
    rated: bool = True
    same_owner: bool = False
    name: str | None = None

    def check(self) -> None:
        """Raise UnknownError, before any bot is added, if there is no such game, and RefusedError for other types."""
        need_texts(game=self.game, clock=self.clock, start_limit=self.start_limit)
        optional_texts(secret=self.secret, name=self.name)
        need_wholes(cores=self.cores)
        optional_wholes(seed=self.seed, opening_plies=self.opening_plies)
        need_flags(rated=self.rated, same_owner=self.same_owner)
        optional_mappings(options=self.options)
        find_game(self.game)
        if self.cores > (there := count_cores()):
            raise RefusedError(f"{self.cores} cores for a bot are more than the {there} here; grant fewer cores")


def match_request(terms: Terms, bots: tuple[str, ...]) -> TournamentRequest:
    """Return the order of a single match; the bots sit in the order named."""
    return _request(terms, SINGLE_MATCH, len(bots), bots, {})


def tournament_request(
    terms: Terms, form: str, seats: int | None, bots: tuple[str, ...], settings: Mapping[str, Any]
) -> TournamentRequest:
    """Return the order of a tournament; without `seats` the game's tables are as small as may be.

    `settings` are those of the format (`arena.tournament.formats`), where None is as if it were not given. Raises
    UnknownError, ScheduleError.
    """
    if seats is None:
        allowed = find_game(terms.game).seats
        seats = next((number for number in allowed if number > 1), allowed[0])
    own = {key: value for key, value in settings.items() if value is not None}
    own = _settled(form, seats, own, has_field=len(bots) > 2)
    if form == Compare.name:
        terms = replace(terms, rated=False)
    return _request(terms, form, seats, bots, own)


def _settled(form: str, seats: int, own: dict[str, Any], *, has_field: bool) -> dict[str, Any]:
    """Return the settings of a format, with those that have another value where nobody gives one than the format's own.

    Raises ScheduleError if there is no such format or setting, and ResultsError for a comparison that cannot be.
    """
    catalog.check_settings(form, own)
    if form == Swiss.name:
        return {"rounds": USUAL, **own}
    if form == Adaptive.name and "until" in own:
        return {**own, "until": with_zone(own["until"], None)}
    if form == Compare.name:
        own = {"design": str(design_for(seats, has_field=has_field)), **own}
        return {"pairs": Compare(seats, **own).usual_limit(), **own}
    return own


def _request(
    terms: Terms, form: str, seats: int, bots: tuple[str, ...], settings: Mapping[str, Any]
) -> TournamentRequest:
    return TournamentRequest(
        format=form,
        settings=settings,
        game=terms.game,
        seats=seats,
        bots=bots,
        time=terms.clock,
        start_limit=terms.start_limit,
        options=dict(terms.options or {}),
        opening_plies=terms.opening_plies,
        seed=terms.seed,
        rated=terms.rated,
        name=terms.name,
        secret=terms.secret,
        same_owner=terms.same_owner,
        cores=None if terms.cores == 1 else terms.cores,
    )


def play(house: House, tournament: str, progress: OnProgress | bool | None) -> None:
    """Play what is left of a tournament, named by its id.

    Raises RunStoppedError after Ctrl-C, what `progress` raises, and what `arena.tournament.runner.run_tournament` does;
    then what was finished is recorded, and it can be played on. Raises RefusedError if it is for remote bots, or if
    another program cancelled it meanwhile.
    """
    row = tournament_row(house.database, tournament)
    name = row.tournament.name
    if row.pool.remote:
        raise RefusedError(f"{name!r} is for remote bots, and only a service plays with them; leave them out here")
    hear = hearer(progress)
    try:
        end = run_apart(lambda tell: _run(house, tournament, tell), hear)
    except KeyboardInterrupt:
        state = tournament_row(house.database, tournament).progress
        raise RunStoppedError(
            f"stopped: {state.finished} matches of {state.total} are recorded; Arena.resume({name!r}) plays the rest",
            name,
        ) from None
    finally:
        if isinstance(hear, ProgressLine):
            hear.end()
    if end.is_cancelled:
        raise RefusedError(f"{name!r} was cancelled by another program; its {end.finished} results stay")


async def _run(house: House, tournament: str, tell: OnProgress) -> RunProgress:
    row = tournament_row(house.database, tournament)
    async with house.hosting.executor(row) as executor:
        return await run_tournament(
            house.database,
            tournament,
            executor,
            house.programs,
            on_progress=tell,
            leak_checks=house.hosting.leak_checks,
            keep_logs=house.hosting.keep_logs,
        )
