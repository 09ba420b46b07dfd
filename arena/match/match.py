"""One match as a pure state machine: no sockets, no tasks, no clocks, no files.

The owner of a `Match` sends what `decision` says, and hands in what came back together with the time it took; the
match judges in the fixed order: in time? well-formed? legal? apply. Whatever a bot says is judged, never raised.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from arena.match.decisions import DecidedBy, Decision, Entry
from arena.match.messages import Answer, Malformed, Message, ProtocolViolation, Resignation
from arena.match.ranks import rank_seats
from arena.match.result import Fault, FaultCause, MatchResult
from arena.match.spec import MatchSpec
from arena.match.timing import Figures
from arena.match.validation import Spent, explain_illegal, explain_late, find_breach, is_late
from engine import registry
from engine.chance import SeededChance
from engine.core import EngineError, Outcome
from engine.record import Event, Playing

BEFORE_START = -1
"""The instant of a forfeit before the first ply; later ones are told by their ply."""


class MatchSpecError(ValueError):
    """The match that was ordered cannot be played: unknown game or rules, bad options, an opening that is illegal."""


@dataclass(slots=True)
class _Seat:
    bank_us: int
    heard: int = 0
    dropped: int = 0


@dataclass(slots=True)
class _Book:
    """What a match writes down about its seats."""

    forfeits: dict[int, int] = field(default_factory=dict)
    """Instant of the forfeit by seat, in the order they happened."""
    resigned: list[int] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    has_acted: bool = False


class Match:
    """A match from opening to result. `begin` comes first, then `receive`, `expire`, `fail` as things happen."""

    __slots__ = ("_book", "_outcome", "_seats", "decision", "entries", "is_over", "playing", "spec")

    def __init__(self, spec: MatchSpec, playing: Playing | None = None) -> None:
        """Set the game up and play the opening. Raises MatchSpecError.

        `playing` is a fresh playing of what `spec` orders, for a game that need not be installed; without it the game
        is looked up by its name.
        """
        self.spec = spec
        self.playing = playing or _start_playing(spec)
        self.entries: list[Entry] = []
        self.decision: Decision | None = None
        self.is_over = False
        self._outcome: Outcome | None = None
        self._seats = [_Seat(spec.clock.bank_us) for _ in spec.seats]
        self._book = _Book()
        for action in spec.opening:
            try:
                self._apply(action, DecidedBy.OPENING)
            except EngineError as error:
                raise MatchSpecError(f"the opening breaks at ply {self.playing.ply}: {error}") from error

    # What the owner tells.

    def begin(self, absent: Sequence[Fault] = ()) -> None:
        """Start: `absent` are the faults of the seats that have no bot to play them; they forfeit at one instant."""
        for fault in absent:
            self._book.faults.append(fault)
            self._book.forfeits[fault.seat] = BEFORE_START
        self._settle()

    def receive(
        self, seat: int, message: Message, elapsed_us: int, charged_us: int, figures: Figures | None = None
    ) -> None:
        """Judge what a seat said. The times, and the figures behind the charge, count only if this seat was asked."""
        if self.is_over or seat in self._book.forfeits:
            return
        decision = self.decision
        if decision is None or decision.seat != seat:
            self._receive_unasked(seat, message)
            return
        spent = Spent(elapsed_us, charged_us, decision.time_limit_us, figures)
        if is_late(decision, spent, self.spec.clock.margin_us):
            self._fail_late(decision, spent)
        elif isinstance(message, Answer):
            self._judge_answer(decision, message, spent)
        else:
            self._judge_other(seat, message, spent)

    def expire(self, elapsed_us: int, charged_us: int, figures: Figures | None = None) -> None:
        """The time of the pending decision is over and nothing came."""
        if self.decision is not None:
            self._fail_late(self.decision, Spent(elapsed_us, charged_us, self.decision.time_limit_us, figures))

    def fail(self, seat: int, cause: FaultCause, explanation: str, evidence: Mapping[str, Any] | None = None) -> None:
        """A seat did something wrong that is no message: it forfeits. Nothing happens if it already has."""
        if self.is_over or seat in self._book.forfeits:
            return
        self._book.faults.append(Fault(seat, cause, self.playing.ply, explanation, dict(evidence or {})))
        self._forfeit(seat)

    def add_evidence(self, seat: int, evidence: Mapping[str, Any]) -> None:
        """Keep more evidence with the faults of a seat; also after the end."""
        faults = self._book.faults
        faults[:] = [
            replace(fault, evidence={**fault.evidence, **evidence}) if fault.seat == seat else fault for fault in faults
        ]

    def amend(self, fault: Fault, amended: Fault) -> None:
        """Replace a fault by what is known of it now: more evidence, or the cause behind what was seen first."""
        faults = self._book.faults
        faults[:] = [amended if other is fault else other for other in faults]

    # What the owner asks.

    def hear(self, seat: int) -> Sequence[Event]:
        """What `seat` may see since it last heard; it has heard it then."""
        events = self.playing.visible_events(seat, self._seats[seat].heard)
        self._seats[seat].heard = self.playing.ply
        return events

    def is_out(self, seat: int) -> bool:
        """Whether the seat has forfeited."""
        return seat in self._book.forfeits

    def faults_of(self, seat: int) -> Sequence[Fault]:
        """The faults of one seat."""
        return [fault for fault in self._book.faults if fault.seat == seat]

    @property
    def forfeits(self) -> Mapping[int, int]:
        """The instant of each forfeit by seat: its ply, or BEFORE_START."""
        return self._book.forfeits

    def result(self) -> MatchResult:
        """How it ended. Only after the end."""
        if not self.is_over:
            raise ValueError("the match is not over")
        book, outcome = self._book, self._outcome
        return MatchResult(
            ranks=rank_seats(len(self._seats), outcome.ranks if outcome else None, book.forfeits),
            by_rules=outcome is not None,
            rated=book.has_acted or len({fault.seat for fault in book.faults}) < len(self._seats),
            forfeits=tuple(book.forfeits),
            resigned=tuple(book.resigned),
            faults=tuple(book.faults),
            details=dict(outcome.details) if outcome else {},
        )

    # Judging.

    def _receive_unasked(self, seat: int, message: Message) -> None:
        if isinstance(message, Resignation) and message.match_id == self.spec.match_id:
            self._resign(seat)
        elif isinstance(message, Malformed):
            self.fail(seat, FaultCause.MALFORMED, f"It sent {message.why}.")
        elif isinstance(message, ProtocolViolation):
            self.fail(seat, FaultCause.PROTOCOL, f"It sent {message.why}.")
        else:
            self.fail(seat, FaultCause.PROTOCOL, "It answered although it was not asked.")

    def _judge_other(self, seat: int, message: Resignation | Malformed | ProtocolViolation, spent: Spent) -> None:
        if isinstance(message, Malformed):
            self.fail(seat, FaultCause.MALFORMED, f"It sent {message.why}.", spent.evidence())
        elif isinstance(message, ProtocolViolation):
            self.fail(seat, FaultCause.PROTOCOL, f"It sent {message.why}.", spent.evidence())
        elif message.match_id != self.spec.match_id:
            self.fail(seat, FaultCause.PROTOCOL, f"It resigned from another match, {message.match_id[:64]!r}.")
        else:
            self._resign(seat)

    def _judge_answer(self, decision: Decision, answer: Answer, spent: Spent) -> None:
        cause, why = find_breach(decision, answer, self.spec.match_id)
        if cause is not None:
            self.fail(decision.seat, cause, why, spent.evidence())
            return
        self._charge(decision.seat, spent.charged_us)
        self._apply_answer(decision, answer, spent)

    def _charge(self, seat: int, charged_us: int) -> None:
        """One `Decide` is one charge and one increment."""
        if self.spec.clock.has_bank:
            bank = self._seats[seat]
            bank.bank_us = max(bank.bank_us - charged_us, 0) + self.spec.clock.increment_us

    def _apply_answer(self, decision: Decision, answer: Answer, spent: Spent) -> None:
        seat, state = decision.seat, self.playing.state
        first: tuple[Any, ...] = (spent.elapsed_us, spent.charged_us, answer.note, spent.figures)
        self.decision = None
        used = 0
        for action in answer.actions:
            if not state.is_legal(action):
                self.fail(seat, FaultCause.ILLEGAL_ACTION, explain_illegal(self.playing, action), spent.evidence())
                return
            chances = len(self.playing.chance_outcomes)
            self._apply(action, DecidedBy.BOT, decision.ply, *first)
            self._book.has_acted = True
            first = ()
            used += 1
            self._play_forced(seat, chances)
            if state.seat() != seat or len(self.playing.chance_outcomes) != chances:
                break
        self._seats[seat].dropped = len(answer.actions) - used
        self._advance()

    def _play_forced(self, seat: int, chances: int) -> None:
        """Play the seat's own forced decisions, up to a chance outcome."""
        state = self.playing.state
        while state.seat() == seat and len(self.playing.chance_outcomes) == chances:
            legal = state.legal_actions()
            if len(legal) != 1:
                return
            self._apply(legal[0], DecidedBy.FORCED)

    def _fail_late(self, decision: Decision, spent: Spent) -> None:
        why = explain_late(decision, spent, self.spec.clock.margin_us)
        self.fail(decision.seat, FaultCause.TIMEOUT, why, spent.evidence())

    # The course of the match.

    def _resign(self, seat: int) -> None:
        self._book.resigned.append(seat)
        self._forfeit(seat)

    def _forfeit(self, seat: int) -> None:
        self._book.forfeits[seat] = self.playing.ply
        self._settle()

    def _settle(self) -> None:
        """After forfeits: with one unforfeited seat left the match ends and it wins."""
        if self._book.forfeits and len(self._seats) - len(self._book.forfeits) <= 1:
            self._end(None)
        elif self.decision is None or self.decision.seat in self._book.forfeits:
            self._advance()

    def _advance(self) -> None:
        """Play what no bot decides, until one must, or the game is over."""
        state = self.playing.state
        while (seat := state.seat()) is not None:
            legal = state.legal_actions()
            if len(legal) == 1:
                self._apply(legal[0], DecidedBy.FORCED)
            elif seat in self._book.forfeits:
                self._apply(state.caretaker_action(), DecidedBy.CARETAKER)
            else:
                self._ask(seat, legal)
                return
        self._end(state.outcome())

    def _ask(self, seat: int, legal: Sequence[int]) -> None:
        me = self._seats[seat]
        self.decision = Decision(
            seat=seat,
            ply=self.playing.ply,
            legal=legal,
            events=self.hear(seat),
            bank_us=me.bank_us,
            time_limit_us=self.spec.clock.allowance_us(me.bank_us),
            dropped=me.dropped,
        )
        me.dropped = 0

    def _end(self, outcome: Outcome | None) -> None:
        self.decision, self.is_over, self._outcome = None, True, outcome

    def _apply(self, action: int, by: DecidedBy, decide: int = -1, *first: Any) -> None:
        """`first` are the times, the note and the figures of an answer, with its first action."""
        event = self.playing.apply(action)
        self.entries.append(Entry(event.ply, event.seat, action, by, decide, *first))


def _start_playing(spec: MatchSpec) -> Playing:
    try:
        game = registry.get(spec.game)
        if game.rules_version != spec.rules_version:
            raise MatchSpecError(
                f"ordered with rules version {spec.rules_version} of {spec.game}; installed is {game.rules_version}"
            )
        return Playing(game, len(spec.seats), game.parse_options(spec.options), SeededChance(spec.chance_seed))
    except EngineError as error:
        raise MatchSpecError(str(error)) from error
