"""What a command prints that is only to say what it would play: pool, entrants, matches and time."""

from __future__ import annotations

from dataclasses import asdict

import typer

from arena.cli.shared.cells import format_duration, printable
from arena.cli.shared.connect import ArenaConnection, connect
from arena.cli.shared.granting import granted_workers
from arena.cli.shared.output import print_facts, print_json
from arena.cli.shared.pools import describe_pool, short_pool_id
from arena.cli.shared.saying import say, told
from arena.model.planning import Forecast, TournamentRequest


def print_forecast(db: str, order: TournamentRequest, workers: int, *, as_json: bool) -> None:
    """Print what the order would become, and write nothing. `workers` is what `--workers` says."""
    with connect(db) as connection:
        forecast = connection.arena.forecasts.forecast_tournament(order)
        lanes = _lanes(connection, forecast, workers)
    seconds = _seconds(forecast, lanes)
    if as_json:
        print_json({**asdict(forecast), "at_once": lanes, "seconds": seconds})
        return
    for one in forecast.left_out:
        typer.echo(say("cli_shared.left_out", bot=one.bot, why=printable(told(one.why))), err=True)
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


def _lanes(connection: ArenaConnection, forecast: Forecast, workers: int) -> int:
    """Return how many matches are played at once; a service does not tell, and is taken to play one."""
    lanes = granted_workers(workers, forecast.pool.cores) if connection.storage is not None else 1
    return lanes if forecast.matches is None else max(1, min(lanes, forecast.matches))


def _seconds(forecast: Forecast, lanes: int) -> float | None:
    if forecast.matches is None or forecast.match_us is None:
        return None
    return forecast.matches * forecast.match_us / lanes / 1e6


def _matches(forecast: Forecast) -> str:
    if forecast.matches is None:
        return say("cli_shared.matches_without_end")
    return say("cli_shared.matches_at_most", count=forecast.matches) if forecast.is_most else str(forecast.matches)


def _time(forecast: Forecast, seconds: float | None, lanes: int) -> str:
    """Return how long it takes and what that rests on."""
    if forecast.match_us is None:
        return say("cli_shared.time_unknown")
    each = {"each": format_match(forecast.match_us), "count": forecast.measured}
    if seconds is None:
        is_known = bool(forecast.measured)
        return say("cli_shared.time_each_measured" if is_known else "cli_shared.time_each_by_clock", **each)
    whole = {"time": format_duration(max(1.0, seconds)), "lanes": lanes, **each}
    if not forecast.measured:
        return say("cli_shared.time_by_clock", **whole)
    if seconds < 1:
        return say("cli_shared.time_under", lanes=lanes, **each)
    return say("cli_shared.time_most_measured" if forecast.is_most else "cli_shared.time_measured", **whole)


def format_match(microseconds: int) -> str:
    """Write the duration of one match: 850 ms, 8.4 s, 2 min 5 s."""
    if microseconds < 1_000_000:
        return f"{round(microseconds / 1000)} ms"
    return f"{microseconds / 1e6:.1f} s" if microseconds < 60_000_000 else format_duration(microseconds / 1e6)
