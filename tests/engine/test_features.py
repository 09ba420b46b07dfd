"""What programs that learn see is declared once, and told in the folder of each game."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from engine import registry
from engine.core import Game
from engine.features import FeatureKind, FeaturePart, cells, flags, masks, numbers, packed, per_member, per_seat, reals

BUILT_IN = ["foreign_king", "rex_romanorum"]
HEAD = ["| planes | meaning | numbers |", "|---|---|---|"]


def of_any_seat(name: str) -> str:
    return re.sub(r"\+\d", "+k", name)


def table_of(game: Game) -> list[str]:
    """The rows of features.md: the parts of all numbers of seats, k standing for one of them."""
    rows: dict[str, tuple[list[str], str, set[int]]] = {}
    for seats in game.seats:
        assert game.featured is not None
        for part in game.featured.parts(seats, game.parse_options({})):
            found = [":k"] if part.name == "seat" else [of_any_seat(ending) for ending in part.endings]
            endings, _, most = rows.setdefault(of_any_seat(part.name), ([], part.meaning, set()))
            endings += [ending for ending in dict.fromkeys(found) if ending not in endings]
            most.add(part.most)
    return [*HEAD, *(row(name, *told) for name, told in rows.items())]


def row(name: str, endings: list[str], meaning: str, most: set[int]) -> str:
    first, *others = endings
    planes = ", ".join([f"`{name}{first}`", *(f"`{other}`" for other in others)])
    bounds = "0, 1" if most == {1} else f"0-{most.pop()}" if len(most) == 1 else "0-seats"
    return f"| {planes} | {meaning} | {bounds} |"


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_folder_of_a_game_says_what_every_plane_means(name: str) -> None:
    spec = find_spec(f"engine.games.{name}")
    assert spec is not None
    assert spec.origin is not None
    told = Path(spec.origin).with_name("features.md").read_text(encoding="utf-8").splitlines()
    assert [line for line in told if line.startswith("|")] == table_of(registry.get(name))


@pytest.mark.parametrize(
    ("part", "kind", "planes", "width"),
    [
        (cells("a", "", 9), FeatureKind.CELLS, ("a",), 5),
        (cells("a", "", 9, per_seat(2)), FeatureKind.CELLS, ("a+0", "a+1"), 10),
        (packed("a", "", 7, per_member("MT"), bits=3), FeatureKind.CELLS, ("a:M", "a:T"), 5),
        (masks("a", "", per_seat(2)), FeatureKind.MASKS, ("a+0", "a+1"), 2),
        (numbers("a", "", 9, per_seat(3)), FeatureKind.NUMBERS, ("a+0", "a+1", "a+2"), 3),
        (flags("a", "", per_member("xyz")), FeatureKind.FLAGS, ("a:x", "a:y", "a:z"), 1),
        (reals("a", "", per_member("01")), FeatureKind.REALS, ("a:0", "a:1"), 10),
    ],
)
def test_a_part_has_a_name_for_each_plane_and_takes_so_many_numbers(
    part: FeaturePart, kind: FeatureKind, planes: tuple[str, ...], width: int
) -> None:
    assert (part.kind, part.planes, part.width(5)) == (kind, planes, width)
