"""One match and its seats as a pure state machine: no sockets, no tasks, no clocks, no files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from arena.match.decisions import (
    Answer,
    DecidedBy,
    Decision,
    Malformed,
    Message,
    ProtocolViolation,
    ReplayEntry,
    Resignation,
    TimeSpent,
    explain_illegal_in,
    explain_late,
    find_fault_of_form,
    is_late,
    name_action,
)
from arena.match.result import Fault, FaultCause, MatchResult
from arena.match.spec import MatchSpec
from arena.match.time_control import Figures
from engine import registry
from engine.chance import SeededChance
from engine.core import EngineError, Outcome
from engine.record import Event, Playing
from engine.translatable import Text

BEFORE_START = -1
"""The instant of a forfeit before the first ply; that of a later one is the ply at which it happened."""


class MatchSpecError(ValueError):
    """The match that was ordered cannot be played: unknown game or rules, bad options, an illegal opening."""


class Match:
    """A match from opening to result. `begin` comes first, then `receive`, `expire` and `fail` as things happen."""

    __slots__ = ("_outcome", "_seats", "decision", "entries", "is_over", "playing", "spec")

    spec: MatchSpec
    playing: Playing
    entries: list[ReplayEntry]
    """Every ply so far, as the replay keeps it."""
    decision: Decision | None
    """What must be asked now; None before `begin` and after the end."""
    is_over: bool

    def __init__(self, spec: MatchSpec, playing: Playing | None = None) -> None:
        """Set the game up and play the opening. Raises MatchSpecError.

        `playing` is a fresh playing of what `spec` orders, for a game that need not be installed; without it the game
        is looked up by its name.
        """
        self.spec = spec
        self.playing = playing or _start_playing(spec)
        self.entries = []
        self.decision = None
        self.is_over = False
        self._outcome: Outcome | None = None
        self._seats = Seats(len(spec.seats), spec.clock.bank_us)
        self._play_opening()

    # What the owner tells.

    def begin(self, absent: Sequence[Fault] = ()) -> None:
        """Start: `absent` are the faults of the seats that have no bot to play them; they forfeit at one instant."""
        for fault in absent:
            self._seats.forfeit(fault, BEFORE_START)
        self._go_on()

    def receive(
        self, seat: int, message: Message, elapsed_us: int, charged_us: int, figures: Figures | None = None
    ) -> None:
        """Judge what a seat said. The times, and the figures behind the charge, count only if this seat was asked."""
        if self.is_over or self.is_out(seat):
            return
        decision = self.decision
        if decision is None or decision.seat != seat:
            self._judge_unasked(seat, message)
            return
        spent = TimeSpent(elapsed_us, charged_us, decision.time_limit_us, figures)
        if is_late(decision, spent, self.spec.clock.margin_us):
            self._fail_late(decision, spent)
        elif isinstance(message, Answer):
            self._judge_answer(decision, message, spent)
        else:
            self._judge_other(seat, message, spent)

    def expire(self, elapsed_us: int, charged_us: int, figures: Figures | None = None) -> None:
        """Judge that the time of the pending decision is over and nothing has come."""
        if self.decision is not None:
            self._fail_late(self.decision, TimeSpent(elapsed_us, charged_us, self.decision.time_limit_us, figures))

    def fail(self, seat: int, cause: FaultCause, explanation: str, evidence: Mapping[str, Any] | None = None) -> None:
        """Put a seat out for what it did wrong. Nothing happens if it is out already, or the match is over."""
        if self.is_over or self.is_out(seat):
            return
        self._seats.forfeit(Fault(seat, cause, self.playing.ply, explanation, dict(evidence or {})), self.playing.ply)
        self._go_on()

    def add_evidence(self, seat: int, evidence: Mapping[str, Any]) -> None:
        """Keep more evidence with the faults of a seat; also after the end."""
        self._seats.add_evidence(seat, evidence)

    def amend(self, fault: Fault, amended: Fault) -> None:
        """Replace a fault by what is known of it now: more evidence, or the cause behind what was seen first."""
        self._seats.amend(fault, amended)

    # What the owner asks.

    def take_unseen_events(self, seat: int) -> Sequence[Event]:
        """Return what `seat` may see of all plies since the last call for it; from now on it has heard of them."""
        events = self.playing.visible_events(seat, self._seats[seat].heard)
        self._seats[seat].heard = self.playing.ply
        return events

    def is_out(self, seat: int) -> bool:
        """Whether the seat has forfeited."""
        return self._seats.is_out(seat)

    def faults_of(self, seat: int) -> Sequence[Fault]:
        """Return the faults of one seat."""
        return self._seats.faults_of(seat)

    @property
    def forfeits(self) -> Mapping[int, int]:
        """The instant of each forfeit by seat: its ply, or BEFORE_START."""
        return self._seats.forfeits

    def result(self) -> MatchResult:
        """Return how the match ended. Raises ValueError before its end."""
        if not self.is_over:
            raise ValueError("the match is not over")
        return self._seats.result(self._outcome)

    # Judging.

    def _judge_unasked(self, seat: int, message: Message) -> None:
        if isinstance(message, Resignation) and message.match_id == self.spec.match_id:
            self._resign(seat)
        elif isinstance(message, Malformed):
            self.fail(seat, FaultCause.MALFORMED, Text("It sent {what}.", what=message.why))
        elif isinstance(message, ProtocolViolation):
            self.fail(seat, FaultCause.PROTOCOL, Text("It sent {what}.", what=message.why))
        else:
            self.fail(
                seat,
                FaultCause.PROTOCOL,
                Text("It answered although it was not asked."),
            )

    def _judge_other(self, seat: int, message: Resignation | Malformed | ProtocolViolation, spent: TimeSpent) -> None:
        """Judge what a seat said that was asked, if it is no answer."""
        if isinstance(message, Malformed):
            self.fail(
                seat,
                FaultCause.MALFORMED,
                Text("It sent {what}.", what=message.why),
                spent.evidence(),
            )
        elif isinstance(message, ProtocolViolation):
            self.fail(
                seat,
                FaultCause.PROTOCOL,
                Text("It sent {what}.", what=message.why),
                spent.evidence(),
            )
        elif message.match_id != self.spec.match_id:
            self.fail(
                seat,
                FaultCause.PROTOCOL,
                Text("It resigned from another match, {match}.", match=repr(message.match_id[:64])),
            )
        else:
            self._resign(seat)

    def _judge_answer(self, decision: Decision, answer: Answer, spent: TimeSpent) -> None:
        cause, why = find_fault_of_form(decision, answer, self.spec.match_id)
        if cause is not None:
            self.fail(decision.seat, cause, why, spent.evidence())
            return
        self._charge(decision.seat, spent.charged_us)
        self._apply_answer(decision, answer, spent)

    def _fail_late(self, decision: Decision, spent: TimeSpent) -> None:
        why = explain_late(decision, spent, self.spec.clock.margin_us)
        self.fail(decision.seat, FaultCause.TIMEOUT, why, spent.evidence())

    def _fail_illegal(self, decision: Decision, answer: Answer, index: int, spent: TimeSpent) -> None:
        """Judge that the action at `index` of an answer is illegal where it came; those before it were applied."""
        evidence = spent.evidence()
        if len(answer.actions) > 1:
            evidence["answer"] = ", ".join(name_action(self.playing, action) for action in answer.actions)
        why = explain_illegal_in(self.playing, answer, index, self.playing.ply - decision.ply - index)
        self.fail(decision.seat, FaultCause.ILLEGAL_ACTION, why, evidence)

    def _resign(self, seat: int) -> None:
        self._seats.resign(seat, self.playing.ply)
        self._go_on()

    def _charge(self, seat: int, charged_us: int) -> None:
        """Take the charge of one `Decide` from the bank, and add its increment."""
        if self.spec.clock.has_bank:
            bank = self._seats[seat]
            bank.bank_us = max(bank.bank_us - charged_us, 0) + self.spec.clock.increment_us

    # Applying.

    def _apply_answer(self, decision: Decision, answer: Answer, spent: TimeSpent) -> None:
        """Apply actions until chance, another seat's decision or the end comes first; the rest is dropped."""
        seat, state = decision.seat, self.playing.state
        self.decision = None
        used = 0
        for action in answer.actions:
            if not state.is_legal(action):
                self._fail_illegal(decision, answer, used, spent)
                return
            chances = len(self.playing.chance_outcomes)
            self._apply_chosen(action, decision, answer, spent)
            used += 1
            self._play_forced(seat, chances)
            if state.seat() != seat or len(self.playing.chance_outcomes) != chances:
                break
        self._seats[seat].dropped = len(answer.actions) - used
        self._advance()

    def _apply_chosen(self, action: int, decision: Decision, answer: Answer, spent: TimeSpent) -> None:
        """Apply one action of an answer; times and note stand with the first."""
        event = self.playing.apply(action)
        if event.ply == decision.ply:
            self.entries.append(
                ReplayEntry(
                    event.ply,
                    event.seat,
                    action,
                    DecidedBy.BOT,
                    decide=decision.ply,
                    elapsed_us=spent.elapsed_us,
                    charged_us=spent.charged_us,
                    note=answer.note,
                    figures=spent.figures,
                )
            )
        else:
            self.entries.append(ReplayEntry(event.ply, event.seat, action, DecidedBy.BOT, decide=decision.ply))
        self._seats.has_acted = True

    def _apply(self, action: int, by: DecidedBy) -> None:
        """Apply an action that no bot chose."""
        event = self.playing.apply(action)
        self.entries.append(ReplayEntry(event.ply, event.seat, action, by))

    def _play_opening(self) -> None:
        for action in self.spec.opening:
            try:
                self._apply(action, DecidedBy.OPENING)
            except EngineError as error:
                raise MatchSpecError(
                    Text("the opening breaks at ply {ply}: {why}", ply=self.playing.ply, why=error)
                ) from error

    def _play_forced(self, seat: int, chances: int) -> None:
        """Play the seat's own forced decisions, up to a chance outcome after the first `chances`."""
        state = self.playing.state
        while state.seat() == seat and len(self.playing.chance_outcomes) == chances:
            legal = state.legal_actions()
            if len(legal) != 1:
                return
            self._apply(legal[0], DecidedBy.FORCED)

    # Going on.

    def _go_on(self) -> None:
        """End the match if forfeits have decided it; otherwise find its next decision if it has none."""
        if self._seats.has_winner():
            self._end(None)
        elif self.decision is None or self.is_out(self.decision.seat):
            self._advance()

    def _advance(self) -> None:
        """Play what no bot decides, until one must, or the game is over."""
        state = self.playing.state
        while (seat := state.seat()) is not None:
            legal = state.legal_actions()
            if len(legal) == 1:
                self._apply(legal[0], DecidedBy.FORCED)
            elif self.is_out(seat):
                self._apply(state.caretaker_action(), DecidedBy.CARETAKER)
            else:
                self._ask(seat, legal)
                return
        self._end(state.outcome())

    def _ask(self, seat: int, legal: Sequence[int]) -> None:
        asked = self._seats[seat]
        self.decision = Decision(
            seat=seat,
            ply=self.playing.ply,
            legal=legal,
            events=self.take_unseen_events(seat),
            bank_us=asked.bank_us,
            time_limit_us=self.spec.clock.allowance_us(asked.bank_us),
            dropped=asked.dropped,
        )

    def _end(self, outcome: Outcome | None) -> None:
        self.decision, self.is_over, self._outcome = None, True, outcome


def _start_playing(spec: MatchSpec) -> Playing:
    try:
        game = registry.get(spec.game)
        if game.rules_version != spec.rules_version:
            raise MatchSpecError(
                Text(
                    "ordered with rules version {version} of {game}; installed is {installed}",
                    version=spec.rules_version,
                    game=spec.game,
                    installed=game.rules_version,
                )
            )
        return Playing(game, len(spec.seats), game.parse_options(spec.options), SeededChance(spec.chance_seed))
    except EngineError as error:
        raise MatchSpecError(str(error)) from error


@dataclass(slots=True)
class SeatMemory:
    """What a match remembers of one seat between its decisions."""

    bank_us: int
    heard: int = 0
    """How many plies the seat has been told of."""
    dropped: int = 0
    """How many ids of its last answer were not played."""


class Seats:
    """The seats of a match in their order, and the forfeits and faults in the order in which they happened."""

    __slots__ = ("_all", "faults", "forfeits", "has_acted", "resigned")

    def __init__(self, number: int, bank_us: int) -> None:
        self._all = [SeatMemory(bank_us) for _ in range(number)]
        self.forfeits: dict[int, int] = {}
        """The instant of each forfeit by seat: its ply, or BEFORE_START."""
        self.resigned: list[int] = []
        self.faults: list[Fault] = []
        self.has_acted = False
        """Whether any bot has played an action."""

    def __getitem__(self, seat: int) -> SeatMemory:
        return self._all[seat]

    def is_out(self, seat: int) -> bool:
        """Whether the seat has forfeited."""
        return seat in self.forfeits

    def has_winner(self) -> bool:
        """Whether forfeits have left one seat or none in the match."""
        return bool(self.forfeits) and len(self._all) - len(self.forfeits) <= 1

    def faults_of(self, seat: int) -> Sequence[Fault]:
        """Return the faults of one seat."""
        return [fault for fault in self.faults if fault.seat == seat]

    def forfeit(self, fault: Fault, instant: int) -> None:
        """Put a seat out of the match for what it did wrong."""
        self.faults.append(fault)
        self.forfeits[fault.seat] = instant

    def resign(self, seat: int, instant: int) -> None:
        """Put a seat out of the match because it gave up, which is no fault."""
        self.resigned.append(seat)
        self.forfeits[seat] = instant

    def add_evidence(self, seat: int, evidence: Mapping[str, Any]) -> None:
        """Add evidence to every fault of a seat."""
        for fault in self.faults_of(seat):
            self.amend(fault, replace(fault, evidence={**fault.evidence, **evidence}))

    def amend(self, fault: Fault, amended: Fault) -> None:
        """Replace a fault by what has become known of it."""
        self.faults[:] = [amended if other is fault else other for other in self.faults]

    def result(self, outcome: Outcome | None) -> MatchResult:
        """Return the end of the match; `outcome` is None if the rules did not end the game."""
        return MatchResult(
            ranks=rank_seats(len(self._all), outcome.ranks if outcome else None, self.forfeits),
            by_rules=outcome is not None,
            rated=self.has_acted or len({fault.seat for fault in self.faults}) < len(self._all),
            forfeits=tuple(self.forfeits),
            resigned=tuple(self.resigned),
            faults=tuple(self.faults),
            details=dict(outcome.details) if outcome else {},
        )


def rank_seats(seats: int, game_ranks: Sequence[int] | None, forfeits: Mapping[int, int]) -> tuple[int, ...]:
    """Return the rank of each seat, 1 = best, equal where seats tie.

    `forfeits` tells for each seat that forfeited at which instant it did; instants only grow. The seats that did not
    forfeit come first, in the game's order among themselves (all equal where `game_ranks` is None). The others follow:
    the later a seat forfeited the better its rank, and seats that forfeited at one instant are equal.
    """
    keys = [
        (1, -forfeits[seat]) if seat in forfeits else (0, game_ranks[seat] if game_ranks is not None else 0)
        for seat in range(seats)
    ]
    return tuple(1 + sum(other < key for other in keys) for key in keys)
