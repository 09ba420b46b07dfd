"""What is to be played: the options that matches and tournaments share, and the order that they become."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from arena.cli.shared.options import GameOptions, parse_assignments
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
class MatchTerms:
    """The options that say on what terms matches are played."""

    time: TimeText = DEFAULT_TIME
    cores: Cores = 1
    """How many processor cores each bot is granted."""
    start_limit: StartLimit = DEFAULT_START_LIMIT
    option: GameOptions = None
    opening_plies: OpeningPlies = None
    seed: Seed = None
    secret: Secret = None


def tournament_request(
    terms: MatchTerms,
    form: Format | None,
    game: str,
    bots: Sequence[str],
    *,
    rated: bool = True,
    same_owner: bool = False,
    name: str | None = None,
    kind: str | None = None,
) -> TournamentRequest:
    """Return the order of a tournament of these entrants, or without a format of a match in which they sit in order.

    Without a `name` it is called by its `kind`, which is the name of its format if not given, and a number.
    """
    return TournamentRequest(
        format=SINGLE_MATCH if form is None else form.traits.name,
        settings={} if form is None else catalog.to_settings(form),
        game=game,
        seats=len(bots) if form is None else form.seats,
        bots=tuple(bots),
        time=terms.time,
        start_limit=terms.start_limit,
        options=parse_assignments(terms.option),
        opening_plies=terms.opening_plies,
        seed=terms.seed,
        rated=rated,
        name=name,
        kind=kind,
        secret=terms.secret,
        same_owner=same_owner,
        cores=None if terms.cores == 1 else terms.cores,
    )
