"""Pictures and names for people."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from engine.abilities import View
from engine.games.foreign_king import GAME
from engine.games.foreign_king import state as at
from engine.games.foreign_king.board import OUTLINES, PROVINCES
from engine.games.foreign_king.view import SHOWN
from tests.engine.games.foreign_king.table import lay, play

TEXT = """\
The Foreign King · Round 1 · Seat 1 (B) decides: does the Congress go there?
Marker 29 · King: Liège · Order: A B C
Supply: M 4, T 3

                           A     B     C
  Antwerp                  .     .     .
  Brabant                  .     .     .  t
  West Flanders            .     .     .
  East Flanders            .     .     .
  Hainaut                  .     .     .
* Liège                    2     1     .  MT
  Limburg                  .     .     .
  Luxembourg               .     .     .
  Namur                    .     .     .

  Congress                 1     2     0
  Hand                    11    11    14
  VP                       0     4     0
  Francs                   5     6     7
  Medals                   2     0     0
  Loans                    1     0     0

  Pawn A: Score with the King
  Pawn B: -
  Pawn C: -
"""


def example() -> at.ForeignKingState:
    state = lay(
        3,
        discs={"LIE": [2, 1]},
        congress=[1, 2, 0],
        factories={"LIE": "MT", "BRA": "t"},
        loans=[1, 0, 0],
        scores=[0, 4, 0],
    )
    return play(state, "ACT_KING KING_TO:LIE")


def test_the_text_view() -> None:
    assert SHOWN.text(example(), None, "en") == TEXT


def texts(svg: str) -> list[str]:
    elements = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    return ["".join(element.itertext()) for element in elements]


@pytest.mark.parametrize("language", SHOWN.languages)
def test_no_line_of_a_name_of_an_action_is_wider_than_its_box(language: str) -> None:
    for seats in GAME.seats:
        picture = ElementTree.fromstring(SHOWN.svg(GAME.new_state(seats), View(language)))
        lines = [line.text or "" for line in picture.iter("{http://www.w3.org/2000/svg}tspan")]
        assert lines
        assert max(map(len, lines)) <= 15


def test_the_picture_says_who_is_who_without_colours() -> None:
    shown = texts(SHOWN.svg(example()))
    assert {"A2", "B1", "B2", "A1"} <= set(shown), "letter and count of every stack, Congress included"
    assert {"M", "T", "t"} <= set(shown)
    assert {"Antwerp", "Liège", "Seat A", "Seat C", "Congress", "Round 1 · Order"} <= set(shown)


def test_the_picture_in_other_languages() -> None:
    assert "Lüttich" in texts(SHOWN.svg(example(), View("de")))
    assert "Luik" in texts(SHOWN.svg(example(), View("nl")))
    assert "Seat A" in texts(SHOWN.svg(example(), View("nl"))), "English where a language has no word"


def test_only_existing_spaces_are_drawn() -> None:
    assert "Queen" not in texts(SHOWN.svg(GAME.new_state(3)))
    assert "Queen" in texts(SHOWN.svg(GAME.new_state(4)))


def test_the_virtual_player_is_shown_with_two_seats_only() -> None:
    assert "Virtual player" in texts(SHOWN.svg(GAME.new_state(2)))
    assert "Virtual player" not in texts(SHOWN.svg(GAME.new_state(3)))


def test_labels() -> None:
    assert SHOWN.labels("en")["BUILD:LIE:M"] == "Build: metallurgical factory in Liège"
    assert SHOWN.labels("de")["KING_TO:WFL"] == "König nach Westflandern"
    assert SHOWN.labels("it")["PLACE_N:3"] == "Piazza 3 cittadini"
    assert SHOWN.labels("fr")["LIE"] == "Liège"
    assert SHOWN.labels("nl")["HAI"] == "Henegouwen"
    assert SHOWN.labels("nl")["ACT_KING"] == SHOWN.labels("en")["ACT_KING"]


def test_languages_have_the_same_words() -> None:
    keys = {language: set(SHOWN.labels(language)) for language in SHOWN.languages}
    assert all(found == keys["en"] for found in keys.values())
    for language in ("de", "it", "fr"):
        same = [key for key, text in SHOWN.labels(language).items() if text == SHOWN.labels("en")[key]]
        assert len(same) < 20, same


def test_every_province_has_an_outline_around_its_centre() -> None:
    assert len(OUTLINES) == len(PROVINCES)
    assert all(len(outline) >= 8 for outline in OUTLINES)


def test_the_board_lies_beside_the_rules() -> None:
    import engine.games.foreign_king as package

    assert package.__file__ is not None
    assert (Path(package.__file__).parent / "board.json").is_file()
