"""The workers of a cluster that is not there: each plays what it is ordered to by letting time pass, and reports.

`arena.executor.ray.relay` speaks with these slots as with those of Ray. A call costs the coordinator what one of Ray
does, and what it carries is packed and unpacked there; what a slot does costs it nothing.
"""

from __future__ import annotations

import asyncio
import pickle
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from types import SimpleNamespace
from typing import Any

from arena.executor.ray.slot import POLL_S
from arena.match.report import MatchReport
from benchmarks.virtual_time import VirtualClock


@dataclass(frozen=True, slots=True)
class Calls:
    """What a call of an actor costs the coordinator, and how long one is under way, there and back."""

    cost_s: float
    trip_s: float


class Workers:
    """What all slots share: the clock, the costs, what matches are like, and what they tell of them."""

    def __init__(
        self,
        clock: VirtualClock,
        calls: Calls,
        durations: Callable[[], float],
        samples: Sequence[MatchReport],
        on_end: Callable[[float, float], None],
    ) -> None:
        """Matches take `durations` seconds and end as one of the `samples`; `on_end` is told when each began, ended."""
        self.clock = clock
        self.calls = calls
        self.durations = durations
        self.on_end = on_end
        self._samples = samples
        self._random = Random(1)

    def report(self, spec: Mapping[str, Any], seconds: float) -> MatchReport:
        """Return what a match comes to."""
        sample = self._random.choice(self._samples)
        ranks = list(sample.result.ranks)
        self._random.shuffle(ranks)
        return replace(
            sample,
            match_id=spec["match_id"],
            attempt=spec["attempt"],
            result=replace(sample.result, ranks=tuple(ranks)),
            duration_us=round(seconds * 1e6),
            runtimes=tuple(seat["runtime"] for seat in spec["seats"]),
        )


class SimulatedSlot:
    """A slot and its worker, called as an actor of Ray is."""

    def __init__(self, workers: Workers) -> None:
        self._all = workers
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[Mapping[str, Any]] = deque()
        self._is_playing = False
        self._said: list[list[Any]] = []
        self._asking: asyncio.Future[Any] | None = None
        self._asked = 0
        self.poll = SimpleNamespace(remote=self._poll)
        self.send = SimpleNamespace(options=lambda **_: SimpleNamespace(remote=self._send))

    # At the coordinator.

    def _poll(self, number: int, orders: Sequence[Mapping[str, Any]]) -> asyncio.Future[Any]:
        reply: asyncio.Future[Any] = self._loop.create_future()
        self._deliver(number, orders, reply)
        return reply

    def _send(self, number: int, orders: Sequence[Mapping[str, Any]]) -> None:
        self._deliver(number, orders, None)

    def _deliver(self, number: int, orders: Sequence[Mapping[str, Any]], reply: asyncio.Future[Any] | None) -> None:
        packed = pickle.dumps((number, orders))
        self._all.clock.work(self._all.calls.cost_s)
        at = self._loop.time() + self._all.calls.trip_s / 2
        self._loop.call_at(at, self._receive, at, packed, reply)

    @staticmethod
    def _arrive(reply: asyncio.Future[Any], packed: bytes) -> None:
        if not reply.done():
            reply.set_result(pickle.loads(packed))

    # At the slot, whose own time goes on while the coordinator is busy: `at` is when it happens there.

    def _receive(self, at: float, packed: bytes, reply: asyncio.Future[Any] | None) -> None:
        with self._all.clock.elsewhere():
            for order in pickle.loads(packed)[1]:
                self._obey(at, order)
            if reply is not None:
                self._asking = reply
                self._asked += 1
                self._loop.call_at(at + POLL_S, self._answer, at + POLL_S, self._asked)
            self._publish_news(at)

    def _obey(self, at: float, order: Mapping[str, Any]) -> None:
        if order["act"] == "run":
            self._said.append(["frame", {"event": "ready"}, b""])
        elif order["act"] in ("stop", "kill"):
            self._said.append(["ended", True, 0, ""])
        elif order["act"] == "tell" and order["head"]["do"] == "play":
            self._waiting.append(order["head"])
            self._begin(at)

    def _begin(self, at: float) -> None:
        if not self._is_playing and self._waiting:
            self._is_playing = True
            until = at + self._all.durations()
            self._loop.call_at(until, self._end, at, until, self._waiting.popleft())

    def _end(self, began: float, at: float, order: Mapping[str, Any]) -> None:
        with self._all.clock.elsewhere():
            self._all.on_end(began, at)
            report = self._all.report(order["spec"], at - began)
            head = {"event": "report", "ticket": order["ticket"], "report": report.to_json()}
            self._said.append(["frame", head, report.blob()])
            self._is_playing = False
            self._begin(at)
            self._publish_news(at)

    def _publish_news(self, at: float) -> None:
        if self._said:
            self._answer(at, self._asked)

    def _answer(self, at: float, asked: int) -> None:
        if self._asking is None or asked != self._asked:
            return
        with self._all.clock.elsewhere():
            reply, self._asking = self._asking, None
            packed = pickle.dumps(self._said)
            self._said = []
            self._loop.call_at(at + self._all.calls.trip_s / 2, self._arrive, reply, packed)
