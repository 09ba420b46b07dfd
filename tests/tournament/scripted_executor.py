"""An executor for tests: plays nothing, answers at once with results that depend on the spec alone, in odd order."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Self

from arena.match.result import Fault, FaultCause, MatchLostError, MatchResult
from arena.match.spec import MatchSpec
from arena.match.worker_report import MatchReport

OnStart = Callable[[MatchSpec], None]
LONG_US = 10_000_000
"""So long a match seems to have been played that no result waits for another."""


def report_of(spec: MatchSpec, duration_us: int = LONG_US) -> MatchReport:
    """What deterministic bots would make of a spec: equal for equal play, whatever the id and the attempt."""
    played = repr((spec.game, spec.options, spec.chance_seed, spec.opening, [(s.version, s.seed) for s in spec.seats]))
    digest = hashlib.sha256(played.encode()).digest()
    scores = [digest[seat] // 32 for seat in range(len(spec.seats))]
    faulty = digest[-1] % 8 == 0
    return MatchReport(
        match_id=spec.match_id,
        attempt=spec.attempt,
        result=MatchResult(
            ranks=tuple(1 + sum(other > score for other in scores) for score in scores),
            by_rules=not faulty,
            rated=True,
            forfeits=(0,) if faulty else (),
            resigned=(),
            faults=(Fault(0, FaultCause.TIMEOUT, 5, "seat 0 took 60 ms of 50 ms", {"wall_us": 60_000}),) * faulty,
            details={"scores": scores},
        ),
        plies=20 + digest[1] % 10,
        decisions=10,
        started_at_us=1_700_000_000_000_000,
        duration_us=duration_us,
        game_digest=digest.hex(),
        record_digest=digest.hex(),
        replay=played.encode(),
        runtimes=tuple(seat.runtime for seat in spec.seats),
    )


class ScriptedExecutor:
    """Finishes one waiting match at a time, drawn from all of them, and loses each at most `most_lost` times."""

    def __init__(
        self,
        *,
        slots: int = 2,
        seed: int = 0,
        loses: float = 0.0,
        most_lost: int = 2,
        on_start: OnStart | None = None,
        duration_us: int = LONG_US,
    ) -> None:
        self._slots = slots
        self._random = Random(seed)
        self._loses = loses
        self._most_lost = most_lost
        self._on_start = on_start
        self._duration_us = duration_us
        self._waiting: list[tuple[MatchSpec, asyncio.Future[MatchReport]]] = []
        self._lost: Counter[str] = Counter()
        self.specs: list[MatchSpec] = []
        self.finished: list[str] = []
        self.cancelled: list[str] = []
        self.most_at_once = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        assert not self._waiting, "matches were left in flight"

    @property
    def is_playing(self) -> bool:
        """Whether a match has not come back."""
        return bool(self._waiting)

    def slots(self) -> int:
        return self._slots

    async def run(self, spec: MatchSpec) -> MatchReport:
        if self._on_start is not None:
            self._on_start(spec)
        loop = asyncio.get_running_loop()
        future: asyncio.Future[MatchReport] = loop.create_future()
        self.specs.append(spec)
        self._waiting.append((spec, future))
        self.most_at_once = max(self.most_at_once, len(self._waiting))
        loop.call_soon(self._finish_one)
        return await future

    async def cancel(self, match_id: str) -> None:
        self.cancelled.append(match_id)
        for waiting in [waiting for waiting in self._waiting if waiting[0].match_id == match_id]:
            self._waiting.remove(waiting)
            if not waiting[1].done():
                waiting[1].set_exception(MatchLostError("cancelled"))

    def is_lost(self, spec: MatchSpec) -> bool:
        """Whether the host loses this attempt."""
        return self._lost[spec.match_id] < self._most_lost and self._random.random() < self._loses

    def _finish_one(self) -> None:
        if not self._waiting:
            return
        if self._random.random() < 0.5:
            asyncio.get_running_loop().call_soon(self._finish_one)  # others go first, so few end at the same time
            return
        spec, future = self._waiting.pop(self._random.randrange(len(self._waiting)))
        if future.done():
            return
        if self.is_lost(spec):
            self._lost[spec.match_id] += 1
            future.set_exception(MatchLostError("worker 1 died (signal 9)"))
        else:
            self.finished.append(spec.match_id)
            future.set_result(report_of(spec, self._duration_us))


class StuckExecutor(ScriptedExecutor):
    """Finishes no match."""

    def _finish_one(self) -> None:
        pass
