"""The position as text for a terminal, and the names for people by language-free id.

Ids are provinces, factories, every action by its notation, and words of the views.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from engine.games.foreign_king import scoring
from engine.games.foreign_king.actions import ACTIONS
from engine.games.foreign_king.board import PORTRAIT, PROVINCE_COUNT, PROVINCES, province_names
from engine.games.foreign_king.state import FACTORIES, PHASES, VIRTUAL, ForeignKingState, colour_count
from engine.kit.game_folder import read_json

_TEXTS: Final[Mapping[str, Mapping[str, str]]] = read_json(__name__, "labels.json")
LANGUAGES: Final = tuple(_TEXTS)
"""Dutch has names for the provinces only."""
_STEP: Final = "step_"
"""Begins the key of what the first word of a notation is called by itself, in place of the template of its label."""
SEAT_LETTERS: Final = "ABCD"
VIRTUAL_LETTER: Final = "V"
_NAME_WIDTH: Final = 22
_CELL_WIDTH: Final = 6


@cache
def labels(language: str) -> Mapping[str, str]:
    """Return all labels in a language, in English for an unknown one and wherever a language has no word."""
    texts = dict(_TEXTS["en"]) | dict(_TEXTS.get(language, {}))
    names = texts | province_names(language)
    verbs = {name.removeprefix(_STEP): text for name, text in names.items() if name.startswith(_STEP)}
    actions = {action: _label(action, names) for action in ACTIONS.names}
    return MappingProxyType(names | verbs | actions)


def _label(action: str, names: Mapping[str, str]) -> str:
    verb, *parameters = action.split(":")
    known = {"province": "", "number": "", "kind": ""}
    for parameter in parameters:
        if parameter in PROVINCES:
            known["province"] = names[parameter]
        elif parameter.isdigit():
            known["number"] = parameter
        else:
            known["kind"] = names[parameter]
    return names[verb].format_map(known)


def letter_of(state: ForeignKingState, colour: int) -> str:
    """Return A to D for the seats and V for the virtual player: a sign beside the colour."""
    return VIRTUAL_LETTER if state.seats == 2 and colour == VIRTUAL else SEAT_LETTERS[colour]


def king_place(state: ForeignKingState, names: Mapping[str, str]) -> str:
    """Return in words where the King stands."""
    return names["portrait"] if state.king == PORTRAIT else names[PROVINCES[state.king]]


def status(state: ForeignKingState, names: Mapping[str, str], *, is_numbered: bool = True) -> str:
    """Return one line with the round, the phase and who decides, or with the ranks.

    A seat has its letter; programs and the command line know it by its number, which is told unless `is_numbered` is
    False.
    """
    start = f"{names['round']} {state.round} · "
    if state.decider is not None:
        phase = names[f"phase_{PHASES[state.phase]}"]
        letter = letter_of(state, state.decider)
        who = f"{state.decider} ({letter})" if is_numbered else letter
        return f"{start}{names['seat']} {who} {names['decides']}: {phase}"
    places = scoring.outcome(state).ranks
    ranks = ", ".join(f"{letter_of(state, seat)} {place}" for seat, place in enumerate(places))
    return start + f"{names['finished']} · {names['rank']}: {ranks}"


def factories_text(packed: int) -> str:
    """Return a letter for each factory as the rules write them: M and T active, m and t inactive."""
    return "".join(key * count for key, count in FACTORIES.counts(packed).items())


def render_text(state: ForeignKingState, seat: int | None, language: str) -> str:
    """Return the whole position in about 25 lines of at most 80 columns."""
    del seat
    names = labels(language)
    colours = range(colour_count(state))
    order = " ".join(letter_of(state, seat) for seat in state.order)
    lines = [
        f"{names['title']} · {status(state, names)}",
        f"{names['marker']} {state.marker} · {names['king']}: {king_place(state, names)} · {names['order']}: {order}",
        f"{names['supply']}: M {state.supply & 7}, T {state.supply >> 3}",
        "",
        _row("", (letter_of(state, colour) for colour in colours)),
    ]
    for index, province in enumerate(PROVINCES):
        sign = "*" if state.king == index else " "
        counts = state.discs[index::PROVINCE_COUNT]
        line = _row(f"{sign} {names[province]}", (str(count) if count else "." for count in counts))
        lines.append(f"{line}  {factories_text(state.factories[index])}".rstrip())
    holdings = {
        "congress": state.congress[: state.seats],
        "hand": state.hand,
        "score": state.scores,
        "francs": state.francs,
        "medals": state.medals,
        "loans": state.loans,
    }
    lines += ["", *(_row(f"  {names[word]}", map(str, amounts)) for word, amounts in holdings.items())]
    lines.append("")
    for owner, space in enumerate(state.pawns[: state.seats]):
        place = "-" if space < 0 else names[ACTIONS.names[space]]
        lines.append(f"  {names['pawn']} {letter_of(state, owner)}: {place}")
    return "\n".join(lines) + "\n"


def _row(name: str, cells: Iterable[str]) -> str:
    return f"{name:<{_NAME_WIDTH}}" + "".join(f"{cell:>{_CELL_WIDTH}}" for cell in cells)
