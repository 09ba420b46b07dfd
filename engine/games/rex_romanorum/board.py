"""The map: regions and borders as bit masks (bit i is region i), computed once from `board.json`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from engine.kit.game_folder import read_json

if TYPE_CHECKING:
    from engine.mypyc_support import i64

_DATA: Final[dict[str, Any]] = read_json(__name__, "board.json")
_REGIONS: Final[list[dict[str, Any]]] = _DATA["regions"]

REGIONS: Final[tuple[str, ...]] = tuple(region["id"] for region in _REGIONS)
"""Ids in the order of the data file, which is the order of action ids."""
REGION_COUNT: Final = 62
REGION_INDEX: Final[dict[str, int]] = {region: index for index, region in enumerate(REGIONS)}
NAMES: Final[tuple[str, ...]] = tuple(region["name"] for region in _REGIONS)

DIOCESES: Final = ("mainz", "koeln", "trier")
DIOCESE_COUNT: Final = 3
TITLES: Final = ("mainz", "koeln", "trier", "pfalz", "sachsen", "brandenburg", "boehmen")
"""The seven electors; the first three are the bishops of the dioceses."""
TITLE_COUNT: Final = 7

if len(REGIONS) != REGION_COUNT:
    raise ValueError(f"board.json has {len(REGIONS)} regions, the action table has {REGION_COUNT}")

# mypyc shifts 64-bit numbers as 32-bit ones, so bits are looked up.
BIT: Final[tuple[int, ...]] = tuple(1 << index for index in range(REGION_COUNT))
ABOVE: Final[tuple[int, ...]] = tuple((1 << REGION_COUNT) - (2 << index) for index in range(REGION_COUNT))
"""The regions with a greater index."""


def _borders(index: int) -> int:
    mask = 0
    for name in _REGIONS[index]["neighbours"]:
        if REGIONS[index] not in _REGIONS[REGION_INDEX[name]]["neighbours"]:
            raise ValueError(f"board.json: the border {REGIONS[index]}-{name} is missing on its other side")
        mask |= BIT[REGION_INDEX[name]]
    return mask


NEIGHBOURS: Final[tuple[int, ...]] = tuple(_borders(index) for index in range(REGION_COUNT))
SHORT_DECK: Final[tuple[int, ...]] = tuple(i for i, region in enumerate(_REGIONS) if region["short_variant"])
"""The 47 regions whose card is in the deck of the short variant (A9)."""
FULL_DECK: Final[tuple[int, ...]] = tuple(range(REGION_COUNT))


def _of_byte(numbers: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Return, for each value of one byte of a mask, those of the eight numbers whose bits it holds."""
    found: list[tuple[int, ...]] = [()]
    for value in range(1, 256):
        rest = value & value - 1
        found.append((numbers[(value ^ rest).bit_length() - 1], *found[rest]))
    return tuple(found)


MaskTable = tuple[tuple[tuple[int, ...], ...], ...]


def mask_table(first: int) -> MaskTable:
    """Return, for each byte of a mask and each value of it, the numbers of the regions it holds: `first` + region."""
    return tuple(_of_byte(tuple(range(at, at + 8))) for at in range(first, first + 64, 8))


_REGIONS_OF: Final[MaskTable] = mask_table(0)


def regions_of(mask: i64) -> tuple[int, ...]:
    """Return the regions of a mask, ascending."""
    return numbers_of(_REGIONS_OF, mask)


def numbers_of(table: MaskTable, mask: i64) -> tuple[int, ...]:
    """Return the numbers that a table has for the regions of a mask, ascending: action ids without a sum for each."""
    found: tuple[int, ...] = ()
    for of_byte in table:
        if not mask:
            break
        numbers = of_byte[mask & 255]
        if numbers:
            found = found + numbers if found else numbers
        mask >>= 8
    return found


def first_of(mask: int) -> int:
    """Return the first region of a mask that has one."""
    return (mask & -mask).bit_length() - 1


def mask_of(regions: list[int]) -> int:
    """Return the mask of some regions; `regions_of` is the inverse."""
    mask = 0
    for region in regions:
        mask |= BIT[region]
    return mask


def shapes() -> dict[str, list[list[int]]]:
    """Return the outline of each region by id, as a closed ring of points."""
    rings: dict[str, list[list[int]]] = _DATA["shapes"]
    return rings
