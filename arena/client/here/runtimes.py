"""The runtimes that bots may ask for."""

from __future__ import annotations

from arena.client.here.place import Place
from arena.client.values.runtimes import Runtime
from ratings.read.runtimes import seen_runtimes


class RuntimesHere:
    """Implements the interface `arena.client.port.Runtimes`."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def list_runtimes(self) -> tuple[Runtime, ...]:
        seen = {row.hash: row.seen_at_us for row in seen_runtimes(self._place.database)}
        return tuple(self._value(name, seen) for name in self._place.programs.runtimes.names)

    def _value(self, name: str, seen: dict[str, int]) -> Runtime:
        known = self._place.programs.runtimes
        found = known.get(name)
        contents = known.contents(name).to_json()
        return Runtime(found.name, str(found.kind), found.hash, contents, seen.get(found.hash))
