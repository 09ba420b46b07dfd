"""The story of a match that is over, from the document of its replay (`arena.match.replay`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.story.facts import Beginning, MatchEnding, PlayedPly, SeatFault
from arena.story.story import Story, story_of_plies
from engine.picture import Picture


def story_of_replay(
    document: Mapping[str, Any],
    language: str = "en",
    *,
    draws: bool = True,
    evaluates: bool = True,
    plies: int | None = None,
) -> Story:
    """Return the story of a replay that verifies, or of its first `plies`, and then without its end.

    Without `draws` and `evaluates` it has no pictures, and no turns and values. Raises StoryError if it cannot be
    played again here.
    """
    entries = document["entries"][:plies]
    ending = None if plies is not None and plies < len(document["entries"]) else _ending(document["result"])
    told = [_ply(entry) for entry in entries]
    return story_of_plies(beginning_of(document), told, ending, language, draws=draws, evaluates=evaluates)


def picture_of_replay(document: Mapping[str, Any], language: str = "en", plies: int | None = None) -> Picture | None:
    """Return the picture after so many plies of a replay, else of its end; `None` if the game draws none.

    No other picture is drawn. Raises StoryError.
    """
    entries = document["entries"][:plies]
    story = Story(beginning_of(document), language, draws=not entries, evaluates=False)
    for entry in entries:
        story.draws = entry is entries[-1]
        story.play(_ply(entry))
    return story.frames[-1].picture


def beginning_of(document: Mapping[str, Any]) -> Beginning:
    """Return what a replay says of the beginning of its match, and all its chance."""
    return Beginning(
        match_id=document["match_id"],
        game=document["game"],
        rules_version=document["rules_version"],
        options=document["options"],
        clock=document["clock"],
        names=tuple(seat["name"] for seat in document["seats"]),
        started_at_us=document["started_at_us"],
        chance=document["chance"],
    )


def _ply(entry: Mapping[str, Any]) -> PlayedPly:
    return PlayedPly(
        ply=entry["ply"],
        seat=entry["seat"],
        action=entry["action"],
        by=entry["by"],
        elapsed_us=entry.get("elapsed_us"),
        charged_us=entry.get("charged_us"),
        note=entry.get("note", ""),
    )


def _ending(result: Mapping[str, Any]) -> MatchEnding:
    faults = (
        SeatFault(fault["seat"], fault["cause"], fault["ply"], fault["explanation"]) for fault in result["faults"]
    )
    return MatchEnding(
        ranks=tuple(result["ranks"]),
        by_rules=result["by_rules"],
        forfeits=tuple(seat for seat, _ in result["forfeits"]),
        resigned=tuple(result["resigned"]),
        faults=tuple(faults),
        details=result["details"],
    )
