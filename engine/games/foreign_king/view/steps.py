"""The final scoring step by step (R16), the virtual player's beside the seats' with two seats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.abilities import ScoringStep
from engine.games.foreign_king import scoring
from engine.games.foreign_king.state import END, ForeignKingState
from engine.games.foreign_king.view.voice import Voice, voice


def scoring_steps(state: ForeignKingState, language: str) -> Sequence[ScoringStep]:
    """Return the steps of a finished game, none of one that goes on."""
    if state.phase != END:
        return ()
    spoken = voice(language)
    parts = list(_parts(state))
    others = (spoken.names["virtual"],) if state.seats == 2 else ()
    sums = [0] * (state.seats + len(others))
    steps = []
    for place, (key, points) in enumerate(parts):
        sums = [total + more for total, more in zip(sums, points, strict=True)]
        note = _note(spoken, state) if place == len(parts) - 1 else ""
        steps.append(ScoringStep(spoken.sentence(f"score_{key}"), tuple(points), tuple(sums), others, note))
    return steps


def _parts(state: ForeignKingState) -> Iterator[tuple[str, list[int]]]:
    """Yield the points of each part: the seats', then the virtual player's."""
    virtual = scoring.virtual_breakdown(state) if state.seats == 2 else {}
    for key, points in scoring.breakdown(state).items():
        yield key, [*points, *((virtual.get(key, 0),) if virtual else ())]
    for key in ("provinces", "industrialized"):
        if virtual:
            yield key, [0] * state.seats + [virtual[key]]


def _note(spoken: Voice, state: ForeignKingState) -> str:
    outcome = scoring.outcome(state)
    details = outcome.details
    if details["virtual_won"]:
        return spoken.sentence("note_virtual")
    if details["virtual_shares"]:
        return spoken.sentence("note_shares")
    best = max(details["scores"])
    tied = [seat for seat, score in enumerate(details["scores"]) if score == best]
    decided = len({outcome.ranks[seat] for seat in tied}) > 1
    return spoken.sentence("note_medals") if decided else ""
