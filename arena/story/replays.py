"""The story of a match that is over, from the document of its replay (`arena.match.replay`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena.model.live import ChanceOutcome, LiveEnd, LiveMove, LiveStart
from arena.model.matches import FaultFact
from arena.story.story import Story
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
    start, entries = _start(document), document["entries"][:plies]
    story = Story(start, language, draws=draws, evaluates=evaluates)
    for entry in entries:
        story.play(_move(entry, start.bots))
    if plies is None or plies >= len(document["entries"]):
        result = document["result"]
        faults = (
            FaultFact(
                seat=fault["seat"],
                bot=start.bots[fault["seat"]],
                cause=fault["cause"],
                ply=fault["ply"],
                explanation=fault["explanation"],
                evidence={},  # only the owners see it
            )
            for fault in result["faults"]
        )
        story.end(
            LiveEnd(
                ranks=tuple(result["ranks"]) if result["rated"] else (),
                by_rules=result["by_rules"],
                forfeits=tuple(seat for seat, _ in result["forfeits"]),
                resigned=tuple(result["resigned"]),
                faults=tuple(faults),
                details=result["details"],
            )
        )
    return story


def picture_of_replay(document: Mapping[str, Any], language: str = "en", plies: int | None = None) -> Picture | None:
    """Return the picture after so many plies of a replay, else of its end; `None` if the game draws none.

    No other picture is drawn. Raises StoryError.
    """
    start, entries = _start(document), document["entries"][:plies]
    story = Story(start, language, draws=not entries, evaluates=False)
    for entry in entries:
        story.draws = entry is entries[-1]
        story.play(_move(entry, start.bots))
    return story.frames[-1].picture


def _start(document: Mapping[str, Any]) -> LiveStart:
    return LiveStart(
        match_id=document["match_id"],
        attempt=document["attempt"],
        game=document["game"],
        rules_version=document["rules_version"],
        options=document["options"],
        cores=document["cores"],
        clock=document["clock"],
        opening=tuple(document["opening"]),
        bots=tuple(seat["name"] for seat in document["seats"]),
        started_at_us=document["started_at_us"],
        chance=tuple(ChanceOutcome(tuple(values)) for values in document["chance"]),
    )


def _move(entry: Mapping[str, Any], bots: Sequence[str]) -> LiveMove:
    """Return a ply of a replay; its outcomes of chance came with the start, and the story writes the action."""
    return LiveMove(
        ply=entry["ply"],
        seat=entry["seat"],
        bot=bots[entry["seat"]],
        action=entry["action"],
        text="",
        by=entry["by"],
        decide=entry.get("decide"),
        elapsed_us=entry.get("elapsed_us"),
        charged_us=entry.get("charged_us"),
        note=entry.get("note"),
    )
