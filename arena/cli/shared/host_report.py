"""What a run says of its host: matches that it could not play, and bots that seem to remember earlier matches."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from arena.cli.shared.cells import printable
from arena.cli.shared.connect import ArenaConnection
from arena.cli.shared.matches import short_match_id
from arena.cli.shared.saying import named, say, told
from arena.match.result import LeakVerdict
from arena.model.tournaments import LeakFinding, TournamentDetail
from ratings.values.states import MatchState
from ratings.values.tournaments import HostLoss

_MOST_SHOWN = 10
_FINDINGS = {
    LeakVerdict.LEAK: "cli_shared.leak_remembered",
    LeakVerdict.UNSTABLE: "cli_shared.leak_unstable",
}


def report_host(connection: ArenaConnection, detail: TournamentDetail) -> None:
    """Say on stderr what the host lost, what is void and which bots were flagged; nothing if all went well."""
    name, count = detail.summary.name, detail.summary.void
    if count:
        show = connection.command("match", "list", name, "--state", "void")
        typer.echo(say("cli_shared.void", count=count, command=show), err=True)
        void = connection.arena.matches.list_matches(detail.summary.id, state=MatchState.VOID, limit=_MOST_SHOWN)
        for match in void.items:
            why = printable(told(match.void_reason or "") or say("cli_match.unknown"))
            typer.echo("  " + say("cli_shared.void_match", match=short_match_id(match.id), why=why), err=True)
    for line in [*loss_lines(detail.host_losses), *leak_lines(detail.leak_checks)]:
        typer.echo(line, err=True)


def loss_lines(losses: Sequence[HostLoss]) -> list[str]:
    """Return a line for every cause by which the host lost attempts, with the bot that they have in common, if any."""
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
