"""What went wrong in a match: the faults of bots and of the host, with evidence, and what leak checks found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import typer

from arena.cli.shared.output import format_instant, printable
from arena.client.values.matches import AttemptFact, MatchDetail
from ratings.store.states import AttemptState

_MOST_LINES = 20


def print_problems(detail: MatchDetail) -> None:
    """Print for people what went wrong, and what leak checks found; attempts that went well are left out."""
    for attempt in detail.attempts:
        if attempt.state in (AttemptState.FAILED, AttemptState.EXPIRED):
            _print_host_fault(attempt)
    for fault in detail.faults:
        place = f"seat {fault.seat} ({fault.bot}), ply {fault.ply}"
        typer.echo(f"\n{place}: {fault.cause}: {printable(fault.explanation)}")
        _print_evidence(fault.evidence)
    for check in detail.leak_checks:
        place = f"seat {check.seat} ({check.bot})" + ("" if check.ply is None else f", ply {check.ply}")
        typer.echo(f"\n{place}: leak check: {check.verdict}: {printable(check.sentence)}")
        _print_evidence(check.evidence)


def _print_host_fault(attempt: AttemptFact) -> None:
    cause = attempt.cause or "the host failed"
    when = format_instant(attempt.ended_at_us)
    typer.echo(f"\nattempt {attempt.number}, fault of the host: {cause}: {printable(attempt.reason or 'unknown')}")
    _print_evidence({"tried by": attempt.worker, "ended (UTC)": when, **(attempt.evidence or {})})


def _print_evidence(evidence: Mapping[str, Any]) -> None:
    for name, value in evidence.items():
        lines = [printable(line) for line in str(value).splitlines()] or [""]
        if len(lines) == 1:
            typer.echo(f"  {name}: {lines[0]}")
        else:
            typer.echo(f"  {name} (last lines):")
            for line in lines[-_MOST_LINES:]:
                typer.echo(f"    {line}")
