"""What people see: the text, the sentences of a move, and the picture."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from engine.abilities import Move, View
from engine.games.foreign_king import GAME
from engine.games.foreign_king import state as at
from engine.games.foreign_king.board import CELLS, OUTLINES, PROVINCES
from engine.games.foreign_king.state import ForeignKingState
from engine.games.foreign_king.view import SHOWN
from engine.picture import Picture
from engine.playout import moves, play_random
from tests.engine.games.boxes import collisions, outside
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


def told(state: at.ForeignKingState, line: str, language: str = "en") -> list[str]:
    """What is told of the last action of a line."""
    for name in line.split():
        before, action = state.clone(), GAME.actions.parse(name)
        state.apply(action)
        move = Move(before, action, name, before.seat() or 0, state)
    return list(SHOWN.describe(move, language))


def test_the_king_is_told_with_what_he_brings() -> None:
    state = lay(3, discs={"LIE": [2, 1]}, factories={"LIE": "MT"})
    assert told(state, "ACT_KING KING_TO:LIE") == [
        "A leads the King out of his portrait to Liège.",
        "The marker falls to 29.",
        "A has the majority in Liège and scores 9 points.",
        "The active factories there are closed.",
    ]


def test_nobody_scores_without_a_majority() -> None:
    state = lay(3, discs={"LIE": [1, 1]}, factories={"LIE": "M"})
    assert told(state, "ACT_KING KING_TO:LIE")[-1] == "Nobody has the majority in Liège: nobody scores."
    assert told(state, "INACT_METAL", "de") == ["A legt in Lüttich eine Metallfabrik still."]


def test_what_a_move_costs_is_told_with_its_last_step() -> None:
    state = lay(3, discs={"HAI": [3]})
    assert told(state, "ACT_MOVE MOVE_FROM:HAI MOVE_TO:NAM", "fr") == ["A déplace 1 citoyen du Hainaut à Namur."]
    assert told(state, "MOVE_OFF MOVE_STOP") == ["A moves nobody else.", "The moves cost A 1 Franc."]


def test_the_virtual_player_is_scored_beside_the_seats() -> None:
    state = GAME.new_state(2)
    assert SHOWN.scoring(state, "en") == ()
    while state.seat() is not None:
        state.apply(state.caretaker_action() if len(state.legal_actions()) < 3 else state.legal_actions()[-1])
    steps, outcome = SHOWN.scoring(state, "it"), state.outcome()
    assert outcome is not None
    assert steps[-1].others == ("Giocatore virtuale",)
    assert list(steps[-1].sums) == [*outcome.details["scores"], outcome.details["virtual"]["score"]]
