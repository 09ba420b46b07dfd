"""What is to be played: the options that matches and tournaments share, the order they become, and its forecast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.shared.cells import printable
from arena.cli.shared.connect import ArenaConnection, connect
from arena.cli.shared.errors import MisuseError
from arena.cli.shared.language import say, translated
from arena.cli.shared.options import GameOptions, parse_assignments, worker_count
from arena.cli.shared.output import print_facts, print_json
from arena.cli.shared.rating_pools import describe_pool, short_pool_id
from arena.hosting.procfs.machine import count_cores
from arena.hosting.safe_open import decode_text
from arena.hosting.sandbox.host_capacity import check_host
from arena.model.table_columns import format_duration
from arena.model.tournament_requests import Forecast, TournamentRequest
from arena.model.tournaments import SINGLE_MATCH
from arena.tournament.formats import catalog
from arena.tournament.formats.format import Format
from engine.os_errors import os_error_text
from engine.translatable import Text, placed
from ratings.values.pools import RatingMethod

GameOption = Annotated[str, typer.Option("--game", metavar="GAME")]
BotNames = Annotated[str, typer.Option("--bots", metavar="A,B,...")]
Seats = Annotated[int | None, typer.Option("--seats", metavar="N")]
TimeText = Annotated[str, typer.Option("--time", metavar="TIME")]
Cores = Annotated[int, typer.Option("--cores", min=1, max=256, metavar="N")]
StartLimit = Annotated[str, typer.Option("--start-limit", metavar="TIME")]
OpeningPlies = Annotated[int | None, typer.Option("--opening-plies", min=0, metavar="N")]
Openings = Annotated[Path | None, typer.Option("--openings", metavar="FILE")]
Seed = Annotated[int | None, typer.Option("--seed", metavar="S")]
Secret = Annotated[str | None, typer.Option("--secret", metavar="HEX")]
RatingMethodName = Annotated[
    str | None, typer.Option("--rating-method", metavar="METHOD", help=", ".join(RatingMethod))
]
SameOwner = Annotated[bool, typer.Option("--same-owner")]
TournamentName = Annotated[str | None, typer.Option("--name")]

_MOST_BYTES = 1_000_000  # a service takes requests of 1 MiB
DEFAULT_TIME = "100ms"
DEFAULT_START_LIMIT = "10s"


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchTerms:
    """The options for the terms on which matches are played."""

    time: TimeText = DEFAULT_TIME
    cores: Cores = 1
    """How many processor cores each bot is granted."""
    start_limit: StartLimit = DEFAULT_START_LIMIT
    option: GameOptions = None
    opening_plies: OpeningPlies = None
    openings: Openings = None
    seed: Seed = None
    secret: Secret = None
    rating_method: RatingMethodName = None


def need_seats(game: str, seats: int | None, usual: int | None = None) -> int:
    """Return the number of seats that was given, or else the only one that the game permits, or else the `usual` one.

    Raises MisuseError if there is none of the three, UnknownGameError.
    """
    if seats is not None:
        return seats
    from engine import registry
    from engine.errors import SeatsError, UnknownGameError

    try:
        return registry.get(game).need_only_seats()
    except (SeatsError, UnknownGameError) as error:
        if usual is not None:
            return usual
        if isinstance(error, UnknownGameError):
            raise
        raise MisuseError(Text("{why}; add --seats N", why=error)) from error


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
        rating_method=terms.rating_method,
        openings=None if terms.openings is None else _read_text(terms.openings),
    )


def _read_text(path: Path) -> str:
    """Return the text of a file of openings. Raise MisuseError."""
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except OSError as error:
        why = Text("cannot be read ({why}); name a file of openings", why=os_error_text(error))
        raise MisuseError(placed(path, why)) from error
    if len(content) > _MOST_BYTES:
        raise MisuseError(placed(path, Text("has over {bytes} bytes; give fewer openings", bytes=_MOST_BYTES)))
    return decode_text(content)


def granted_workers(workers: int, cores: int) -> int:
    """Return the number of workers that `--workers` means where each has so many cores; 0 is as many as there is room.

    Raise MisuseError if this machine has not as many cores.
    """
    if cores == 1:
        return worker_count(workers)
    there = count_cores()
    if cores > there:
        raise MisuseError(
            Text(
                "each bot is to get {number} cores, and there are {count} here; use --cores {most} or fewer",
                number=cores,
                count=there,
                most=there,
            )
        )
    if workers * cores > there:
        raise MisuseError(
            Text(
                "{number} workers with {cores} cores each need {needed}, and there are {count} here; use "
                "--workers {most} or fewer",
                number=workers,
                cores=cores,
                needed=workers * cores,
                count=there,
                most=there // cores,
            )
        )
    return workers or there // cores


def check_machine(connection: ArenaConnection, cores: int, workers: int) -> None:
    """Raise MisuseError or HostingError if what is ordered cannot be played here, before it is planned.

    Whether there is room for all workers is only known when their number is. A service knows its own machine.
    """
    if connection.storage is not None:
        granted_workers(workers, cores)
        check_host(1)


def print_forecast(db: str, order: TournamentRequest, workers: int, *, as_json: bool) -> None:
    """Print what the order would become, and write nothing. `workers` is what `--workers` says."""
    with connect(db) as connection:
        forecast = connection.arena.forecasts.forecast_tournament(order)
        # A service does not tell how many it plays at once, and is taken to play one.
        lanes = granted_workers(workers, forecast.pool.cores) if connection.storage is not None else 1
    seconds = None
    if forecast.matches is not None:
        lanes = max(1, min(lanes, forecast.matches))
        seconds = None if forecast.match_us is None else forecast.matches * forecast.match_us / lanes / 1e6
    if as_json:
        print_json({**asdict(forecast), "at_once": lanes, "seconds": seconds})
        return
    for one in forecast.left_out:
        typer.echo(say("cli_shared.left_out", bot=one.bot, why=printable(translated(one.why))), err=True)
    pool = describe_pool(forecast.pool)
    short = short_pool_id(forecast.pool.pool_id)
    print_facts(
        {
            "pool": say("cli_shared.new_pool", pool=pool, id=short) if forecast.is_new_pool else f"{pool} ({short})",
            "entrants": f"{len(forecast.bots)}: {', '.join(forecast.bots)}",
            "matches": _matches(forecast),
            "time": _time(forecast, seconds, lanes),
        }
    )
    typer.echo("\n" + say("cli_shared.dry_run"))


def _matches(forecast: Forecast) -> str:
    if forecast.matches is None:
        return say("cli_shared.matches_without_end")
    return say("cli_shared.matches_at_most", count=forecast.matches) if forecast.is_most else str(forecast.matches)


def _time(forecast: Forecast, seconds: float | None, lanes: int) -> str:
    """Return the estimated time and its basis, in words."""
    if forecast.match_us is None:
        return say("cli_shared.time_unknown")
    each = {"each": format_match(forecast.match_us), "count": forecast.measured}
    if seconds is None:
        is_known = bool(forecast.measured)
        return say("cli_shared.time_each_measured" if is_known else "cli_shared.time_each_by_clock", **each)
    whole = {"time": format_duration(round(max(1.0, seconds))), "lanes": lanes, **each}
    if not forecast.measured:
        return say("cli_shared.time_by_clock", **whole)
    if seconds < 1:
        return say("cli_shared.time_under", lanes=lanes, **each)
    return say("cli_shared.time_most_measured" if forecast.is_most else "cli_shared.time_measured", **whole)


def format_match(microseconds: int) -> str:
    """Write the duration of one match: 850 ms, 8.4 s, 2 min 5 s."""
    if microseconds < 1_000_000:
        return f"{round(microseconds / 1000)} ms"
    return f"{microseconds / 1e6:.1f} s" if microseconds < 60_000_000 else format_duration(round(microseconds / 1e6))
