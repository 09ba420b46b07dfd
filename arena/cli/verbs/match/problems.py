"""What went wrong in a match: the faults of bots and of the host, with evidence, and what leak checks found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import typer

from arena.cli.shared.output import format_instant, printable
from ratings.read.matches import MatchDetail
from ratings.store.models import Attempt
from ratings.store.states import AttemptState

_MOST_LINES = 20
_BY_BOT, _BY_HOST = "bot", "host"


def problem_facts(detail: MatchDetail) -> dict[str, Any]:
    """Return faults, attempts and leak checks, for programs."""
    return {
        "faults": _fault_facts(detail),
        "attempts": [_attempt_facts(attempt) for attempt in detail.attempts],
        "leak_checks": _leak_facts(detail),
    }


def print_problems(detail: MatchDetail) -> None:
    """Print for people what went wrong, and what leak checks found; attempts that went well are left out."""
    for attempt in detail.attempts:
        if attempt.state in (AttemptState.FAILED, AttemptState.EXPIRED):
            _print_host_fault(attempt)
    for fault in _fault_facts(detail):
        place = f"seat {fault['seat']} ({fault['bot']}), ply {fault['ply']}"
        typer.echo(f"\n{place}: {fault['cause']}: {printable(fault['explanation'])}")
        _print_evidence(fault["evidence"])
    for check in _leak_facts(detail):
        place = f"seat {check['seat']} ({check['bot']})" + ("" if check["ply"] is None else f", ply {check['ply']}")
        typer.echo(f"\n{place}: leak check: {check['verdict']}: {printable(check['sentence'])}")
        _print_evidence(check["evidence"])


def _fault_facts(detail: MatchDetail) -> list[dict[str, Any]]:
    return [
        {
            "seat": fault.seat,
            "bot": detail.seats[fault.seat].bot,
            "owner": _BY_BOT,
            "cause": fault.cause,
            "ply": fault.ply,
            "explanation": fault.explanation,
            "evidence": fault.evidence,
        }
        for fault in detail.faults
    ]


def _attempt_facts(attempt: Attempt) -> dict[str, Any]:
    return {
        "number": attempt.number,
        "worker": attempt.worker,
        "state": attempt.state.value,
        "owner": None if attempt.cause is None else _BY_HOST,
        "cause": attempt.cause,
        "reason": attempt.reason,
        "evidence": attempt.evidence,
        "leased_at_us": attempt.leased_at_us,
        "ended_at_us": attempt.ended_at_us,
    }


def _leak_facts(detail: MatchDetail) -> list[dict[str, Any]]:
    return [
        {
            "seat": check.seat,
            "bot": detail.seats[check.seat].bot,
            "verdict": check.verdict,
            "ply": check.ply,
            "sentence": check.sentence,
            "evidence": check.evidence,
        }
        for check in detail.leak_checks
    ]


def _print_host_fault(attempt: Attempt) -> None:
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
