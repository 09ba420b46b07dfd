"""The options of a match (section 8 of the rules, K14). Their defaults are data: they stand in `choices.json`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Final

from engine.core import OptionsError
from engine.games.rex_romanorum.board import (
    BIT,
    DIOCESES,
    FULL_DECK,
    REGION_INDEX,
    REGIONS,
    SHORT_DECK,
    TITLES,
    regions_of,
)
from engine.kit.game_folder import read_json
from engine.kit.options import (
    DeclaredOptions,
    EachOnce,
    IntegerOption,
    OneOf,
    OptionGroup,
    OptionKind,
    from_text,
    option,
    remade,
)
from engine.translatable import Text

# The bounds are wide enough for any list the author may have had, and narrow enough to bound a game's length.
MOST_ROUNDS: Final = 300
MOST_GOLD: Final = 1000
MOST_BUILDINGS: Final = 10
MOST_CHURCHES: Final = 20

KIND_NAMES: Final = ("foot", "archer", "knight")
SIDES: Final = ("att", "def")
LAND_TITLES: Final = TITLES[3:]
"""The electors whose title comes with land: pfalz, sachsen, brandenburg, boehmen."""

Triple = tuple[int, ...]
"""A number for each kind of figure. Looked into by an index, a tuple of a fixed length is slow when it is compiled."""
Title = tuple[int, tuple[int, ...]]
"""All regions of the first mask, and one of each of the others."""


class _Region:
    """A region, by its id in JSON and by its index in the options."""

    first = 0

    def read(self, path: str, value: Any, default: Any) -> int:
        del default
        if not isinstance(value, str) or value not in REGION_INDEX:
            raise OptionsError(
                Text("option {path} takes the id of a region, not {value}", path=path, value=repr(value))
            )
        return REGION_INDEX[value]

    def write(self, value: int) -> str:
        return REGIONS[value]

    def schema(self) -> dict[str, Any]:
        return {"type": "string"}


class _DifferentRegions(OptionGroup):
    """A region for each of several names, none of them twice."""

    def read(self, path: str, value: Any, default: Any) -> tuple[Any, ...]:
        regions = super().read(path, value, default)
        if len(set(regions)) != len(regions):
            raise OptionsError(
                Text("option {path} takes three different regions: a region holds one church", path=path)
            )
        return regions


class _Strength:
    """`[attack, defence]` of a kind of figure, each from 1 to 6, so that every figure can hit (C17)."""

    first = (1, 1)

    def read(self, path: str, value: Any, default: Any) -> tuple[int, int]:
        value = from_text(path, value, self.write(default))
        if not isinstance(value, (list, tuple)) or len(value) != 2 or any(type(v) is not int for v in value):
            raise OptionsError(Text("option {path} takes [attack, defence], not {value}", path=path, value=repr(value)))
        if not all(1 <= number <= 6 for number in value):
            raise OptionsError(
                Text("option {path} takes two values from 1 to 6, not {value}", path=path, value=repr(value))
            )
        return value[0], value[1]

    def write(self, value: Sequence[int]) -> list[int]:
        return list(value)

    def schema(self) -> dict[str, Any]:
        return {"type": "array"}


class _TitleLand:
    """A list of the regions that a title needs, and of lists of which it needs one region each.

    Something must be needed outright: only the owner of such a region can meet the condition (C16).
    """

    @property
    def first(self) -> Title:
        return BIT[0], ()

    def read(self, path: str, value: Any, default: Any) -> Title:
        value = from_text(path, value, self.write(default))
        if not isinstance(value, list) or not any(isinstance(item, str) for item in value):
            raise OptionsError(
                Text("option {path} takes a list of regions with at least one outside a nested list", path=path)
            )
        masks = [self._mask(path, item if isinstance(item, list) and item else [item]) for item in value]
        if path == "titles.pfalz" and len(value) != 1:
            raise OptionsError(Text("option {path} takes one region: the title moves with it (C16)", path=path))
        needed = 0
        for item, mask in zip(value, masks, strict=True):
            needed |= mask if isinstance(item, str) else 0
        return needed, tuple(mask for item, mask in zip(value, masks, strict=True) if not isinstance(item, str))

    def _mask(self, path: str, names: list[Any]) -> int:
        mask = 0
        for name in names:
            mask |= BIT[_Region().read(path, name, None)]
        return mask

    def write(self, value: Title) -> list[Any]:
        needed, groups = value
        return [*_names(needed), *(_names(group) for group in groups)]

    def schema(self) -> dict[str, Any]:
        return {"type": "array"}


def _names(mask: int) -> list[str]:
    return [REGIONS[region] for region in regions_of(mask)]


def _number(low: int, high: int) -> IntegerOption:
    return IntegerOption(low, high, tells_bounds=False)


def _each_in_order(names: Sequence[str]) -> EachOnce:
    return EachOnce({name: index for index, name in enumerate(names)})


_PRICE: Final = _number(0, 100)
_HARVEST: Final = OptionGroup({"region": _PRICE, "church": _PRICE, "elector": _PRICE, "cap": _number(0, MOST_GOLD)})
_BUILDINGS: Final = _number(0, MOST_BUILDINGS)
_BUILD: Final = OptionGroup({"max_total": _BUILDINGS, "max_churches": _BUILDINGS, "max_castles": _BUILDINGS})
_FIGURE: Final = OptionGroup(
    {"cost": _number(1, 100), "move": _number(1, 2), "field": _Strength(), "castle": _Strength()}
)
_ROW: Final = _each_in_order(KIND_NAMES)
_STEPS: Final = EachOnce({(SIDES[side], KIND_NAMES[kind]): (side, kind) for side, kind in product(range(2), range(3))})
_WEALTH: Final = ("gold", "region", "church", "castle", *KIND_NAMES, "elector")

_CHOICES: Final[Mapping[str, Any]] = read_json(__name__, "choices.json")


def _choice(name: str, kind: OptionKind, description: str) -> Any:
    """Return the field of an option whose default stands in `choices.json`, checked as the options of a match are."""
    return option(kind, description, kind.read(name, _CHOICES[name], kind.first))


def _derived() -> Any:
    """Return a field that follows from the options; `Options.__post_init__` fills it in."""
    return field(init=False, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Options:
    """The validated options of a match.

    Kinds are 0 foot, 1 archer, 2 knight; sides 0 attacker, 1 defender; terrains 0 field, 1 castle. Blocks are tuples
    of their parts, in the order of the data file.
    """

    variant: str = option(
        OneOf("full", "short", is_exact=True), Text("all 62 region cards, or the 47 of the short variant (A9)")
    )
    start_gold: int = _choice("start_gold", _number(0, MOST_GOLD), Text("gold of each player at the start"))
    region_price: int = _choice("region_price", _PRICE, Text("price of a region"))
    bishop_election_price: int = _choice("bishop_election_price", _PRICE, Text("price of calling a bishop's election"))
    king_election_price: int = _choice("king_election_price", _PRICE, Text("price of calling the royal election"))
    harvest: tuple[int, int, int, int] = _choice(
        "harvest", _HARVEST, Text("what regions, churches and titles yield, and the most that is paid")
    )
    church_price: int = _choice("church_price", _PRICE, Text("price of a church (reconstructed)"))
    castle_price: int = _choice("castle_price", _PRICE, Text("price of a castle (reconstructed)"))
    build: tuple[int, int, int] = _choice(
        "build", _BUILD, Text("the most buildings, churches and castles of one action (reconstructed)")
    )
    churches_per_diocese: int = _choice(
        "churches_per_diocese", _number(1, MOST_CHURCHES), Text("churches of a diocese, the first one included")
    )
    start_churches: tuple[int, int, int] = _choice(
        "start_churches",
        _DifferentRegions({name: _Region() for name in DIOCESES}),
        Text("where each diocese's first church stands"),
    )
    figures: tuple[tuple[int, int, tuple[int, int], tuple[int, int]], ...] = _choice(
        "figures",
        OptionGroup(dict.fromkeys(KIND_NAMES, _FIGURE)),
        Text("price, steps, [attack, defence] in the field and at a castle, for each kind of figure"),
    )
    hit: str = _choice(
        "hit", OneOf("d6 <= value", "d6 >= value", is_exact=True), Text("when a die hits (reconstructed)")
    )
    rows: tuple[Triple, ...] = _choice(
        "rows", OptionGroup({"field": _ROW, "castle": _ROW}), Text("which kinds fall first")
    )
    roll_order: tuple[tuple[tuple[int, int], ...], ...] = _choice(
        "roll_order",
        OptionGroup({"field": _STEPS, "castle": _STEPS}),
        Text("the six steps of a round of fighting (reconstructed)"),
    )
    titles: tuple[Title, ...] = _choice(
        "titles",
        OptionGroup({name: _TitleLand() for name in LAND_TITLES}),
        Text("regions that make an elector; of a nested list one is enough"),
    )
    vote_order: tuple[int, ...] = _choice(
        "vote_order", _each_in_order(TITLES), Text("the order in which the electors vote")
    )
    votes_to_win: int = _choice("votes_to_win", _number(1, len(TITLES)), Text("votes that make a king"))
    wealth: tuple[int, ...] = _choice(
        "wealth",
        OptionGroup(dict.fromkeys(_WEALTH, _number(0, 1000))),
        Text("what property counts at the end (reconstructed)"),
    )
    round_limit: int = _choice(
        "round_limit", _number(1, MOST_ROUNDS), Text("rounds before the last royal election (reconstructed; D5)")
    )

    cost: tuple[int, ...] = _derived()
    """The price of each kind of figure."""
    move: tuple[int, ...] = _derived()
    """The steps of each kind of figure."""
    strength: tuple[tuple[Triple, ...], ...] = _derived()
    """`strength[terrain][side][kind]`: the value that a figure's die is compared with."""
    hits_low: bool = _derived()
    """Whether a die hits that is not greater than the value (else: not smaller)."""
    deck: tuple[int, ...] = _derived()
    """The regions whose cards are in play, ascending (A9)."""

    def __reduce__(self) -> tuple[Any, ...]:
        return remade(self)

    def __post_init__(self) -> None:
        cost, move, in_field, at_castle = zip(*self.figures, strict=True)
        derived = {
            "cost": cost,
            "move": move,
            "strength": tuple(tuple(zip(*by_kind, strict=True)) for by_kind in (in_field, at_castle)),
            "hits_low": self.hit == "d6 <= value",
            "deck": SHORT_DECK if self.variant == "short" else FULL_DECK,
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)


OPTIONS: Final = DeclaredOptions("rex_romanorum", Options, word="")
