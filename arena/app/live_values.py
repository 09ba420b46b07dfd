"""The events of a match as a viewer may see them: others' notes and evidence are left out. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.app.visibility import shows_note
from arena.match.live import LiveEndEvent, LiveEntryEvent, LiveEvent, LiveLogEvent, LiveStartEvent, Outcomes
from arena.model import live as values
from arena.model.live import ChanceOutcome, LogPart, MatchEvent
from arena.model.match_details import FaultFact
from engine import registry
from engine.core import EngineError
from ratings.store.states import MatchState


@dataclass(frozen=True, slots=True)
class Stage:
    """A match that its viewer may watch, and what he may see of each seat."""

    match_id: str
    game: str
    state: MatchState
    bots: tuple[str, ...]
    is_own: tuple[bool, ...]
    """For each seat whether its bot is the viewer's; to an organiser all are."""

    @property
    def is_over(self) -> bool:
        """Return whether the match is over."""
        return self.state is MatchState.FINISHED


def event_value(stage: Stage, event: LiveEvent) -> MatchEvent | None:
    """Return an event as the viewer of the stage may see it, or `None` for a log, which is no part of the play."""
    match event:
        case LiveStartEvent():
            return MatchEvent(event.sequence, start=_start(stage, event))
        case LiveEntryEvent():
            return MatchEvent(event.sequence, move=_move(stage, event))
        case LiveEndEvent():
            return MatchEvent(event.sequence, end=_end(stage, event))
        case LiveLogEvent():
            return None


def log_part(stage: Stage, event: LiveEvent, after: int) -> LogPart | None:
    """Return what a log holds behind the first `after` bytes, or `None` if that is nothing, or it is no log."""
    if not isinstance(event, LiveLogEvent) or event.start + len(event.data) <= after:
        return None
    known = max(0, after - event.start)
    return LogPart(
        match_id=stage.match_id,
        seat=event.seat,
        bot=stage.bots[event.seat],
        start=event.start + known,
        data=event.data[known:],
        cut_bytes=min(event.cut_bytes, event.start - after) if known == 0 else 0,
    )


def loss_of(event: LiveEvent) -> str:
    """Return why a match ended without a result, or nothing."""
    return event.lost if isinstance(event, LiveEndEvent) else ""


def _start(stage: Stage, event: LiveStartEvent) -> values.LiveStart:
    return values.LiveStart(
        match_id=event.match_id,
        attempt=event.attempt,
        game=event.game,
        rules_version=event.rules_version,
        options=event.options,
        cores=event.cores,
        clock=event.clock,
        opening=event.opening,
        bots=stage.bots,
        started_at_us=event.started_at_us,
        chance=_outcomes(event.chance),
    )


def _move(stage: Stage, event: LiveEntryEvent) -> values.LiveMove:
    entry = event.entry
    seat = entry["seat"]
    is_shown = shows_note(is_own=stage.is_own[seat], is_over=stage.is_over)
    return values.LiveMove(
        ply=entry["ply"],
        seat=seat,
        bot=stage.bots[seat],
        action=entry["action"],
        text=_notation(stage.game, entry["action"]),
        by=str(entry["by"]),
        decide=entry.get("decide"),
        elapsed_us=entry.get("elapsed_us"),
        charged_us=entry.get("charged_us"),
        note=entry.get("note") if is_shown else None,
        chance=_outcomes(event.chance),
    )


def _notation(game: str, action: int) -> str:
    try:
        return registry.get(game).actions.format(action)
    except EngineError:  # it is played where it is installed, and watched here
        return str(action)


def _end(stage: Stage, event: LiveEndEvent) -> values.LiveEnd:
    result = event.result
    if result is None:
        return values.LiveEnd(lost=event.lost)
    return values.LiveEnd(
        ranks=tuple(result["ranks"]),
        by_rules=result["by_rules"],
        forfeits=tuple(result["forfeits"]),
        resigned=tuple(result["resigned"]),
        faults=tuple(_fault(stage, fault) for fault in result["faults"]),
        details=result["details"],
    )


def _fault(stage: Stage, fault: Mapping[str, Any]) -> FaultFact:
    seat = fault["seat"]
    return FaultFact(
        seat=seat,
        bot=stage.bots[seat],
        cause=str(fault["cause"]),
        ply=fault["ply"],
        explanation=fault["explanation"],
        evidence=fault["evidence"] if stage.is_own[seat] else {},
    )


def _outcomes(outcomes: Outcomes) -> tuple[ChanceOutcome, ...]:
    return tuple(ChanceOutcome(outcome) for outcome in outcomes)
