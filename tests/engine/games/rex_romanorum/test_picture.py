"""The picture: nothing covers anything, each place is one part, names stay readable where there is little room."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from itertools import combinations

import pytest

from engine.abilities import View
from engine.games.rex_romanorum import GAME
from engine.games.rex_romanorum.board import NAMES, REGIONS
from engine.games.rex_romanorum.state import NOBODY
from engine.games.rex_romanorum.view import SHOWN
from engine.games.rex_romanorum.view.geography import CELLS, HEIGHT, WIDTH, RegionPieces, abbreviated, content
from engine.games.rex_romanorum.view.text import LANGUAGES, labels
from engine.picture import Picture, part
from engine.playout import moves
from tests.engine.games.boxes import collisions, outside
from tests.engine.games.rex_romanorum.table import lay

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
