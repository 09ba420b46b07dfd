"""Gives a store for the versions that a test looks at, as long as the test runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.sandbox.limits import SandboxPolicy
from arena.hosting.sandbox.programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.hosting.user_directories import scratch_directory


@contextmanager
def temporary_store(runtimes: RuntimeCatalog, level: str) -> Iterator[StoredPrograms]:
    """Give a store of versions for bots at that level of the sandbox, which is removed with all that is in it."""
    with scratch_directory() as root:  # if root runs the sandbox, another user reads the files
        yield StoredPrograms(VersionStore(root / "bots"), SandboxPolicy(level), runtimes, root / "builds")
