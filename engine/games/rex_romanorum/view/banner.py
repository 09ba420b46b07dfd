"""The last move above the map: who, what, the dice as they fell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from textwrap import wrap
from typing import Final

from engine.abilities import Move, View
from engine.games.rex_romanorum.state import FIGHT, FIGHT_ON, RexState
from engine.games.rex_romanorum.view.map import shield
from engine.games.rex_romanorum.view.tell import headline
from engine.games.rex_romanorum.view.tell_battle import battlefield, steps_of
from engine.games.rex_romanorum.view.text import letter_of
from engine.kit.drawing import box, text

LEFT: Final = 178
TOP: Final = 38
WIDTH: Final = 690
HEIGHT: Final = 78
_LETTERS: Final = 100
"""How many letters fit on a line."""
_DIE: Final = 18
_GAP: Final = 14
"""Between the dice of two steps."""


@dataclass(frozen=True, slots=True)
class Throw:
    """Dice that were thrown together."""

    who: str
    dice: tuple[int, ...]
    hits: tuple[bool, ...]


def banner(view: View) -> str:
    """Return the box of the last move; it is there, empty, also before the first."""
    move, frame = view.last, box(LEFT, TOP, WIDTH, HEIGHT)
    if move is None:
        return frame
    throws = list(throws_of(move))
    lines = wrap(" ".join(headline(move, view.language)), _LETTERS)[: 2 if throws else 3]
    first = TOP + 21 + (0 if throws else (3 - len(lines)) * 8)
    rows = "".join(text(LEFT + 46, first + 17 * place, line, "m") for place, line in enumerate(lines))
    return (
        frame
        + shield(move.seat, LEFT + 22, TOP + (20 if throws else HEIGHT // 2))
        + rows
        + dice_row(throws, TOP + HEIGHT - 25)
    )


def throws_of(move: Move) -> Iterator[Throw]:
    """Yield the dice of a move, step by step of a fight or throw by throw for a tie."""
    before: RexState = move.before
    dice = [seen.values for seen in move.chance if seen.kind == "d6"]
    if not dice:
        return
    if before.phase in (FIGHT, FIGHT_ON):
        seats = (before.active, before.owner[battlefield(move)])
        for step in steps_of(move):
            yield Throw(f"{letter_of(seats[step.side])} {len(step.dice)}{'FAK'[step.kind]}", step.dice, step.hits)
        return
    assert before.election is not None
    rolling = list(before.election.ballot)
    for thrown in dice:
        highest = max(thrown)
        who = " ".join(map(letter_of, rolling))
        yield Throw(who, thrown, tuple(die == highest for die in thrown))
        rolling = [seat for seat, die in zip(rolling, thrown, strict=True) if die == highest]


def dice_row(throws: list[Throw], y: float) -> str:
    """Return the throws side by side; those for which there is no room are counted."""
    drawn, x = [], LEFT + 14.0
    for place, throw in enumerate(throws):
        label = 7.0 * len(throw.who) + 6
        if x + label + _DIE * len(throw.dice) > LEFT + WIDTH - 40:
            room = int((LEFT + WIDTH - 60 - x - label) / _DIE)
            drawn.append(_throw(throw, x, y, label, max(0, room)) if room > 0 else "")
            left = sum(len(each.dice) for each in throws[place:]) - max(0, room)
            drawn.append(text(LEFT + WIDTH - 12, y + 14, f"+{left}", "r f"))
            break
        drawn.append(_throw(throw, x, y, label, len(throw.dice)))
        x += label + _DIE * len(throw.dice) + _GAP
    return "".join(drawn)


def _throw(throw: Throw, x: float, y: float, label: float, most: int) -> str:
    shown = zip(throw.dice[:most], throw.hits[:most], strict=True)
    dice = (_die(die, is_hit, x + label + _DIE * place, y) for place, (die, is_hit) in enumerate(shown))
    return text(x, y + 13, throw.who, "f") + "".join(dice)


def _die(die: int, is_hit: bool, x: float, y: float) -> str:
    """Return a die: dark with a white number if it hit."""
    kind = "hit" if is_hit else "miss"
    square = f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="16" height="16" rx="3.5"/>'
    return f'{square}<text x="{x + 8:g}" y="{y + 12.5:g}" class="c d{" w" if is_hit else ""}">{escape(str(die))}</text>'
