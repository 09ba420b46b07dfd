"""`arena bot log`, `promote`, `withdraw` and more: what happens to a bot and its versions after they were added."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import Annotated

import typer

from arena.cli.shared import paging, settings
from arena.cli.shared.cells import format_instant, printable
from arena.cli.shared.connect import connect
from arena.cli.shared.language import named, say, translated
from arena.cli.shared.match_annotations import Why, print_annulled
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.output import print_facts, print_json, print_lines
from arena.cli.shared.paging import After, Limit, ask_for, more_command, print_page
from arena.model.bots import Admission, BotDetail, Finding, FindingState
from arena.model.table_columns import Column, ColumnKind
from ratings.values.states import AdmissionState

app = typer.Typer()

BotName = Annotated[str, typer.Argument(metavar="BOT")]
VersionText = Annotated[str, typer.Argument(metavar="BOT")]
Message = Annotated[str, typer.Option("--message", "-m")]
_EVENTS = (
    Column("at_us", "at_utc", ColumnKind.INSTANT),
    Column("kind", "what", ColumnKind.NAME, names="event."),
    Column("version", "version", ColumnKind.COUNT),
    Column("content_hash", "hash", ColumnKind.HASH),
    Column("actor", "by", ColumnKind.NAME, names="cli_state.actor_"),
    Column("message", "message", ColumnKind.SENTENCE),
)
_WORDS = {
    FindingState.PASSED: "cli_bot.finding_passed",
    FindingState.FAILED: "cli_bot.finding_failed",
    FindingState.NOTED: "cli_bot.finding_noted",
    FindingState.SKIPPED: "cli_bot.finding_skipped",
}
_SHOWN_DIGITS = 12


@app.command(epilog=example("arena bot log fox", "arena --server club bot log ada/fox --limit 5"))
def log(
    name: BotName,
    limit: Limit = paging.DEFAULT,
    after: After = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Show the history of a bot, newest event first."""
    with connect(db) as connection:
        page, rest = ask_for(partial(connection.arena.bots.list_events, name), limit, after)
        more = more_command("bot", "log", name, limit=limit, cursor=page.next, as_json=as_json, db=db)
        print_page(_EVENTS, page.items, more, as_json=as_json, rest=rest)


@app.command(epilog=example("arena bot promote fox@3f9a01c2"))
def promote(text: VersionText, message: Message = "", db: Database = settings.DB.default) -> None:
    """Let an admitted version play on the ladders."""
    with connect(db) as connection:
        bots = connection.arena.bots
        before = bots.get_bot(text.partition("@")[0]).active
        promoted = bots.promote_version(text, message)
    if promoted.active == before:
        typer.echo(say("cli_bot.plays_already", version=before, bot=promoted.name))
    else:
        _print_bot(promoted)


@app.command(epilog=example('arena bot withdraw fox@3f9a01c2 --message "loses on time"'))
def withdraw(text: VersionText, message: Message = "", db: Database = settings.DB.default) -> None:
    """Withdraw a version for good."""
    with connect(db) as connection:
        _print_bot(connection.arena.bots.withdraw_version(text, message))


@app.command(epilog=example("arena bot rollback fox"))
def rollback(name: BotName, message: Message = "", db: Database = settings.DB.default) -> None:
    """Let the previous version play on the ladders again."""
    with connect(db) as connection:
        _print_bot(connection.arena.bots.roll_back(name, message))


def _print_bot(bot: BotDetail) -> None:
    if bot.active is None:
        typer.echo(say("cli_bot.plays_none", bot=bot.name))
    else:
        typer.echo(say("cli_bot.plays_now", version=bot.active, bot=bot.name))


@app.command(epilog=example("arena --server club bot admission my-bot", "arena bot admission ada/fox@3f9a01c2"))
def admission(
    version: Annotated[str, typer.Argument(metavar="BOT")], db: Database = settings.DB.default, as_json: AsJson = False
) -> None:
    """Show the results of a version's checks."""
    with connect(db) as connection:
        found = connection.arena.admissions.get_admission(version)
    if as_json:
        print_json(asdict(found))
        return
    print_facts(
        {
            "bot": say("cli_bot.version_of", bot=found.bot, version=found.version, hash=found.content_hash[:12]),
            "state": named("admission.", found.state.value),
            "asked_for": format_instant(found.requested_at_us),
            "ended": format_instant(found.ended_at_us),
            "waits" if found.state is AdmissionState.QUEUED else "verdict": found.summary and translated(found.summary),
        }
    )
    for line in finding_lines(found):
        typer.echo(line)


def finding_lines(admission: Admission, first: int = 0) -> list[str]:
    """Return a line for every finding from the number `first` on."""
    return list(map(finding_line, admission.findings[first:]))


def finding_line(finding: Finding) -> str:
    """Return what one check found, in a line."""
    width = max(map(len, map(say, _WORDS.values())))
    check, found = named("check.", finding.check), printable(translated(finding.sentence))
    return f"{say(_WORDS[finding.state]).ljust(width)}  {check}: {found}"


def print_findings(admission: Admission, shown: int) -> int:
    """Write on stderr the findings that were not shown yet, and return how many are shown now."""
    for line in finding_lines(admission, shown):
        typer.echo(line, err=True)
    return max(shown, len(admission.findings))


@app.command("build-log", epilog=example("arena bot build-log fox", "arena --server club bot build-log fox@3f9a01c2"))
def build_log(text: VersionText, db: Database = settings.DB.default, as_json: AsJson = False) -> None:
    """Show the output of a version's build command."""
    with connect(db) as connection:
        log = connection.arena.bots.get_build_log(text)
    if as_json:
        print_json(asdict(log))
        return
    version = say("cli_bot.built_version", bot=log.bot, version=log.version, hash=log.content_hash[:_SHOWN_DIGITS])
    typer.echo(
        say("cli_bot.built", version=version, at=format_instant(log.built_at_us), runtime=log.runtime[:_SHOWN_DIGITS])
    )
    print_lines(log.text)


@app.command(epilog=example('arena bot annul ada/fox@3f9a01c2 --why "it threw its matches away"'))
def annul(version: VersionText, why: Why, db: Database = settings.DB.default, as_json: AsJson = False) -> None:
    """Annul all matches of a version."""
    with connect(db) as connection:
        done = connection.arena.annulments.annul_version(version, why)
    print_annulled(done, as_json=as_json)


@app.command(epilog=example("arena bot remove foxx", "arena bot remove fox@3f9a01c2"))
def remove(
    text: Annotated[str, typer.Argument(metavar="BOT")], db: Database = settings.DB.default, as_json: AsJson = False
) -> None:
    """Remove a bot that has not played."""
    with connect(db) as connection:
        removed = connection.arena.bots.remove_bot(text)
    if as_json:
        print_json(asdict(removed))
    elif removed.is_whole:
        typer.echo(say("cli_bot.removed", bot=removed.bot, versions=removed.versions))
    else:
        typer.echo(say("cli_bot.removed_version", bot=text))


@app.command(epilog=example("arena bot rename foxx fox"))
def rename(
    name: Annotated[str, typer.Argument(metavar="BOT")],
    new: Annotated[str, typer.Argument(metavar="NEW_NAME")],
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Rename a bot that has not played."""
    with connect(db) as connection:
        renamed = connection.arena.bots.rename_bot(name, new)
    stated = renamed.newest.manifest.get("name")
    if as_json:
        print_json({"name": renamed.name, "owner": renamed.owner, "named_in_bot_toml": stated})
        return
    typer.echo(say("cli_bot.renamed", bot=renamed.name))
    if not renamed.remote and stated != new:
        typer.echo(say("cli_bot.rename_there_too", bot=renamed.name, name=stated, new=new), err=True)
