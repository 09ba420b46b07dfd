"""Write the golden files anew, after a change of the rules was meant."""

from __future__ import annotations

from pathlib import Path

from engine.games.rex_romanorum.golden import GAME, SEEDS, perft_text, playthrough_lines, random_policy

HERE = Path(__file__).parent

if __name__ == "__main__":
    (HERE / "perft.json").write_text(perft_text(), encoding="utf-8")
    for seats in GAME.seats:
        lines = playthrough_lines(seats, random_policy(SEEDS[seats]))
        (HERE / f"playthrough_{seats}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
