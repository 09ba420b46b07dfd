"""The command `odds`: how likely an attack wins that is never broken off."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Final

from engine.core import OptionsError
from engine.games.rex_romanorum.actions import KINDS
from engine.games.rex_romanorum.odds import CASTLE, FIELD, win_probability
from engine.games.rex_romanorum.options import OPTIONS, Triple
from engine.translatable import Text

USAGE: Final = """\
usage: odds ATTACKERS DEFENDERS [--castle] [KEY=VALUE ...]

How likely the attackers win if they never retreat. An army is written like 8F, 4F2K or 3F,2A: foot (F), archers (A),
knights (K). --castle: the defenders stand in a castle. KEY=VALUE: an option of the game, for example
figures={"foot":{"field":[2,1]}}.

Example:
  odds 8F 3A
  odds 4F2K 3F2A --castle
"""
_MOST: Final = 200
"""Figures of a side: 200 against 200 take some seconds."""
_ARMY: Final = re.compile(r"(?:[1-9][0-9]{0,2}[FAK],?)+")


class _MisuseError(Exception):
    """The arguments ask nothing that can be answered."""


def main(arguments: Sequence[str]) -> int:
    """Write the answer to stdout and return 0; for a misuse write one line to stderr and return 2."""
    if not arguments or "--help" in arguments or "-h" in arguments:
        sys.stdout.write(USAGE)
        return 0 if arguments else 2
    try:
        armies = [argument for argument in arguments if not argument.startswith("-") and "=" not in argument]
        flags = [argument for argument in arguments if argument.startswith("-")]
        if flags not in ([], ["--castle"]):
            raise _MisuseError(Text("there is no {name}; the only flag is --castle, once", name=repr(" ".join(flags))))
        if len(armies) != 2:
            raise _MisuseError(
                Text(
                    "expected attackers and defenders, not {count} armies; write for example: odds 8F 3A",
                    count=len(armies),
                )
            )
        attackers, defenders = (parse_army(army) for army in armies)
        assignments = (text.partition("=") for text in arguments if "=" in text and not text.startswith("-"))
        options = OPTIONS.parse({key: value for key, _, value in assignments})
        terrain = CASTLE if flags else FIELD
        chance = win_probability(attackers, defenders, terrain, options)
        sys.stdout.write(
            f"{format_army(attackers)} against {format_army(defenders)} {'at a castle' if flags else 'in the field'}: "
            f"{chance:.4%}\n"
        )
    except (_MisuseError, OptionsError) as error:
        sys.stderr.write(f"odds: {error}\n")
        return 2
    return 0


def parse_army(text: str) -> Triple:
    """Return `4F2K` as (4, 0, 2); `format_army` is the inverse. Raises an error that says how an army is written."""
    if not _ARMY.fullmatch(text):
        raise _MisuseError(Text("{text} is no army; write for example 8F or 3F2A", text=repr(text[:40])))
    numbers = [0, 0, 0]
    for number, kind in re.findall(r"([0-9]+)([FAK])", text):
        numbers[KINDS.index(kind)] += int(number)
    if sum(numbers) > _MOST:
        raise _MisuseError(
            Text(
                "{text} has {count} figures; at most {most} are counted",
                text=repr(text[:40]),
                count=sum(numbers),
                most=_MOST,
            )
        )
    return numbers[0], numbers[1], numbers[2]


def format_army(army: Triple) -> str:
    """Return (4, 0, 2) as `4F2K`."""
    return "".join(f"{number}{kind}" for number, kind in zip(army, KINDS, strict=True) if number)
