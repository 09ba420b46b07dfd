"""What people see: the picture, and the sentences of a move."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from itertools import combinations

import pytest

from engine.abilities import Move, View
from engine.games.rex_romanorum import GAME
from engine.games.rex_romanorum.board import NAMES, REGIONS
from engine.games.rex_romanorum.state import NOBODY, RexState
from engine.games.rex_romanorum.view import SHOWN
from engine.games.rex_romanorum.view.geography import CELLS, HEIGHT, WIDTH, RegionPieces, abbreviated, content
from engine.games.rex_romanorum.view.text import LANGUAGES, labels
from engine.picture import Picture, part
from engine.playout import moves
from tests.engine.games.boxes import collisions, outside
from tests.engine.games.rex_romanorum.table import dice, lay, play

BOTS = ("The-longest-name-that-anybody-gave-a-bot 12.34.56", "b", "An Ordinary Bot 1.0", "søren <&>", "WWWWWWWWW")
MANY_STEPS = 71
MOST_CHANGED = 8
"""Of about 200 parts of the picture so many may be changed by a ply in the mean over a whole match.

Measured with 2 to 5 seats: 6.1 to 7.7 at random, 6.5 to 7.5 where samples play; no ply changed more than 70.
"""


@pytest.mark.parametrize("seats", [GAME.seats[0], GAME.seats[-1]])
def test_labels_and_pieces_never_cover_each_other(seats: int) -> None:
    for ply, move in enumerate(moves(GAME, seats, seats)):
        is_special = move.after.seat() is None or (move.chance and ply % 20 == 0)
        if ply % MANY_STEPS == 0 or is_special:
            picture = SHOWN.picture(move.after, View(LANGUAGES[ply % len(LANGUAGES)], names=BOTS[:seats], last=move))
            assert not collisions(picture)
            assert not outside(picture)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "stands",
    [
        RegionPieces(owner=0, church=1, castle=True, own="12F13A4K", attackers="19F9A9K", attacker=4),
        RegionPieces(owner=4, church=NOBODY, castle=False, own="1F", attackers="2F", attacker=0),
        RegionPieces(owner=2, church=2, castle=True, own="12F3A1K", attackers="", attacker=NOBODY),
    ],
)
def test_nothing_is_covered_where_much_stands(stands: RegionPieces, language: str) -> None:
    whole, names = SHOWN.picture(GAME.new_state(5), View(language)), labels(language)
    parts = tuple(content(place, stands, names[region]) for place, region in enumerate(REGIONS))
    crowded = Picture(WIDTH, HEIGHT, "", whole.style, "", tuple(map(part, parts)))
    assert not collisions(crowded)
    assert not outside(crowded)


def test_cells_lie_on_the_map_and_apart() -> None:
    for left, top, width, height in CELLS:
        assert left >= 8
        assert left + width <= WIDTH - 8
        assert top >= 0
        assert top + height <= HEIGHT
    for (x1, y1, w1, h1), (x2, y2, w2, h2) in combinations(CELLS, 2):
        assert x1 + w1 <= x2 or x2 + w2 <= x1 or y1 + h1 <= y2 or y2 + h2 <= y1


def test_each_region_is_one_part_that_begins_with_its_outline() -> None:
    parts = SHOWN.picture(lay(land={0: "mainz"}, figures={"mainz": "2F"}), View()).parts
    for place, region in enumerate(REGIONS):
        (found,) = (part for part in parts if f'data-place="{region}"' in part)
        (outline, *_) = ElementTree.fromstring(found)
        assert outline.get("href") == f"#rx-{place}"


def test_the_picture_has_no_style_attribute_and_squeezes_no_text() -> None:
    svg = SHOWN.svg(GAME.new_state(5))
    assert "style=" not in svg
    assert "textLength" not in svg
    known = set(re.findall(r'id="([^"]+)"', svg))
    assert set(re.findall(r'href="#([^"]+)"', svg)) <= known


def test_a_picture_is_small_and_over_a_whole_match_a_ply_changes_little_of_it() -> None:
    before = SHOWN.picture(GAME.new_state(3), View(names=BOTS)).parts
    changes = []
    for move in moves(GAME, 3, 1):
        picture = SHOWN.picture(move.after, View(names=BOTS, last=move))
        assert len(picture.svg().encode()) < 60_000
        changes.append(sum(one != other for one, other in zip(picture.parts, before, strict=False)))
        before = picture.parts
    assert move.after.seat() is None
    assert sum(changes) / len(changes) < MOST_CHANGED


def test_names_are_abbreviated_before_a_vowel_and_told_whole() -> None:
    assert abbreviated("Baden", 5) == "Baden"
    assert abbreviated("Württemberg", 8) == "Württ."
    assert abbreviated("Nürnberg", 6) == "Nürnb."
    assert "<title>Oberbayern</title>" in SHOWN.svg(GAME.new_state(2), View("de"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_two_regions_are_abbreviated_alike(language: str) -> None:
    picture, names = SHOWN.picture(GAME.new_state(2), View(language)), labels(language)
    shown = []
    for region in REGIONS:
        (found,) = (part for part in picture.parts if f'data-place="{region}"' in part)
        texts = [text.text or "" for text in ElementTree.fromstring(found).findall("text")]
        shown.append(" ".join(texts))
        assert names[region].startswith(texts[0].rstrip("."))
    assert len(set(shown)) == len(NAMES)


def told(state: RexState, line: str, language: str = "en") -> list[str]:
    """What is told of the last action of a line."""
    for name in line.split():
        before, action = state.clone(), GAME.actions.parse(name)
        state.apply(action)
        move = Move(before, action, name, before.seat() or 0, state, state.revealed())
    return list(SHOWN.describe(move, language))


def test_cards_are_told_by_their_names_and_what_is_kept_of_them_too() -> None:
    state = lay(2, pile="hessen elsass mainz")
    assert told(state, "ACT_ACQUIRE") == ["Habsburg draws Hesse, Alsace and Mainz."]
    assert told(state.clone(), "KEEP:7", "de") == ["Habsburg kauft Hessen, das Elsass und Mainz für 15 Gold."]
    assert told(state.clone(), "KEEP:0") == ["Habsburg keeps none of the cards."]
    assert told(state, "KEEP:5") == ["Habsburg buys Hesse and Mainz for 10 gold."]


def test_a_choice_names_what_it_means_here() -> None:
    state = play(lay(2, pile="hessen elsass mainz"), "ACT_ACQUIRE")
    assert (
        SHOWN.choice(state, "KEEP:6", "fr")
        == "Acheter l\N{RIGHT SINGLE QUOTATION MARK}Alsace et Mayence pour 10 pièces d\N{RIGHT SINGLE QUOTATION MARK}or"
    )
    assert SHOWN.choice(state, "KEEP:0", "en") == "Keep no card"
    assert SHOWN.choice(state, "VOTE:1", "en") == "Vote for Wittelsbach"
    assert SHOWN.labels("en")["CHURCH"] == "Build a church"
    assert SHOWN.path("CHURCH:koeln:hessen") == ("hessen", "CHURCH", "koeln")


def test_a_fight_is_told_die_by_die() -> None:
    state = lay(
        2,
        land={0: "mainz", 1: "hessen"},
        figures={"mainz": "2F1A", "hessen": "1F"},
        chance=dice("6", "51", "4", "1", "61"),
    )
    play(
        state, "ACT_ATTACK MOVE_FROM:F:mainz MOVE_TO:hessen COUNT:2 MOVE_FROM:A:mainz MOVE_TO:hessen COUNT:1 MOVE_DONE"
    )
    assert told(state, "FIGHT:hessen") == [
        "Habsburg attacks Wittelsbach in Hesse.",
        "1 archer of Habsburg rolls 6: no hit.",
        "2 foot soldiers of Habsburg roll 5 1: 1 hit.",
        "Wittelsbach loses 1 foot soldier.",
        "Habsburg conquers Hesse.",
    ]


def test_a_title_that_comes_with_land_is_told() -> None:
    state = lay(2, pile="kurpfalz hessen mainz")
    assert told(state, "ACT_ACQUIRE KEEP:1")[-1] == "Habsburg becomes Count Palatine."


def test_dice_for_a_tie_are_told_with_who_threw_them() -> None:
    state = lay(
        2,
        land={0: "mainz", 1: "hessen"},
        churches={"mainz": "hessen"},
        chance=dice("2", "2", "3", "5"),
        gold=[20, 20],
    )
    line = "ACT_BISHOP:mainz STAND STAND VOTE:0 VOTE:1"
    assert told(state, line) == [
        "Wittelsbach gives the vote of a church to Wittelsbach.",
        "The votes are even; dice decide: Habsburg 2, Wittelsbach 2.",
        "Even again: Habsburg 3, Wittelsbach 5.",
        "Wittelsbach becomes Archbishop of Mainz.",
    ]


def test_the_royal_election_is_told_with_offers_and_its_end() -> None:
    titles = {"mainz": 0, "koeln": 0, "trier": 0, "boehmen": 1}
    state = lay(2, titles=titles, gold=[30, 20])
    play(state, "ACT_KING STAND STAND OFFER:3")
    assert told(state.clone(), "ABSTAIN") == ["Habsburg abstains as Archbishop of Mainz."]
    assert told(state, "VOTE:1") == [
        "Habsburg votes for Wittelsbach as Archbishop of Mainz. Wittelsbach pays Habsburg 3 gold for it."
    ]
    assert told(state, "OFFER:0") == ["Wittelsbach offers nothing for the vote of the Archbishop of Cologne."]
    play(state, "VOTE:1 OFFER:0 VOTE:1 OFFER:0")
    assert told(state, "VOTE:1")[1] == "Wittelsbach has 4 votes and becomes King of the Romans: the game is over."
    steps, outcome = SHOWN.scoring(state, "en"), state.outcome()
    assert outcome is not None
    assert list(steps[-1].sums) == outcome.details["wealth"]
    assert steps[-1].note == "Wittelsbach is king and wins; so does the richest."


def test_languages_have_the_same_words() -> None:
    keys = {language: set(SHOWN.labels(language)) for language in SHOWN.languages}
    assert set(SHOWN.languages) == {"en", "de", "fr", "it"}
    assert all(found == keys["en"] for found in keys.values())
    assert SHOWN.labels("fr")["MOVE_TO:elsass"] == "Aller vers : Alsace"
    assert SHOWN.labels("it")["koeln"] == "Colonia"
