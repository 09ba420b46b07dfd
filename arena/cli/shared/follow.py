"""Follows a tournament that a service plays, until it is over."""

from __future__ import annotations

from arena.cli.shared.connect import Connection
from arena.cli.shared.errors import CliError
from arena.cli.shared.interrupt import InterruptedRunError
from arena.cli.shared.progress import ProgressDisplay
from arena.cli.shared.saying import told
from arena.client.values.operations import Operation, OperationState


def follow(connection: Connection, tournament_id: str) -> None:
    """Say on stderr how far a tournament is, until it is over.

    Raises InterruptedRunError after Ctrl-C, which leaves the tournament alone, and CliError if it was cancelled.
    """
    show = connection.command("tournament", "show", tournament_id, "--matches")
    try:
        last = _show_all(connection, tournament_id)
    except KeyboardInterrupt:
        raise InterruptedRunError(f"no longer watched; the service plays on, `{show}` shows how far it is") from None
    if last is not None and last.state is OperationState.CANCELLED:
        raise CliError(f"the tournament was cancelled; `{show}` shows what was played")
    if last is not None and last.state is OperationState.FAILED:
        raise CliError(last.error or f"the service could not play the tournament; `{show}` shows how far it came")


def _show_all(connection: Connection, tournament_id: str) -> Operation | None:
    lines, last = None, None
    for last in connection.arena.tournaments.watch_tournament(tournament_id):
        lines = lines or ProgressDisplay(last.done, last.total)
        lines.update(last.done, told(last.sentence), last.total)
    if lines is not None and last is not None:
        lines.end(last.done)
    return last
