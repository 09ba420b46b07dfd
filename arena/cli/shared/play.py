"""Plays a planned tournament on this machine, shows how far it is, and ends in good order when it is stopped."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import typer

from arena.cli.shared import settings
from arena.cli.shared.errors import CliError
from arena.cli.shared.host_report import parse_share, parse_warm_memory, report_host
from arena.cli.shared.hosting_options import describe_levels, read_policy
from arena.cli.shared.interrupt import run_interruptibly
from arena.cli.shared.options import worker_count
from arena.cli.shared.progress import ProgressDisplay
from arena.cli.shared.storage import Book
from arena.cli.shared.suggestions import next_command
from arena.executor.interface import ExecutorFailedError
from arena.executor.local import LocalExecutor
from arena.hosting.errors import SandboxUnavailableError
from arena.hosting.programs import StoredPrograms
from arena.hosting.sandbox.choice import SandboxPolicy, find_level
from arena.tournament.errors import HostFailingError
from arena.tournament.run_progress import RunProgress
from arena.tournament.runner import run_tournament
from ratings.errors import DatabaseError
from ratings.ledger.entry import progress
from ratings.read import queries
from ratings.store.database import read
from ratings.store.models import Tournament

_NOTE_EVERY_S = 1.0


@dataclass(frozen=True, slots=True)
class Keeping:
    """How bots are kept and watched, as the options say."""

    policy: SandboxPolicy
    leak_checks: float
    """0 to 1."""
    warm_mb: int | None
    """None: a share of the machine's memory."""


def read_keeping(
    sandbox: str = "", *, allow_reduced: bool = False, leak_checks: str = "", warm_memory: str = ""
) -> Keeping:
    """What the options ask for, or the settings where one is empty. Raises MisuseError."""
    return Keeping(
        policy=read_policy(sandbox or settings.SANDBOX.value, allow_reduced=allow_reduced),
        leak_checks=parse_share(leak_checks or settings.LEAK_CHECKS.value),
        warm_mb=parse_warm_memory(warm_memory or settings.WARM_MEMORY.value),
    )


def play(
    book: Book,
    tournament: Tournament,
    *,
    workers: int,
    keeping: Keeping | None = None,
    note: Callable[[], str] = lambda: "",
) -> RunProgress:
    """Play what is left of a tournament; progress goes to stderr, and at the end what the host did wrong.

    Without `keeping` the settings decide how bots are kept. `note` says what else a line of progress tells; it is asked
    not more often than every second.

    Raises InterruptedRunError after Ctrl-C, CliError when results cannot be written, both tell how to go on; CliError
    also when another command cancelled the tournament meanwhile, and before anything is played when this machine
    cannot keep its bots as they must be kept.
    """
    remedy = f"`{next_command('tournament', 'resume', tournament.name, db=book.place)}` goes on"
    keeping = keeping or read_keeping()
    warning = _check_sandbox(book, tournament, keeping.policy)
    try:
        running = _run(book, tournament, _useful_workers(book, tournament, workers), keeping, warning, note)
        end = run_interruptibly(running, remedy)
    except (DatabaseError, HostFailingError, ExecutorFailedError) as error:
        raise CliError(f"{error}; then {remedy}") from error
    if end.is_cancelled:
        show = next_command("tournament", "show", tournament.name, "--matches", db=book.place)
        raise CliError(
            f"tournament {tournament.name!r} was cancelled by another command; {end.finished} of {end.total} matches "
            f"were played, `{show}` shows them"
        )
    report_host(book, tournament)
    return end


def _useful_workers(book: Book, tournament: Tournament, workers: int) -> int:
    """No more than there are matches to play; at least one, so that a run of nothing says so itself."""
    with read(book.engine) as session:
        state = progress(session, tournament.id)
    return max(1, min(worker_count(workers), state.planned + state.leased))


def _check_sandbox(book: Book, tournament: Tournament, policy: SandboxPolicy) -> str | None:
    """The line to warn with. Raises CliError if there is no sandbox for a bot that needs one."""
    with read(book.engine) as session:
        owned = queries.owned_entrants(session, tournament.id)
    try:
        return describe_levels({find_level(has_owner=has_owner, policy=policy) for has_owner in owned})
    except SandboxUnavailableError as error:
        raise CliError(str(error)) from error


class _Notes:
    """Asks for a note now and then: it may cost a look at the whole tournament."""

    def __init__(self, ask: Callable[[], str]) -> None:
        self._ask = ask
        self._text = ""
        self._asked_at = -_NOTE_EVERY_S

    def newest(self) -> str:
        now = time.monotonic()
        if now - self._asked_at >= _NOTE_EVERY_S:
            self._text, self._asked_at = self._ask(), now
        return self._text


async def _run(
    book: Book,
    tournament: Tournament,
    workers: int,
    keeping: Keeping,
    warning: str | None,
    note: Callable[[], str],
) -> RunProgress:
    notes = _Notes(note)
    display: ProgressDisplay | None = None

    def show(state: RunProgress) -> None:
        nonlocal display
        if display is None:  # the first matches are handed out now
            if warning is not None:
                typer.echo(warning, err=True)
            display = ProgressDisplay(state.over, state.total)
        lost = [f"{state.lost} lost by the host"] if state.lost else []
        display.update(state.over, "; ".join(filter(None, [*lost, notes.newest()])), state.total)

    async with LocalExecutor(workers, warm_mb=keeping.warm_mb) as executor:
        end = await run_tournament(
            book.engine,
            tournament.id,
            executor,
            StoredPrograms(book.store, keeping.policy),
            on_progress=show,
            leak_checks=keeping.leak_checks,
        )
    if display is not None:
        display.end(end.finished if end.is_cancelled else end.over)
    return end
