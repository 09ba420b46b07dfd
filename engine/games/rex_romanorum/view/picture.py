"""The position as a picture of 800 by 1102: the last move, the map, the electors and the table, in many small parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

from engine.abilities import View
from engine.games.rex_romanorum.state import PHASES, RexState
from engine.games.rex_romanorum.view import banner, geography, holdings, panels, pieces, region_pieces, territory
from engine.games.rex_romanorum.view.labels import labels, phase_label
from engine.games.rex_romanorum.view.text import letter_of, status
from engine.kit.drawing import part
from engine.picture import Picture

_STYLE: Final = (
    (
        "text{font-family:Arial,Helvetica,sans-serif;font-size:18px;fill:#222}.c{text-anchor:middle}.r{text-anchor:end}"
        ".b{font-weight:bold}.s{font-size:16px}.l{font-size:15px}.page{fill:#f9f1dc;stroke:#7a6a45;stroke-width:3}"
        ".title{font-family:serif;font-size:26px;font-weight:bold;text-anchor:middle}.box{fill:#fbf6e8;stroke:#7a6a45;stroke-width:1.5}"
    )
    + pieces.STYLE
    + geography.STYLE
    + territory.STYLE
    + region_pieces.STYLE
    + panels.STYLE
    + holdings.STYLE
)
_WIDTH: Final = geography.WIDTH
_BANNER_TOP: Final = 8
_MAP_TOP: Final = _BANNER_TOP + banner.HEIGHT + 6
_ELECTORS_TOP: Final = _MAP_TOP + geography.HEIGHT + 2
_TABLE_TOP: Final = _ELECTORS_TOP + 36
_HEIGHT: Final = _TABLE_TOP + holdings.HEIGHT + 8


def draw(state: RexState, view: View) -> Picture:
    """Return the whole position as a picture; what the last move changed glows."""
    names = labels(view.language)
    title = f"{names['title']} · {_status(state, names)}"
    return Picture(_WIDTH, _HEIGHT, title, _STYLE, _defs(), tuple(_parts(state, view, names)))


@cache
def _defs() -> str:
    return pieces.DEFS + geography.ground_defs()


def _parts(state: RexState, view: View, names: Mapping[str, str]) -> Iterator[str]:
    yield part(f'<rect class="page" width="{_WIDTH}" height="{_HEIGHT}"/>')
    for drawing in banner.banner(view):
        yield part(drawing, down=_BANNER_TOP)
    yield from territory.map_parts(state, view, names, _MAP_TOP)
    for drawing in (*panels.cartouche(state, names), *panels.cards(state, view, names), *panels.corner(state, names)):
        yield part(drawing, down=_MAP_TOP)
    for drawing in panels.electors(state, view.last, names):
        yield part(drawing, down=_ELECTORS_TOP)
    for drawing in holdings.draw_table(state, view, names):
        yield part(drawing, down=_TABLE_TOP)


def _status(state: RexState, names: Mapping[str, str]) -> str:
    """Return round, who decides by his house, and what; or king and ranks."""
    if state.decider is None:
        return status(state, names)
    house = f"{letter_of(state.decider)} · {names[f'arms_{state.decider}']}"
    start = f"{names['round']} {state.round}/{state.options.round_limit}"
    return f"{start} · {house} {names['decides']}: {phase_label(PHASES[state.phase], names)}"
