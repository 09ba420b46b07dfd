"""Requests for admissions of bots that are written for a test, and what came of them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from arena.match.spec import SeatSpec
from arena.model.bots import Finding, FindingState
from arena.service.admission import AdmissionRequest, AdmissionVerdict, admit
from arena.tournament.runner import MatchExecutor
from arena.trial.lineup import sample_seat, setups_of
from tests.support.patience import any_start
from tests.support.specs import scripted

CHOOSING_BOT = """
import os, random, sys, time
from tests.support.scripted_bot import Wire, act, say

matches = 0
wire = Wire(os.environ["ARENA_TOKEN"])
wire.join()
for response in wire.responses():
    if response.HasField("match_started"):
        matches += 1
        {started}
    if response.HasField("decide"):
        decide = response.decide
        wire.send_bytes(act(decide, decide.legal_actions[({choice}) % len(decide.legal_actions)]))
"""


@dataclass(frozen=True)
class Told:
    """What an admission reported."""

    verdict: AdmissionVerdict
    reported: Sequence[Finding]

    def states(self, state: FindingState) -> list[str]:
        return [finding.check for finding in self.reported if finding.state is state]

    @property
    def failed(self) -> list[str]:
        return self.states(FindingState.FAILED)

    def of(self, check: str) -> Finding:
        (finding,) = (finding for finding in self.reported if finding.check == check)
        return finding


def choosing_bot(tmp_path: Path, name: str, *, choice: str = "0", started: str = "pass", **changes: Any) -> SeatSpec:
    main = tmp_path / f"{name}.py"
    main.write_text(CHOOSING_BOT.format(choice=choice, started=started), encoding="utf-8")
    return replace(
        scripted(), **{"name": name, "version": str(main), "command": (sys.executable, str(main)), **changes}
    )


def request_for(bot: SeatSpec, **changes: Any) -> AdmissionRequest:
    """Only The Foreign King with two seats, and no clock that a busy machine could miss."""
    values: dict[str, Any] = {
        "admission_id": f"admission of {bot.name}",
        "bot": bot,
        "grounds": setups_of(["foreign_king"])[:1],
        "samples": (sample_seat("random", "none"),),
        "seed": 7,
        "clock": any_start("60s"),
        "tight_clock": any_start("60s"),
    }
    return AdmissionRequest(**{**values, **changes})


async def look_at(executor: MatchExecutor, bot: SeatSpec, **changes: Any) -> Told:
    reported: list[Finding] = []
    verdict = await admit(request_for(bot, **changes), executor, reported.append)
    assert verdict.findings == tuple(reported)
    return Told(verdict, reported)
