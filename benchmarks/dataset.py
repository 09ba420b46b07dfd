"""What a training set costs: bytes a position, positions a second written and read, and the memory it takes.

    python -m benchmarks.dataset                            # 100,000 positions of each game
    python -m benchmarks.dataset --positions 1000000
    python -m benchmarks.dataset --kind parquet             # needs pyarrow, which .venv-all has

Matches of random play with the most seats of each game go the way of `arena replay dataset` from the document of their
replay on; a pool of them is written round and round until there are so many positions, too large for any position to
be compressed as a copy of itself. The goals: 1,000,000 positions below 1 GB, and hardly more memory at the end than
when the first chunks were written.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from arena.adapters.dataset import load
from arena.adapters.export import CHUNK, Export
from engine import registry
from engine.chance import SeededChance
from engine.record import Playing

MOST_BYTES = 1000
"""A position in the file: 1 GB for a million."""
MOST_GROWTH_MB = 32
POOL = 2 * CHUNK
"""So many positions are different: what is compressed together, a chunk, has none of them twice."""


def document(name: str, seats: int, seed: int) -> dict[str, Any]:
    """What of the replay of a match of random play goes into a training set."""
    game, random = registry.get(name), Random(seed)
    playing = Playing(game, seats, game.parse_options({}), SeededChance(seed))
    while playing.state.seat() is not None:
        playing.apply(random.choice(playing.state.legal_actions()))
    outcome = playing.state.outcome()
    assert outcome is not None
    return {
        "match_id": f"{seed:032x}",
        "game": name,
        "rules_version": game.rules_version,
        "options": game.options_json(playing.options),
        "seats": [{}] * seats,
        "chance": [list(drawn) for drawn in playing.chance_outcomes],
        "entries": [{"ply": e.ply, "seat": e.seat, "action": e.action, "by": "bot"} for e in playing.events],
        "result": {"ranks": list(outcome.ranks)},
    }


def memory_mb() -> float:
    """The most that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def measure(name: str, positions: int, kind: str) -> int:
    """Write and read one file, print what it cost; return how many goals are missed."""
    seats = registry.get(name).seats[-1]
    pool: list[dict[str, Any]] = []
    while sum(len(one["entries"]) for one in pool) < POOL:
        pool.append(document(name, seats, len(pool)))
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, f"set.{kind}")
        begin, early = time.process_time(), 0.0
        with file.open("wb") as stream, Export(file, stream) as export:
            matches = 0
            while export.positions < positions:
                export.add(pool[matches % len(pool)])
                matches += 1
                if not early and export.positions >= max(positions / 10, 3 * CHUNK):
                    early = memory_mb()
        written_s, late, size = time.process_time() - begin, memory_mb(), file.stat().st_size
        begin, total = time.process_time(), 0
        for chunk in load(file).chunks():
            for first in range(0, len(chunk), 512):
                part = chunk[first : first + 512]
                total += len(part.observations(np.int16)) * bool(part.legal().any())
        read_s = time.process_time() - begin
    count = export.positions
    assert total == count
    each = size / count
    print(
        f"{name}, {seats} seats, {kind}: {count:,} positions of {matches} matches, {size / 1e6:.1f} MB, "
        f"{each:.0f} bytes each ({'ok' if each <= MOST_BYTES else 'missed'}: at most {MOST_BYTES}); "
        f"written {count / written_s:,.0f}/s, read as planes {count / read_s:,.0f}/s of CPU; "
        f"memory {early:.0f} MB near the start, {late:.0f} MB at the end "
        f"({'ok' if late - early <= MOST_GROWTH_MB else 'missed'}: at most {MOST_GROWTH_MB} more)"
    )
    return (each > MOST_BYTES) + (late - early > MOST_GROWTH_MB)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--positions", type=int, default=100_000)
    parser.add_argument("--kind", choices=("npz", "parquet"), default="npz")
    parser.add_argument("--game", action="append", help="by default every game that comes with the arena")
    chosen = parser.parse_args(arguments)
    games = chosen.game or [name for name in registry.names() if not registry.family_of(name)]
    return 1 if sum(measure(name, chosen.positions, chosen.kind) for name in games) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
