"""What a match asks of a bot, what the bot may answer, and what is wrong with an answer. Pure values, no I/O."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from arena.match.result import FaultCause
from arena.match.time_control import Figures
from engine.record import Event, Playing
from engine.translatable import Text
from engine.value_class import value_class

MAX_ACTIONS = 64
MAX_NOTE = 1000
SHOWN_ACTIONS = 10


class DecidedBy(enum.StrEnum):
    """Who chose an action."""

    BOT = "bot"
    FORCED = "forced"
    OPENING = "opening"
    CARETAKER = "caretaker"


@value_class
class ReplayEntry:
    """One ply as the replay keeps it."""

    ply: int
    seat: int
    action: int
    by: DecidedBy
    decide: int = -1
    """The ply of the `Decide` that a bot answered, equal for all actions of one answer; -1 if no bot chose it."""
    elapsed_us: int = 0
    """From the `Decide` to the answer. Only the first action of an answer has it, as it has the charge and the note."""
    charged_us: int = 0
    note: str = ""
    figures: Figures | None = None
    """What the charge was computed from; None if the decision was too short to be measured."""


@value_class
class Decision:
    """A point at which one seat must be asked."""

    seat: int
    ply: int
    legal: Sequence[int]
    """The ids it may answer, ascending; at least two."""
    events: Sequence[Event]
    """What this seat may see of all plies since it last heard, in order."""
    bank_us: int
    time_limit_us: int
    """0 = no limit; the margin is not counted."""
    dropped: int
    """How many ids of this seat's last answer were not played."""


@value_class
class Answer:
    """What an `Act` says: the decision it answers, the ids of its actions, which may be any ints, and a note."""

    match_id: str
    ply: int
    actions: Sequence[int]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Resignation:
    """A `Resign`: the bot gives up the match that it names."""

    match_id: str


@dataclass(frozen=True, slots=True)
class Malformed:
    """Bytes that cannot be read as a message; `why` ends a sentence that begins "It sent"."""

    why: str


@dataclass(frozen=True, slots=True)
class ProtocolViolation:
    """A message that is not allowed here, such as a second `Join`; `why` ends a sentence that begins "It sent"."""

    why: str


@dataclass(frozen=True, slots=True)
class JoinRequest:
    """What a remote bot said that wants to join; it comes from outside and may be of any length below 256 KiB.

    `peer` is the address it comes from, as gRPC writes it; `name` is plain, without an owner. `token` is empty only for
    a program on this machine that asks for a seat of a person.
    """

    token: str
    peer: str
    name: str
    version: str
    games: tuple[str, ...]


Message = Answer | Resignation | Malformed | ProtocolViolation


@value_class
class TimeSpent:
    """The time that an answer took, and what it was allowed to take."""

    elapsed_us: int
    charged_us: int
    limit_us: int
    figures: Figures | None = None

    def evidence(self) -> dict[str, Any]:
        """Return the times as the evidence of a fault keeps them."""
        times = {"elapsed_us": self.elapsed_us, "charged_us": self.charged_us, "limit_us": self.limit_us}
        return times | self.figures.to_json() if self.figures else times


def find_fault_of_form(decision: Decision, answer: Answer, match_id: str) -> tuple[FaultCause | None, str]:
    """Return the cause and a sentence if the form of an answer is wrong, whatever its actions; else (None, "")."""
    if not 1 <= len(answer.actions) <= MAX_ACTIONS:
        return FaultCause.MALFORMED, Text(
            "Its answer held {count} actions; 1 to {most} are allowed.", count=len(answer.actions), most=MAX_ACTIONS
        )
    if len(answer.note) > MAX_NOTE:
        return FaultCause.MALFORMED, Text(
            "Its note has {length} characters; {most} are allowed.", length=len(answer.note), most=MAX_NOTE
        )
    if answer.match_id != match_id:
        return FaultCause.PROTOCOL, Text("It answered in another match, {match}.", match=repr(answer.match_id[:64]))
    if answer.ply != decision.ply:
        return FaultCause.PROTOCOL, Text(
            "It answered ply {ply}; asked was ply {asked}.", ply=answer.ply, asked=decision.ply
        )
    return None, ""


def is_late(decision: Decision, spent: TimeSpent, margin_us: int) -> bool:
    """Whether the charge exceeds the limit by more than the margin; lateness inside the margin is no fault."""
    return decision.time_limit_us > 0 and spent.charged_us > decision.time_limit_us + margin_us


def explain_late(decision: Decision, spent: TimeSpent, margin_us: int) -> str:
    """Return the sentence that explains a fault of time."""
    if not decision.time_limit_us:
        return Text(
            "It did not answer for {seconds} s; even without a clock a decision has an end.",
            seconds=spent.elapsed_us // 1_000_000,
        )
    limit, margin = decision.time_limit_us / 1000, margin_us / 1000
    given_back_us = spent.elapsed_us - spent.charged_us
    if given_back_us > 0:
        return Text(
            "It took {took} ms ({waited} ms of waiting for this machine not counted); it had {limit} ms and a margin "
            "of {margin} ms.",
            took=f"{spent.charged_us / 1000:g}",
            waited=f"{given_back_us / 1000:g}",
            limit=f"{limit:g}",
            margin=f"{margin:g}",
        )
    return Text(
        "It took {took} ms; it had {limit} ms and a margin of {margin} ms.",
        took=f"{spent.charged_us / 1000:g}",
        limit=f"{limit:g}",
        margin=f"{margin:g}",
    )


def explain_illegal(playing: Playing, action: int) -> str:
    """Return the sentence that explains why an action is a fault: what it was, and what was legal."""
    table, legal = playing.game.actions, playing.state.legal_actions()
    name = name_action(playing, action)
    if not legal:
        return Text("It chose action {action} after the end.", action=name)
    shown = ", ".join(f"{other} ({table.format(other)})" for other in legal[:SHOWN_ACTIONS])
    if len(legal) > SHOWN_ACTIONS:
        return Text(
            "It chose action {action}; legal were {legal} and {count} more.",
            action=name,
            legal=shown,
            count=len(legal) - SHOWN_ACTIONS,
        )
    return Text("It chose action {action}; legal were {legal}.", action=name, legal=shown)


def explain_illegal_in(playing: Playing, answer: Answer, index: int, forced: int) -> str:
    """Explain why the action at `index` of an answer is a fault, and of several which one it is.

    `forced` decisions were played by the referee since the answer's first action: who counts them in is out of step.
    """
    why, count = explain_illegal(playing, answer.actions[index]), len(answer.actions)
    if count == 1:
        return why
    if forced:
        why = Text(
            "Forced decisions, which are never part of an answer, were played before it ({number}). {why}",
            number=forced,
            why=why,
        )
    return Text(
        "Of the {count} actions of its answer, number {number} is not legal: {why}",
        count=count,
        number=index + 1,
        why=why,
    )


def name_action(playing: Playing, action: int) -> str:
    """Return an id with its notation, whether or not there is such an action."""
    table = playing.game.actions
    if 0 <= action < len(table):
        return f"{action} ({table.format(action)})"
    return Text("{action}, which does not exist", action=action)
