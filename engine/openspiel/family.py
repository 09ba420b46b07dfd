"""OpenSpiel's games as the registry asks for them: which there are, and the game of a name. OpenSpiel is not imported.

`python -m engine.openspiel.family` writes `catalogue.json` anew: the facts of every game that is listed, found out from
OpenSpiel. Listed is every game that can be played with its defaults, and some with other parameters.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Final

from engine.core import Game, UnknownGameError
from engine.kit.layout import read_json
from engine.openspiel.facts import PREFIX, Facts, find_out, read_facts
from engine.openspiel.library import is_usable, load, need_usable

FILE: Final = Path(__file__).with_name("catalogue.json")
VARIANTS: Final = (
    "breakthrough:columns=6:rows=6",
    "chess:chess960=true",
    "chinese_checkers:players=3",
    "crazy_eights:players=2",
    "dark_hex:board_size=5",
    "dots_and_boxes:num_cols=5:num_rows=5",
    "gin_rummy:oklahoma=true",
    "go:board_size=13",
    "go:board_size=9",
    "gomoku:size=9",
    "havannah:board_size=4",
    "hex:board_size=5",
    "hex:board_size=9",
    "kuhn_poker:players=3",
    "leduc_poker:players=3",
    "liars_dice:numdice=2",
    "maedn:players=4:twoPlayersOpposite=false",
    "mnk:k=4:m=6:n=6",
    "oh_hell:players=4",
    "pig:players=4",
    "y:board_size=9",
)
"""Further sets of parameters that are listed."""
UNLISTED: Final = {
    "cursor_go": "its playings have up to 72,922 plies of moving a cursor",
}
"""What is played only by its name."""


@cache
def _catalogue() -> dict[str, Facts]:
    return {entry["name"]: read_facts(entry) for entry in read_json(__name__, FILE.name)}


def names() -> Sequence[str]:
    """Return the names of the games that are listed, none if OpenSpiel is missing or of another version.

    A game with other parameters can be played too: `get` knows it by its name.
    """
    return tuple(_catalogue()) if is_usable() else ()


@cache
def get(name: str) -> Game:
    """Return the game of that name. Raises UnknownGameError with the reason and the remedy if there is none."""
    from engine.openspiel.game import OpenSpielGame  # whoever asks for names needs no game

    need_usable(name)
    return OpenSpielGame(_catalogue().get(name) or find_out(name))


def listed() -> Iterator[Facts]:
    """Yield the facts of all games that are listed; says on stderr why a game is not."""
    kinds = [kind.short_name for kind in load().registered_games()]
    for name in sorted({*kinds, *VARIANTS} - set(UNLISTED)):
        try:
            yield find_out(PREFIX + name)
        except UnknownGameError as error:
            sys.stderr.write(f"{error}\n")


def main() -> None:
    """Write the file."""
    lines = [json.dumps(asdict(facts)) for facts in listed()]
    FILE.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
    sys.stderr.write(f"{FILE.name}: {len(lines)} games\n")


if __name__ == "__main__":
    main()
