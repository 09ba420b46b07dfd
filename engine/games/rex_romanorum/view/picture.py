"""The position as a picture of 1000 by 1200: the map, the last move above it, panels in its free corners.

Every colour has a second sign: owners a letter and a hatching, churches a letter, kinds of figures a letter.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.abilities import View
from engine.games.rex_romanorum.state import PHASES, RexState
from engine.games.rex_romanorum.view import panels
from engine.games.rex_romanorum.view.banner import banner
from engine.games.rex_romanorum.view.labels import labels, phase_label
from engine.games.rex_romanorum.view.map import CHURCH_INKS, map_defs, map_parts
from engine.games.rex_romanorum.view.text import letter_of, status
from engine.kit.drawing import part, text
from engine.picture import Picture

_STYLE: Final = (
    "text{font-family:sans-serif;font-size:13px;fill:#222}"
    ".c{text-anchor:middle}.r{text-anchor:end}.s{font-size:10.5px}.n{font-size:11px}.b{font-weight:bold}"
    ".t{font-size:10px;fill:#5a5142}.g{fill:#5a5142}.m{font-size:12.5px}.d{font-size:12px;font-weight:bold}.w{fill:#fff}"
    ".h{font-size:17px;font-weight:bold}.f{font-weight:bold;font-size:11.5px}.a{fill:#c00}"
    ".o{fill:none;stroke:#fff;stroke-width:3px;stroke-linejoin:round;stroke-opacity:0.8}"
    ".land{stroke:#5c4d2e;stroke-width:1.3;stroke-linejoin:round}.mark{fill:none;stroke:#c00;stroke-width:4}"
    ".card{fill:none;stroke:#b8860b;stroke-width:4;stroke-dasharray:7 4}"
    ".last{fill:none;stroke:#111;stroke-width:3;stroke-linejoin:round}"
    ".halo{fill:none;stroke:#fff;stroke-width:8;stroke-linejoin:round}"
    ".way{fill:none;stroke:#111;stroke-width:3.5}.head{fill:#111;stroke:#fff;stroke-width:1.5}"
    ".sw{fill:none;stroke:#c00;stroke-width:1.8}.rule{stroke:#7a6a45}.new{fill:#fff3c4;stroke:#b8860b}"
    ".back{fill:#8b5e3c;stroke:#3d2a1a}.none{fill:none;stroke:#7a6a45;stroke-dasharray:3 3}"
    ".slot{fill:#fff;stroke:#b8860b}.kept{fill:#fff3c4;stroke:#111;stroke-width:2}"
    ".hit{fill:#8c1d18;stroke:#222}.miss{fill:#fff;stroke:#222}.medal{fill:#ffd700;stroke:#5c4d2e}.crown{fill:#ffd700;stroke:#5c4d2e}"
    ".box{fill:#fbf8ef;stroke:#7a6a45}.turn{fill:#fff3c4;stroke:#b8860b;stroke-width:3}"
    + "".join(f".i{diocese}{{fill:{ink}}}" for diocese, ink in enumerate(CHURCH_INKS))
)


def draw(state: RexState, view: View) -> Picture:
    """Return the whole position as a picture."""
    names = labels(view.language)
    parts = (
        *map_parts(state, view, names),
        part(_heading(state, names)),
        part(banner(view)),
        part(panels.cards(state, view, names)),
        *map(part, panels.titles(state, view.last, names)),
        part(panels.election(state, names)),
        part(panels.final_scoring(state, view)),
        *panels.players(state, view, names),
        part(panels.legend(names)),
    )
    title = f"{names['title']} · {_status(state, names)}"
    return Picture(1000, 1200, title, _STYLE, map_defs(), parts)


def _heading(state: RexState, names: Mapping[str, str]) -> str:
    return text(12, 24, names["title"], "h") + text(178, 24, _status(state, names), widest=812)


def _status(state: RexState, names: Mapping[str, str]) -> str:
    """Return round, who decides by his house, and what; or king and ranks."""
    if state.decider is None:
        return status(state, names)
    house = f"{letter_of(state.decider)} · {names[f'arms_{state.decider}']}"
    start = f"{names['round']} {state.round}/{state.options.round_limit}"
    return f"{start} · {house} {names['decides']}: {phase_label(PHASES[state.phase], names)}"
