"""`arena tournament show`: how a tournament stands, and its matches. It names the command for what it leaves out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Annotated, Any

import typer

from arena.cli.shared import paging, settings
from arena.cli.shared.cells import format_instant
from arena.cli.shared.connect import connect, next_command
from arena.cli.shared.language import named, say, translated
from arena.cli.shared.match_annotations import Reasons, annulled_ones, match_columns, noting_annulled
from arena.cli.shared.options import AsJson, Database, TournamentText, example
from arena.cli.shared.output import print_facts, print_json, print_table
from arena.cli.shared.paging import After, Limit, ask_for, more_command, print_more
from arena.cli.shared.rating_pools import describe_pool
from arena.cli.shared.results import (
    RUNNING,
    conclusion_facts,
    leak_lines,
    leak_summary,
    loss_lines,
    print_faults,
    print_standings,
    runner_line,
    translated_rows,
)
from arena.model.matches import MatchSummary
from arena.model.tournaments import TournamentDetail, TournamentSummary
from ratings.values.states import MatchState

app = typer.Typer()

_MATCHES = ("no", "match", "block", "seats_rank", "plies", "state")
_REST = {"standings": "cli_tournament.more_table", "leaks": "cli_tournament.more_leaks"}


@app.command(epilog=example("arena tournament show monday", "arena tournament show monday --matches --limit 20"))
def show(
    tournament: TournamentText,
    matches: Annotated[bool, typer.Option("--matches")] = False,
    limit: Limit = paging.DEFAULT,
    after: After = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Show a tournament: its progress, standings and matches."""
    state = None if matches or as_json else MatchState.VOID
    with connect(db) as connection:
        detail = connection.arena.tournaments.get_tournament(tournament)
        ask = partial(connection.arena.matches.list_matches, detail.summary.id, state, None, None, None)
        page, rest = ask_for(ask, limit, after)
        if as_json:
            table, following = "matches" if matches else "standings", map(asdict, rest)
            print_json(_facts(detail, page.items), table, longest="matches", rest=following)
        else:
            facts = {**_people_facts(detail), "leak_checks": leak_summary(detail.leak_checks)}
            print_facts({**facts, "secret": detail.secret or say("cli_tournament.secret_later"), **_signed(detail)})
            for line in [*loss_lines(detail.host_losses), *leak_lines(detail.leak_checks)]:
                typer.echo(line)
            typer.echo()
            print_standings(detail)
            print_faults(detail, db)
            _print_matches(page.items, rest)
    words = [detail.summary.name, *(["--matches"] if matches else [])]
    more = more_command("tournament", "show", *words, limit=limit, cursor=page.next, as_json=as_json, db=db)
    print_more(more, as_json=as_json)
    for verb, cursor in (("standings", detail.more_standings), ("leaks", detail.more_leak_checks)):
        words = [verb, detail.summary.name]
        more = more_command("tournament", *words, limit=paging.DEFAULT, cursor=cursor, as_json=as_json, db=db)
        print_more(more, as_json=as_json, what=say(_REST[verb]))
    if not as_json and not detail.summary.is_over:
        typer.echo("\n" + _what_next(detail.summary, db))


def _what_next(summary: TournamentSummary, db: str) -> str:
    """Return how to see more of a tournament that is played now, or how to have the rest of one played."""
    if summary.status == RUNNING:
        return say("cli_tournament.is_played", command=next_command("tournament", "watch", summary.name, db=db))
    return say("cli_tournament.plays_rest", command=next_command("tournament", "resume", summary.name, db=db))


def _facts(detail: TournamentDetail, matches: Sequence[MatchSummary]) -> dict[str, Any]:
    return {
        **asdict(detail.summary),
        "settings": detail.settings,
        "secret": detail.secret,
        "commitment": None if detail.commitment is None else asdict(detail.commitment),
        "standings": translated_rows(detail),
        "answer": conclusion_facts(detail),
        "matches": [asdict(match) for match in matches],
        "faults": [asdict(one) for one in detail.faults],
        "host_losses": [asdict(loss) for loss in detail.host_losses],
        "leak_checks": [asdict(check) for check in detail.leak_checks],
    }


def _signed(detail: TournamentDetail) -> dict[str, Any]:
    """Return what to note before the first match, to check the tournament by it when it is over."""
    found = detail.commitment
    if found is None:
        return {}
    return {"commitment": found.digest, "committed": format_instant(found.at_us), "signing_key": found.public_key}


def _print_matches(matches: Sequence[MatchSummary], rest: Iterable[MatchSummary]) -> None:
    """Write the matches, those of `rest` as they come, and below them what is to be said of some."""
    if not matches:
        return
    typer.echo()
    void, annulled = Reasons("cli_tournament.match_void"), annulled_ones()
    hidden: set[str] = set()

    def noting(match: MatchSummary) -> MatchSummary:
        if match.void_reason:
            void.note(match.id, translated(match.void_reason))
        if match.hidden:
            hidden.add(match.why_hidden)
        return match

    rows = list(map(noting, noting_annulled(matches, annulled)))
    following = map(noting, noting_annulled(rest, annulled))
    print_table(match_columns(rows, *_MATCHES), rows, as_json=False, rest=following)
    void.print()
    annulled.print()
    for why in sorted(hidden):
        typer.echo(say("cli_tournament.missing_are", why=translated(why)))


def _people_facts(detail: TournamentDetail) -> dict[str, Any]:
    summary = detail.summary
    void = say("cli_tournament.void_count", count=summary.void) if summary.void else ""
    more = say("cli_tournament.more_waves") if summary.more_waves else ""
    return {
        "tournament": summary.name,
        "id": summary.id,
        "format": named("format.", summary.format),
        "pool": describe_pool(detail.pool),
        "rated": summary.rated,
        "status": say(
            "cli_tournament.status",
            status=named("tournament.status_", summary.status),
            finished=summary.finished,
            total=summary.total,
            void=void,
            more=more,
        ),
        **({"played_by": player} if (player := runner_line(summary)) else {}),
        "opening": _opening(detail.settings),
        "seed": detail.settings["seed"],
    }


def _opening(settings: Mapping[str, Any]) -> str:
    if openings := settings.get("openings"):
        return say("cli_tournament.openings_of_file", count=len(openings))
    return say("cli_tournament.random_plies", plies=settings["opening_plies"])
