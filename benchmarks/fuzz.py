"""Odd messages at the play stream: 100,000 by default, random and mutated, at every moment of a bot's life.

    python -m benchmarks.fuzz [--messages 100000] [--seed 1]

Real streams to a real server, in rounds, beside honest matches. It fails if the server raises or logs anything, if an
honest match is disturbed, or if the memory of the process, in which the clients live too, passes its bound.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.processes import memory_kb
from tests.support.fuzzing import fuzz, listening, open_range
from tests.support.specs import installed_script_game

ROUNDS = 20
MEMORY_BOUND_MB = 96
SHOWN = 5


async def shoot(seed: int, messages: int, directory: Path) -> tuple[list[str], list[int], int, int]:
    """Complaints, memory in kB after each round, messages sent, honest matches."""
    memory = []
    with listening() as complaints:
        async with open_range(directory) as target:
            for number in range(ROUNDS):
                await fuzz(target, seed + number, messages // ROUNDS)
                memory.append(memory_kb(0))
                print(f"  {target.messages:,} messages, {memory[-1] / 1024:.1f} MB", file=sys.stderr, flush=True)
    return complaints.found, memory, target.messages, target.honest_matches


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 0 if nothing was wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz", description=__doc__)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    started = time.perf_counter()
    with installed_script_game(), tempfile.TemporaryDirectory(prefix="arena-fuzz-") as directory:
        complaints, memory, sent, honest = asyncio.run(shoot(options.seed, options.messages, Path(directory)))
    seconds = time.perf_counter() - started
    most_mb = max(memory) / 1024
    print(
        f"{sent:,} messages in {seconds:.0f} s, seed {options.seed}; {honest:,} honest matches beside them, undisturbed"
    )
    print(f"unhandled exceptions and complaints in the log: {len(complaints)}")
    for complaint in complaints[:SHOWN]:
        print(f"  {complaint}")
    print(f"memory of server and clients: {memory[0] / 1024:.1f} MB after the first round, at the end", end=" ")
    print(f"{memory[-1] / 1024:.1f} MB, at most {most_mb:.1f} MB (bound {MEMORY_BOUND_MB} MB)")
    return 0 if not complaints and most_mb <= MEMORY_BOUND_MB else 1


if __name__ == "__main__":
    sys.exit(main())
