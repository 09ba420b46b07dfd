"""What commands print of the results of a tournament: its table, what it found out, faults, and faults of the host."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import typer

from arena.cli.shared.cells import format_instant, format_runner, printable, short_match_id
from arena.cli.shared.connect import ArenaConnection, next_command
from arena.cli.shared.errors import CliError
from arena.cli.shared.language import named, say, translated
from arena.cli.shared.output import print_table
from arena.match.result import LeakVerdict
from arena.model.matches import ANY_FAULT
from arena.model.table_columns import BOT_FAULTS, STANDINGS, without_empty
from arena.model.tournaments import (
    BestKnown,
    ComparisonResult,
    LeakFinding,
    TournamentDetail,
    TournamentSummary,
    comparison_note,
    elo_text,
)
from engine.translatable import Text
from ratings.statistics.stopping_question import question_in_words
from ratings.values.states import MatchState
from ratings.values.tournament_incidents import HostLoss

_MOST_RIVALS_SHOWN = 5
_VERDICTS = {
    "better": "cli_shared.new_is_better",
    "not better": "cli_shared.new_is_not_better",
    "undecided": "cli_shared.undecided",
    None: "cli_shared.not_known_yet",
}
_ASKED = ("lower", "upper", "alpha", "beta")
_MOST_SHOWN = 10
_FINDINGS = {LeakVerdict.LEAK: "cli_shared.leak_remembered", LeakVerdict.UNSTABLE: "cli_shared.leak_unstable"}
PLANNED, RUNNING = "planned", "running"


def print_standings(detail: TournamentDetail, *, as_json: bool = False) -> None:
    """Print the table of a tournament and, for people, what it has found out."""
    rows = translated_rows(detail) if as_json else detail.standings
    print_table(without_empty(STANDINGS, rows), rows, as_json=as_json)
    if not as_json:
        for line in conclusion_lines(detail):
            typer.echo(line)


def translated_rows(detail: TournamentDetail) -> list[dict[str, Any]]:
    """Return the rows of the table for programs, each with what its bot did wrong."""
    faults: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for one in detail.faults:
        told = {"cause": one.cause, "matches": one.matches, "match_id": one.match_id}
        faults.setdefault((one.bot, one.version), []).append(told)
    return [{**asdict(row), "faults": faults.get((row.bot, row.number), [])} for row in detail.standings]


def print_end(connection: ArenaConnection, detail: TournamentDetail, *, as_json: bool = False) -> None:
    """Print the table and the conclusion of a tournament, and where to look next. Raises as `need_result` does."""
    print_standings(detail, as_json=as_json)
    if not as_json:
        typer.echo("\n" + say("cli_shared.shows_ratings", command=connection.command("leaderboard")))
        show = connection.command("tournament", "show", detail.summary.name, "--matches")
        typer.echo(say("cli_shared.shows_matches", command=show))
    need_result(connection, detail)


def need_result(connection: ArenaConnection, detail: TournamentDetail) -> None:
    """Raise CliError if none of the matches of a tournament that was played has a result that counts."""
    if detail.summary.total and not any(row.matches for row in detail.standings):
        raise CliError(
            Text(
                "no match of {name} has a valid result: in each every bot failed before any of them acted, or it is "
                "void or annulled; `{command}` shows why",
                name=repr(detail.summary.name),
                command=connection.command("tournament", "show", detail.summary.name, "--matches"),
            )
        )


def conclusion_lines(detail: TournamentDetail) -> list[str]:
    """Return what a tournament has found out in lines for people; there are none if it asks nothing."""
    if detail.comparison is not None:
        return comparison_lines(detail.comparison)
    return [] if detail.best is None else [_best_line(detail.best)]


def _best_line(best: BestKnown) -> str:
    leaders = ", ".join(best.leader_names)
    sure = f"{100 * best.confidence:.1f}%"
    if best.is_known:
        return say("cli_shared.best_known", until=_question(best.until), leaders=leaders, sure=sure)
    if best.drifting:
        drifting = ", ".join(best.drifting[:_MOST_RIVALS_SHOWN])
        return say("cli_shared.best_drifts", until=_question(best.until), leaders=leaders, drifting=drifting)
    rivals = ", ".join(best.contender_names[:_MOST_RIVALS_SHOWN]) or say("cli_shared.nobody")
    return say("cli_shared.best_not_yet", until=_question(best.until), leaders=leaders, sure=sure, rivals=rivals)


def _question(until: str) -> str:
    asked = question_in_words(until)
    return translated(asked) if asked == until else until


def conclusion_facts(detail: TournamentDetail) -> dict[str, Any] | None:
    """Return what a tournament has found out for programs, or `None` if it asks nothing."""
    if detail.comparison is not None:
        return comparison_facts(detail.comparison)
    return None if detail.best is None else asdict(detail.best)


def comparison_lines(found: ComparisonResult) -> list[str]:
    """Return the verdict of a comparison in lines for people, with what it was asked and how much it rests on."""
    verdict = say(_VERDICTS[found.answer])
    lines = [say("cli_shared.compared", verdict=verdict, note=translated(comparison_note(found)), pairs=found.pairs)]
    lines.append(
        say(
            "cli_shared.asked",
            lower=elo_text(found.lower),
            upper=elo_text(found.upper),
            alpha=f"{100 * found.alpha:g}",
            beta=f"{100 * found.beta:g}",
        )
    )
    if found.identical_games:
        lines.append(
            say("cli_shared.identical", games=found.identical_games, all=found.games, pairs=found.identical_pairs)
        )
    return lines


def comparison_facts(found: ComparisonResult) -> dict[str, Any]:
    """Return what a comparison says, for programs."""
    return {key: value for key, value in asdict(found).items() if key not in _ASKED}


def print_faults(detail: TournamentDetail, db: str, *, err: bool = False) -> None:
    """Print what bots did wrong in a tournament of the arena at `db`, by bot and cause; nothing if none did.

    Below stands which commands show one of these matches, and all of them.
    """
    if not detail.faults:
        return
    typer.echo("\n" + say("cli_shared.faults"), err=err)
    print_table(BOT_FAULTS, detail.faults[:_MOST_SHOWN], as_json=False, err=err)
    one = next_command("match", "show", short_match_id(detail.faults[0].match_id), db=db)
    every = next_command("match", "list", detail.summary.name, "--fault", ANY_FAULT, db=db)
    typer.echo(say("cli_shared.shows_faults", one=one, every=every), err=err)


def report_host(connection: ArenaConnection, detail: TournamentDetail) -> None:
    """Say on stderr what the host lost, what is void and which bots were flagged; nothing if all went well."""
    name, count = detail.summary.name, detail.summary.void
    if count:
        show = connection.command("match", "list", name, "--state", "void")
        typer.echo(say("cli_shared.void", count=count, command=show), err=True)
        void = connection.arena.matches.list_matches(detail.summary.id, state=MatchState.VOID, limit=_MOST_SHOWN)
        for match in void.items:
            why = printable(translated(match.void_reason or "") or say("cli_match.unknown"))
            typer.echo("  " + say("cli_shared.void_match", match=short_match_id(match.id), why=why), err=True)
    for line in [*loss_lines(detail.host_losses), *leak_lines(detail.leak_checks)]:
        typer.echo(line, err=True)


def loss_lines(losses: Sequence[HostLoss]) -> list[str]:
    """Return a line for each cause of attempts lost by the host, with the bot they have in common, if any."""
    return [_loss_line(loss) for loss in losses]


def _loss_line(loss: HostLoss) -> str:
    line = say("cli_shared.host_loss", cause=named("cli_state.", loss.cause), count=loss.attempts, matches=loss.matches)
    if loss.bot is None:
        return line
    with_bot = say("cli_shared.host_loss_bot", bot=loss.bot, version=loss.version, sat=loss.sat_in)
    return f"{line}; {with_bot}"


def leak_lines(checks: Sequence[LeakFinding]) -> list[str]:
    """Return a line for every version of a bot that was flagged, with a match that shows why."""
    flagged: dict[tuple[str, str, int], list[str]] = {}
    for check in checks:
        if check.verdict in _FINDINGS:
            flagged.setdefault((check.verdict, check.bot, check.version), []).append(short_match_id(check.match_id))
    return [
        say(
            "cli_shared.leak_line",
            bot=bot,
            version=number,
            finding=say(_FINDINGS[LeakVerdict(verdict)]),
            matches=len(matches),
            match=matches[0],
        )
        for (verdict, bot, number), matches in flagged.items()
    ]


def leak_summary(checks: Sequence[LeakFinding]) -> str:
    """Count all leak checks of a tournament by verdict, in one line."""
    if not checks:
        return say("cli_shared.no_leak_checks")
    counts = [(verdict, sum(check.verdict == verdict for check in checks)) for verdict in LeakVerdict]
    return f"{len(checks)}: " + ", ".join(
        f"{count} {named('check.verdict_', verdict.value)}" for verdict, count in counts if count
    )


def runner_line(summary: TournamentSummary) -> str | None:
    """Return one line on who plays a tournament since when, or `None` if nobody does or it is not known."""
    if summary.played_by is None:
        return None
    who, since = format_runner(summary.played_by), format_instant(summary.played_by.since_us)
    return say("cli_tournament.played_by", who=who, since=since)
