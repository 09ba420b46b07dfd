"""The final scoring step by step: what each part of a fortune counts, and who wins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.abilities import ScoringStep
from engine.games.rex_romanorum.scoring import figures_of
from engine.games.rex_romanorum.state import END, NOBODY, RexState, all_churches
from engine.games.rex_romanorum.view.voice import voice


def scoring_steps(state: RexState, language: str) -> Sequence[ScoringStep]:
    """Return the steps of a finished game, none of one that goes on."""
    if state.phase != END:
        return ()
    spoken, sums = voice(language), [0] * state.seats
    steps = []
    for key, points in _parts(state):
        sums = [total + more for total, more in zip(sums, points, strict=True)]
        steps.append(ScoringStep(spoken.sentence(f"score_{key}"), tuple(points), tuple(sums)))
    last = steps[-1]
    return (*steps[:-1], ScoringStep(last.label, last.points, last.sums, note=_note(state, sums, language)))


def _parts(state: RexState) -> Iterator[tuple[str, list[int]]]:
    """Yield what each part of a fortune counts, seat by seat (K14)."""
    gold, region, church, castle, *figures, elector = state.options.wealth
    seats, churches = range(state.seats), all_churches(state)
    yield "gold", [gold * state.gold[seat] for seat in seats]
    yield "land", [region * state.land[seat].bit_count() for seat in seats]
    yield "churches", [church * (churches & state.land[seat]).bit_count() for seat in seats]
    yield "castles", [castle * (state.castles & state.land[seat]).bit_count() for seat in seats]
    armies = (zip(figures, figures_of(state, seat), strict=True) for seat in seats)
    yield "army", [sum(each * number for each, number in army) for army in armies]
    yield "titles", [elector * state.titles.count(seat) for seat in seats]


def _note(state: RexState, fortunes: Sequence[int], language: str) -> str:
    spoken = voice(language)
    if state.king == NOBODY:
        return spoken.sentence("score_rich_note")
    is_richest = fortunes[state.king] == max(fortunes)
    return spoken.sentence("score_both_note" if is_richest else "score_king_note", who=spoken.house(state.king))
