"""`arena perft`: counts decision sequences, to compare two engines of one game."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

from arena.cli.shared.language import say
from arena.cli.shared.options import AsJson, GameName, GameOptions, example, get_game, parse_assignments
from arena.cli.shared.output import print_table
from arena.model.table_columns import Column, ColumnKind
from engine.chance import SeededChance
from engine.core import State
from engine.perft import breakdown
from engine.perft import perft as count_sequences

app = typer.Typer()

_COUNTS = (
    Column("depth", "depth", ColumnKind.COUNT),
    Column("sequences", "sequences", ColumnKind.COUNT),
    Column("seconds", "seconds", ColumnKind.COUNT, write=lambda seconds: f"{seconds:.2f}"),
)
_BREAKDOWN = (Column("action", "action"), Column("sequences", "sequences", ColumnKind.COUNT))


@app.command(
    epilog=example("arena perft foreign_king --seats 3 --depth 4", "arena perft foreign_king --depth 3 --divide")
)
def perft(
    game_name: GameName,
    seats: Annotated[int | None, typer.Option()] = None,
    depth: Annotated[int, typer.Option(min=1, max=99)] = 3,
    option: GameOptions = None,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    divide: Annotated[bool, typer.Option("--divide")] = False,
    as_json: AsJson = False,
) -> None:
    """Count the decision sequences from the start of a game."""
    game = get_game(game_name)
    options = game.parse_options(parse_assignments(option))
    state = game.new_state(game.seats[0] if seats is None else seats, options, SeededChance(seed))
    if divide:
        rows: list[dict[str, Any]] = [
            {"action": game.actions.format(action), "sequences": count}
            for action, count in breakdown(state, depth, seed).items()
        ]
        if not as_json:
            rows.append({"action": say("cli_replay.scoring_total"), "sequences": sum(row["sequences"] for row in rows)})
        print_table(_BREAKDOWN, rows, as_json=as_json)
    else:
        print_table(_COUNTS, [_counted(state, length, seed) for length in range(1, depth + 1)], as_json=as_json)


def _counted(state: State, depth: int, seed: int) -> dict[str, Any]:
    start = time.perf_counter()
    sequences = count_sequences(state, depth, seed)
    return {"depth": depth, "sequences": sequences, "seconds": round(time.perf_counter() - start, 3)}
