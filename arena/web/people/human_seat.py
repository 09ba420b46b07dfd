"""The seat of one person in one match: the pending decision, the board as the seat sees it, and looking ahead. No I/O.

    waiting -> thinking <-> asked -> over
                  |           |
                  +-> waiting, when the match begins anew -> ...      lost, when it has no result

What a person asks for is checked here before it is sent: a bad request is an error of the browser, never a fault.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from arena.connect.match_history import BEFORE_ALL, MatchHistory
from arena.v1 import match_pb2, play_pb2
from arena.web.people.errors import IllegalError, StaleError
from engine import registry
from engine.abilities import Move
from engine.chance import ScriptedChance, ScriptError
from engine.core import AbilityError, Game, State

Send = Callable[[play_pb2.PlayRequest], None]
IDLE, BY_REQUEST = "idle", "asked"
_MOST_SEEN = 16
"""Positions are looked at one after another, so that only the last ones are needed again."""


class HumanSeatState(StrEnum):
    """Where a seat stands."""

    WAITING = "waiting"
    """The match has not begun, or begins anew."""
    THINKING = "thinking"
    """Others decide."""
    ASKED = "asked"
    """The person decides."""
    OVER = "over"
    """The match is over for this seat."""
    LOST = "lost"
    """The match has no result: the service gave it up, or does not let the visitor in."""


@dataclass(frozen=True, slots=True)
class SeatEnding:
    """How a match ended for a seat."""

    ranks: tuple[int, ...]
    details: Mapping[str, Any]
    faults: tuple[str, ...] = ()
    """What this seat did wrong, in words."""
    resigned: str = ""
    """Why it gave up, if it did: `asked` by the person, or `idle`."""


@dataclass(frozen=True, slots=True)
class PendingDecision:
    """A decision that waits for a person, with the time that is left when it is looked at."""

    ply: int
    legal: tuple[int, ...]
    left_us: int | None
    """Until the limit of this decision; None without one."""
    bank_us: int | None
    idle_left_s: float
    """After which the seat resigns."""


@dataclass(frozen=True, slots=True)
class PlannedAction:
    """An action that is to be sent when the match has come to its ply."""

    ply: int
    action: int


class HumanSeat:
    """A person's seat; all methods are called in one event loop, and `on_change` after whatever a browser may see."""

    def __init__(self, number: int, name: str, send: Send, idle_s: float, on_change: Callable[[], None]) -> None:
        """Sit in seat `number`, 0-based, as a person of that name who resigns after `idle_s` without a decision."""
        self.number = number
        self.name = name
        self.board: SeatBoard | None = None
        self.ending: SeatEnding | None = None
        self.lost = ""
        """Why the match has no result, in a sentence."""
        self.restarts = 0
        """How often the match began anew."""
        self._send = send
        self._idle_s = idle_s
        self._on_change = on_change
        self._match_id: str | None = None
        self._early: list[play_pb2.PlayResponse] = []
        """What came before it was known which match is this seat's."""
        self._history: MatchHistory | None = None
        self._idle: asyncio.TimerHandle | None = None
        self._resigned = ""
        self._planned: list[PlannedAction] = []
        """What is to be answered to the next questions, if they are those that were looked ahead to."""
        self._is_told = False
        """Whether the service has told of the match since the visitor joined last."""
        self._loop = asyncio.get_running_loop()

    @property
    def stage(self) -> HumanSeatState:
        """Return where the seat stands."""
        if self.ending is not None:
            return HumanSeatState.OVER
        if self.lost:
            return HumanSeatState.LOST
        if self._history is None:
            return HumanSeatState.WAITING
        return HumanSeatState.THINKING if self._history.pending is None or self._resigned else HumanSeatState.ASKED

    @property
    def is_over(self) -> bool:
        """Return whether nothing more comes."""
        return self.stage in (HumanSeatState.OVER, HumanSeatState.LOST)

    @property
    def is_waiting(self) -> bool:
        """Return whether it is not over, and the service has told nothing of it since the visitor joined last."""
        return not self.is_over and not self._is_told

    @property
    def asked(self) -> PendingDecision | None:
        """Return the question that waits for the person, with the time that is left now."""
        if self.stage is not HumanSeatState.ASKED or self._history is None:
            return None
        question = self._history.question(self._history.last_ply, self._loop.time())
        if question is None:
            return None
        idle_left_s = self._idle_s if self._idle is None else max(self._idle.when() - self._loop.time(), 0.0)
        has_bank = bool(self._history.started.clock.bank_us)
        return PendingDecision(
            ply=question.ply,
            legal=tuple(question.legal_actions),
            left_us=question.time_limit_us or None,
            bank_us=question.bank_us if has_bank else None,
            idle_left_s=idle_left_s,
        )

    # What the person wants.

    def choose(self, ply: int, action: int, then: Sequence[PlannedAction] = ()) -> None:
        """Answer the question of that ply, and the next ones by `then`, as long as they are asked.

        Raises StaleError, IllegalError; nothing was sent then.
        """
        pending = None if self._history is None or self.stage is not HumanSeatState.ASKED else self._history.pending
        if pending is None or pending.ply != ply:
            raise StaleError("this was decided already, or the match went on; look at the board as it is now")
        if action not in pending.legal_actions:
            raise IllegalError("that is not possible here; choose one of the actions that are offered")
        self._planned = list(then)
        self._act(pending, action)

    def resign(self, why: str = BY_REQUEST) -> None:
        """Give the match up, at any time; nothing happens if it is over."""
        if self.is_over or self._resigned:
            return
        self._resigned = why
        if self._history is not None:
            self._answer(_resignation(self._history.match_id))
            return
        if self._match_id is not None:  # it may have begun already, and nobody may be here any more to be told so
            self._send(_resignation(self._match_id))
        self._on_change()

    def _act(self, decide: play_pb2.Decide, action: int) -> None:
        act = play_pb2.Act(match_id=decide.match_id, ply=decide.ply, actions=[action])
        self._answer(play_pb2.PlayRequest(act=act))

    def _answer(self, request: play_pb2.PlayRequest) -> None:
        assert self._history is not None
        self._stop_idling()
        self._history.answer(request)
        self._send(request)
        self._on_change()

    # What the service says.

    def expect(self, match_id: str) -> None:
        """Learn which match is this seat's; what came before is looked at now."""
        self._match_id = match_id
        early, self._early = self._early, []
        for response in early:
            self.receive(response)

    def receive(self, response: play_pb2.PlayResponse) -> None:
        """Take what the service tells the visitor; a match of somebody who sat in it before is given up."""
        if self._match_id is None:
            self._early.append(response)
            return
        kind = response.WhichOneof("event")
        if kind == "joined":
            self._is_told = False
        elif kind == "match_started" and response.match_started.match_id != self._match_id:
            self._send(_resignation(response.match_started.match_id))
        elif kind == "match_started":
            self._is_told = True
            if response.match_started.resumed and self._history is not None:
                self._history.restart(response.match_started)
                self._history.pending = None  # it is asked again, if it still waits
                if self.board is not None:
                    self.board.add_events(response.match_started.events)
            else:
                self.restarts += self._history is not None
                self._history, self.board = MatchHistory(response.match_started), SeatBoard(response.match_started)
            self._stop_idling()
            self._planned = []
            if self._resigned:
                self._answer(_resignation(response.match_started.match_id))
            self._on_change()
        elif kind == "decide" and response.decide.match_id == self._match_id:
            self._ask(response.decide)
        elif kind == "match_finished" and response.match_finished.match_id == self._match_id:
            self._stop_idling()
            if not response.match_finished.HasField("result"):
                self.restarts += self._history is not None
                self._history, self.board = None, None  # the arena broke it off, and plays it again
            elif self._history is not None and self.board is not None:
                self._history.end(response.match_finished)
                self.board.add_events(self._history.events_after(BEFORE_ALL))
                self.ending = SeatEnding(
                    ranks=tuple(response.match_finished.result.ranks),
                    details=json.loads(response.match_finished.result.details_json or "{}"),
                    faults=tuple(fault.explanation for fault in response.match_finished.faults),
                    resigned=self._resigned,
                )
            self._on_change()

    def lose(self, why: str) -> None:
        """Note that the match has no result for this seat."""
        if not self.is_over:
            self._stop_idling()
            self.lost = why
            self._on_change()

    def end(self, ending: SeatEnding) -> None:
        """Note how the match ended, which the visitor was not told."""
        if not self.is_over:
            self._stop_idling()
            self.ending = ending
            self._on_change()

    def close(self) -> None:
        """Stop the time."""
        self._stop_idling()

    def _ask(self, decide: play_pb2.Decide) -> None:
        if self._history is None or self.board is None:
            return
        answered = self._history.ask(decide, self._loop.time())
        self.board.set_question(decide)
        planned = self._planned.pop(0) if self._planned and answered is None else None
        if answered is not None:  # it was lost on its way
            self._send(answered)
        elif planned is not None and planned.ply == decide.ply and planned.action in decide.legal_actions:
            self._act(decide, planned.action)
            return
        elif self._idle is None:
            self._idle = self._loop.call_later(self._idle_s, self.resign, IDLE)
        if answered is None:
            self._planned = []
        self._on_change()

    def _stop_idling(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None


def _resignation(match_id: str) -> play_pb2.PlayRequest:
    return play_pb2.PlayRequest(resign=play_pb2.Resign(match_id=match_id))


class SeatBoard:
    """One match of one seat. Positions of a watch, which hold what is hidden, are shown through `seen` alone."""

    def __init__(self, started: play_pb2.MatchStarted) -> None:
        self.seat = started.seat
        self.seats = started.seats
        self.options = json.loads(started.options_json or "{}")
        self.game = registry.get(started.game).for_match(self.options)
        self.moves: list[match_pb2.Event] = []
        """All plies that this seat was told of."""
        self.asked: State | None = None
        """The position of the last question."""
        self.asked_ply = -1
        """How many plies had been played when it was asked."""
        self._seen: dict[int, tuple[State, State]] = {}
        self.add_events(started.events)

    def add_events(self, events: Iterable[match_pb2.Event]) -> None:
        """Take what was played; what is known already may be told again."""
        self.moves += [event for event in events if event.ply >= len(self.moves)]

    def set_question(self, decide: play_pb2.Decide) -> None:
        """Take the position as a question shows it."""
        self.add_events(decide.events)
        self.asked = self.game.observed(decide.observation.value).state
        self.asked_ply = decide.ply

    def seen(self, state: State) -> State:
        """Return a position as this seat sees it: what the referee would send it, and nothing else."""
        if not self.game.has_hidden_information:
            return state
        found = self._seen.get(id(state))
        if found is None or found[0] is not state:
            shown = self.game.observed(self.game.encode_observation(state, self.seat)[1]).state
            found = self._seen[id(state)] = (state, shown)
            while len(self._seen) > _MOST_SEEN:
                self._seen.pop(next(iter(self._seen)), None)
        return found[1]

    def seen_move(self, move: Move) -> Move:
        """Return a move as this seat sees it."""
        return replace(move, before=self.seen(move.before), after=self.seen(move.after))


@dataclass(frozen=True, slots=True)
class LookAhead:
    """Where some actions of one seat lead, as far as it can know."""

    planned: tuple[PlannedAction, ...]
    state: State
    """The last position that follows from what the seat sees."""
    last: Move | None
    """The move that led there."""
    legal: tuple[int, ...]
    """What the seat may choose next; nothing if others, chance or the end come first."""

    @property
    def ply(self) -> int:
        """Return the ply at which the next of its actions would be played."""
        return self.planned[-1].ply + 1


def look_ahead(game: Game, state: State, ply: int, actions: Sequence[int]) -> LookAhead:
    """Return what comes of actions in a position, of which the seat to move sees `state`, before `ply`.

    Raises IllegalError for an action that is not legal, or not this seat's to choose.
    """
    seat, planned, last, legal = state.seat(), [], None, tuple(state.legal_actions())
    for action in actions:
        if action not in legal:
            raise IllegalError("that is not possible here; choose one of the actions that are offered")
        planned.append(PlannedAction(ply, action))
        after = _after(state, action)
        ply += 1
        if after is None:
            legal = ()
            continue
        last = Move(state, action, game.actions.format(action), state.seat() or 0, after)
        state = after
        while state.seat() == seat and len(state.legal_actions()) == 1:  # the referee plays what is forced
            forced = _after(state, state.legal_actions()[0])
            if forced is None:
                break
            state, ply = forced, ply + 1
        legal = tuple(state.legal_actions()) if state.seat() == seat and len(state.legal_actions()) > 1 else ()
    return LookAhead(tuple(planned), state, last, legal)


def _after(state: State, action: int) -> State | None:
    """Return what follows from an action, or None if chance or something hidden takes part in it."""
    after = state.clone(ScriptedChance(()))
    try:
        after.apply(action)
    except (ScriptError, AbilityError):  # what one seat sees of some games cannot be played on
        return None
    return None if after.revealed() else after
