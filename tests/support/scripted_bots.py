"""Bots that play by a script, for tests that compare two roads to the same match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from bots.kit import RESIGN, Answer, Bot, Decision, Match
from engine.chance import SeededChance

NO_ACTION = 1_000_000


@dataclass(frozen=True, slots=True)
class Step:
    """One answer: so many actions of one's own in a row, then ids that may be anything, and a note."""

    actions: int = 1
    """0 stands for giving up."""
    surplus: tuple[int, ...] = ()
    note: str = ""


class ScriptedBot(Bot):
    """Follows its script, then its match's seed, and gives up after `patience` decisions."""

    def __init__(self, script: Sequence[Step], patience: int) -> None:
        self._script = script
        self._patience = patience
        self._decisions = 0

    def match_started(self, match: Match) -> None:  # noqa: ARG002 - the interface's argument
        self._decisions = 0

    def decide(self, decision: Decision) -> Answer:
        step = self._script[self._decisions] if self._decisions < len(self._script) else Step()
        self._decisions += 1
        decision.note = step.note
        if not step.actions or self._decisions > self._patience:
            return RESIGN
        return [*plan_actions(decision, step.actions), *step.surplus]


def plan_actions(decision: Decision, most: int) -> list[int]:
    """Up to `most` decisions that the seat can make in a row, drawn from the match's seed; at least one."""
    random = decision.match.random
    if most == 1:
        return [random.choice(decision.legal_actions)]
    state = decision.state(Random(random.getrandbits(53))).clone(SeededChance(random.getrandbits(53)))
    planned: list[int] = []
    while len(planned) < most and state.seat() == decision.match.seat:
        legal = state.legal_actions()
        action = random.choice(legal)
        if len(legal) > 1:
            planned.append(action)
        state.apply_unchecked(action)
        if state.revealed():
            break
    return planned
