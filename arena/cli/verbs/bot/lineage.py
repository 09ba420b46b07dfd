"""`arena bot log`, `promote`, `withdraw` and `rollback`: the versions of a bot, one after the other."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from arena.cli.shared import paging, settings
from arena.cli.shared.connect import connect
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.paging import After, Limit, ask_for, more_command, print_page
from arena.cli.shared.saying import say
from arena.model.bots import BotDetail
from arena.model.columns import Column, ColumnKind

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


@app.command(epilog=example("arena bot log fox", "arena --server club bot log ada/fox --limit 5"))
def log(
    name: BotName,
    limit: Limit = paging.DEFAULT,
    after: After = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Show what happened to a bot, the newest first."""
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
    """Take a version out for good."""
    with connect(db) as connection:
        _print_bot(connection.arena.bots.withdraw_version(text, message))


@app.command(epilog=example("arena bot rollback fox"))
def rollback(name: BotName, message: Message = "", db: Database = settings.DB.default) -> None:
    """Let the version before play on the ladders again."""
    with connect(db) as connection:
        _print_bot(connection.arena.bots.roll_back(name, message))


def _print_bot(bot: BotDetail) -> None:
    if bot.active is None:
        typer.echo(say("cli_bot.plays_none", bot=bot.name))
    else:
        typer.echo(say("cli_bot.plays_now", version=bot.active, bot=bot.name))
