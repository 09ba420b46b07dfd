"""What a run says of its host: matches that it could not play, and bots that seem to remember earlier matches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import typer

from arena.cli.shared.matches import short_match_id
from arena.cli.shared.output import printable
from arena.cli.shared.storage import Storage
from arena.cli.shared.suggestions import next_command
from arena.match.report import LeakVerdict
from ratings.read.leaks import LeakRow, flagged_checks
from ratings.read.match_list import MatchFilter, list_matches
from ratings.read.tournaments import tournament_row
from ratings.store.models import Tournament
from ratings.store.states import MatchState

_MOST_SHOWN = 10
_FINDINGS = {
    LeakVerdict.LEAK: "remembered earlier matches",
    LeakVerdict.UNSTABLE: "was not deterministic, although it declares it,",
}


def report_host(storage: Storage, tournament: Tournament) -> None:
    """Say on stderr which matches are void and which bots were flagged by a leak check; nothing if all went well."""
    count = tournament_row(storage.database, tournament.id).progress.void
    only = MatchFilter(tournament.id, state=MatchState.VOID)
    void = list_matches(storage.database, only, limit=_MOST_SHOWN, newest_first=False)
    leaks = flagged_checks(storage.database, tournament.id)
    if count:
        show = next_command("match", "list", tournament.name, "--state", "void", db=storage.place)
        typer.echo(f"{_count(count)} void, by no fault of a bot, and not rated; `{show}` shows all:", err=True)
    for match in (row.match for row in void.items):
        typer.echo(f"  match {short_match_id(match.id)}: {printable(match.void_reason or 'unknown')}", err=True)
    for line in leak_lines(leaks):
        typer.echo(line, err=True)


def leak_lines(rows: Sequence[LeakRow]) -> list[str]:
    """Return a line for every version of a bot that was flagged, with a match that shows why."""
    flagged: dict[tuple[str, str, int], list[str]] = {}
    for row in rows:
        if row.check.verdict in _FINDINGS:
            key = row.check.verdict, row.bot, row.version.number
            flagged.setdefault(key, []).append(short_match_id(row.check.match_id))
    return [
        f"leak check: {bot} (version {number}) {_FINDINGS[LeakVerdict(verdict)]} in {len(matches)} of the matches "
        f"checked; `arena match show {matches[0]}` shows where"
        for (verdict, bot, number), matches in flagged.items()
    ]


def leak_summary(counts: Mapping[str, int]) -> str:
    """Tell how many leak checks of a tournament came to which verdict, in one line."""
    if not counts:
        return "none"
    found = [f"{counts[verdict]} {verdict.value}" for verdict in LeakVerdict if verdict in counts]
    return f"{sum(counts.values())}: {', '.join(found)}"


def _count(matches: int) -> str:
    return "1 match is" if matches == 1 else f"{matches} matches are"
