"""Follows a tournament that a service plays, until it is over."""

from __future__ import annotations

import time

from arena.cli.shared.connect import ArenaConnection
from arena.cli.shared.errors import CliError
from arena.cli.shared.interrupt import InterruptedRunError
from arena.cli.shared.progress import ProgressDisplay
from arena.cli.shared.saying import named, told
from arena.model.operations import Operation, OperationState
from arena.tournament.run_progress import SpeedMeter
from engine.text import Text

_LANES = 4
"""As many matches are taken to be played at once by a service, which does not tell."""


def follow(connection: ArenaConnection, tournament_id: str) -> None:
    """Say on stderr how far a tournament is, until it is over.

    Raises InterruptedRunError after Ctrl-C, which leaves the tournament alone, and CliError if it was cancelled.
    """
    show = connection.command("tournament", "show", tournament_id, "--matches")
    try:
        last = _show_all(connection, tournament_id)
    except KeyboardInterrupt:
        raise InterruptedRunError(
            Text(
                "command.no_longer_watched_service_plays",
                "no longer watched; the service plays on, `{command}` shows how far it is",
                command=show,
            )
        ) from None
    if last is not None and last.state is OperationState.CANCELLED:
        raise CliError(
            Text(
                "command.tournament_cancelled_shows_what_played",
                "the tournament was cancelled; `{command}` shows what was played",
                command=show,
            )
        )
    if last is not None and last.state is OperationState.FAILED:
        raise CliError(
            last.error
            or Text(
                "command.service_could_not_play_tournament",
                "the service could not play the tournament; `{command}` shows how far it came",
                command=show,
            )
        )


def _show_all(connection: ArenaConnection, tournament_id: str) -> Operation | None:
    lines, last, before = None, None, 0
    meter = SpeedMeter(time.monotonic(), _LANES)
    for last in connection.arena.tournaments.watch_tournament(tournament_id):
        if lines is None:
            lines, before = ProgressDisplay(last.done, last.total), last.done
        speed = meter.speed(last.done - before, time.monotonic())
        lines.update(last.done, told(last.sentence), last.total, speed=speed)
    if lines is not None and last is not None:
        is_cancelled = last.state is OperationState.CANCELLED
        lines.end(last.done, named("tournament.status_", last.state) if is_cancelled else "")
    return last
