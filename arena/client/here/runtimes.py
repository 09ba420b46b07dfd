"""The runtimes that bots may ask for."""

from __future__ import annotations

from arena.client.errors import ClientError
from arena.client.here.place import Place
from arena.client.values.runtimes import Runtime


class RuntimesHere:
    """Implements the interface `arena.client.port.Runtimes`."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def list_runtimes(self) -> tuple[Runtime, ...]:
        raise ClientError("this database keeps no runtimes yet")
