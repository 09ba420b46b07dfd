"""What happened in a move, and the final scoring step by step, in sentences of any language that the game speaks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

from engine.abilities import Move, ScoringStep
from engine.games.foreign_king import actions as ids
from engine.games.foreign_king import scoring
from engine.games.foreign_king.board import PORTRAIT, PROVINCE_COUNT, PROVINCES
from engine.games.foreign_king.scoring import NOBODY, end_conditions, majority
from engine.games.foreign_king.state import CONGRESS_ASK, END, INACTIVATE, MOVE_TO, VIRT, VIRTUAL, ForeignKingState
from engine.games.foreign_king.view.text import labels, letter_of
from engine.kit.game_folder import read_json
from engine.kit.sentences import PhraseBook

_TEXTS: Final[Mapping[str, Any]] = read_json(__name__, "sentences.json")
_PLAIN: Final = {
    ids.ACT_BUILD: "choose_BUILD",
    ids.ACT_PLACE: "choose_PLACE",
    ids.ACT_MOVE: "choose_MOVE",
    ids.ACT_CONGRESS: "choose_CONGRESS",
    ids.ACT_KING: "choose_KING",
    ids.END_TURN: "end_turn",
    ids.PASS: "pass_",
    ids.MOVE_STOP: "move_stop",
    ids.CONGRESS_FROM_HAND: "congress_hand",
    ids.CONGRESS_STAY: "stay",
    ids.INACT_NONE: "inact_none",
}
_PAID: Final = {
    ids.ACT_COINS: "coins",
    ids.ACT_QUEEN: "queen",
    ids.ACT_CHANGE: "change",
    ids.LOAN: "loan",
    ids.REPAY: "repay",
}
"""Actions in which nothing but Francs change hands."""
_AT: Final = {ids.PLACE: "will_place", ids.VIRT_PLACE: "virt_place"}
_FROM: Final = {ids.MOVE_FROM: "will_move", ids.CONGRESS_FROM: "congress", ids.VIRT_FROM: "virt_from"}
_TO: Final = {ids.MOVE_TO: "move", ids.VIRT_TO: "virt_to"}


class Voice(PhraseBook):
    """The sentences of the game in a language."""

    __slots__ = ()

    def __init__(self, language: str) -> None:
        super().__init__(_TEXTS, language, labels)

    def colour(self, state: ForeignKingState, colour: int) -> str:
        """Return how a colour is called: the letter of its tokens, or the virtual player."""
        return self.phrase("virtual") if state.seats == 2 and colour == VIRTUAL else letter_of(state, colour)

    def in_province(self, province: int) -> str:
        """Return a province where something is."""
        return self.at(PROVINCES[province])

    def from_province(self, province: int) -> str:
        """Return a province from where something comes."""
        return self.out_of(PROVINCES[province])

    def to_province(self, province: int) -> str:
        """Return a province where something goes."""
        return self.into(PROVINCES[province])


@cache
def voice(language: str) -> Voice:
    """Return how the game speaks in a language, English if it does not know it."""
    return Voice(language)


def describe(move: Move, language: str) -> Sequence[str]:
    """Return the sentences of a move."""
    spoken, told = voice(language), []
    if move.before.phase == MOVE_TO and _spent(move):  # what citizens' steps cost, when the last of them is made
        who = letter_of(move.before, move.seat)
        told.append(spoken.sentence("move_cost", who=who, francs=spoken.count("francs", _spent(move))))
    told += _king(spoken, move)
    if move.after.phase == END and move.before.phase != END:
        told.append(spoken.sentence(f"end_{end_conditions(move.after)[0]}"))
    return [_action(spoken, move), *told]


def _action(spoken: Voice, move: Move) -> str:
    action, who = move.action, letter_of(move.before, move.seat)
    if action in _PLAIN:
        return spoken.sentence(_PLAIN[action], who=who)
    if action in _PAID:
        return spoken.sentence(_PAID[action], who=who, francs=spoken.count("francs", abs(_spent(move))))
    for first, key in {**_AT, **_FROM, **_TO}.items():
        if first <= action < first + PROVINCE_COUNT:
            place = PROVINCES[action - first]
            values = {"who": letter_of(move.before, move.seat), "place": spoken.names[place], "at": spoken.at(place)}
            if key in _TO.values():
                source = spoken.from_province(move.before.province)
                return spoken.sentence(key, **values, source=source, target=spoken.into(place))
            return spoken.sentence(key, **values, source=spoken.out_of(place))
    return _other(spoken, move, who)


def _spent(move: Move) -> int:
    """Return the Francs that the move cost the seat that acted."""
    spent: int = move.before.francs[move.seat] - move.after.francs[move.seat]
    return spent


def _other(spoken: Voice, move: Move, who: str) -> str:
    action = move.action
    if ids.BUILD <= action < ids.PLACE:
        province, product = divmod(move.action - ids.BUILD, 2)
        francs = spoken.count("francs", _spent(move))
        sentence = spoken.sentence(
            "build", who=who, kind=spoken.names["MT"[product]], at=spoken.in_province(province), francs=francs
        )
        is_first = move.after.medals[move.seat] > move.before.medals[move.seat]
        return f"{sentence} {spoken.sentence('medal', who=who)}" if is_first else sentence
    if ids.PLACE_N <= action < ids.MOVE_FROM:
        spent = _spent(move)
        return spoken.sentence(
            "place_paid" if spent else "place",
            who=who,
            citizens=spoken.count("citizens", move.action - ids.PLACE_N + 1),
            at=spoken.in_province(move.before.province),
            francs=spoken.count("francs", spent),
        )
    if action == ids.MOVE_OFF:
        return spoken.sentence("move_off", who=who, source=spoken.from_province(move.before.province))
    if ids.KING_TO <= action < ids.CONGRESS_GO:
        before = move.before
        if move.action < ids.KING_LEN:
            key = "king_first" if before.king == PORTRAIT else "king_to"
            return spoken.sentence(key, who=who, target=spoken.to_province(move.action - ids.KING_TO))
        paid = _spent(move)
        return spoken.sentence(
            "king_paid" if paid else "king_len",
            who=who,
            source=spoken.from_province(before.king),
            target=spoken.to_province(before.province),
            steps=spoken.count("steps", move.action - ids.KING_LEN + 1),
            francs=spoken.count("francs", paid),
        )
    if action == ids.CONGRESS_GO:
        citizens = spoken.count("citizens", move.before.congress[move.seat])
        return spoken.sentence("go", who=who, citizens=citizens, target=spoken.to_province(move.before.king))
    if action in (ids.INACT_METAL, ids.INACT_TEXTILE):
        kind = spoken.names["M" if action == ids.INACT_METAL else "T"]
        return spoken.sentence("inact", who=who, kind=kind, at=spoken.in_province(move.before.king))
    order = " ".join(letter_of(move.after, seat) for seat in move.after.order)
    return spoken.sentence("order", who=who, number=action - ids.ORDER_POS + 1, order=order)


def _king(spoken: Voice, move: Move) -> Iterator[str]:
    """Yield what the King's arrival brought, once the Congress has been asked."""
    before, after = move.before, move.after
    if after.king != before.king:
        yield spoken.sentence("marker", number=after.marker)
    has_arrived = after.king != before.king or before.phase == CONGRESS_ASK
    if has_arrived and after.phase not in (CONGRESS_ASK, INACTIVATE):
        yield from _scored(spoken, before, after)
    elif has_arrived and after.phase == INACTIVATE:
        yield spoken.sentence("no_majority", at=spoken.in_province(after.king))
    if after.phase == VIRT and before.phase != VIRT and before.units == 0:
        units = spoken.count("units", after.units)
        yield spoken.sentence("units", who=letter_of(after, after.decider), units=units)


def _scored(spoken: Voice, before: ForeignKingState, after: ForeignKingState) -> Iterator[str]:
    at, winner = spoken.in_province(after.king), majority(after, after.king)
    if winner == NOBODY:
        is_empty = not any(after.discs[after.king :: PROVINCE_COUNT])
        yield spoken.sentence("nobody" if is_empty else "no_majority", at=at)
        return
    points = after.scores[winner] - before.scores[winner]
    who = spoken.colour(after, winner)
    yield spoken.sentence("score" if points else "score_none", who=who, at=at, points=spoken.count("points", points))
    if after.inactive_count > before.inactive_count:
        yield spoken.sentence("close")


def scoring_steps(state: ForeignKingState, language: str) -> Sequence[ScoringStep]:
    """Return the steps of a finished game, none of one that goes on."""
    if state.phase != END:
        return ()
    spoken = voice(language)
    # The points of each part: the seats', then the virtual player's.
    virtual = scoring.virtual_breakdown(state) if state.seats == 2 else {}
    parts = [
        (key, [*points, *((virtual.get(key, 0),) if virtual else ())])
        for key, points in scoring.breakdown(state).items()
    ]
    parts += [(key, [0] * state.seats + [virtual[key]]) for key in ("provinces", "industrialized") if virtual]
    outcome, note = scoring.outcome(state), ""
    if outcome.details["virtual_won"]:
        note = spoken.sentence("note_virtual")
    elif outcome.details["virtual_shares"]:
        note = spoken.sentence("note_shares")
    else:
        scores = outcome.details["scores"]
        tied = [seat for seat, score in enumerate(scores) if score == max(scores)]
        if len({outcome.ranks[seat] for seat in tied}) > 1:
            note = spoken.sentence("note_medals")
    others = (spoken.names["virtual"],) if state.seats == 2 else ()
    sums = [0] * (state.seats + len(others))
    steps = []
    for place, (key, points) in enumerate(parts):
        sums = [total + more for total, more in zip(sums, points, strict=True)]
        told = note if place == len(parts) - 1 else ""
        steps.append(ScoringStep(spoken.sentence(f"score_{key}"), tuple(points), tuple(sums), others, told))
    return steps
