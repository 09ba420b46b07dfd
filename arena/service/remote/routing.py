"""Sends matches with remote bots to their own process, and all others to the executor of this machine."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from typing import Protocol

from arena.match.live import LiveEvent
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.service.scheduler.slots import Slots
from arena.tournament.runner import MatchExecutor

Watch = Callable[..., AsyncGenerator[LiveEvent, None]]


class RemoteMatchExecutor(Protocol):
    """Plays matches with remote bots, as an `arena.executor.remote.RemoteProcess` does."""

    def has(self, match_id: str) -> bool:
        """Return whether the match is played here, or waits for its bots."""

    async def run_match(self, spec: MatchSpec) -> MatchReport:
        """Play one match when its remote bots are here. Raises MatchLostError, NotBegunError, ExecutorFailedError."""

    def cancel(self, match_id: str) -> None:
        """End a match without a report. Unknown ids are ignored."""

    def watch(self, match_id: str, *, after: int = -1, logs: Iterable[int] = ()) -> AsyncGenerator[LiveEvent, None]:
        """Return the events of a match. Raises NotWatchableError."""


class MatchRouter:
    """Stands between a host and the slots, so that what becomes of remote matches says nothing of the host."""

    def __init__(self, slots: Slots, remote: RemoteMatchExecutor | None) -> None:
        """Without `remote`, no tournament with remote bots is begun, so that all matches are the executor's."""
        self._slots = slots
        self._remote = remote

    def slots(self) -> int:
        """Return how many matches are played at once on this machine."""
        return self._slots.slots()

    def use(self, executor: MatchExecutor | None) -> None:
        """Have the slots play with this executor from now on; with `None` nothing begins until there is another one."""
        if executor is not None and self._remote is not None:
            executor = _Routed(executor, self._remote)
        self._slots.use(executor)

    def watch_with(self, watch: Watch) -> Watch:
        """Return the `watch` of all matches, given that of those without remote bots."""
        remote = self._remote

        def routed(match_id: str, *, after: int = -1, logs: Sequence[int] = ()) -> AsyncGenerator[LiveEvent, None]:
            chosen = watch if remote is None or not remote.has(match_id) else remote.watch
            return chosen(match_id, after=after, logs=logs)

        return routed


class _Routed:
    """A `MatchExecutor` that knows two places."""

    def __init__(self, local: MatchExecutor, remote: RemoteMatchExecutor) -> None:
        self._local = local
        self._remote = remote

    def slots(self) -> int:
        return self._local.slots()

    async def run(self, spec: MatchSpec) -> MatchReport:
        return await (self._remote.run_match(spec) if spec.has_remote else self._local.run(spec))

    async def cancel(self, match_id: str) -> None:
        self._remote.cancel(match_id)
        await self._local.cancel(match_id)
