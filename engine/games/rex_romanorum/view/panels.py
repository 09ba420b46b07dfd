"""What lies in the free corners of the map, and the electors below it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from engine.abilities import Move, View
from engine.games.rex_romanorum.board import DIOCESE_COUNT, DIOCESES, REGIONS, TITLES
from engine.games.rex_romanorum.rules.acquire import CARDS_DRAWN
from engine.games.rex_romanorum.state import END, KEEP, NOBODY, PHASES, RexState
from engine.games.rex_romanorum.view.labels import phase_label
from engine.games.rex_romanorum.view.pieces import castle, church, shield
from engine.games.rex_romanorum.view.region_pieces import abbreviated
from engine.kit.drawing import box, clipped, filled, group, text, titled

STYLE: Final = (
    ".back{fill:#8b5e3c;stroke:#3d2a1a}.none{fill:none;stroke:#7a6a45;stroke-dasharray:3 3}"
    ".slot{fill:#fff;stroke:#b8860b}.kept{fill:#fff3c4;stroke:#111;stroke-width:2}.new{fill:#fff3c4;stroke:#b8860b;stroke-width:2}"
)
_TITLE_REGIONS: Final = {"pfalz": "kurpfalz"}
"""Electors who are not called like the region or the land whose they are."""
_SMALL: Final = 8.5
"""Width of a letter of 15 units."""
_CORNER: Final = (560, 646, 226, 114)
"""Of the legend, or of an election: left, top, width and height."""


def cartouche(state: RexState, names: Mapping[str, str]) -> tuple[str, str, str]:
    """Return the name of the game, the round, and who decides what, a part each."""
    told = names["finished"]
    if state.phase != END:
        told = f"{names['round']} {state.round}/{state.options.round_limit} · {names[f'arms_{state.decider}']}"
    title, time = box(16, 8, 272, 92) + text(152, 36, names["title"], "title"), text(152, 61, told, "c")
    if state.decider is None:
        king = names["no_king"] if state.king == NOBODY else f"{names['king']}: {names[f'arms_{state.king}']}"
        return title, time, text(152, 86, king, "c s")
    return title, time, shield(state.decider, 34, 81) + text(50, 86, clipped(_phase(state, names), 26), "s")


def _phase(state: RexState, names: Mapping[str, str]) -> str:
    return phase_label(PHASES[state.phase], names)


def cards(state: RexState, view: View, names: Mapping[str, str]) -> list[str]:
    """Return pile, discards, and the cards that were drawn, a part each; those just bought are filled."""
    drawn, kept = list(state.drawn), set[int]()
    if view.last is not None and view.last.before.phase == KEEP:
        drawn = list(view.last.before.drawn)
        kept = {region for region in drawn if state.owner[region] != NOBODY}
    piles = _stack(52, len(state.pile), names["pile"]), _stack(126, len(state.discards), names["discards"])
    rows = [_card(region, 693 + 23 * place, region in kept, names) for place, region in enumerate(drawn)]
    return [box(16, 690, 152, 72), *piles, *filled(rows, CARDS_DRAWN)]


def _stack(x: float, number: int, name: str) -> str:
    back = '<rect class="back" x="-11" y="-15" width="22" height="30" rx="3"/>'
    behind = f'<g transform="translate(3 -2)">{back}</g>' if number > 1 else ""
    pile = behind + back if number else '<rect class="none" x="-11" y="-15" width="22" height="30" rx="3"/>'
    return group(x - 14, 718, pile) + text(x + 5, 725, number, "b") + text(x, 755, name, "c l")


def _card(region: int, y: float, is_kept: bool, names: Mapping[str, str]) -> str:
    name = names[REGIONS[region]]
    frame = f'<rect class="{"kept" if is_kept else "slot"}" x="174" y="{y:g}" width="172" height="21" rx="4"/>'
    return titled(name) + frame + text(260, y + 16, abbreviated(name, 18), "c l b")


def electors(state: RexState, last: Move | None, names: Mapping[str, str]) -> Iterator[str]:
    """Yield what the row is, and the seven electors in the order of their votes, each with who holds the title."""
    yield text(8, 22, names["titles"], "l b")
    called = [names[_TITLE_REGIONS.get(TITLES[title], TITLES[title])] for title in state.options.vote_order]
    widths = [27 + _SMALL * len(name) for name in called]
    x = 16 + 9.2 * len(names["titles"])
    gap = (792 - x - sum(widths)) / len(called)
    for title, name, width in zip(state.options.vote_order, called, widths, strict=True):
        yield group(x, 17, _elector(state, title, width, last, name), title=names[f"title_{TITLES[title]}"])
        x += width + gap


def _elector(state: RexState, title: int, width: float, last: Move | None, name: str) -> str:
    holder = state.titles[title]
    is_new = last is not None and last.before.titles[title] != holder
    row = box(-3, -16, width + 2, 32, "new") if is_new else ""
    empty = '<path class="none" d="M1 -11H23V2C23 8 17 10 12 12C7 10 1 8 1 2Z"/>'
    return row + (empty if holder == NOBODY else shield(holder, 12, 0)) + text(26, 5, name, "l")


def corner(state: RexState, names: Mapping[str, str]) -> list[str]:
    """Return the election that is held, or the legend while there is none, and a part for each seat that may stand."""
    parts = [_legend(names)] if state.election is None else list(_election(state, names))
    parts[0] = box(0, 0, *_CORNER[2:]) + parts[0]
    return [group(_CORNER[0], _CORNER[1], drawn) if drawn else "" for drawn in filled(parts, 1 + state.seats)]


def _election(state: RexState, names: Mapping[str, str]) -> Iterator[str]:
    """Yield for what is voted, then who stands, with votes and offers."""
    held = state.election
    assert held is not None
    what = names["king"] if held.diocese < 0 else names[f"title_{DIOCESES[held.diocese]}"]
    drawn = text(10, 22, what, "s b") + text(10, 79, names["votes"], "l")
    yield drawn + (text(10, 103, names["offer"], "l") if held.diocese < 0 else "")
    for place, seat in enumerate(held.candidates):
        x = 100 + 27 * place
        offer = text(x, 104, held.offers[seat], "c") if held.diocese < 0 else ""
        yield shield(seat, x, 46) + text(x, 80, held.votes[seat], "c b") + offer


def _legend(names: Mapping[str, str]) -> str:
    """Return what the signs mean."""
    churches = "".join(church(diocese, 16 + 22 * diocese, 15) for diocese in range(DIOCESE_COUNT))
    shown = churches + text(76, 20, names["church"], "l") + castle(140, 15) + text(154, 20, names["castle"], "l")
    for place, kind in enumerate("FAK"):
        base = 42 + 21 * place
        shown += text(16, base, kind, "c b") + text(30, base, names[kind], "l")
    glow = "".join(f'<rect class="{kind}" x="8" y="95" width="17" height="12"/>' for kind in ("edge", "edge last"))
    return shown + glow + text(36, 106, names["last_move"], "l")
