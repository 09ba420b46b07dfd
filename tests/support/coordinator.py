"""Orders matches that never end, says so, and waits to be killed.

python -m tests.support.coordinator WORKERS BEHAVIOUR
"""

from __future__ import annotations

import asyncio
import sys

from arena.executor.local import LocalExecutor
from tests.support.specs import king_spec, scripted


async def main(workers: int, behaviour: str) -> None:
    async with LocalExecutor(workers) as executor:
        matches = [
            asyncio.create_task(executor.run(king_spec(f"m{index}", [scripted(behaviour)] * 3)))
            for index in range(2 * workers)
        ]
        sys.stdout.write("ordered\n")
        sys.stdout.flush()
        await asyncio.gather(*matches)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), sys.argv[2]))
