"""The position as text for a terminal. The picture is in `svg`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from engine.abilities import Shown
from engine.games.foreign_king import scoring
from engine.games.foreign_king.actions import ACTIONS
from engine.games.foreign_king.board import PORTRAIT, PROVINCE_COUNT, PROVINCES
from engine.games.foreign_king.labels import LANGUAGES, labels
from engine.games.foreign_king.position_json import unpack_factories
from engine.games.foreign_king.state import PHASES, VIRTUAL, Position, colours_of

SEAT_LETTERS: Final = "ABCD"
VIRTUAL_LETTER: Final = "V"
_NAME_WIDTH: Final = 22
_CELL_WIDTH: Final = 6


def letter_of(s: Position, colour: int) -> str:
    """A to D for the seats, V for the virtual player: a sign beside the colour."""
    return VIRTUAL_LETTER if s.seats == 2 and colour == VIRTUAL else SEAT_LETTERS[colour]


def king_place(s: Position, names: Mapping[str, str]) -> str:
    """Where the King stands, in words."""
    return names["portrait"] if s.king == PORTRAIT else names[PROVINCES[s.king]]


def status(s: Position, names: Mapping[str, str]) -> str:
    """Round, phase and who decides, or the ranks; one line."""
    start = f"{names['round']} {s.round} · {PHASES[s.phase]} · "
    if s.to_act is not None:
        return start + f"{names['seat']} {s.to_act} ({letter_of(s, s.to_act)}) {names['decides']}"
    places = scoring.outcome(s).ranks
    ranks = ", ".join(f"{letter_of(s, seat)} {place}" for seat, place in enumerate(places))
    return start + f"{names['finished']} · {names['rank']}: {ranks}"


def factories_text(packed: int) -> str:
    """A letter a factory, as the rules write them: M and T active, m and t inactive."""
    return "".join(key * count for key, count in unpack_factories(packed).items())


def render_text(s: Position, seat: int | None, language: str) -> str:
    """The whole position in about 25 lines of at most 80 columns."""
    del seat
    names = labels(language)
    colours = range(colours_of(s.seats))
    order = " ".join(letter_of(s, seat) for seat in s.order)
    lines = [
        f"{names['title']} · {status(s, names)}",
        f"{names['marker']} {s.marker} · {names['king']}: {king_place(s, names)} · {names['order']}: {order}",
        f"{names['supply']}: M {s.supply_m}, T {s.supply_t}",
        "",
        _row("", (letter_of(s, colour) for colour in colours)),
    ]
    for index, province in enumerate(PROVINCES):
        sign = "*" if s.king == index else " "
        counts = s.discs[index::PROVINCE_COUNT]
        line = _row(f"{sign} {names[province]}", (str(count) if count else "." for count in counts))
        lines.append(f"{line}  {factories_text(s.factories[index])}".rstrip())
    lines += ["", *(_row(f"  {names[word]}", map(str, amounts)) for word, amounts in _holdings(s))]
    lines += ["", *(_pawn_line(s, seat, names) for seat in range(s.seats))]
    return "\n".join(lines) + "\n"


def _row(name: str, cells: Iterable[str]) -> str:
    return f"{name:<{_NAME_WIDTH}}" + "".join(f"{cell:>{_CELL_WIDTH}}" for cell in cells)


def _holdings(s: Position) -> list[tuple[str, list[int]]]:
    return [
        ("congress", s.congress[: s.seats]),
        ("hand", s.hand),
        ("score", s.scores),
        ("francs", s.francs),
        ("medals", scoring.medals_of(s)),
        ("loans", s.loans),
    ]


def _pawn_line(s: Position, seat: int, names: Mapping[str, str]) -> str:
    space = s.pawns[seat]
    place = "-" if space < 0 else names[ACTIONS.names[space]]
    return f"  {names['pawn']} {letter_of(s, seat)}: {place}"


def render_svg(s: Position, seat: int | None, language: str) -> str:
    """Return the whole position as a picture."""
    from engine.games.foreign_king import svg

    del seat
    return svg.render_svg(s, language)


SHOWN: Final = Shown(text=render_text, svg=render_svg, labels=labels, languages=LANGUAGES)
