"""The position as text for a terminal, and the names for people by language-free id.

Ids are regions, titles, every action by its notation, and words of the views.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from textwrap import wrap
from types import MappingProxyType
from typing import Final

from engine.games.rex_romanorum.actions import ACTIONS, KINDS
from engine.games.rex_romanorum.board import (
    BIT,
    DIOCESE_COUNT,
    DIOCESES,
    NAMES,
    REGION_COUNT,
    REGIONS,
    TITLES,
    regions_of,
)
from engine.games.rex_romanorum.scoring import figures_of, outcome, production, wealth
from engine.games.rex_romanorum.state import END, NOBODY, PHASES, RexState
from engine.kit.game_folder import read_json

SEAT_LETTERS: Final = "ABCDE"
DIOCESE_LETTERS: Final = "MKT"
"""Mainz, Köln, Trier: on churches, beside their colours (S2)."""
_WIDTH: Final = 100
_NAME_WIDTH: Final = 18
_CELL_WIDTH: Final = 12
_TEXTS: Final[Mapping[str, Mapping[str, str]]] = read_json(__name__, "labels.json")
LANGUAGES: Final = tuple(_TEXTS)
_WITH_DIOCESE: Final = ("ACT_BISHOP", "CHURCH")
_STEP: Final = "step_"
"""Begins the key of what a verb is called when it is chosen by itself."""


def letter_of(seat: int | None) -> str:
    """Return A to E for the seats, a dash for nobody: a sign beside the colour."""
    return "-" if seat is None or seat == NOBODY else SEAT_LETTERS[seat]


def status(state: RexState, names: Mapping[str, str]) -> str:
    """Return round, phase and who decides, or king and ranks, in one line."""
    start = f"{names['round']} {state.round}/{state.options.round_limit} · "
    if state.phase != END:
        phase = phase_label(PHASES[state.phase], names)
        decider = state.decider
        return f"{start}{names['seat']} {decider} ({letter_of(decider)}) {names['decides']}: {phase}"
    king = names["no_king"] if state.king == NOBODY else f"{names['king']} {letter_of(state.king)}"
    ranks = ", ".join(f"{letter_of(seat)} {rank}" for seat, rank in enumerate(outcome(state).ranks))
    return f"{start}{names['finished']} · {king} · {names['rank']}: {ranks}"


def figures_text(numbers: Iterable[int]) -> str:
    """Return (3, 0, 1) as `3F1K`."""
    return "".join(f"{number}{kind}" for number, kind in zip(numbers, KINDS, strict=True) if number)


def attacking(state: RexState, region: int) -> list[int]:
    """Return the figures of the active seat in another's region, by kind."""
    if state.owner[region] == state.active:
        return [0, 0, 0]
    return [state.arrived.get(i, 0) for i in range(region, 3 * REGION_COUNT, REGION_COUNT)]


def churches_of(state: RexState, seat: int) -> list[int]:
    """Return how many churches of each diocese a seat owns."""
    return [(state.churches[diocese] & state.land[seat]).bit_count() for diocese in range(DIOCESE_COUNT)]


def church_letters(numbers: Iterable[int]) -> str:
    """Return (1, 0, 2) as `1M2T`."""
    counts = zip(numbers, DIOCESE_LETTERS, strict=True)
    return "".join(f"{number}{letter}" for number, letter in counts if number) or "-"


def render_text(state: RexState, seat: int | None, language: str) -> str:
    """Return the whole position in lines of at most 100 columns."""
    del seat
    names = labels(language)
    drawn = ", ".join(names[REGIONS[region]] for region in state.drawn) or "-"
    lines = [
        f"{names['title']} · {status(state, names)}",
        f"{names['pile']}: {len(state.pile)} · {names['discards']}: {len(state.discards)} · {names['drawn']}: {drawn}",
        "",
    ]
    lines.append(_row("", (letter_of(seat) for seat in range(state.seats))))
    seats = range(state.seats)
    holdings = {
        names["gold"]: map(str, state.gold),
        names["production"]: (str(production(state, seat)) for seat in seats),
        names["wealth"]: (str(wealth(state, seat)) for seat in seats),
        names["regions"]: (str(state.land[seat].bit_count()) for seat in seats),
        names["castles"]: (str((state.castles & state.land[seat]).bit_count()) for seat in seats),
        names["churches"]: (church_letters(churches_of(state, seat)) for seat in seats),
        "F A K": (figures_text(figures_of(state, seat)) or "-" for seat in seats),
    }
    lines += [_row(name, cells) for name, cells in holdings.items()]
    holders = (f"{names[f'title_{title}']}: {letter_of(state.titles[i])}" for i, title in enumerate(TITLES))
    lines += ["", *wrap(" · ".join(holders), _WIDTH), ""]
    # The regions of a seat: the church in brackets, a castle as #, the figures.
    for seat in seats:
        entries = []
        for region in regions_of(state.land[seat]):
            church = "".join(f"[{DIOCESE_LETTERS[d]}]" for d in range(DIOCESE_COUNT) if state.churches[d] & BIT[region])
            castle = "#" if state.castles & BIT[region] else ""
            arrived, places = (
                state.arrived if seat == state.active else {},
                range(region, 3 * REGION_COUNT, REGION_COUNT),
            )
            figures = figures_text([state.army[i] + arrived.get(i, 0) for i in places])
            entries.append(f"{names[REGIONS[region]]}{church}{castle}{' ' if figures else ''}{figures}")
        heading = f"{letter_of(seat)} {names[f'arms_{seat}']}: "
        lines += wrap(heading + (", ".join(entries) or "-"), _WIDTH, subsequent_indent="  ")
    attacks = [(region, figures_text(attacking(state, region))) for region in range(REGION_COUNT)]
    shown = ", ".join(f"{names[REGIONS[region]]} {figures}" for region, figures in attacks if figures)
    if shown:
        lines += wrap(f"{names['attackers']} ({letter_of(state.active)}): {shown}", _WIDTH)
    if (election := state.election) is not None:
        what = names["king"] if election.diocese < 0 else names[f"title_{DIOCESES[election.diocese]}"]
        candidates = " ".join(
            f"{letter_of(seat)} ({names['votes']} {election.votes[seat]}, {names['offer']} {election.offers[seat]})"
            for seat in election.candidates
        )
        lines.append(f"{what} · {names['candidates']}: {candidates or '-'}")
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _row(name: str, cells: Iterable[str]) -> str:
    return f"{name:<{_NAME_WIDTH}}" + "".join(f"{cell:>{_CELL_WIDTH}}" for cell in cells)


@cache
def labels(language: str) -> Mapping[str, str]:
    """Return all labels in a language: English for an unknown one and wherever a language has no word."""
    regions = dict(zip(REGIONS, NAMES, strict=True))
    names = {**_TEXTS["en"], **regions, **_TEXTS.get(language, _TEXTS["en"])}
    actions = {action: _label(action, names) for action in ACTIONS.names}
    verbs = {name.removeprefix(_STEP): text for name, text in names.items() if name.startswith(_STEP)}
    return MappingProxyType(names | verbs | actions)


def phase_label(phase: str, names: Mapping[str, str]) -> str:
    """Return the label of a phase; some phases are called like an action."""
    return names.get(f"{phase}_PHASE") or names[phase]


def _label(action: str, names: Mapping[str, str]) -> str:
    verb, *parameters = action.split(":")
    if verb == "KEEP":
        return names[f"KEEP_{parameters[0]}"]
    known = {"number": "", "kind": "", "diocese": "", "region": ""}
    for place, parameter in enumerate(parameters):
        if parameter.isdigit():
            known["number"] = parameter
        elif parameter in KINDS:
            known["kind"] = names[parameter]
        else:
            known["diocese" if place == 0 and verb in _WITH_DIOCESE else "region"] = names[parameter]
    return names[verb].format_map(known)
