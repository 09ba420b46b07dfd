"""`arena notice`: what an owner, and everybody, was told."""

from __future__ import annotations

from dataclasses import asdict

import typer

from arena.cli.shared import paging, settings
from arena.cli.shared.connect import connect
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.output import Column, format_instant, write_translated
from arena.cli.shared.paging import After, Limit, more_command, print_page, rows_wanted
from arena.cli.shared.saying import say

app = typer.Typer()

_NOTICES = (
    Column("at_us", "at_utc", write=format_instant),
    Column("subject", "about"),
    Column("sentence", "notice", write=write_translated),
)


@app.command("notice", epilog=example("arena --server club notice", "arena notice --limit 5 --json"))
def notice(
    limit: Limit = paging.DEFAULT,
    after: After = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Show what you, and everybody, were told."""
    with connect(db) as connection:
        page = connection.arena.account.list_notices(rows_wanted(limit), after)
    more = more_command("notice", limit=limit, cursor=page.next, as_json=as_json, db=db)
    rows = [asdict(row) for row in page.items]
    print_page(_NOTICES, rows, more, as_json=as_json, empty=say("cli_notice.none_yet"))
