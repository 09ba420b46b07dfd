"""How large reports are, and how long they take to make.

    python -m benchmarks.report_size [--matches N] [--game NAME] [--seats N]

Matches of every installed game and number of seats, played by the games' own quick actions, are told and packed as a
report packs them. Beside that stands what they take as JSON, each alone by gzip and all together by xz. Reports learn
from match to match: the more, the fewer bytes each. Goal: 300 matches in 3 MB, which is 10 kB a match.
"""

from __future__ import annotations

import argparse
import gzip
import json
import lzma
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from arena.story.replays import story_of_replay
from arena.web.report.packing import Packer
from arena.web.report.page import write_report
from arena.web.viewer.document import viewer_document
from benchmarks.story import play
from engine import registry
from engine.core import Game


@dataclass(frozen=True, slots=True)
class Size:
    """What the matches of a game took."""

    plies: int
    gzip_bytes: int
    xz_bytes: int
    packed_bytes: int
    file_bytes: int
    told_s: float
    """Processor time to tell them."""
    packed_s: float
    """Processor time to pack them."""


def measure(game: Game, seats: int, matches: int) -> Size:
    """Play, tell and pack so many matches."""
    replays = [play(game, seats, seed) for seed in range(matches)]
    start = time.process_time()
    stories = [viewer_document(story_of_replay(replay)) for replay in replays]
    told_s, plies = time.process_time() - start, sum(len(story["frames"]) for story in stories)
    start, packer = time.process_time(), Packer(plies)
    for place, story in enumerate(stories):
        packer.add(story, place)
    packed = packer.packed()
    packed_s = time.process_time() - start
    plain = [json.dumps(story, separators=(",", ":")).encode() for story in stories]
    return Size(
        plies=plies,
        gzip_bytes=sum(len(gzip.compress(each)) for each in plain),
        xz_bytes=len(lzma.compress(b"".join(plain), preset=6)),
        packed_bytes=len(packed.frames),
        file_bytes=len(write_report(game.title, [packed], "en", lists=True)),
        told_s=told_s,
        packed_s=packed_s,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each game and number of seats."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=10)
    parser.add_argument("--game")
    parser.add_argument("--seats", type=int)
    asked = parser.parse_args(arguments)
    print("game            seats   plies  bytes a match: gzip      xz  packed    file   seconds a match: told  packed")
    for name in sorted(registry.single_names()):
        game = registry.get(name)
        for seats in game.seats:
            if asked.game in (None, name) and asked.seats in (None, seats):
                _print(name, seats, asked.matches, measure(game, seats, asked.matches))
    return 0


def _print(name: str, seats: int, matches: int, size: Size) -> None:
    sizes = (size.gzip_bytes, size.xz_bytes, size.packed_bytes, size.file_bytes)
    each = " ".join(f"{found / matches:7.0f}" for found in sizes)
    times = f"{size.told_s / matches:21.2f} {size.packed_s / matches:7.2f}"
    print(f"{name:15} {seats:5} {size.plies / matches:7.0f} {'':13} {each} {times}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
