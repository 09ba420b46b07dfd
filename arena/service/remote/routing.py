"""Sends matches with remote bots to their own process, and all others to the executor of this machine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from typing import Protocol

from arena.executor.interface import NotBegunError, NotWatchableError
from arena.match.live import LiveEvent
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.service.scheduler.slots import Slots
from arena.tournament.runner import MatchExecutor

Watch = Callable[..., AsyncGenerator[LiveEvent, None]]


class RemotePlayer(Protocol):
    """Plays matches with remote bots: an `arena.executor.remote.RemoteProcess`, or what stands in for none."""

    def has(self, match_id: str) -> bool:
        """Return whether the match is played here, or waits for its bots."""

    async def run_match(self, spec: MatchSpec) -> MatchReport:
        """Play one match when its remote bots are here. Raises MatchLostError, NotBegunError, ExecutorFailedError."""

    def cancel(self, match_id: str) -> None:
        """End a match without a report. Unknown ids are ignored."""

    def watch(self, match_id: str, *, after: int = -1, logs: Iterable[int] = ()) -> AsyncGenerator[LiveEvent, None]:
        """Return the events of a match. Raises NotWatchableError."""

    def drain(self) -> None:
        """Let no match begin any more: those that wait for their bots end with NotBegunError."""


class ClosedDoor:
    """Stands in for the process of remote bots where none are taken: their matches wait until that is changed."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Future[MatchReport]] = set()

    def has(self, _match_id: str) -> bool:
        return False

    async def run_match(self, _spec: MatchSpec) -> MatchReport:
        future: asyncio.Future[MatchReport] = asyncio.get_running_loop().create_future()
        self._waiting.add(future)
        try:
            return await future
        finally:
            self._waiting.discard(future)

    def cancel(self, _match_id: str) -> None:
        """Do nothing: whoever cancels waits no more."""

    def watch(self, match_id: str, *, after: int = -1, logs: Iterable[int] = ()) -> AsyncGenerator[LiveEvent, None]:
        del after, logs
        raise NotWatchableError(match_id)

    def drain(self) -> None:
        for future in self._waiting:
            if not future.done():
                future.set_exception(NotBegunError())


class Router:
    """Stands between a host and the slots, so that what becomes of remote matches says nothing of the host."""

    def __init__(self, slots: Slots, remote: RemotePlayer) -> None:
        self._slots = slots
        self._remote = remote

    def slots(self) -> int:
        """Return how many matches are played at once on this machine."""
        return self._slots.slots()

    def use(self, executor: MatchExecutor | None) -> None:
        """Have the slots play with this executor from now on; with `None` nothing begins until there is another one."""
        self._slots.use(None if executor is None else _Routed(executor, self._remote))

    def watch_with(self, watch: Watch) -> Watch:
        """Return the `watch` of all matches, given that of those without remote bots."""

        def routed(match_id: str, *, after: int = -1, logs: Sequence[int] = ()) -> AsyncGenerator[LiveEvent, None]:
            chosen = self._remote.watch if self._remote.has(match_id) else watch
            return chosen(match_id, after=after, logs=logs)

        return routed


class _Routed:
    """A `MatchExecutor` that knows two places."""

    def __init__(self, local: MatchExecutor, remote: RemotePlayer) -> None:
        self._local = local
        self._remote = remote

    def slots(self) -> int:
        return self._local.slots()

    async def run(self, spec: MatchSpec) -> MatchReport:
        return await (self._remote.run_match(spec) if spec.has_remote else self._local.run(spec))

    async def cancel(self, match_id: str) -> None:
        self._remote.cancel(match_id)
        await self._local.cancel(match_id)
