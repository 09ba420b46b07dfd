"""`arena bot`: the bots of a database, and their versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from arena.cli.shared import paging, settings
from arena.cli.shared.building import build
from arena.cli.shared.lookup import find_version
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.output import Column, format_instant, print_facts, print_json, print_table
from arena.cli.shared.paging import After, Limit, more_command, print_more, print_page, rows_wanted
from arena.cli.shared.runtimes import RuntimesFile, local_runtimes
from arena.cli.shared.storage import Storage, open_existing_storage, open_storage
from arena.hosting.manifest import BotManifest, load_manifest
from arena.hosting.runtimes.book import Runtimes
from engine import registry
from ratings.ledger.ledger import Ledger
from ratings.read import bots
from ratings.read.bots import BotRow
from ratings.store.models import Version
from ratings.store.names import stored_bot_name

app = typer.Typer(epilog=example("arena bot add bots/greedy", "arena bot list"))

BotName = Annotated[str, typer.Argument(metavar="BOT", help="Name of the bot, as `arena bot list` shows it.")]

_SHOWN_DIGITS = 12


def _short_hash(content_hash: str) -> str:
    """Return the beginning of a content hash, which is what people are shown."""
    return content_hash[:_SHOWN_DIGITS]


@app.command(epilog=example("arena bot add bots/greedy", "arena bot add my-bot --owner ada"))
def add(
    directories: Annotated[
        list[Path], typer.Argument(metavar="DIRECTORY...", help="Where the bot's files and its bot.toml lie.")
    ],
    owner: Annotated[str | None, typer.Option(help="Who it belongs to; nobody when it is your own.")] = None,
    runtimes: RuntimesFile = settings.RUNTIMES.default,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Add bots, or new versions of them.

    Their files are copied: a version never changes.
    """
    known = local_runtimes(runtimes)
    with open_storage(db) as storage:
        added = [_add(storage, directory, owner, known) for directory in directories]
    if as_json:
        print_json(added)
        return
    for entry in added:
        what = "added" if entry["new"] else "already there:"
        typer.echo(f"{what} {entry['bot']} version {entry['number']} ({_short_hash(entry['content_hash'])})")


def _add(storage: Storage, directory: Path, owner: str | None, runtimes: Runtimes) -> dict[str, Any]:
    """Copy a bot's files into the store, register the version, and return its facts."""
    runtimes.check_bot(load_manifest(directory), directory, is_stranger=owner is not None)
    stored = storage.store.add(directory)
    manifest = stored.manifest
    if manifest.build:
        build(replace(storage.programs, runtimes=runtimes), stored, has_owner=owner is not None)
    version, is_new = Ledger(storage.database).add_version(
        bot=manifest.name, owner=owner, content_hash=stored.hash, manifest=manifest.to_json()
    )
    _warn_of_unknown_games(manifest)
    return {"bot": stored_bot_name(owner, manifest.name), **_version_facts(version), "new": is_new}


def _warn_of_unknown_games(manifest: BotManifest) -> None:
    if not any(manifest.plays(game) for game in registry.names()):
        typer.echo(
            f"note: {manifest.name} plays {', '.join(manifest.games)}, none of which is installed; "
            "`arena game list` shows all",
            err=True,
        )


def _version_facts(version: Version) -> dict[str, Any]:
    return {
        "version_id": version.id,
        "number": version.number,
        "content_hash": version.content_hash,
        "manifest": version.manifest,
        "created_at_us": version.created_at_us,
    }


def _disabled_text(at_us: int | None) -> str:
    return "no" if at_us is None else "yes"


_BOTS = (
    Column("name", "BOT"),
    Column("owner", "OWNER"),
    Column("versions", "VERSIONS", right=True),
    Column("content_hash", "NEWEST", write=_short_hash),
    Column("games", "GAMES", write=" ".join),
    Column("disabled_at_us", "DISABLED", write=_disabled_text),
)


@app.command("list", epilog=example("arena bot list", "arena bot list --limit 10 --json"))
def list_bots(
    limit: Limit = paging.DEFAULT, after: After = None, db: Database = settings.DB.default, as_json: AsJson = False
) -> None:
    """List the bots with their newest versions, those added last first.

    With --json, the command for the next page is written to stderr.
    """
    with open_existing_storage(db) as storage:
        page = bots.list_bots(storage.database, limit=rows_wanted(limit), after=after)
    more = more_command("bot", "list", limit=limit, cursor=page.next, as_json=as_json, db=db)
    empty = "no bots yet; `arena bot add DIRECTORY` adds one"
    print_page(_BOTS, [_bot_facts(row) for row in page.items], more, as_json=as_json, empty=empty)


def _bot_facts(row: BotRow) -> dict[str, Any]:
    return {
        "name": row.bot.name,
        "owner": row.owner,
        "versions": row.versions,
        "content_hash": row.newest.content_hash,
        "games": BotManifest.from_json(row.newest.manifest).games,
        "disabled_at_us": row.bot.disabled_at_us,
    }


_VERSIONS = (
    Column("number", "VERSION", right=True),
    Column("content_hash", "HASH", write=_short_hash),
    Column("created_at_us", "ADDED (UTC)", write=format_instant),
    Column("command", "COMMAND", write=" ".join),
)


@app.command(epilog=example("arena bot show greedy"))
def show(
    name: BotName,
    limit: Limit = paging.DEFAULT,
    after: After = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Show a bot: its manifest and its versions, the newest first.

    With --json, the command for the next page of versions is written to stderr.
    """
    with open_existing_storage(db) as storage:
        detail = bots.bot_detail(storage.database, find_version(storage.database, name).bot.name)
        page = bots.list_versions(storage.database, detail.bot.name, limit=rows_wanted(limit), after=after)
        directory = storage.store.directory
        versions = [{**_version_facts(one), "directory": str(directory(one.content_hash))} for one in page.items]
        files = str(directory(detail.newest.content_hash))
    if as_json:
        facts = {"name": detail.bot.name, "owner": detail.owner, "disabled_at_us": detail.bot.disabled_at_us}
        print_json({**facts, "versions": versions})
    else:
        _print_bot(detail, files, versions)
    more = more_command("bot", "show", name, limit=limit, cursor=page.next, as_json=as_json, db=db)
    print_more(more, as_json=as_json)


def _print_bot(detail: BotRow, files: str, versions: Sequence[Mapping[str, Any]]) -> None:
    manifest = BotManifest.from_json(detail.newest.manifest)
    print_facts(
        {
            "name": detail.bot.name,
            "owner": detail.owner or "nobody (added here)",
            "disabled": _disabled_text(detail.bot.disabled_at_us),
            "games": " ".join(manifest.games),
            "deterministic": "yes" if manifest.deterministic else "no",
            "memory": f"{manifest.memory_mb} MB",
            "runtime": manifest.runtime,
            "files": files,
        }
    )
    typer.echo()
    rows = [{**version, "command": version["manifest"]["command"]} for version in versions]
    print_table(_VERSIONS, rows, as_json=False)


@app.command(epilog=example("arena bot disable greedy", "arena bot disable greedy --undo"))
def disable(
    name: BotName,
    undo: Annotated[bool, typer.Option("--undo", help="Let it enter tournaments again.")] = False,
    db: Database = settings.DB.default,
) -> None:
    """Bar a bot from new tournaments.

    Matches already planned are still played.
    """
    with open_existing_storage(db) as storage:
        find_version(storage.database, name)
        Ledger(storage.database).set_disabled(name, disabled=not undo)
    typer.echo(f"{name} may enter tournaments again" if undo else f"{name} enters no new tournaments")
