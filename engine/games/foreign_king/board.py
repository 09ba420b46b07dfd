"""The map: provinces, borders, distances, and where a King's walk can end. Computed once from `board.json`."""

from __future__ import annotations

from typing import Any, Final

from engine.kit.game_folder import read_json

_DATA: Final[dict[str, Any]] = read_json(__name__, "board.json")
_PROVINCES: Final[list[dict[str, Any]]] = _DATA["provinces"]

PROVINCES: Final[tuple[str, ...]] = tuple(province["id"] for province in _PROVINCES)
"""Ids in the order of the data file, which is the order of action ids (K7)."""
PROVINCE_COUNT: Final = 9
PORTRAIT: Final = 9
"""Where the King stands before his first move: one past the last province (R2)."""

if len(PROVINCES) != PROVINCE_COUNT:
    raise ValueError(f"board.json has {len(PROVINCES)} provinces, the action table has {PROVINCE_COUNT}")


def _neighbours(index: int) -> tuple[int, ...]:
    found = tuple(sorted(PROVINCES.index(name) for name in _PROVINCES[index]["neighbours"]))
    if any(PROVINCES[index] not in _PROVINCES[other]["neighbours"] for other in found):
        raise ValueError(f"board.json: a border of {PROVINCES[index]} is missing on its other side")
    return found


NEIGHBOURS: Final[tuple[tuple[int, ...], ...]] = tuple(_neighbours(index) for index in range(PROVINCE_COUNT))


def _distances(start: int) -> tuple[int, ...]:
    """Return the border steps from `start` to every province."""
    distance = {start: 0}
    frontier = [start]
    while frontier:
        frontier = [far for near in frontier for far in NEIGHBOURS[near] if far not in distance]
        for province in frontier:
            distance.setdefault(province, 1 + min(distance[near] for near in NEIGHBOURS[province] if near in distance))
    return tuple(distance[province] for province in range(PROVINCE_COUNT))


DISTANCE: Final[tuple[tuple[int, ...], ...]] = tuple(_distances(start) for start in range(PROVINCE_COUNT))


def _walk_lengths(start: int) -> tuple[frozenset[int], ...]:
    """Return per destination the lengths of the paths that enter neither a province twice nor the start (C5)."""
    lengths: list[set[int]] = [set() for _ in range(PROVINCE_COUNT)]

    def walk(here: int, visited: frozenset[int]) -> None:
        for there in NEIGHBOURS[here]:
            if there not in visited:
                lengths[there].add(len(visited))
                walk(there, visited | {there})

    walk(start, frozenset([start]))
    return tuple(frozenset(found) for found in lengths)


WALK_LENGTHS: Final[tuple[tuple[frozenset[int], ...], ...]] = tuple(
    _walk_lengths(start) for start in range(PROVINCE_COUNT)
)
"""`WALK_LENGTHS[start][end]`: possible numbers of steps of a King's walk (A2)."""
LONGEST_WALK: Final = PROVINCE_COUNT - 1


def province_names(language: str) -> dict[str, str]:
    """Return the names of the provinces by id, in English for an unknown language."""
    return {province["id"]: province["names"].get(language, province["names"]["en"]) for province in _PROVINCES}


Point = tuple[int, int]

CELLS: Final[tuple[tuple[int, int, int, int], ...]] = tuple(
    (left, top, width, height) for left, top, width, height in (province["cell"] for province in _PROVINCES)
)
"""The room for name and pieces of each province: left, top, width, height, within its outline."""
OUTLINES: Final[tuple[tuple[Point, ...], ...]] = tuple(
    tuple((x, y) for x, y in province["outline"]) for province in _PROVINCES
)
