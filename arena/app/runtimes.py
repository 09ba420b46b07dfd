"""The runtimes that bots may ask for, as they are on this machine."""

from __future__ import annotations

from collections.abc import Mapping

from arena.app.policy import AppContext
from arena.hosting.errors import HostingError
from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.model.bots import Runtime
from engine.translatable import parts_of
from ratings.read.matches import seen_runtimes


class LocalRuntimes:
    """Implements the interface `arena.model.port.Runtimes`."""

    def __init__(self, context: AppContext) -> None:
        self._context = context

    def list_runtimes(self) -> tuple[Runtime, ...]:
        seen = {row.hash: row.seen_at_us for row in seen_runtimes(self._context.database)}
        return describe_all(self._context.programs.runtimes, seen)


def describe_all(runtimes: RuntimeCatalog, seen: Mapping[str, int]) -> tuple[Runtime, ...]:
    """Return all runtimes of this machine as they are now; `seen` tells when a hash was first used."""
    return tuple(_describe(runtimes, name, seen) for name in runtimes.names)


def _describe(runtimes: RuntimeCatalog, name: str, seen: Mapping[str, int]) -> Runtime:
    """Return a runtime; one that does not work hides none of the others."""
    try:
        found, contents = runtimes.get(name), runtimes.contents(name).to_json()
    except HostingError as error:
        problem = {"problem": str(error), "problem_text": parts_of(str(error))}
        return Runtime(name, runtimes.definition(name).kind.value, "", problem)
    return Runtime(name, found.kind.value, found.hash, contents, seen.get(found.hash))
