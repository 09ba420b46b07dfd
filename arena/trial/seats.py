"""Makes seats for the samples that a version plays against in trial matches."""

from __future__ import annotations

from arena.hosting.content import content_hash
from arena.hosting.manifest import load_manifest, resolve_command
from arena.hosting.sample_bots import sample_directory
from arena.match.spec import DRAWN_LATER, SeatSpec

RANDOM, GREEDY, SEARCH = "random", "greedy", "search"
QUICK_SAMPLES = (RANDOM, GREEDY)
RIVAL = SEARCH


def sample_seat(name: str, level: str, *arguments: str) -> SeatSpec:
    """Return a seat for an installed sample bot, started with these further arguments.

    It counts as not deterministic, since nobody wants to know of it what it remembers. Raises BotDirectoryError if it
    is not installed.
    """
    directory = sample_directory(name).resolve()
    manifest = load_manifest(directory)
    return SeatSpec(
        version=content_hash(directory),
        name=name,
        directory=str(directory),
        command=(*resolve_command(manifest, directory), *arguments),
        seed=DRAWN_LATER,
        memory_mb=manifest.memory_mb,
        sandbox=level,
    )
