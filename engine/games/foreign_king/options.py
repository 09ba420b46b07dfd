"""The options of a match (section 8 of the rules) and the rulebook presets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from engine.kit.options import DeclaredOptions, IntegerOption, OneOf, option, remade
from engine.translatable import Text

HIGHEST_CAP: Final = 1000
"""The largest `max_rounds`."""


@dataclass(frozen=True, slots=True)
class Options:
    """Validated options; the field order is the order in which they are shown."""

    rulebook: str = option(
        OneOf("canonical", "en", "de", "it", "fr"), Text("edition whose switches are the defaults of the others")
    )
    queen_scope: str = option(
        OneOf("any", "occupied_by_others"),
        Text("what the Queen may do: any of the other actions, or those other pawns stand on"),
    )
    congress_on_empty: bool = option(
        OneOf(False, True), Text("whether the Congress is asked when the King stops where no disc lies (A7)")
    )
    virtual_discs: int = option(OneOf(15, 16), Text("discs of the virtual player, 2 seats (A38)"))
    virtual_can_win: bool = option(
        OneOf(True, False), Text("whether the virtual player can deny both seats the win (A46)")
    )
    bank: int | None = option(
        OneOf("unlimited", 37, 41, meaning={"unlimited": None}),
        Text("all Francs of the game; a bank that is short pays what is there (A20)"),
    )
    max_rounds: int = option(
        IntegerOption(1, HIGHEST_CAP), Text("rounds after which the game is scored as it stands (A55)"), default=100
    )

    def __reduce__(self) -> tuple[Any, ...]:
        return remade(self)


OPTIONS: Final = DeclaredOptions(
    "foreign_king", Options, presets={"rulebook": {"de": {"queen_scope": "occupied_by_others"}}}
)
