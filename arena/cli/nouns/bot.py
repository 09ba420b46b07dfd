"""`arena bot`: bots listed, shown and disabled. The other verbs stand in `verbs/bot`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

import typer

from arena.cli.shared import paging, settings
from arena.cli.shared.connect import connect
from arena.cli.shared.language import say
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.output import print_facts, print_json, print_table
from arena.cli.shared.paging import After, Limit, ask_for, more_command, print_more, print_page, rows_wanted
from arena.hosting.manifest import ARENA, DEFAULT_MEMORY_MB
from arena.model.bots import BotDetail
from arena.model.table_columns import BOTS, Column, ColumnKind

app = typer.Typer(epilog=example("arena bot new my-bot", "arena bot add greedy", "arena bot list"))
VERBS = {
    "add": "add",
    "remove": "versions",
    "rename": "versions",
    "new": "new",
    "test": "test",
    "watch": "test",
    "conform": "conform",
    "submit": "submit",
    "connect": "connect",
    "admission": "versions",
    "build-log": "versions",
    "log": "versions",
    "promote": "versions",
    "withdraw": "versions",
    "rollback": "versions",
    "replays": "replays",
    "annul": "versions",
}

BotName = Annotated[str, typer.Argument(metavar="BOT")]


@app.command("list", epilog=example("arena bot list", "arena bot list --limit 10 --json"))
def list_bots(
    limit: Limit = paging.DEFAULT, after: After = None, db: Database = settings.DB.default, as_json: AsJson = False
) -> None:
    """List the bots and their newest versions."""
    with connect(db) as connection:
        page, rest = ask_for(connection.arena.bots.list_bots, limit, after)
        more = more_command("bot", "list", limit=limit, cursor=page.next, as_json=as_json, db=db)
        print_page(BOTS, page.items, more, as_json=as_json, empty=say("cli_bot.none_yet"), rest=rest)


_VERSIONS = (
    Column("number", "version", ColumnKind.COUNT),
    Column("content_hash", "hash", ColumnKind.HASH),
    Column("created_at_us", "added_utc", ColumnKind.INSTANT),
    Column("command", "command", ColumnKind.WORDS),
)
_REMOTE_VERSIONS = (*_VERSIONS[:-1], Column("version", "named"))


@app.command(epilog=example("arena bot show greedy"))
def show(
    name: BotName,
    limit: Limit = paging.DEFAULT,
    after: After = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Show a bot: its manifest and its versions, newest first."""
    with connect(db) as connection:
        detail = connection.arena.bots.get_bot(name)
        page = connection.arena.bots.list_versions(name, rows_wanted(limit), after)
    versions = [asdict(version) for version in page.items]
    if as_json:
        facts = {"name": detail.name, "owner": detail.owner, "disabled_at_us": detail.disabled_at_us}
        print_json({**facts, "remote": detail.remote, "versions": versions}, table="versions")
    else:
        print_facts(
            {
                "name": detail.name,
                "owner": detail.owner or say("cli_bot.added_here"),
                "disabled": say("cli_shared.no" if detail.disabled_at_us is None else "cli_shared.yes"),
                "games": " ".join(detail.newest.games),
                **({"runs": say("cli_bot.runs_at_author")} if detail.remote else _program_facts(detail)),
            }
        )
        typer.echo()
        key, none = ("version", "-") if detail.remote else ("command", ())
        rows = [{**version, key: version["manifest"].get(key, none)} for version in versions]
        print_table(_REMOTE_VERSIONS if detail.remote else _VERSIONS, rows, as_json=False)
    more = more_command("bot", "show", name, limit=limit, cursor=page.next, as_json=as_json, db=db)
    print_more(more, as_json=as_json)


def _program_facts(detail: BotDetail) -> Mapping[str, Any]:
    manifest = detail.newest.manifest
    return {
        "deterministic": manifest.get("deterministic", False),
        "memory": f"{manifest.get('memory_mb', DEFAULT_MEMORY_MB)} MB",
        "runtime": manifest.get("runtime", ARENA),
        "files": detail.newest.directory or say("cli_bot.kept_by_service"),
    }


@app.command(epilog=example("arena bot disable greedy", "arena bot disable greedy --undo"))
def disable(
    name: BotName, undo: Annotated[bool, typer.Option("--undo")] = False, db: Database = settings.DB.default
) -> None:
    """Bar a bot from new tournaments."""
    with connect(db) as connection:
        whole = connection.arena.bots.set_disabled(name, not undo)
    typer.echo(say("cli_bot.may_enter", bot=whole) if undo else say("cli_bot.enters_none", bot=whole))
