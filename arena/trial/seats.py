"""Makes seats for trial matches: of the version that is looked at, and of the samples that it plays against."""

from __future__ import annotations

from arena.hosting.content import content_hash
from arena.hosting.manifest import load_manifest, resolve_command
from arena.hosting.sample_bots import sample_directory
from arena.match.spec import SeatSpec
from arena.tournament.programs import Program

RANDOM, GREEDY, SEARCH = "random", "greedy", "search"
QUICK_SAMPLES = (RANDOM, GREEDY)
RIVAL = SEARCH
_DRAWN_LATER = 0


def bot_seat(name: str, version: str, program: Program, level: str) -> SeatSpec:
    """Return a seat for the version with that content hash, whose program runs at that level of the sandbox."""
    return SeatSpec(
        version=version,
        name=name,
        directory=str(program.directory),
        command=program.command,
        seed=_DRAWN_LATER,
        memory_mb=program.memory_mb,
        is_deterministic=program.is_deterministic,
        sandbox=level,
        runtime=program.runtime,
        trees=program.trees,
        environment=program.environment,
    )


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
        seed=_DRAWN_LATER,
        memory_mb=manifest.memory_mb,
        sandbox=level,
    )
