"""The options that say how bots are kept between matches and watched, and what a run reports of its host."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated

import typer

from arena.cli.shared import settings
from arena.cli.shared.errors import MisuseError
from arena.cli.shared.output import printable
from arena.cli.shared.storage import Book
from arena.cli.shared.suggestions import next_command
from arena.match.report import LeakVerdict
from ratings.read import queries
from ratings.read.leaks import LeakRow, leak_checks
from ratings.store.database import read
from ratings.store.models import MatchState, Tournament

LeakChecks = Annotated[
    str,
    typer.Option(
        "--leak-checks",
        envvar=settings.LEAK_CHECKS.variable,
        metavar="PART",
        help="Part of the matches of which a deterministic bot is asked again in fresh processes: 2%, 0, 100%.",
    ),
]
WarmMemory = Annotated[
    str,
    typer.Option(
        "--warm-memory",
        envvar=settings.WARM_MEMORY.variable,
        metavar="MB",
        help="Memory for bots that wait for their next match; auto: a quarter of the machine's.",
    ),
]

SHOWN_MATCHES = 10
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d{1,3})?)%?", re.ASCII)
_MEGABYTES = re.compile(r"\d{1,9}", re.ASCII)


def parse_share(text: str) -> float:
    """`2%` or `2` as 0.02. Raises MisuseError."""
    found = _PERCENT.fullmatch(text)
    if found is None or float(found[1]) > 100:
        raise MisuseError(f"--leak-checks {text!r} is no part of all matches; write for example --leak-checks 5%")
    return float(found[1]) / 100


def parse_warm_memory(text: str) -> int | None:
    """Megabytes; None for `auto`. Raises MisuseError."""
    if text == "auto":
        return None
    if not _MEGABYTES.fullmatch(text):
        raise MisuseError(f"--warm-memory {text!r} is no number of megabytes; write for example --warm-memory 2000")
    return int(text)


def report_host(book: Book, tournament: Tournament) -> None:
    """Say on stderr which matches the host could not play, and which bots seem to remember earlier matches."""
    with read(book.engine) as session:
        void = [row.match for row in queries.list_matches(session, tournament.id, state=MatchState.VOID)]
        leaks = leak_checks(session, tournament.id)
    show = next_command("match", "list", tournament.name, "--state", "void", db=book.place)
    if void:
        typer.echo(f"{_count(len(void))} void, by no fault of a bot, and not rated; `{show}` shows all:", err=True)
    for match in void[:SHOWN_MATCHES]:
        typer.echo(f"  match {match.id[-8:]}: {printable(match.void_reason or 'unknown')}", err=True)
    for line in leak_lines(leaks):
        typer.echo(line, err=True)


def leak_lines(rows: Sequence[LeakRow]) -> list[str]:
    """A line for every version of a bot that was flagged, with a match that shows it."""
    flagged: dict[tuple[str, str, int], list[str]] = {}
    for row in rows:
        if row.check.verdict in (LeakVerdict.LEAK, LeakVerdict.UNSTABLE):
            key = row.check.verdict, row.bot, row.version.number
            flagged.setdefault(key, []).append(row.check.match_id[-8:])
    return [
        f"leak check: {bot} (version {number}) {_FINDINGS[LeakVerdict(verdict)]} in {len(matches)} of the matches "
        f"checked; `arena match show {matches[0]}` shows where"
        for (verdict, bot, number), matches in flagged.items()
    ]


_FINDINGS = {
    LeakVerdict.LEAK: "remembered earlier matches",
    LeakVerdict.UNSTABLE: "was not deterministic, although it declares it,",
}


def leak_summary(rows: Sequence[LeakRow]) -> str:
    """All checks in one line."""
    if not rows:
        return "none"
    counts = [(verdict, sum(row.check.verdict == verdict for row in rows)) for verdict in LeakVerdict]
    return f"{len(rows)}: " + ", ".join(f"{count} {verdict.value}" for verdict, count in counts if count)


def _count(matches: int) -> str:
    return "1 match is" if matches == 1 else f"{matches} matches are"
