"""What can be chosen for a match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from engine.kit.options import DeclaredOptions, IntegerOption, option


@dataclass(frozen=True, slots=True)
class Options:
    """What the seats have agreed on before the match."""

    line: int = option(IntegerOption(3, 5), "how many discs in a straight line win", 4)


OPTIONS: Final = DeclaredOptions("connect_four", Options)
