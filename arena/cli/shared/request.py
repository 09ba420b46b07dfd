"""What is to be played: the options that matches and tournaments share, and the order that they become."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import typer

from arena.cli.shared.options import parse_assignments
from arena.model.planning import TournamentRequest
from arena.model.tournaments import SINGLE_MATCH
from arena.tournament.formats import catalog
from arena.tournament.formats.format import Format

GameOption = Annotated[str, typer.Option("--game", metavar="GAME")]
BotNames = Annotated[str, typer.Option("--bots", metavar="A,B,...")]
Seats = Annotated[int, typer.Option(metavar="N")]
TimeText = Annotated[
    str,
    typer.Option("--time", metavar="TIME"),
]
Cores = Annotated[int, typer.Option("--cores", min=1, max=256, metavar="N")]
StartLimit = Annotated[str, typer.Option("--start-limit", metavar="TIME")]
OpeningPlies = Annotated[
    int | None,
    typer.Option("--opening-plies", min=0, metavar="N"),
]
Seed = Annotated[int | None, typer.Option("--seed", metavar="S")]
Secret = Annotated[str | None, typer.Option("--secret", metavar="HEX")]
SameOwner = Annotated[bool, typer.Option("--same-owner")]
TournamentName = Annotated[str | None, typer.Option("--name")]

DEFAULT_TIME = "100ms"
DEFAULT_START_LIMIT = "10s"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Which game is to be played, and on what terms, as the options say."""

    game: str
    time: str
    start_limit: str = DEFAULT_START_LIMIT
    cores: int = 1
    """How many processor cores each bot is granted."""
    options: Sequence[str] | None = None
    opening_plies: int | None = None
    seed: int | None = None
    secret: str | None = None


def tournament_request(
    request: Request,
    form: Format,
    bots: Sequence[str],
    *,
    rated: bool = True,
    same_owner: bool = False,
    name: str | None = None,
    kind: str | None = None,
) -> TournamentRequest:
    """Return the order of a tournament of these entrants.

    Without a `name` it is called by its `kind`, which is the name of its format if not given, and a number.
    """
    order = _order(request, form.traits.name, form.seats, bots, settings=catalog.to_settings(form), rated=rated)
    return replace(order, name=name, kind=kind, same_owner=same_owner)


def match_request(
    request: Request, bots: Sequence[str], *, rated: bool, same_owner: bool, name: str | None
) -> TournamentRequest:
    """Return the order of a single match; the bots sit in the order named."""
    order = _order(request, SINGLE_MATCH, len(bots), bots, settings={}, rated=rated)
    return replace(order, name=name, same_owner=same_owner)


def _order(
    request: Request,
    format_name: str,
    seats: int,
    bots: Sequence[str],
    *,
    settings: Mapping[str, Any],
    rated: bool,
) -> TournamentRequest:
    return TournamentRequest(
        format=format_name,
        settings=settings,
        game=request.game,
        seats=seats,
        bots=tuple(bots),
        time=request.time,
        start_limit=request.start_limit,
        options=parse_assignments(request.options),
        opening_plies=request.opening_plies,
        seed=request.seed,
        secret=request.secret,
        rated=rated,
        cores=None if request.cores == 1 else request.cores,
    )
