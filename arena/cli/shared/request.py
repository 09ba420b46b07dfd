"""What a user orders to be played, from the command line to a plan in the database."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, replace
from typing import Annotated

import typer

from arena.cli.nouns.game import get_game
from arena.cli.shared.errors import MisuseError, unknown
from arena.cli.shared.options import parse_assignments, parse_names
from arena.cli.shared.storage import Book, find_version
from arena.hosting.programs import StoredPrograms
from arena.match.time_control import TimeControl, parse_time_control
from arena.tournament import creation
from arena.tournament.creation import Terms
from arena.tournament.formats.format import Format
from arena.tournament.formats.roundrobin import RoundRobin
from ratings.errors import NotFoundError
from ratings.read import queries
from ratings.store.database import Session, read
from ratings.store.models import Tournament

GameOption = Annotated[str, typer.Option("--game", metavar="GAME", help="What is played; `arena game list` shows all.")]
BotNames = Annotated[
    str, typer.Option("--bots", metavar="A,B,...", help="Names of bots, or name@hash for one version of it.")
]
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


@dataclass(frozen=True, slots=True)
class Order:
    """The texts of the options that matches and tournaments share."""

    game: str
    bots: str
    time: str
    start_limit: str
    options: list[str] | None
    opening_plies: int | None
    seed: int | None
    rated: bool
    name: str | None


def _terms(order: Order, seats: int) -> Terms:
    game = get_game(order.game)
    game.check_seats(seats)
    return Terms(
        game=game.name,
        seats=seats,
        clock=_clock(order),
        options=parse_assignments(order.options),
        opening_plies=order.opening_plies,
        seed=order.seed,
        rated=order.rated,
    )


def _clock(order: Order) -> TimeControl:
    start_limit = parse_time_control(order.start_limit)
    if start_limit.has_bank or not start_limit.decision_limit_us:
        raise MisuseError(f"--start-limit {order.start_limit!r} is no duration; write for example --start-limit 30s")
    return replace(parse_time_control(order.time), start_limit_us=start_limit.decision_limit_us)


def add_tournament(book: Book, order: Order, form: Format, bots: list[str]) -> Tournament:
    """Write down the tournament that was ordered, with these entrants."""
    terms = _terms(order, form.seats)
    choose_name = _prepare(book, order, bots, form.name)
    return creation.create_tournament(
        book.engine, StoredPrograms(book.store), terms, form, bots=bots, choose_name=choose_name
    )


def add_round_robin(book: Book, order: Order, *, seats: int, blocks: int) -> Tournament:
    """Write down a round robin of the bots that were ordered."""
    return add_tournament(book, order, RoundRobin(seats, blocks), parse_names(order.bots, "bots"))


def add_match(book: Book, order: Order) -> Tournament:
    """Write down the single match that was ordered; the bots sit in the order named."""
    bots = parse_names(order.bots, "bots")
    terms = _terms(order, len(bots))
    choose_name = _prepare(book, order, bots, creation.SINGLE_MATCH)
    return creation.create_match(book.engine, StoredPrograms(book.store), terms, bots=bots, choose_name=choose_name)


def _prepare(book: Book, order: Order, bots: list[str], kind: str) -> creation.ChooseName:
    """What chooses the name of the tournament; its bots are known. Raises MisuseError, and so does the choice."""
    with read(book.engine) as session:
        for bot in bots:
            find_version(session, bot)

    def choose(taken: Set[str]) -> str:
        if order.name is None:
            return next_name(kind, taken)
        if order.name in taken:
            raise MisuseError(
                f"there is a tournament {order.name!r} already; `arena tournament resume {order.name}` goes on with "
                "it, another --name starts a new one"
            )
        return order.name

    choose({row.tournament.name for row in queries.list_tournaments(book.engine)})
    return choose


def next_name(kind: str, taken: Set[str]) -> str:
    """The first of kind-1, kind-2, ... that is free."""
    return next(name for number in range(1, len(taken) + 2) if (name := f"{kind}-{number}") not in taken)


def find_tournament(session: Session, text: str) -> Tournament:
    """The tournament of that name or id. Raises MisuseError with the nearest name, or that several fit."""
    try:
        return queries.resolve_tournament(session, text)
    except NotFoundError:
        names = [row.tournament.name for row in queries.list_tournaments(session)]
        raise unknown("tournament", text, names, "`arena tournament list` shows all") from None
