"""The last move above the map: who, what, the dice as they fell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import wrap
from typing import Final

from engine.abilities import Move, View
from engine.games.rex_romanorum.state import FIGHT, FIGHT_ON, RexState
from engine.games.rex_romanorum.view.pieces import die, shield
from engine.games.rex_romanorum.view.tell import headline
from engine.games.rex_romanorum.view.tell_battle import battlefield, steps_of
from engine.games.rex_romanorum.view.text import letter_of
from engine.kit.drawing import box, text

HEIGHT: Final = 74
_LEFT: Final = 8
_WIDTH: Final = 784
_TEXT: Final = 52
"""Where the words begin."""
_LETTERS: Final = 81
"""How many letters fit on a line."""
_LINE: Final = 20
_DIE: Final = 24
_GAP: Final = 16
"""Between the dice of two steps."""
_WHO_LETTER: Final = 10.0


@dataclass(frozen=True, slots=True)
class Throw:
    """Dice that were thrown together."""

    who: str
    dice: tuple[int, ...]
    hits: tuple[bool, ...]


def banner(view: View) -> str:
    """Return the box of the last move; it is there, empty, also before the first."""
    move, frame = view.last, box(_LEFT, 0, _WIDTH, HEIGHT)
    if move is None:
        return frame
    throws = list(throws_of(move))
    most = 2 if throws else 3
    lines = wrap(" ".join(headline(move, view.language)), _LETTERS, max_lines=most, placeholder=" …")
    first = 20 + (0 if throws else (3 - len(lines)) * _LINE / 2)
    rows = "".join(text(_TEXT, first + _LINE * place, line, "s") for place, line in enumerate(lines))
    return frame + shield(move.seat, _LEFT + 22, 24 if throws else HEIGHT / 2) + rows + dice_row(throws, HEIGHT - 26)


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
        yield Throw(who, thrown, tuple(number == highest for number in thrown))
        rolling = [seat for seat, number in zip(rolling, thrown, strict=True) if number == highest]


def dice_row(throws: list[Throw], y: float) -> str:
    """Return the throws side by side; those for which there is no room are counted."""
    drawn, x, end = [], float(_TEXT), _LEFT + _WIDTH
    for place, throw in enumerate(throws):
        label = _WHO_LETTER * len(throw.who) + 4
        if x + label + _DIE * len(throw.dice) > end - 52:
            room = max(0, int((end - 52 - x - label) / _DIE))
            drawn.append(_throw(throw, x, y, label, room) if room else "")
            left = sum(len(each.dice) for each in throws[place:]) - room
            drawn.append(text(end - 10, y + 17, f"+{left}", "r b"))
            break
        drawn.append(_throw(throw, x, y, label, len(throw.dice)))
        x += label + _DIE * len(throw.dice) + _GAP
    return "".join(drawn)


def _throw(throw: Throw, x: float, y: float, label: float, most: int) -> str:
    shown = zip(throw.dice[:most], throw.hits[:most], strict=True)
    dice = (die(number, x + label + _DIE * place, y, is_hit=is_hit) for place, (number, is_hit) in enumerate(shown))
    return text(x, y + 17, throw.who, "s b") + "".join(dice)
