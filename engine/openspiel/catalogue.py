"""OpenSpiel's games as the registry asks for them: their names, whether one can be played here, what is known of it.

`openspiel_go` is OpenSpiel's `go` with its defaults, `openspiel_go:board_size=9:komi=6.5` the same with two parameters
changed: only those that differ from the default, in the order of their names, each value in one spelling. So one set
of parameters has one name. Whoever asks for names does not import OpenSpiel.

`python -m engine.openspiel.catalogue` writes `catalogue.json` anew: the facts of every listed game, asked of OpenSpiel.
It lists every game that can be played with its defaults, and some with other parameters.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from engine.core import Game, UnknownGameError
from engine.kit.game_folder import read_json
from engine.openspiel.board_detection import measure, numbering, steady_shape
from engine.openspiel.library import (
    SAMPLES,
    DeadEndError,
    has_fixed_words,
    is_usable,
    load,
    need_usable,
    random_playing,
)
from engine.openspiel.state import can_guess
from engine.translatable import Text

PREFIX: Final = "openspiel_"
Value = bool | int | float | str
_SHORT_NAME: Final = re.compile(r"[a-z0-9_]{1,64}", re.ASCII)
_PARAMETER: Final = re.compile(r"(?P<key>[A-Za-z0-9_]{1,64})=(?P<value>[A-Za-z0-9_.+-]{1,64})", re.ASCII)
_OF_A_FILE: Final = ("_file", "_root")
"""How the names of parameters end that name a file, which nobody is to choose by the name of a game."""
_LONGEST: Final = 200
MOST_ACTIONS: Final = 2**15
"""A bot is told the notation of every action, which must fit into a message."""
MOST_PLIES: Final = 100_000
_BROKEN: Final = {
    "quoridor": Text("OpenSpiel says itself that its rules have known issues, and with four seats it fails")
}
_NOT_DRAWN: Final = {
    "bridge": "one hidden position takes a second or more",
    "oh_hell": "some of them could not have been played",
}
"""Games whose hidden parts are not drawn, with the reason."""
_SHORTEST: Final = 3
"""A playing shorter than this has no room for an opening."""
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
UNLISTED: Final = {"cursor_go": "its playings have up to 72,922 plies of moving a cursor"}
"""What is played only by its name."""


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


@cache
def _catalogue() -> dict[str, Facts]:
    return {entry["name"]: read_facts(entry) for entry in read_json(__name__, FILE.name)}


def split_name(name: str) -> tuple[str, dict[str, str]]:
    """Return OpenSpiel's name of the game and the texts of its parameters. Raises UnknownGameError."""
    short_name, *parts = name.removeprefix(PREFIX).split(":")
    found = [_PARAMETER.fullmatch(part) for part in parts]
    if len(name) > _LONGEST or not name.startswith(PREFIX) or not _SHORT_NAME.fullmatch(short_name) or None in found:
        raise UnknownGameError(
            Text(
                "{name} is no name of a game of OpenSpiel; they are written like openspiel_go:board_size=9",
                name=repr(name[:60]),
            )
        )
    return short_name, {match["key"]: match["value"] for match in found if match}


def read_parameters(name: str, texts: Mapping[str, str], defaults: Mapping[str, Value]) -> dict[str, Value]:
    """Return the values of parameters that were written as texts. Raises UnknownGameError naming the parameter."""
    read: dict[str, Value] = {}
    for key, text in texts.items():
        if key not in defaults or key.endswith(_OF_A_FILE):
            known = ", ".join(sorted(each for each in defaults if not each.endswith(_OF_A_FILE))) or "none"
            raise UnknownGameError(
                Text("{name}: the game has no parameter {key}; it has: {known}", name=name, key=repr(key), known=known)
            )
        kind = type(defaults[key])
        try:
            read[key] = {"true": True, "false": False}[text] if kind is bool else kind(text)
        except (KeyError, ValueError):
            what = {bool: Text("true or false"), int: Text("a whole number"), float: Text("a number with a point")}[
                kind
            ]
            raise UnknownGameError(
                Text("{name}: parameter {key} takes {what}, not {text}", name=name, key=key, what=what, text=repr(text))
            ) from None
    return read


def write_name(short_name: str, parameters: Mapping[str, Value], defaults: Mapping[str, Value]) -> str:
    """Return the one name of the game with these parameters; those that are not given have their defaults."""
    changed = {key: value for key, value in sorted(parameters.items()) if value != defaults[key]}
    texts = {key: str(value).lower() if isinstance(value, bool) else str(value) for key, value in changed.items()}
    return ":".join([PREFIX + short_name, *(f"{key}={text}" for key, text in texts.items())])


@dataclass(frozen=True, slots=True)
class Facts:
    """A game and what the arena must know of it; lengths come from random playings."""

    name: str
    title: str
    seats: int
    actions: int
    max_plies: int
    has_chance: bool
    is_hidden: bool
    """Whether a seat may not see everything."""
    has_fixed_words: bool
    """Whether OpenSpiel's words for an action are the same in every position: then they tell nothing that is hidden."""
    can_guess: bool
    """Whether OpenSpiel draws positions that look to a seat like one that it sees in part."""
    board: tuple[float, int] | None
    """The widest row, in cells, and the number of rows; None if OpenSpiel's words show no board."""
    clicks: str
    """How actions number the cells: `down` or `up` row by row, by `column`; empty if they do not."""
    opening: int
    """How many random plies start a match."""
    decisions: int
    """About how many decisions a playing has."""


def read_facts(entry: dict[str, Any]) -> Facts:
    """Return the facts that `dataclasses.asdict` made an entry of, and JSON a text."""
    board = entry["board"]
    return Facts(**{**entry, "board": None if board is None else (board[0], board[1])})


def load_game(name: str) -> Any:
    """Return OpenSpiel's game of that name. Raises UnknownGameError with the reason if it cannot be played here."""
    short_name, texts = split_name(name)
    spiel = load()
    kind = next((kind for kind in spiel.registered_games() if kind.short_name == short_name), None)
    if kind is None:
        raise UnknownGameError(
            Text(
                "OpenSpiel has no game {name}; `arena game list` shows those that can be played", name=repr(short_name)
            )
        )
    _need_none(name, why_not(spiel, kind))
    parameters = read_parameters(name, texts, kind.parameter_specification)
    proper = write_name(short_name, parameters, kind.parameter_specification)
    if name != proper:
        raise UnknownGameError(
            Text("{name} is written {proper}: parameters in order, and no default among them", name=name, proper=proper)
        )
    try:
        game = spiel.load_game(short_name, parameters)
        # Before the first position is made: one of a huge board takes all memory and minutes.
        _need_none(name, _why_too_large(game))
        game.new_initial_state()
    except spiel.SpielError as error:
        raise _refused(name, error) from error
    return game


def _refused(name: str, error: Exception) -> UnknownGameError:
    return UnknownGameError(
        Text("OpenSpiel refuses {name}: {said}", name=name, said=" ".join(str(error).split())[:200])
    )


def _need_none(name: str, why: str) -> None:
    """Raise UnknownGameError if there is a reason why the game cannot be played."""
    if why:
        raise UnknownGameError(_unplayable_text(name, why))


def _unplayable_text(name: str, why: str) -> str:
    return Text(
        "{name} cannot be played in the arena: {why}; `arena game list` shows those that can", name=name, why=why
    )


def why_not(spiel: Any, kind: Any) -> str:
    """Return why games of this type cannot be played in the arena, or nothing if they can."""
    types = spiel.GameType
    if kind.short_name in _BROKEN:
        return _BROKEN[kind.short_name]
    if kind.dynamics == types.Dynamics.SIMULTANEOUS:
        return Text("its seats act at the same time")
    if kind.dynamics != types.Dynamics.SEQUENTIAL:
        return Text("it has no seats that act one after another")
    if kind.chance_mode == types.ChanceMode.SAMPLED_STOCHASTIC:
        return Text("it draws its chance itself, so that no match of it could be recorded")
    if not kind.default_loadable:
        return Text("it is made of other games and cannot be named alone")
    if kind.max_num_players < 2:
        return Text("it is played alone, and an arena needs two seats")
    if not (kind.provides_information_state_string or kind.provides_observation_string):
        return Text("it does not tell what a seat sees")
    return ""


def _why_too_large(game: Any) -> str:
    """Return why a game cannot be played with its parameters, or nothing if it can."""
    if game.num_players() < 2:
        return Text("it is played alone, and an arena needs two seats")
    if not 0 < game.num_distinct_actions() <= MOST_ACTIONS:
        return Text(
            "it has {count} actions, and 1 to {most} can be told to bots",
            count=game.num_distinct_actions(),
            most=MOST_ACTIONS,
        )
    if not 0 < game.max_game_length() <= MOST_PLIES:
        return Text(
            "its playings may have {count} plies, and the arena plays at most {most}",
            count=game.max_game_length(),
            most=MOST_PLIES,
        )
    return ""


def find_out(name: str) -> Facts:
    """Return the facts of a game from OpenSpiel and some random playings. Raises UnknownGameError."""
    game = load_game(name)
    kind = game.get_type()
    try:
        playings = [random_playing(game, seed) for seed in range(SAMPLES)]
    except load().SpielError as error:  # parameters that OpenSpiel takes, and fails of when it is played
        raise _refused(name, error) from error
    except DeadEndError:
        raise UnknownGameError(
            _unplayable_text(name, Text("a random playing came to a position in which nobody can act"))
        ) from None
    changed = [f"{key} {value}" for key, value in split_name(name)[1].items()]
    lengths = [plies for plies, _ in playings]
    has_chance = any(draws for _, draws in playings)  # chess with a drawn line-up says that it has none
    _need_none(
        name, Text("its playings are too short for an opening") if min(lengths) < _SHORTEST and not has_chance else ""
    )
    is_hidden = kind.information != load().GameType.Information.PERFECT_INFORMATION
    board = () if is_hidden else steady_shape(game)
    return Facts(
        name=name,
        title=f"{kind.long_name} ({', '.join(['OpenSpiel', *changed])})",
        seats=game.num_players(),
        actions=game.num_distinct_actions(),
        max_plies=game.max_game_length(),
        has_chance=has_chance,
        is_hidden=is_hidden,
        has_fixed_words=has_fixed_words(game),
        can_guess=is_hidden and kind.short_name not in _NOT_DRAWN and can_guess(game),
        board=measure(board),
        clicks=numbering(game) if board else "",
        opening=0 if has_chance else min(game.num_players(), (min(lengths) - 1) // 2),
        decisions=max(1, min(sorted(lengths)[len(lengths) // 2], game.max_game_length() - 1)),
    )


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
