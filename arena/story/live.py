"""The story of a match while it is played, from the events that a client watches it by."""

from __future__ import annotations

from collections.abc import Sequence

from arena.model.live import ChanceOutcome, LiveEnd, LiveMove, LiveStart, MatchEvent
from arena.story.facts import Beginning, Ending, Mistake, Outcomes, Ply, StoryError
from arena.story.story import Story
from engine.text import Text


def follow(
    story: Story | None, event: MatchEvent, language: str = "en", *, draws: bool = True, hides: bool = False
) -> Story:
    """Return the story with one more event; the first, a start, begins it, and the others change `story` itself.

    `draws` and `hides` are those of the story that begins. Raises StoryError if the match cannot be followed here, or
    the event does not follow the last.
    """
    if event.start is not None:
        return Story(beginning_of(event.start), language, draws=draws, hides=hides)
    if story is None:
        raise StoryError(Text("story.match_told_start", "a match is told from its start on"))
    if event.move is not None:
        story.play(ply_of(event.move))
    elif event.end is not None:
        story.end(_ending(event.end))
    return story


def beginning_of(start: LiveStart) -> Beginning:
    """Return what is known when a match begins."""
    return Beginning(
        match_id=start.match_id,
        game=start.game,
        rules_version=start.rules_version,
        options=start.options,
        clock=start.clock,
        names=start.bots,
        started_at_us=start.started_at_us,
        chance=_outcomes(start.chance),
    )


def ply_of(move: LiveMove) -> Ply:
    """Return a ply as a story is told from it."""
    return Ply(
        ply=move.ply,
        seat=move.seat,
        action=move.action,
        by=move.by,
        elapsed_us=move.elapsed_us,
        charged_us=move.charged_us,
        note=move.note or "",
        chance=_outcomes(move.chance),
    )


def _ending(end: LiveEnd) -> Ending:
    return Ending(
        ranks=end.ranks,
        by_rules=end.by_rules,
        forfeits=end.forfeits,
        resigned=end.resigned,
        faults=tuple(Mistake(fault.seat, fault.cause, fault.ply, fault.explanation) for fault in end.faults),
        details=end.details,
        lost=end.lost,
    )


def _outcomes(outcomes: Sequence[ChanceOutcome]) -> Outcomes:
    return [outcome.values for outcome in outcomes]
