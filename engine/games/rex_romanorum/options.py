"""The options of a match (section 8 of the rules, K14) in the form the rules read: small ints, tuples and masks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

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
from engine.games.rex_romanorum.choices import DEFAULTS, HITS, KIND_NAMES, LAND_TITLES, SIDES, TERRAINS, VARIANTS, merge

_HARVEST: Final = ("region", "church", "elector", "cap")
_BUILD: Final = ("max_total", "max_churches", "max_castles")
_WEALTH: Final = ("gold", "region", "church", "castle", "foot", "archer", "knight", "elector")

Triple = tuple[int, int, int]
Title = tuple[int, tuple[int, ...]]
"""All regions of the first mask, and one of each of the others."""


@dataclass(frozen=True, slots=True)
class Options:
    """Validated options.

    Kinds are 0 foot, 1 archer, 2 knight; sides 0 attacker, 1 defender; terrains 0 field, 1 castle.
    """

    variant: str
    start_gold: int
    region_price: int
    bishop_election_price: int
    king_election_price: int
    harvest: tuple[int, int, int, int]
    """Per region, per church, per title, and the most that is paid."""
    church_price: int
    castle_price: int
    build: Triple
    """The most buildings, churches and castles of one action."""
    churches_per_diocese: int
    start_churches: Triple
    """The region of each diocese's first church."""
    cost: Triple
    move: Triple
    strength: tuple[tuple[Triple, Triple], tuple[Triple, Triple]]
    """`strength[terrain][side][kind]`: the value that a figure's die is compared with."""
    hits_low: bool
    """Whether a die hits that is not greater than the value (else: not smaller)."""
    rows: tuple[Triple, Triple]
    """Per terrain, the kinds in the order in which they fall."""
    roll_order: tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]
    """Per terrain, the six steps of a round: (side, kind)."""
    titles: tuple[Title, ...]
    """What the holder of pfalz, sachsen, brandenburg, boehmen must own."""
    vote_order: tuple[int, ...]
    votes_to_win: int
    wealth: tuple[int, ...]
    """What gold, region, church, castle, foot, archer, knight and title count at the end."""
    round_limit: int

    @property
    def deck(self) -> tuple[int, ...]:
        """The regions whose cards are in play, ascending (A9)."""
        return SHORT_DECK if self.variant == "short" else FULL_DECK


def parse_options(values: Mapping[str, Any]) -> Options:
    """Options from values or texts, the rest by default. Raises OptionsError naming the option and what it takes."""
    block = merge(values)
    figures = [block["figures"][kind] for kind in KIND_NAMES]
    return Options(
        variant=block["variant"],
        start_gold=block["start_gold"],
        region_price=block["region_price"],
        bishop_election_price=block["bishop_election_price"],
        king_election_price=block["king_election_price"],
        harvest=_four(block["harvest"][name] for name in _HARVEST),
        church_price=block["church_price"],
        castle_price=block["castle_price"],
        build=_triple([block["build"][name] for name in _BUILD]),
        churches_per_diocese=block["churches_per_diocese"],
        start_churches=_triple([REGION_INDEX[block["start_churches"][name]] for name in DIOCESES]),
        cost=_triple([figure["cost"] for figure in figures]),
        move=_triple([figure["move"] for figure in figures]),
        strength=(_strengths(figures, "field"), _strengths(figures, "castle")),
        hits_low=block["hit"] == HITS[0],
        rows=(_rows(block["rows"]["field"]), _rows(block["rows"]["castle"])),
        roll_order=(_steps(block["roll_order"]["field"]), _steps(block["roll_order"]["castle"])),
        titles=tuple(_title(block["titles"][name]) for name in LAND_TITLES),
        vote_order=tuple(TITLES.index(name) for name in block["vote_order"]),
        votes_to_win=block["votes_to_win"],
        wealth=tuple(block["wealth"][name] for name in _WEALTH),
        round_limit=block["round_limit"],
    )


def _triple(values: Sequence[int]) -> Triple:
    first, second, third = values
    return first, second, third


def _four(values: Any) -> tuple[int, int, int, int]:
    first, second, third, fourth = values
    return first, second, third, fourth


def _strengths(figures: Sequence[Mapping[str, Any]], terrain: str) -> tuple[Triple, Triple]:
    return _triple([figure[terrain][0] for figure in figures]), _triple([figure[terrain][1] for figure in figures])


def _rows(names: Sequence[str]) -> Triple:
    return _triple([KIND_NAMES.index(name) for name in names])


def _steps(steps: Sequence[Sequence[str]]) -> tuple[tuple[int, int], ...]:
    return tuple((SIDES.index(side), KIND_NAMES.index(kind)) for side, kind in steps)


def _title(entries: Sequence[Any]) -> Title:
    needed = 0
    groups = []
    for entry in entries:
        if isinstance(entry, str):
            needed |= BIT[REGION_INDEX[entry]]
        else:
            groups.append(sum({BIT[REGION_INDEX[region]] for region in entry}))
    return needed, tuple(groups)


def options_json(options: Options) -> dict[str, Any]:
    """Every option with its value, in the shape of section 8; `parse_options` is the inverse."""
    return {
        "variant": options.variant,
        "start_gold": options.start_gold,
        "region_price": options.region_price,
        "bishop_election_price": options.bishop_election_price,
        "king_election_price": options.king_election_price,
        "harvest": dict(zip(_HARVEST, options.harvest, strict=True)),
        "church_price": options.church_price,
        "castle_price": options.castle_price,
        "build": dict(zip(_BUILD, options.build, strict=True)),
        "churches_per_diocese": options.churches_per_diocese,
        "start_churches": {d: REGIONS[r] for d, r in zip(DIOCESES, options.start_churches, strict=True)},
        "figures": {name: _figure_json(options, kind) for kind, name in enumerate(KIND_NAMES)},
        "hit": HITS[0 if options.hits_low else 1],
        "rows": {t: [KIND_NAMES[kind] for kind in options.rows[i]] for i, t in enumerate(TERRAINS)},
        "roll_order": {
            t: [[SIDES[side], KIND_NAMES[kind]] for side, kind in options.roll_order[i]] for i, t in enumerate(TERRAINS)
        },
        "titles": {name: _title_json(title) for name, title in zip(LAND_TITLES, options.titles, strict=True)},
        "vote_order": [TITLES[title] for title in options.vote_order],
        "votes_to_win": options.votes_to_win,
        "wealth": dict(zip(_WEALTH, options.wealth, strict=True)),
        "round_limit": options.round_limit,
    }


def _figure_json(options: Options, kind: int) -> dict[str, Any]:
    strengths = {t: [options.strength[i][side][kind] for side in range(2)] for i, t in enumerate(TERRAINS)}
    return {"cost": options.cost[kind], "move": options.move[kind], **strengths}


def _title_json(title: Title) -> list[Any]:
    needed, groups = title
    return [REGIONS[region] for region in regions_of(needed)] + [
        [REGIONS[region] for region in regions_of(group)] for group in groups
    ]


DEFAULT_OPTIONS: Final = parse_options(DEFAULTS)  # so that the file is checked as the options of a match are


def changed_options(options: Options) -> dict[str, Any]:
    """The options that differ from the defaults, enough for `parse_options`."""
    default = options_json(DEFAULT_OPTIONS)
    return {name: value for name, value in options_json(options).items() if value != default[name]}


_DESCRIPTIONS: Final[Mapping[str, str]] = {
    "variant": "all 62 region cards, or the 47 of the short variant (A9)",
    "start_gold": "gold of each player at the start",
    "region_price": "price of a region",
    "bishop_election_price": "price of calling a bishop's election",
    "king_election_price": "price of calling the royal election",
    "harvest": "what regions, churches and titles yield, and the most that is paid",
    "church_price": "price of a church (reconstructed)",
    "castle_price": "price of a castle (reconstructed)",
    "build": "the most buildings, churches and castles of one action (reconstructed)",
    "churches_per_diocese": "churches of a diocese, the first one included",
    "start_churches": "where each diocese's first church stands",
    "figures": "price, steps, [attack, defence] in the field and at a castle, for each kind of figure",
    "hit": "when a die hits (reconstructed)",
    "rows": "which kinds fall first",
    "roll_order": "the six steps of a round of fighting (reconstructed)",
    "titles": "regions that make an elector; of a nested list one is enough",
    "vote_order": "the order in which the electors vote",
    "votes_to_win": "votes that make a king",
    "wealth": "what property counts at the end (reconstructed)",
    "round_limit": "rounds before the last royal election (reconstructed; D5)",
}
_TYPES: Final = {int: "integer", str: "string", list: "array", dict: "object"}


def options_schema() -> dict[str, Any]:
    """JSON Schema of `options_json`."""
    words = {"variant": list(VARIANTS), "hit": list(HITS)}
    properties = {
        name: {
            **({"enum": words[name]} if name in words else {"type": _TYPES[type(default)]}),
            "default": default,
            "description": _DESCRIPTIONS[name],
        }
        for name, default in options_json(DEFAULT_OPTIONS).items()
    }
    return {"type": "object", "properties": properties, "additionalProperties": False}


@dataclass(frozen=True, slots=True)
class _Table:
    """The option table of the contract (`engine.core.OptionTable`)."""

    def parse(self, values: Mapping[str, Any]) -> Options:
        """Return validated options, defaults filled in."""
        return parse_options(values)

    def to_json(self, options: Options) -> dict[str, Any]:
        """Return every option with its value."""
        return options_json(options)

    def schema(self) -> dict[str, Any]:
        """Return a JSON Schema of what `to_json` returns."""
        return options_schema()


OPTIONS: Final = _Table()
