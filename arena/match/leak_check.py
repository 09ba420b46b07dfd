"""Plays a match again for one seat alone, and compares what several such retrials found. Pure.

The other seats do what the record says, chance repeats, and all times are those of the record. So the seat is asked
exactly what it was asked in the match, and a deterministic bot that remembers nothing gives the same answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.match.decisions import Answer, DecidedBy, Decision, Message, Resignation
from arena.match.match import BEFORE_START, Match
from arena.match.result import Fault, FaultCause, LeakVerdict
from arena.match.spec import MatchSpec
from arena.match.worker_report import LeakCheckResult
from engine.translatable import Text

SHOWN_ACTIONS = 10


@dataclass(frozen=True, slots=True)
class Deviation:
    """A decision that was answered differently than in the record."""

    ply: int
    recorded: tuple[str, ...]
    """The actions that were applied, in the game's notation."""
    answered: tuple[str, ...]
    """The actions that were answered now, or a word for what was said instead."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What one retrial found."""

    deviations: tuple[Deviation, ...] = ()
    """Empty if every answer was that of the record."""
    unanswered: str = ""
    """A sentence that tells why the retrial could not be played to its end; empty if it was."""


class Retrial:
    """One retrial: call `begin`, then `ask` and `judge` in turn until `ask` returns None; `deviations` is the finding.

    After a deviation the match goes on with the answer of the record. So two processes that choose at random hardly
    ever agree on all their answers, while two processes of a deterministic bot do.
    """

    def __init__(self, spec: MatchSpec, document: Mapping[str, Any], seat: int) -> None:
        """Prepare to ask `seat` again in the match that `spec` ordered and `document` is the replay of."""
        self.match = Match(spec)
        self.deviations: list[Deviation] = []
        self._seat = seat
        self._is_astray = False
        # By the ply at which the bot was asked; ids that were dropped are not in the record.
        groups: dict[int, list[Mapping[str, Any]]] = {}
        for entry in document["entries"]:
            if entry["by"] == DecidedBy.BOT:
                groups.setdefault(entry["decide"], []).append(entry)
        self._answers = {
            ply: _Recorded(
                Answer(spec.match_id, ply, tuple(entry["action"] for entry in group)),
                group[0]["elapsed_us"],
                group[0]["charged_us"],
            )
            for ply, group in groups.items()
        }
        self._forfeits: dict[int, int] = dict(document["result"]["forfeits"])

    def begin(self) -> None:
        """Start the match as it was started, with the same seats absent."""
        absent = [seat for seat, instant in self._forfeits.items() if instant == BEFORE_START]
        self.match.begin([Fault(seat, FaultCause.START_FAILED, 0, "") for seat in absent])

    def ask(self) -> Decision | None:
        """Return the next decision that the seat answered in the record, or None if there is none left."""
        match = self.match
        while (decision := match.decision) is not None and not self._is_astray:
            if self._play_forfeits():
                continue
            if match.is_out(self._seat):
                return None
            recorded = self._answers.get(decision.ply)
            if recorded is None:
                return None
            if decision.seat == self._seat:
                return decision
            match.receive(decision.seat, recorded.answer, recorded.elapsed_us, recorded.charged_us)
        return None

    def judge(self, message: Message) -> None:
        """Compare an answer with the record, and go on with the match. Raises ValueError if nothing was asked."""
        decision = self.match.decision
        if decision is None:
            raise ValueError("nothing was asked")
        recorded = self._answers[decision.ply]
        # Its first actions are those of the record: whether more are applied than then, the match itself will tell.
        may_be_equal = isinstance(message, Answer) and _begins_alike(message, recorded.answer)
        answer = message if may_be_equal else recorded.answer
        before = len(self.match.entries)
        self.match.receive(self._seat, answer, recorded.elapsed_us, recorded.charged_us)
        applied = [entry.action for entry in self.match.entries[before:] if entry.by is DecidedBy.BOT]
        self._is_astray = applied != list(recorded.answer.actions)
        if self._is_astray or not may_be_equal:
            names = self._names(recorded.answer.actions)
            self.deviations.append(Deviation(decision.ply, names, self._describe(message)))

    def _play_forfeits(self) -> bool:
        """Let the seats forfeit that forfeited at this point of the record; whether there was one."""
        match = self.match
        for seat, instant in self._forfeits.items():
            if instant <= match.playing.ply and not match.is_out(seat):
                match.fail(seat, FaultCause.DISCONNECTED, "")
                return True
        return False

    def _describe(self, message: Message) -> tuple[str, ...]:
        if isinstance(message, Answer):
            return self._names(message.actions)
        return ("resigned",) if isinstance(message, Resignation) else (message.why,)

    def _names(self, actions: Sequence[int]) -> tuple[str, ...]:
        table = self.match.playing.game.actions
        return tuple(
            table.format(action) if 0 <= action < len(table) else str(action) for action in actions[:SHOWN_ACTIONS]
        )


def _begins_alike(answer: Answer, recorded: Answer) -> bool:
    first = tuple(answer.actions[: len(recorded.actions)])
    return first == recorded.actions and (answer.match_id, answer.ply) == (recorded.match_id, recorded.ply)


@dataclass(frozen=True, slots=True)
class _Recorded:
    answer: Answer
    elapsed_us: int
    charged_us: int


def compare(seat: int, trials: Sequence[Trial]) -> LeakCheckResult:
    """Return what the retrials of a seat, each by a fresh process, tell of the process that played the match.

    One without a deviation is enough to find it equal; only two that agree find a leak.
    """
    for trial in trials:
        # A process that met the record's answers in place of its own may well be confused: that is no evidence.
        if trial.unanswered and not trial.deviations:
            return LeakCheckResult(seat, LeakVerdict.UNKNOWN, None, trial.unanswered)
    found = {trial.deviations for trial in trials}
    if found == {()}:
        return LeakCheckResult(
            seat,
            LeakVerdict.EQUAL,
            None,
            Text("A fresh process answered as the used one did."),
        )
    first = min((trial.deviations[0] for trial in trials if trial.deviations), key=lambda deviation: deviation.ply)
    evidence = {"used": list(first.recorded), "fresh": [_answered(trial, first) for trial in trials]}
    if len(found) == 1:
        why = Text("Fresh processes agree with each other and not with the used one: it remembers earlier matches.")
        return LeakCheckResult(seat, LeakVerdict.LEAK, first.ply, why, evidence)
    why = Text("Fresh processes do not agree with each other: the bot is not deterministic, although it declares it.")
    return LeakCheckResult(seat, LeakVerdict.UNSTABLE, first.ply, why, evidence)


def _answered(trial: Trial, deviation: Deviation) -> list[str]:
    """Return what was answered in a trial at the ply at which some trial deviated."""
    own = (other.answered for other in trial.deviations if other.ply == deviation.ply)
    return list(next(own, deviation.recorded))
