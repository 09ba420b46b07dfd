"""Reports, events and processes of ours, as tests hand them to what the coordinator holds."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping
from typing import Any

from arena.executor.child_handle import ChildProcess
from arena.match.decisions import Answer
from arena.match.live import LiveEvent, LiveReader
from arena.match.match import Match
from arena.match.replay import dump, write_replay
from arena.match.result import MatchLostError
from arena.match.worker_report import MatchReport
from tests.support.patience import PATIENCE_S
from tests.support.specs import script_spec

SCRIPT = "0:3 1:2d 0:3 1:3 0:2d"


def played() -> tuple[list[LiveEvent], MatchReport]:
    """The events of a match, and its report."""
    match = Match(script_spec(SCRIPT))
    match.begin()
    while (decision := match.decision) is not None:
        match.receive(decision.seat, Answer("m1", decision.ply, decision.legal[:1]), 0, 0)
    document, result = write_replay(match, 1, 2).document(), match.result()
    report = MatchReport(
        match_id="m1",
        attempt=1,
        result=result,
        plies=5,
        decisions=5,
        started_at_us=1,
        duration_us=2,
        game_digest="",
        record_digest="",
        replay=dump(document),
    )
    return list(LiveReader(match, 1).read()), report


class PretendedChild:
    """A process that notes what it is told, and ends as the test says."""

    def __init__(self) -> None:
        self.told: list[dict[str, Any]] = []
        self.is_stopped = False
        self.is_stopping = False
        self.is_killed = False

    async def run(self) -> tuple[bool, int | None]:
        return True, -9

    def stop(self) -> None:
        self.is_stopped = True

    def kill(self) -> None:
        self.is_killed = True

    def send(self, head: Mapping[str, Any]) -> None:
        self.told.append({name: value for name, value in head.items() if name not in {"ticket", "spec"}})

    def last_output(self) -> str:
        return "it fell\n"

    def last_words(self) -> str:
        return "it fell"

    def describe_death(self, code: int | None) -> MatchLostError:
        return ChildProcess(list, lambda *_: None, lambda: None).describe_death(code)


def child_of(program: str, handle: Callable[[Mapping[str, Any], bytes], None] = lambda *_: None) -> ChildProcess:
    return ChildProcess(lambda: [sys.executable, "-I", "-S", "-c", program], handle, lambda: None)


async def run(child: ChildProcess) -> tuple[bool, int | None]:
    async with asyncio.timeout(PATIENCE_S):
        return await child.run()
