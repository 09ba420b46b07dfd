"""The picture: nothing covers anything, what the last move changed is marked, and the end shows the final scoring."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from engine.abilities import Move, View
from engine.games.foreign_king import GAME
from engine.games.foreign_king.board import CELLS, OUTLINES, PROVINCES
from engine.games.foreign_king.state import ForeignKingState
from engine.games.foreign_king.view import SHOWN
from engine.picture import Picture
from engine.playout import moves, play_random
from tests.engine.games.boxes import collisions, outside
from tests.engine.games.foreign_king.table import lay, play

LANGUAGES = ("en", "de", "fr", "it", "nl")
NAMES = ("The-longest-name-that-anybody-gave-a-bot 12.34.56", "b", "An Ordinary Bot 1.0", "søren <&>")
MANY_STEPS = 9
MINUS = "\N{MINUS SIGN}"


def after(state: ForeignKingState, notation: str) -> Move:
    """The move of one action, with both positions."""
    before, seat = state.clone(), state.seat()
    assert seat is not None
    play(state, notation)
    return Move(before, GAME.actions.parse(notation), notation, seat, state)


def seen(move: Move) -> Picture:
    return SHOWN.picture(move.after, View(last=move))


def part_of(picture: Picture, place: str) -> str:
    """The part that stands for a place of the board."""
    (found,) = (part for part in picture.parts if f'data-place="{place}"' in part)
    return found


@pytest.mark.parametrize("seats", [GAME.seats[0], GAME.seats[-1]])
def test_labels_and_pieces_never_cover_each_other(seats: int) -> None:
    for ply, move in enumerate(moves(GAME, seats, seats)):
        if ply % MANY_STEPS == 0 or move.after.seat() is None:
            picture = SHOWN.picture(move.after, View(LANGUAGES[ply % 5], names=NAMES[:seats], last=move))
            assert not collisions(picture)
            assert not outside(picture)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("seats", GAME.seats)
def test_nothing_is_covered_where_much_stands(seats: int, language: str) -> None:
    colours = max(seats, 3)
    crowded = {province: [1] * colours for province in PROVINCES[:7]}
    for province in ("ANT", "LIM", "NAM"):
        factories = {province: "MTmt", "BRA": "Mm", "LUX": "Tt"}
        scores = [31, 30, 28, 0][:colours]
        state = lay(seats, discs=crowded, factories=factories, king=province, scores=scores, marker=2)
        assert not collisions(SHOWN.picture(state, View(language, names=NAMES[:seats])))


def test_every_cell_lies_within_its_province() -> None:
    for (left, top, width, height), outline in zip(CELLS, OUTLINES, strict=True):
        assert min(x for x, _ in outline) <= left
        assert max(x for x, _ in outline) >= left + width
        assert min(y for _, y in outline) <= top
        assert max(y for _, y in outline) >= top + height


def test_a_picture_is_small() -> None:
    for seats in GAME.seats:
        assert len(SHOWN.svg(play_random(GAME, seats, 1).state).encode()) < 60_000


def test_what_the_last_move_changed_glows() -> None:
    state = lay(3, discs={"LIE": [2, 1]}, francs=[4, 6, 7])
    assert "lit" in part_of(seen(after(state, "ACT_PLACE")), "ACT_PLACE")
    assert '"#fk-LIE" class="edge glow"' in seen(after(state, "PLACE:LIE")).svg()
    placed = seen(after(state, "PLACE_N:3"))
    assert "A5" in part_of(placed, "LIE")
    assert "lit" in part_of(placed, "LIE")
    assert "lit" not in part_of(placed, "ANT")
    assert "lit" not in part_of(placed, "ACT_PLACE")
    assert placed.svg().count(f"{MINUS}2<") == 1, "two Francs"
    assert placed.svg().count(f"{MINUS}3<") == 1, "three discs of the hand"


def test_the_first_element_of_a_place_is_its_outline() -> None:
    picture = SHOWN.picture(lay(4, discs={"LIE": [2, 1]}), View())
    for place in (*PROVINCES, "ACT_BUILD", "ACT_QUEEN", "M", "T"):
        (outline, *_) = ElementTree.fromstring(part_of(picture, place))
        assert outline.tag in ("use", "rect") or "k" in outline.get("class", "").split()


def test_a_position_of_its_own_has_no_glow() -> None:
    svg = SHOWN.svg(lay(3, discs={"LIE": [2, 1]}))
    body = svg.partition("</defs>")[2]
    assert body.count("lit") == 1, "that of the legend"


def test_an_emptied_place_is_still_marked() -> None:
    state = play(lay(2, discs={"LIE": [1, 1]}), "ACT_MOVE MOVE_FROM:LIE")
    assert "A0" in part_of(seen(after(state, "MOVE_TO:LIM")), "LIE")


def test_the_end_shows_the_final_scoring() -> None:
    for seats in GAME.seats:
        state = play_random(GAME, seats, 2).state
        outcome = state.outcome()
        assert outcome is not None
        svg = SHOWN.svg(state)
        assert "Most control" in svg
        for score in outcome.details["scores"]:
            assert f">{score}<".replace("-", MINUS) in svg


def test_names_of_bots_are_shown_and_cut_where_they_are_too_long() -> None:
    svg = SHOWN.svg(GAME.new_state(4), View(names=NAMES))
    assert "The-longest-name-that…" not in svg
    assert "The-longest-name-tha…" in svg
    assert "søren &lt;&amp;&gt;" in svg
