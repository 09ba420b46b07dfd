"""Plays a planned tournament here, or follows one that a service plays, shows how far it is, and ends in good order."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from functools import partial

import typer

from arena.cli.shared.cells import printable
from arena.cli.shared.connect import ArenaConnection, program
from arena.cli.shared.errors import CliError
from arena.cli.shared.hosting import AUTO, RAY, HostingOptions
from arena.cli.shared.interrupt import InterruptedRunError, run_interruptibly
from arena.cli.shared.language import named, say, translated
from arena.cli.shared.match_order import granted_workers
from arena.cli.shared.output import print_note
from arena.cli.shared.progress import ProgressDisplay
from arena.cli.shared.results import print_faults, report_host
from arena.cli.shared.storage import Storage, settings_beside
from arena.executor.interface import Executor, ExecutorFailedError
from arena.executor.local import LocalExecutor
from arena.hosting.errors import SandboxUnavailableError
from arena.hosting.sandbox.limits import NONE, SandboxPolicy, find_level
from arena.hosting.sandbox.stored_programs import StoredPrograms
from arena.model.operations import OperationState
from arena.model.table_columns import format_duration
from arena.model.tournament_requests import PlannedTournament
from arena.model.tournaments import SINGLE_MATCH, TournamentDetail
from arena.tournament.errors import HostFailingError
from arena.tournament.formats.compare import Compare
from arena.tournament.run_progress import RunProgress, SpeedMeter
from arena.tournament.runner import run_tournament
from arena.tournament.seed_key import SeedKey
from engine.translatable import Text
from ratings.errors import DatabaseError, DatabaseGoneError, DatabaseLostError
from ratings.read.tournaments import TournamentRow, owned_entrants, tournament_row
from ratings.store.database import rescue
from ratings.values.owners import OWNER_LIMITS

WARNING_WITHOUT_SANDBOX = "cli_shared.warn_sandbox"
"""The id of the text that says that bots run without a sandbox."""
_NOTE_EVERY_S = 1.0
_LANES = 4
"""As many matches are taken to be played at once by a service, which does not tell."""


def announce(planned: PlannedTournament) -> None:
    """Say on stderr which tournament begins, whether it can be repeated, and which bots `all` left out."""
    for one in planned.left_out:
        typer.echo(say("cli_shared.left_out", bot=one.bot, why=printable(translated(one.why))), err=True)
    typer.echo(say("cli_shared.tournament", name=planned.name, origin=_origin(planned)), err=True)


def _origin(planned: PlannedTournament) -> str:
    """Return what all draws come from, in words, with the secret if only that repeats them elsewhere."""
    if not planned.seeded:
        return say("cli_shared.no_seed")
    if planned.seed is None:
        return say("cli_shared.by_secret")
    if planned.secret is not None:
        return say("cli_shared.seed_under_key", seed=planned.seed, secret=planned.secret)
    return say("cli_shared.seed", seed=planned.seed)


def play(connection: ArenaConnection, tournament_id: str, hosting: HostingOptions) -> TournamentDetail:
    """Play or follow a tournament to its end and return it; progress and problems go to stderr.

    What is left of it is played here, unless a service plays it. Raises InterruptedRunError after Ctrl-C and CliError
    if results cannot be written or the host fails, both of which tell how to go on; CliError also if another command
    cancelled the tournament meanwhile, and before anything is played if this machine cannot confine the bots as they
    must be.
    """
    if connection.storage is None:
        follow(connection, tournament_id)
    else:
        _play_here(connection, connection.storage, tournament_id, hosting)
    detail = connection.arena.tournaments.get_tournament(tournament_id)
    report_run(connection, detail)
    return detail


def report_run(connection: ArenaConnection, detail: TournamentDetail) -> None:
    """Say on stderr what went wrong in a tournament: by the host, and by its bots; a single match is shown whole."""
    report_host(connection, detail)
    if detail.summary.format != SINGLE_MATCH:
        print_faults(detail, connection.place, err=True)


def _play_here(connection: ArenaConnection, storage: Storage, tournament_id: str, hosting: HostingOptions) -> None:
    row = tournament_row(storage.database, tournament_id)
    name = row.tournament.name
    if row.pool.remote:
        raise CliError(
            Text(
                "{name} is for remote bots, and only a service that sets service.play_address plays with them: "
                "`{program} serve` on the home that this database belongs to",
                name=repr(name),
                program=program(),
            )
        )
    remedy = f"`{connection.command('tournament', 'resume', name, *hosting.place)}` goes on"
    levels = _check_sandbox(storage, tournament_id, hosting.policy)
    warning = say(WARNING_WITHOUT_SANDBOX) if NONE in levels else None
    if row.tournament.format != SINGLE_MATCH:
        _say_start(connection, storage, row)
    display = _Display(warning, _note(connection, row))
    executor = make_executor(row, hosting, storage.programs, levels)
    try:
        end = run_interruptibly(partial(_run, storage, row, hosting, display, executor), remedy)
    except InterruptedRunError:
        # Perhaps it was stopped because of them.
        print_faults(connection.arena.tournaments.get_tournament(tournament_id), connection.place, err=True)
        raise
    except DatabaseGoneError as error:
        raise CliError(Text("{why}; then {remedy}", why=error, remedy=_rescued(storage))) from error
    except (DatabaseError, HostFailingError, ExecutorFailedError) as error:
        raise CliError(Text("{why}; then {remedy}", why=error, remedy=remedy)) from error
    if end.is_cancelled:
        show = connection.command("tournament", "show", name, "--matches")
        raise CliError(
            Text(
                "tournament {name} was cancelled by another command; {finished} of {total} matches were played, "
                "`{command}` shows them",
                name=repr(name),
                finished=end.finished,
                total=end.total,
                command=show,
            )
        )
    if end.over < end.total:
        raise CliError(
            Text(
                "{over} of {total} matches of tournament {name} are over, and another process has taken others; "
                "{remedy}",
                over=end.over,
                total=end.total,
                name=repr(name),
                remedy=remedy,
            )
        )
    if row.tournament.format != SINGLE_MATCH:
        typer.echo(say("cli_shared.all_over", total=end.total), err=True)


def _say_start(connection: ArenaConnection, storage: Storage, row: TournamentRow) -> None:
    """Say on stderr how much is over, and what whoever will check the signed log has to know before it goes on."""
    done = row.progress.finished + row.progress.void
    typer.echo(say("cli_shared.some_over", over=done, total=row.progress.total), err=True)
    commitment = connection.arena.tournaments.get_tournament(row.tournament.id).commitment
    key = SeedKey.beside(storage.store.root)
    if commitment and commitment.public_key != key.signing_key().public_key:
        typer.echo(say("cli_shared.other_key", file=key.path), err=True)
    elif commitment and not done:
        typer.echo(say("cli_shared.commitment", digest=commitment.digest, program=program()), err=True)


def _rescued(storage: Storage) -> str:
    """Return what to do after the database's file was removed: what it held is put into another one, if it can be."""
    kept = rescue(storage.database)
    if kept is None:
        return Text("restore a backup")
    return Text(
        "`{command}` puts back what had been recorded",
        command=shlex.join(["mv", str(kept), str(storage.database.path)]),
    )


def _note(connection: ArenaConnection, row: TournamentRow) -> Callable[[], str]:
    """Return a function that gives the note of the next progress line; it is called once a second at most."""
    if row.tournament.format != Compare.traits.name:
        return str
    return lambda: connection.arena.tournaments.get_progress(row.tournament.id).sentence


def _check_sandbox(storage: Storage, tournament_id: str, policy: SandboxPolicy) -> set[str]:
    """Return the levels at which bots run. Raise CliError if there is no sandbox for a bot that needs one."""
    owned = owned_entrants(storage.database, tournament_id)
    try:
        return {find_level(has_owner=has_owner, policy=policy) for has_owner in owned}
    except SandboxUnavailableError as error:
        raise CliError(str(error)) from error


class _Display:
    """Shows the progress of a run from the moment at which its first matches are handed out."""

    def __init__(self, warning: str | None, note: Callable[[], str]) -> None:
        self._warning = warning
        self._ask_note = note
        self._note = ""
        self._asked_at = -_NOTE_EVERY_S
        self._lines: ProgressDisplay | None = None

    def show(self, state: RunProgress) -> None:
        if self._lines is None:
            if self._warning is not None:
                typer.echo(self._warning, err=True)
            self._lines = ProgressDisplay(state.over, state.total)
        lost = [say("cli_shared.lost_by_host", matches=state.lost)] if state.lost else []
        if state.blocked_s:
            waiting = "cli_shared.waits_for_server" if state.is_lost else "cli_shared.waits_for_database"
            waits = say(waiting, time=format_duration(round(state.blocked_s)))
            self._lines.update(state.over, "; ".join([waits, *lost]), state.total, speed=state.speed)
        else:
            # A note may cost a look at all results of the tournament, and progress is shown with each of them.
            now = time.monotonic()
            if now - self._asked_at >= _NOTE_EVERY_S:
                with suppress(DatabaseLostError):  # it is only said later
                    self._note = translated(self._ask_note())
                self._asked_at = now
            note = "; ".join(filter(None, [*lost, self._note]))
            self._lines.update(state.over, note, state.total, speed=state.speed)

    def end(self, state: RunProgress) -> None:
        if self._lines is not None:
            self._lines.end(state.finished if state.is_cancelled else state.over)


async def _run(
    storage: Storage, row: TournamentRow, hosting: HostingOptions, display: _Display, made: Executor
) -> RunProgress:
    has_owners = True in owned_entrants(storage.database, row.tournament.id)
    async with made as executor:
        end = await run_tournament(
            storage.database,
            row.tournament.id,
            executor,
            replace(storage.programs, policy=hosting.policy),
            on_progress=display.show,
            leak_checks=hosting.leak_checks,
            limits=settings_beside(storage.place).limits.of_owners if has_owners else OWNER_LIMITS,
        )
    display.end(end)
    return end


def make_executor(
    row: TournamentRow, hosting: HostingOptions, programs: StoredPrograms, levels: Iterable[str]
) -> Executor:
    """Return the executor for what is left of a tournament, whose bots run at these levels of the sandbox.

    It has no more workers than there are matches to play, and at least one, so that an empty run says so itself.
    """
    left = max(1, row.progress.planned + row.progress.leased)
    if hosting.executor == RAY:
        from arena.executor.ray.executor import RayExecutor  # only who asks for a cluster needs what is behind it
        from arena.executor.ray.proving import Demands, RayOptions

        options = RayOptions(
            address="" if hosting.address == AUTO else hosting.address,
            workers=min(hosting.workers or left, left),
            cores=row.pool.cores,
            warm_mb=hosting.warm_mb,
            runtimes=programs.runtimes.tables(),
            demands=Demands(games=(row.pool.game,), levels=sorted(levels)),
            report=print_note,
        )
        return RayExecutor(options)
    workers = min(granted_workers(hosting.workers, row.pool.cores), left)
    return LocalExecutor(workers, warm_mb=hosting.warm_mb, cores=row.pool.cores)


def follow(connection: ArenaConnection, tournament_id: str) -> None:
    """Say on stderr how far a tournament is, until it is over.

    Raises InterruptedRunError after Ctrl-C, which leaves the tournament alone, and CliError if it was cancelled.
    """
    show = connection.command("tournament", "show", tournament_id, "--matches")
    try:
        lines, last, before = None, None, 0
        meter = SpeedMeter(time.monotonic(), _LANES)
        for last in connection.arena.tournaments.watch_tournament(tournament_id):
            if lines is None:
                lines, before = ProgressDisplay(last.done, last.total), last.done
            speed = meter.speed(last.done - before, time.monotonic())
            lines.update(last.done, translated(last.sentence), last.total, speed=speed)
        if lines is not None and last is not None:
            is_cancelled = last.state is OperationState.CANCELLED
            lines.end(last.done, named("tournament.status_", last.state) if is_cancelled else "")
    except KeyboardInterrupt:
        raise InterruptedRunError(
            Text("no longer watched; the service plays on, `{command}` shows how far it is", command=show)
        ) from None
    if last is not None and last.state is OperationState.CANCELLED:
        raise CliError(Text("the tournament was cancelled; `{command}` shows what was played", command=show))
    if last is not None and last.state is OperationState.FAILED:
        raise CliError(
            last.error
            or Text("the service could not play the tournament; `{command}` shows how far it came", command=show)
        )
