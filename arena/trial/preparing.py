"""Makes a seat of the bot in a directory: its files are copied as they are now, and built if it needs that."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from arena.hosting.builder.build import build_version
from arena.hosting.builder.outcome import BuildFailure
from arena.hosting.manifest import BotManifest, load_manifest
from arena.hosting.removal import remove_tree
from arena.hosting.runtimes.book import Runtimes
from arena.hosting.sandbox.choice import SandboxPolicy
from arena.hosting.sandbox.limits import NONE
from arena.hosting.sandbox.programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.hosting.tools import lack
from arena.match.spec import SeatSpec
from arena.trial.seats import bot_seat

PREFIX = "kingmaker-arena-test-"


@contextmanager
def temporary_store(runtimes: Runtimes, level: str) -> Iterator[StoredPrograms]:
    """Give a store of versions for bots at that level of the sandbox, which is removed with all that is in it."""
    root = Path(tempfile.mkdtemp(prefix=PREFIX))
    try:
        root.chmod(0o755)  # if root runs the sandbox, another user reads the files
        yield StoredPrograms(VersionStore(root / "bots"), SandboxPolicy(level), runtimes, root / "builds")
    finally:
        remove_tree(str(root))


@dataclass(frozen=True, slots=True)
class Prepared:
    """A bot that can be seated."""

    manifest: BotManifest
    seat: SeatSpec
    build_s: float | None
    """How long its build command ran; None if it has none."""


async def prepare(directory: Path, programs: StoredPrograms) -> Prepared | BuildFailure:
    """Store the bot as it is in its directory now, and build it unless that was done already.

    Raises BotDirectoryError if there is no bot that can run here, StoreError, HostingError.
    """
    manifest = load_manifest(directory)
    level = programs.sandbox_level(has_owner=False)
    programs.runtimes.check_bot(manifest, directory, is_stranger=level != NONE)
    stored = await asyncio.to_thread(programs.store.add, directory)
    built = await build_version(programs, stored.hash, has_owner=False)
    if isinstance(built, BuildFailure):
        return replace(built, sentence=f"{built.sentence}{await asyncio.to_thread(lack, manifest, directory)}")
    program = await asyncio.to_thread(programs.find, stored.hash)
    seat = bot_seat(manifest.name, stored.hash, program, level)
    return Prepared(manifest, seat, None if built is None else built.seconds)
