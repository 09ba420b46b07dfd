"""What is to be played: the options that matches and tournaments share, and how they become a plan in the database."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import typer

from arena.cli.shared.errors import MisuseError
from arena.cli.shared.games import get_game
from arena.cli.shared.lookup import find_version
from arena.cli.shared.options import parse_assignments
from arena.cli.shared.storage import Storage
from arena.match.time_control import TimeControl, parse_time_control
from arena.tournament import creation
from arena.tournament.creation import Terms
from arena.tournament.formats.format import Format
from ratings.read.tournaments import tournament_names
from ratings.store.models import Tournament

GameOption = Annotated[str, typer.Option("--game", metavar="GAME", help="What is played; `arena game list` shows all.")]
BotNames = Annotated[
    str, typer.Option("--bots", metavar="A,B,...", help="Names of bots, or name@hash for one version of it.")
]
Seats = Annotated[int, typer.Option(metavar="N", help="Bots in one match.")]
TimeText = Annotated[
    str,
    typer.Option("--time", metavar="TIME", help="50ms or 2s a decision, 60+1 bank and increment, 60+1/5s both, none."),
]
StartLimit = Annotated[
    str, typer.Option("--start-limit", metavar="TIME", help="Longest time from the start of a bot to its Join.")
]
OpeningPlies = Annotated[
    int | None,
    typer.Option(
        "--opening-plies", min=0, metavar="N", help="Random plies before the bots; the game's own by default."
    ),
]
Seed = Annotated[int | None, typer.Option("--seed", metavar="S", help="Makes everything drawn repeatable.")]
TournamentName = Annotated[str | None, typer.Option("--name", help="Its name, to resume and show it by.")]

DEFAULT_TIME = "100ms"
DEFAULT_START_LIMIT = "10s"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Which game is to be played, and on what terms, as the options say."""

    game: str
    time: str
    start_limit: str = DEFAULT_START_LIMIT
    options: Sequence[str] | None = None
    opening_plies: int | None = None
    seed: int | None = None


def plan_tournament(
    storage: Storage,
    request: Request,
    form: Format,
    bots: Sequence[str],
    *,
    rated: bool = True,
    name: str | None = None,
    kind: str | None = None,
) -> Tournament:
    """Write the tournament that was asked for, with these entrants, and return it.

    Without a `name` it is called by its `kind`, which is the name of its format if not given, and a number.
    """
    terms = _read_terms(request, form.seats, rated=rated)
    _check_known(storage, bots)
    choose_name = _name_chooser(storage, name, kind or form.name)
    return creation.create_tournament(
        storage.database, storage.programs, terms, form, bots=bots, choose_name=choose_name
    )


def plan_match(storage: Storage, request: Request, bots: Sequence[str], *, rated: bool, name: str | None) -> Tournament:
    """Write the single match that was asked for, and return its tournament; the bots sit in the order named."""
    terms = _read_terms(request, len(bots), rated=rated)
    _check_known(storage, bots)
    choose_name = _name_chooser(storage, name, creation.SINGLE_MATCH)
    return creation.create_match(storage.database, storage.programs, terms, bots=bots, choose_name=choose_name)


def _read_terms(request: Request, seats: int, *, rated: bool) -> Terms:
    game = get_game(request.game)
    game.check_seats(seats)
    return Terms(
        game=game.name,
        seats=seats,
        clock=_read_clock(request),
        options=parse_assignments(request.options),
        opening_plies=request.opening_plies,
        seed=request.seed,
        rated=rated,
    )


def _read_clock(request: Request) -> TimeControl:
    start_limit = parse_time_control(request.start_limit)
    if start_limit.has_bank or not start_limit.decision_limit_us:
        raise MisuseError(f"--start-limit {request.start_limit!r} is no duration; write for example --start-limit 30s")
    return parse_time_control(request.time, start_limit_us=start_limit.decision_limit_us)


def _check_known(storage: Storage, bots: Sequence[str]) -> None:
    for bot in bots:
        find_version(storage.database, bot)


def _name_chooser(storage: Storage, name: str | None, kind: str) -> creation.ChooseName:
    """Return what names the tournament while it is written. Raise MisuseError at once if the name is taken now."""
    choose_name = partial(_free_name, name, kind)
    choose_name(tournament_names(storage.database))
    return choose_name


def _free_name(name: str | None, kind: str, taken: Set[str]) -> str:
    """Return the name that the tournament gets. Raise MisuseError if the one asked for is taken."""
    if name is None:
        return next_name(kind, taken)
    if name in taken:
        raise MisuseError(
            f"there is a tournament {name!r} already; `arena tournament resume {name}` goes on with it, "
            "another --name starts a new one"
        )
    return name


def next_name(kind: str, taken: Set[str]) -> str:
    """Return the first of kind-1, kind-2, ... that is not taken."""
    return next(name for number in range(1, len(taken) + 2) if (name := f"{kind}-{number}") not in taken)
