"""The command `arena rating fairplay`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.shared import settings
from arena.cli.shared.lookup import find_pool_id
from arena.cli.shared.options import AsCsv, AsJson, Database, PoolOption, example, parse_style
from arena.cli.shared.output import Column, print_rows
from arena.cli.shared.storage import Storage, open_existing_storage
from ratings.read.crosstable import names as names_of

if TYPE_CHECKING:  # NumPy is only imported by who needs it
    from ratings.statistics.fairplay.pairs import Suspicion

app = typer.Typer()

_COLUMNS = (
    Column("sentence", "SUSPICION"),
    Column("elo", "ELO", right=True, write="{:.0f}".format),
    Column("z", "Z", right=True, write="{:.1f}".format),
    Column("chance", "BY CHANCE", right=True, write="{:.1g}".format),
    Column("matches", "MATCHES", right=True),
)


@app.command(epilog=example("arena rating fairplay --pool 3f2a"))
def fairplay(
    pool: PoolOption = None,
    alarm: Annotated[
        float, typer.Option(min=0.0001, max=0.5, help="Chance of any alarm in an honest field, at most.")
    ] = 0.005,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Look for pairs of bots that help one another.

    Pairs that do better at common tables than chance allows; false alarms are rare.

    An alarm is a reason to look at matches, not a proof.
    """
    style = parse_style(as_json=as_json, as_csv=as_csv)
    with open_existing_storage(db) as storage:
        found, names = _read_suspicions(storage, pool, alarm)
    rows = [_row(one, names) for one in found]
    print_rows(_COLUMNS, rows, style, empty="no pair does better at common tables than chance allows")


def _read_suspicions(storage: Storage, pool: str | None, alarm: float) -> tuple[Sequence[Suspicion], dict[str, str]]:
    """Return the suspicious pairs of a pool, and what people call the versions in them."""
    from ratings.read.loading import load_results
    from ratings.statistics.fairplay.pairs import suspicious_pairs

    found = suspicious_pairs(load_results(storage.database, find_pool_id(storage.database, pool)), alarm)
    return found, names_of(storage.database, sorted({id_ for one in found for id_ in (one.first, one.second)}))


def _row(suspicion: Suspicion, names: dict[str, str]) -> dict[str, Any]:
    from ratings.statistics.fairplay.pairs import Kind

    first, second = names[suspicion.first], names[suspicion.second]
    together = suspicion.kind is Kind.TOGETHER
    sentence = f"{first} and {second} do better together" if together else f"{second} does better beside {first}"
    facts = {**asdict(suspicion), "first": first, "second": second, "kind": suspicion.kind.value}
    return {"sentence": sentence, **facts}
