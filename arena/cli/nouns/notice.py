"""`arena notice`: what an owner, and everybody, was told."""

from __future__ import annotations

import typer

from arena.cli.shared import paging, settings
from arena.cli.shared.connect import connect
from arena.cli.shared.language import say
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.paging import After, Limit, more_command, print_page, rows_wanted
from arena.model.table_columns import Column, ColumnKind

app = typer.Typer()

_NOTICES = (
    Column("at_us", "at_utc", ColumnKind.INSTANT),
    Column("subject", "about"),
    Column("sentence", "notice", ColumnKind.SENTENCE),
)


@app.command("notice", epilog=example("arena --server club notice", "arena notice --limit 5 --json"))
def notice(
    limit: Limit = paging.DEFAULT, after: After = None, db: Database = settings.DB.default, as_json: AsJson = False
) -> None:
    """Show the notices for you and for everybody."""
    with connect(db) as connection:
        page = connection.arena.account.list_notices(rows_wanted(limit), after)
    more = more_command("notice", limit=limit, cursor=page.next, as_json=as_json, db=db)
    print_page(_NOTICES, page.items, more, as_json=as_json, empty=say("cli_notice.none_yet"))
