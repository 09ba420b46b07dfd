"""What went wrong in a match: the faults of bots and of the host, with evidence, and what leak checks found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import typer

from arena.cli.shared.cells import format_instant, printable
from arena.cli.shared.saying import named, say, told
from arena.model.matches import AttemptFact, MatchDetail
from ratings.values.states import AttemptState

_MOST_LINES = 20


def print_problems(detail: MatchDetail) -> None:
    """Print for people what went wrong, and what leak checks found; of attempts that went well, what is to be known."""
    for attempt in detail.attempts:
        if attempt.cause is not None or attempt.state in (AttemptState.FAILED, AttemptState.EXPIRED):
            _print_host_fault(attempt)
        elif attempt.state is AttemptState.FINISHED and attempt.reason:
            reason = printable(told(attempt.reason))
            typer.echo("\n" + say("cli_match.attempt_noted", attempt=attempt.number, reason=reason))
            _print_evidence(attempt.evidence or {})
    for fault in detail.faults:
        place = say("cli_match.seat_ply", seat=fault.seat, bot=fault.bot, ply=fault.ply)
        typer.echo(f"\n{place}: {named('fault.', fault.cause)}: {printable(told(fault.explanation))}")
        _print_evidence(fault.evidence)
    for check in detail.leak_checks:
        text_id = "cli_match.seat" if check.ply is None else "cli_match.seat_ply"
        place = say(text_id, seat=check.seat, bot=check.bot, ply=check.ply)
        typer.echo(
            "\n"
            + say(
                "cli_match.leak_check",
                place=place,
                verdict=named("check.verdict_", check.verdict),
                what=printable(told(check.sentence)),
            )
        )
        _print_evidence(check.evidence)


def _print_host_fault(attempt: AttemptFact) -> None:
    cause = named("cli_state.", attempt.cause) if attempt.cause else say("cli_match.host_failed")
    when = format_instant(attempt.ended_at_us)
    typer.echo(
        "\n"
        + say(
            "cli_match.attempt_failed",
            attempt=attempt.number,
            cause=cause,
            reason=printable(told(attempt.reason or "") or say("cli_match.unknown")),
        )
    )
    _print_evidence(
        {say("cli_match.tried_by"): attempt.worker, say("cli_match.ended_utc"): when, **(attempt.evidence or {})}
    )


def _print_evidence(evidence: Mapping[str, Any]) -> None:
    for name, value in evidence.items():
        lines = [printable(line) for line in str(value).splitlines()] or [""]
        if len(lines) == 1:
            typer.echo(f"  {name}: {lines[0]}")
        else:
            typer.echo("  " + say("cli_match.last_lines", name=name))
            for line in lines[-_MOST_LINES:]:
                typer.echo(f"    {line}")
