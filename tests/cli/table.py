"""Executors that play real matches of real games in this process, so that commands can be tested without bots.

Every seat chooses at random from its seed; a bot whose name begins with `cheat` answers with an illegal action, and
the host loses every match with one whose name begins with `lost`, and each with one that begins with `shaky` once. One
whose name begins with `broken` does not start. A leak check flags every bot that declares itself deterministic and
whose name begins with `leaky`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from random import Random
from typing import Any, Self

import pytest

from arena.match.decisions import Answer
from arena.match.match import Match
from arena.match.replay import dump, write_replay
from arena.match.result import Fault, FaultCause, HostCause, LeakVerdict, MatchLostError
from arena.match.spec import MatchSpec
from arena.match.worker_report import LeakCheckResult, MatchReport, SeatProcess

STARTED_AT_US = 1_800_000_000_000_000


class TableExecutor:
    def __init__(self, workers: int, *, warm_mb: int | None = None, cores: int = 1) -> None:
        self.workers = workers
        self.cores = cores
        self.warm_mb = warm_mb

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        return None

    def slots(self) -> int:
        return self.workers

    async def run(self, spec: MatchSpec) -> MatchReport:
        if any(_is_lost(seat.name, spec.attempt) for seat in spec.seats):
            evidence = {"signal": 9, "stderr": "earlier\nthe last words of worker 1"}
            raise MatchLostError("worker 1 died (signal 9)", HostCause.WORKER_DIED, evidence)
        return play(spec)

    async def cancel(self, match_id: str) -> None:
        raise AssertionError(f"match {match_id} ends before it could be cancelled")


class RoomExecutor(TableExecutor):
    """Tells of a process in each seat, too, as a worker does."""

    process: Mapping[str, Any] = {"was_warm": True, "peak_memory_bytes": 20 << 20, "left_by_itself": True}

    async def run(self, spec: MatchSpec) -> MatchReport:
        report = await super().run(spec)
        seats = range(len(spec.seats))
        return replace(report, seat_processes=tuple(SeatProcess(seat=seat, **self.process) for seat in seats))


def _is_lost(bot: str, attempt: int) -> bool:
    return bot.startswith("lost") or (bot.startswith("shaky") and attempt == 1)


def play(spec: MatchSpec) -> MatchReport:
    match = Match(spec)
    generators = [Random(seat.seed) for seat in spec.seats]
    match.begin(
        [
            Fault(seat, FaultCause.START_FAILED, 0, "It ended before it joined.")
            for seat, one in enumerate(spec.seats)
            if one.name.startswith("broken")
        ]
    )
    while (decision := match.decision) is not None and not match.is_over:
        seat = spec.seats[decision.seat]
        action = generators[decision.seat].choice(list(decision.legal))
        if seat.name.startswith("cheat"):
            action = next(number for number in range(1000) if number not in decision.legal)
        match.receive(decision.seat, Answer(spec.match_id, decision.ply, [action]), 1000, 1000)
        match.add_evidence(decision.seat, {"stderr": "first line\nlast \x1b[31mline"})
    document = write_replay(match, STARTED_AT_US, 250_000).document()
    return MatchReport(
        match_id=spec.match_id,
        attempt=spec.attempt,
        result=match.result(),
        plies=len(match.entries),
        decisions=sum(entry.decide == entry.ply for entry in match.entries),
        started_at_us=STARTED_AT_US,
        duration_us=250_000,
        game_digest=document["game_digest"],
        record_digest=document["record_digest"],
        replay=dump(document),
        runtimes=tuple(seat.runtime for seat in spec.seats),
        sandboxes=tuple(seat.sandbox for seat in spec.seats),
        leak_checks=tuple(
            LeakCheckResult(seat, LeakVerdict.LEAK, 3, "It remembered.", {"used": ["A"], "fresh": ["B"]})
            for seat, one in enumerate(spec.seats)
            if spec.checks_leaks and one.is_deterministic and one.name.startswith("leaky")
        ),
    )


PLAYED = 4
"""How many matches are played before everything stands still."""


class _StallingExecutor(TableExecutor):
    left = PLAYED

    async def run(self, spec: MatchSpec) -> MatchReport:
        if self.left == 0:
            await asyncio.Event().wait()
        self.left -= 1
        return await super().run(spec)

    async def cancel(self, match_id: str) -> None:
        """Let it be: the task that waits for it is cancelled."""


@contextmanager
def stalling() -> Iterator[None]:
    """Let arenas play only the first matches of what they begin; all others are under way until they are stopped."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arena.scripting.database_arena.LocalExecutor", _StallingExecutor)
        yield
