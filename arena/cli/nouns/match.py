"""`arena match`: single matches, listed and annulled. The other verbs stand in `verbs/match`."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from arena.cli.shared import paging, settings
from arena.cli.shared.cells import MatchId
from arena.cli.shared.connect import connect
from arena.cli.shared.errors import MisuseError
from arena.cli.shared.language import say
from arena.cli.shared.match_annotations import Why, annulled_ones, match_columns, noting_annulled, print_annulled
from arena.cli.shared.options import AsJson, Database, PoolOption, example
from arena.cli.shared.paging import After, Limit, ask_for, more_command, print_page
from arena.model.matches import ANY_FAULT
from engine.translatable import Text
from ratings.values.states import MatchState

app = typer.Typer(epilog=example("arena match show 3f9a01c2"))
VERBS = {"run": "run", "show": "show", "watch": "watch", "log": "show", "list": None, "annul": None}
_COLUMNS = ("match", "tournament", "block", "seats_rank", "attempts", "sandbox", "state", "reason")


class _WithBareFault(TyperCommand):
    """Reads `--fault` without a cause, behind which the line ends or another option stands, as any fault."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        pairs = zip(args, [*args[1:], "-"], strict=False)
        words = ((word, ANY_FAULT) if word == "--fault" and after.startswith("-") else (word,) for word, after in pairs)
        return super().parse_args(ctx, list(chain.from_iterable(words)))


@app.command(
    "list",
    cls=_WithBareFault,
    epilog=example(
        "arena match list monday", "arena match list --bot greedy --state void", "arena match list monday --fault"
    ),
)
def list_matches(
    tournament: Annotated[str | None, typer.Argument(metavar="TOURNAMENT")] = None,
    state: Annotated[str | None, typer.Option(metavar="STATE")] = None,
    bot: Annotated[str | None, typer.Option(metavar="BOT")] = None,
    fault: Annotated[str | None, typer.Option(metavar="[CAUSE]")] = None,
    pool: PoolOption = None,
    limit: Limit = paging.DEFAULT,
    after: After = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """List matches, those planned last first."""
    asked = {"--state": state, "--bot": bot, "--fault": fault, "--pool": pool}
    wanted = _parse_state(state)
    with connect(db) as connection:
        ask = partial(connection.arena.matches.list_matches, tournament, wanted, bot, fault, pool)
        page, rest = ask_for(ask, limit, after)
        words = [
            *([tournament] if tournament else []),
            *(word for name, text in asked.items() if text for word in (name, text)),
        ]
        more = more_command("match", "list", *words, limit=limit, cursor=page.next, as_json=as_json, db=db)
        annulled = annulled_ones()
        rows, following = list(noting_annulled(page.items, annulled)), noting_annulled(rest, annulled)
        columns, empty = match_columns(rows, *_COLUMNS), say("cli_match.none_such")
        print_page(columns, rows, more, as_json=as_json, empty=empty, rest=following)
    if not as_json:
        annulled.print()


def _parse_state(text: str | None) -> MatchState | None:
    try:
        return None if text is None else MatchState(text)
    except ValueError:
        states = ", ".join(state.value for state in MatchState)
        raise MisuseError(
            Text("--state {text} is no state of a match; there are {known}", text=repr(text), known=states)
        ) from None


@app.command(epilog=example('arena match annul 3f9a01c2 --why "the machine was overloaded"'))
def annul(match: MatchId, why: Why, db: Database = settings.DB.default, as_json: AsJson = False) -> None:
    """Annul a match and the other matches of its block."""
    with connect(db) as connection:
        done = connection.arena.annulments.annul_match(match, why)
    print_annulled(done, as_json=as_json)
