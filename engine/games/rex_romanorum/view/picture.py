"""The position as a picture: a standalone SVG of 1000 by 1200, the map and four panels in its free corners.

Every colour has a second sign: owners a letter and a hatching, churches a letter, kinds of figures a letter.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.abilities import View
from engine.games.rex_romanorum.board import DIOCESE_COUNT, DIOCESES, REGIONS, TITLES
from engine.games.rex_romanorum.scoring import figures_of, production, wealth
from engine.games.rex_romanorum.state import NOBODY, RexState
from engine.games.rex_romanorum.view.labels import labels
from engine.games.rex_romanorum.view.map import ARMS, CASTLE, CHURCH_INKS, PATTERNS, church, map_parts, shield
from engine.games.rex_romanorum.view.text import church_letters, churches_of, figures_text, letter_of, status
from engine.kit.drawing import box, group, part, text
from engine.picture import Picture

_STYLE: Final = (
    "text{font-family:sans-serif;font-size:13px;fill:#222}"
    ".c{text-anchor:middle}.r{text-anchor:end}.s{font-size:10.5px}.n{font-size:11px}.b{font-weight:bold}"
    ".h{font-size:17px;font-weight:bold}.f{font-weight:bold;font-size:11.5px}.a{fill:#c00}"
    ".o{fill:none;stroke:#fff;stroke-width:3px;stroke-linejoin:round;stroke-opacity:0.8}"
    ".land{stroke:#5c4d2e;stroke-width:1.3;stroke-linejoin:round}.mark{fill:none;stroke:#c00;stroke-width:4}"
    ".card{fill:none;stroke:#b8860b;stroke-width:4;stroke-dasharray:7 4}"
    ".box{fill:#fbf8ef;stroke:#7a6a45}.turn{fill:#fff3c4;stroke:#b8860b;stroke-width:3}"
    + "".join(f".i{diocese}{{fill:{ink}}}" for diocese, ink in enumerate(CHURCH_INKS))
)
_CARD_HEIGHT: Final = 88


def draw(state: RexState, view: View) -> Picture:
    """Return the whole position as a picture."""
    names = labels(view.language)
    panels = (part(panel(state, names)) for panel in (_heading, _cards, _titles, _players))
    title = f"{names['title']} · {status(state, names)}"
    return Picture(1000, 1200, title, _STYLE, PATTERNS, (*map_parts(state, names), *panels, part(_legend(names))))


def _heading(state: RexState, names: Mapping[str, str]) -> str:
    return text(12, 24, names["title"], "h") + text(178, 24, status(state, names), widest=812)


def _cards(state: RexState, names: Mapping[str, str]) -> str:
    """Return the box of pile, discards and the cards drawn."""
    lines = [
        f"{names['pile']}: {len(state.pile)}",
        f"{names['discards']}: {len(state.discards)}",
        f"{names['drawn']}: {'-' if not state.drawn else ''}",
        *(f"· {names[REGIONS[region]]}" for region in state.drawn),
    ]
    rows = "".join(text(22, 66 + 18 * place, line, "n", widest=134) for place, line in enumerate(lines))
    return box(12, 44, 154, 122) + rows


def _titles(state: RexState, names: Mapping[str, str]) -> str:
    """Return the seven electors in the order of their votes, and under them the election that is held."""
    parts = [box(788, 330, 204, 216), text(800, 352, names["titles"], "b")]
    for place, title in enumerate(state.options.vote_order):
        y = 378 + 25 * place
        parts.append(text(828, y + 5, names[f"title_{TITLES[title]}"], "n", widest=158))
        holder = state.titles[title]
        parts.append(text(810, y + 5, "-", "c") if holder == NOBODY else shield(holder, 810, y))
    return "".join(parts) + _election(state, names)


def _election(state: RexState, names: Mapping[str, str]) -> str:
    election = state.election
    if election is None:
        return ""
    what = names["king"] if election.diocese < 0 else names[f"title_{DIOCESES[election.diocese]}"]
    parts = [box(788, 554, 204, 34 + 25 * len(election.candidates)), text(800, 576, what, "b", widest=184)]
    for place, seat in enumerate(election.candidates):
        y = 598 + 25 * place
        votes = f"{names['votes']} {election.votes[seat]} · {names['offer']} {election.offers[seat]}"
        parts.append(shield(seat, 810, y) + text(828, y + 5, votes, "n", widest=158))
    return "".join(parts)


def _players(state: RexState, names: Mapping[str, str]) -> str:
    """Return a card for each seat; that of the seat that decides is marked."""
    top = 1192 - _CARD_HEIGHT * state.seats
    return "".join(_player(state, seat, top + _CARD_HEIGHT * seat, names) for seat in range(state.seats))


def _player(state: RexState, seat: int, y: float, names: Mapping[str, str]) -> str:
    crown = f" · {names['king']}" if state.king == seat else ""
    holdings = {
        "gold": state.gold[seat],
        "production": production(state, seat),
        "wealth": wealth(state, seat),
        "regions": state.land[seat].bit_count(),
        "castles": (state.castles & state.land[seat]).bit_count(),
        "churches": church_letters(churches_of(state, seat)),
    }
    words = [f"{names[word]} {amount}" for word, amount in holdings.items()]
    lines = (" · ".join(words[:3]), " · ".join(words[3:]), figures_text(figures_of(state, seat)) or "-")
    rows = "".join(text(728, y + 41 + 17 * place, line, "n", widest=254) for place, line in enumerate(lines))
    return (
        box(716, y, 276, _CARD_HEIGHT - 6, "turn" if seat == state.decider else "box")
        + shield(seat, 738, y + 17)
        + text(758, y + 21, f"{letter_of(seat)} · {names[f'arms_{seat}']}{crown}", "b", widest=224)
        + rows
    )


def _legend(names: Mapping[str, str]) -> str:
    """Return what the signs mean."""
    parts = [box(12, 1052, 150, 140)]
    parts += [church(diocese, 28 + 22 * diocese, 1070) for diocese in range(DIOCESE_COUNT)]
    parts.append(text(92, 1074, names["church"], "s"))
    parts.append(group(28, 1094, CASTLE) + text(46, 1098, names["castle"], "s"))
    for place, kind in enumerate("FAK"):
        parts.append(text(24, 1120 + 18 * place, kind, "f") + text(46, 1120 + 18 * place, names[kind], "s"))
    parts.append(f'<rect x="20" y="1168" width="18" height="14" fill="{ARMS[NOBODY]}" stroke="#5c4d2e"/>')
    parts.append(text(46, 1179, names["unowned"], "s"))
    return "".join(parts)
