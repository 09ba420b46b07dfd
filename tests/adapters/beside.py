"""Bots that sit beside a learner, and the learner: what the tests of both seatings share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

from arena.adapters.match_drivers import End, LearnerTurn, MatchDriver, Start
from arena.adapters.setting import GameSetting, setting_of
from bots.kit import Bot, Decision, Match

FAST: Mapping[str, Any] = {"max_rounds": 6}


def setting(seats: int = 3) -> GameSetting:
    return setting_of("foreign_king", seats, FAST)


def start(learner: int = 0, seed: int = 1, seats: int = 3, opening: tuple[int, ...] = ()) -> Start:
    return Start(learner, seed, opening, tuple(range(seed, seed + seats)))


def first(decision: Decision) -> int:
    return decision.legal_actions[0]


class DrawingBot(Bot):
    """Draws from its seed, and counts what it was told."""

    def __init__(self) -> None:
        self.started: list[Match] = []
        self.finished = 0

    def match_started(self, match: Match) -> None:
        self.started.append(match)

    def match_finished(self, match: Match, finished: Any) -> None:  # noqa: ARG002 - the interface's argument
        self.finished += 1

    def decide(self, decision: Decision) -> int:
        return decision.match.random.choice(decision.legal_actions)


def play(seating: MatchDriver, begin: Start, seed: int = 0) -> tuple[list[LearnerTurn], End]:
    """Play a match as one who draws, and return what it was shown."""
    return go_on(seating, seating.begin(begin), seed)


def go_on(seating: MatchDriver, moment: LearnerTurn | End, seed: int = 0) -> tuple[list[LearnerTurn], End]:
    random, turns = Random(seed), list[LearnerTurn]()
    while isinstance(moment, LearnerTurn):
        turns.append(moment)
        moment = seating.act(random.choice(moment.legal))
    return turns, moment


def write_bot(directory: Path, decide: str, before: str = "", games: str = '["*"]') -> Path:
    """Write a bot in Python whose `decide` has that body, and return its directory."""
    directory.mkdir()
    (directory / "bot.toml").write_text(
        f'schema = 1\nname = "{directory.name}"\ncommand = ["python", "main.py"]\ngames = {games}\n', encoding="utf-8"
    )
    body = "\n".join(f"        {line}" for line in decide.splitlines())
    program = (
        f"import os, sys, time\nfrom bots.kit import Bot, run\n{before}\n"
        "class It(Bot):\n    asked = 0\n    def decide(self, decision):\n        self.asked += 1\n"
        f"{body}\n\nrun(It())\n"
    )
    (directory / "main.py").write_text(program, encoding="utf-8")
    return directory


def raising(at: int) -> Callable[[Decision], int]:
    """A function that raises at one of its decisions."""
    asked = 0

    def stumbling(decision: Decision) -> int:
        nonlocal asked
        asked += 1
        if asked == at:
            raise RuntimeError("I do not know this position")
        return decision.legal_actions[0]

    return stumbling
