"""Gives a store for the versions that a test looks at, as long as the test runs."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.hosting.removal import remove_tree
from arena.hosting.runtimes.book import Runtimes
from arena.hosting.sandbox.choice import SandboxPolicy
from arena.hosting.sandbox.programs import StoredPrograms
from arena.hosting.store import VersionStore

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
