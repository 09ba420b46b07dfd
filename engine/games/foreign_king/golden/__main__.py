"""Write the golden files anew, after a change of the rules was meant."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

from engine.games.foreign_king.game import ForeignKing
from engine.games.foreign_king.playthrough import playthrough
from engine.perft import perft

_HERE = Path(__file__).parent
_SEEDS = {2: 240, 3: 194, 4: 133}
"""Playings that come through every phase their number of seats has."""
_DEPTH = 8


def write_perft() -> None:
    """perft.json: the first three depths are also those of an independent implementation (section 9 of the rules)."""
    game = ForeignKing()
    counts = {
        str(seats): [perft(game.new_state(seats), depth) for depth in range(1, _DEPTH + 1)] for seats in game.seats
    }
    (_HERE / "perft.json").write_text(json.dumps(counts, indent=1) + "\n", encoding="utf-8")


def write_playthrough(seats: int) -> None:
    """playthrough_N.txt: a uniformly random playing."""
    random = Random(_SEEDS[seats])
    lines = playthrough(seats, lambda state: random.choice(state.legal_actions()))
    (_HERE / f"playthrough_{seats}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_perft()
    for seats in ForeignKing.seats:
        write_playthrough(seats)
