"""A bot that spends time in a chosen way at every decision, then takes the first legal action.

    python busy_bot.py WAY SHARE

SHARE is in limits with margin: 0.5 is half of what a decision may take, 1.2 overruns by a fifth. After each decision it
says on stderr how many microseconds it has computed, by its own clock.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from arena.v1 import play_pb2
from tests.support.scripted_bot import Wire, first, say

COMPUTED = "computed"
BURN = "import time\nwhile time.process_time() < {seconds}: pass"


def burn(seconds: float) -> None:
    """Compute for so long, as this thread's own clock has it."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        hashlib.sha256(b"x" * 2000).digest()


def nap(seconds: float = 0.001) -> None:
    while True:
        time.sleep(seconds)


def compute(seconds: float) -> None:
    burn(seconds)


def sleep(seconds: float) -> None:
    time.sleep(seconds)


def two_threads(seconds: float) -> None:
    """Two threads that hash large blocks, which Python does at the same time, until the wall time is over."""

    def work() -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            hashlib.sha256(b"x" * 4_000_000).digest()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def short_threads(seconds: float) -> None:
    """One thread after another, each for 2 ms."""
    for _ in range(int(seconds / 0.002)):
        thread = threading.Thread(target=burn, args=(0.002,))
        thread.start()
        thread.join()


def children(seconds: float) -> None:
    """One child after another, each for about 50 ms."""
    count = max(int(seconds / 0.05), 1)
    for _ in range(count):
        subprocess.run([sys.executable, "-I", "-S", "-c", BURN.format(seconds=seconds / count)], check=True)


WAYS: dict[str, Callable[[float], None]] = {
    "compute": compute,
    "sleep": sleep,
    "two-threads": two_threads,
    "short-threads": short_threads,
    "children": children,
    "napping-helpers": sleep,
    "ticking-helpers": sleep,
    "ponder": sleep,
}


def main(way: str, share: float) -> None:
    wire = Wire(os.environ["ARENA_TOKEN"])
    wire.join()
    if way in ("napping-helpers", "ticking-helpers"):
        for _ in range(12):
            seconds = 0.001 if way == "napping-helpers" else 0.1
            threading.Thread(target=nap, args=(seconds,), daemon=True).start()
    if way == "ponder":
        threading.Thread(target=burn, args=(3600.0,), daemon=True).start()
    clock = None
    for response in wire.responses():
        if response.HasField("match_started"):
            clock = response.match_started.clock
        if response.HasField("decide"):
            assert clock is not None
            decide: play_pb2.Decide = response.decide
            computed = -time.process_time()
            WAYS[way](share * (decide.time_limit_us + clock.margin_us) / 1_000_000)
            computed += time.process_time()
            say(COMPUTED, round(computed * 1_000_000))
            wire.send_bytes(first(decide))


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
