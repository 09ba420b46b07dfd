"""The table below the map: what each seat owns, or, once the game is over, the steps of the final scoring."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from engine.abilities import ScoringStep, View
from engine.games.rex_romanorum.scoring import figures_of, outcome, production, wealth
from engine.games.rex_romanorum.state import RexState
from engine.games.rex_romanorum.view.pieces import castle, church, crown, shield
from engine.games.rex_romanorum.view.sentences import scoring_steps
from engine.games.rex_romanorum.view.text import churches_of, letter_of
from engine.kit.drawing import box, clipped, filled, group, text, titled

HEIGHT: Final = 200
_LEFT: Final = 8
_WIDTH: Final = 784
_HEADING: Final = 28
_WORDS: Final = {"gold": 266, "production": 347, "wealth": 435, "regions": 516}
"""Where the columns with words above them have their middle."""
_CASTLES: Final = 573
_CHURCHES: Final = (608, 636, 664)
_FIGURES: Final = (700, 732, 764)
_COLUMNS: Final = (*_WORDS.values(), _CASTLES, *_CHURCHES, *_FIGURES)
_ROOMY: Final = 25
"""From this half of its height on, a row has two lines."""
_SCORED_FROM: Final = 214
_NAME_LETTER: Final = 10.7
STYLE: Final = (
    ".turn{fill:#fff3c4;stroke:#b8860b;stroke-width:2.5}.up{fill:#ffe100;stroke:#222}.v{font-weight:bold}"
    ".rule{stroke:#cbbd98}.q{fill:#5a5142}"
)


def draw_table(state: RexState, view: View, names: Mapping[str, str]) -> list[str]:
    """Return the parts of the table, as many for every position."""
    steps = scoring_steps(state, view.language)
    inner = _scoring(state, steps, view, names) if steps else _holdings(state, view, names)
    return filled([box(_LEFT, 0, _WIDTH, HEIGHT), *inner], 2 + state.seats * (1 + len(_COLUMNS)))


def _player(seat: int, view: View, names: Mapping[str, str]) -> str:
    return view.name_of(seat) or names[f"arms_{seat}"]


def _holdings(state: RexState, view: View, names: Mapping[str, str]) -> list[str]:
    """Return the heading, and what each seat owns."""
    heading = "".join(text(x, 20, names[word], "c l q") for word, x in _WORDS.items())
    heading += castle(_CASTLES, 14) + "".join(church(diocese, x, 14) for diocese, x in enumerate(_CHURCHES))
    heading += "".join(text(x, 20, kind, "c b") for kind, x in zip("FAK", _FIGURES, strict=True))
    return [heading, *(drawn for seat in range(state.seats) for drawn in _row(state, seat, view, names))]


def _row(state: RexState, seat: int, view: View, names: Mapping[str, str]) -> Iterator[str]:
    """Yield who plays a seat, then each amount that it owns; what the last move changed is marked."""
    height = (HEIGHT - _HEADING - 4) / state.seats
    middle, decides = height / 2, seat == state.decider
    before = state if view.last is None else view.last.before
    frame = box(_LEFT + 3, 1, _WIDTH - 6, height - 2, "turn") if decides else ""
    name = clipped(_player(seat, view, names), int(184 / _NAME_LETTER))
    drawn = titled(f"{letter_of(seat)} · {names[f'arms_{seat}']}") + frame + shield(seat, 30, middle)
    drawn += _name(names[f"arms_{seat}"], name, middle, "b" if decides else "")
    top = _HEADING + height * seat
    yield group(0, top, drawn)
    for x, now, then in zip(_COLUMNS, _amounts(state, seat), _amounts(before, seat), strict=True):
        yield _amount(x, top + middle, now, then)


def _name(house: str, player: str, middle: float, classes: str) -> str:
    """Return who plays, and the house below it where there is room."""
    if middle < _ROOMY or player == house:
        return text(50, middle + 6, player, classes)
    return text(50, middle - 3, player, classes) + text(50, middle + 16, house, "s q")


def _amounts(state: RexState, seat: int) -> tuple[int, ...]:
    """Return what a seat owns, column by column."""
    land = state.land[seat]
    return (
        state.gold[seat],
        production(state, seat),
        wealth(state, seat),
        land.bit_count(),
        (state.castles & land).bit_count(),
        *churches_of(state, seat),
        *figures_of(state, seat),
    )


def _amount(x: float, middle: float, now: int, then: int) -> str:
    if now == then:
        return text(x, middle + 7, now or "·", "c v")
    width = 8 + 11 * len(str(now))
    pill = f'<rect class="up" x="{x - width / 2:g}" y="{middle - 11:g}" width="{width}" height="22" rx="8"/>'
    return pill + text(x, middle + 7, now, "c v")


def _scoring(state: RexState, steps: Sequence[ScoringStep], view: View, names: Mapping[str, str]) -> list[str]:
    """Return whose points the columns hold, the steps of the final scoring, their sum, and what is to be said of it."""
    height = (HEIGHT - _HEADING - 4) / (len(steps) + 2)
    bases = [_HEADING + height * place + 15 for place in range(len(steps) + 2)]
    found = ["".join(_column(state, seat, view, names) for seat in range(state.seats))]
    for base, step in zip(bases, steps, strict=False):
        points = "".join(
            text(_at(state, seat) + 60, base, amount or "·", "r s") for seat, amount in enumerate(step.points)
        )
        found.append(_rule(base) + text(24, base, step.label, "l") + points)
    found.append(
        _rule(bases[-2]) + "".join(_sum(state, seat, total, bases[-2]) for seat, total in enumerate(steps[-1].sums))
    )
    return [*found, _rule(bases[-1]) + text(24, bases[-1] + 1, steps[-1].note, "s")]


def _at(state: RexState, seat: int) -> float:
    """Return where the column of a seat begins."""
    return _SCORED_FROM + (_LEFT + _WIDTH - _SCORED_FROM) / state.seats * seat


def _column(state: RexState, seat: int, view: View, names: Mapping[str, str]) -> str:
    width = _at(state, 1) - _at(state, 0)
    name = clipped(_player(seat, view, names), int((width - 34) / 9))
    return shield(seat, _at(state, seat) + 12, 14) + text(_at(state, seat) + 28, 20, name, "l b")


def _sum(state: RexState, seat: int, total: int, base: float) -> str:
    """Return a fortune with the rank of the seat; a crown for the king."""
    x, rank = _at(state, seat), outcome(state).ranks[seat]
    medal = f'<circle class="{"medal" if rank == 1 else "miss"}" cx="{x + 76:g}" cy="{base - 5:g}" r="9"/>'
    king = crown(x + 12, base - 5) if state.king == seat else ""
    return text(x + 60, base, total, "r b") + medal + text(x + 76, base, rank, "c l b") + king


def _rule(base: float) -> str:
    return f'<path class="rule" d="M20 {base - 15:g}H{_LEFT + _WIDTH - 12}"/>'
