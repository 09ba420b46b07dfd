"""The last move above the map, in parts: who, what line by line, and throw by throw the dice as they fell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import wrap
from typing import Final

from engine.abilities import Move, View
from engine.games.rex_romanorum.state import FIGHT, FIGHT_ON, RexState
from engine.games.rex_romanorum.view.labels import labels
from engine.games.rex_romanorum.view.pieces import die, shield
from engine.games.rex_romanorum.view.tell import headline
from engine.games.rex_romanorum.view.tell_battle import battlefield, steps_of
from engine.games.rex_romanorum.view.text import letter_of
from engine.kit.drawing import box, filled, group, text

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
_MOST_LINES: Final = 3
_MOST_THROWS: Final = 10
"""With a label and a die each, no more find room."""


@dataclass(frozen=True, slots=True)
class Throw:
    """Dice that were thrown together."""

    who: str
    dice: tuple[int, ...]
    hits: tuple[bool, ...]


def banner(view: View) -> list[str]:
    """Return the parts of the last move, as many for every position: its box, its seat, its lines, its throws."""
    move, frame = view.last, box(_LEFT, 0, _WIDTH, HEIGHT)
    if move is None:
        return filled([frame, *_beginning(view.language)], 2 + _MOST_LINES + _MOST_THROWS)
    throws = list(throws_of(move))
    most = _MOST_LINES - 1 if throws else _MOST_LINES
    lines = wrap(" ".join(headline(move, view.language)), _LETTERS, max_lines=most, placeholder=" …")
    first = 20 + (0 if throws else (_MOST_LINES - len(lines)) * _LINE / 2)
    rows = [text(_TEXT, first + _LINE * place, line, "s") for place, line in enumerate(lines)]
    seat = shield(move.seat, _LEFT + 22, 24 if throws else HEIGHT / 2)
    return [frame, seat, *filled(rows, _MOST_LINES), *filled(dice_row(throws, HEIGHT - 26), _MOST_THROWS)]


def _beginning(language: str) -> list[str]:
    """Return what stands there before the first move: what is to be won."""
    lines = wrap(labels(language)["start"], _LETTERS)
    first = 20 + (_MOST_LINES - len(lines)) * _LINE / 2
    return [text(_LEFT + 14, first + _LINE * place, line, "s") for place, line in enumerate(lines)]


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


def dice_row(throws: list[Throw], y: float) -> list[str]:
    """Return the throws, to stand side by side; those for which there is no room are counted."""
    drawn, x, end = [], float(_TEXT), _LEFT + _WIDTH
    for place, throw in enumerate(throws):
        label = _WHO_LETTER * len(throw.who) + 4
        if x + label + _DIE * len(throw.dice) > end - 52:
            room = max(0, int((end - 52 - x - label) / _DIE))
            if room:
                drawn.append(group(x, y, _throw(throw, label, room)))
            left = sum(len(each.dice) for each in throws[place:]) - room
            drawn.append(text(end - 10, y + 17, f"+{left}", "r b"))
            break
        drawn.append(group(x, y, _throw(throw, label, len(throw.dice))))
        x += label + _DIE * len(throw.dice) + _GAP
    return drawn


def _throw(throw: Throw, label: float, most: int) -> str:
    shown = zip(throw.dice[:most], throw.hits[:most], strict=True)
    dice = (die(number, label + _DIE * place, 0, is_hit=is_hit) for place, (number, is_hit) in enumerate(shown))
    return text(0, 17, throw.who, "s b") + "".join(dice)
