"""What the rules of the games gave when they were last looked at: counts of decision sequences, and whole playings.

    python -m engine.golden             writes the golden files of every game anew
    python -m engine.golden GAME ...    those of some games

They lie in `golden/` in a game's folder; a difference in what is written is a change of the rules, and needs a new
`rules_version`. `golden/__init__.py` says what is counted and played.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol, cast

from engine import registry
from engine.chance import Chance
from engine.core import ActionTable, Game, State
from engine.record import Playing

CHOSEN = "> "
"""What a line with the action taken starts with."""
_LONGEST_LINE = 20
"""More legal actions than this are told by their number and the first and last."""
PERFT = "perft.json"

Policy = Callable[[State], int]


class Golden(Protocol):
    """What the module `golden` in a game's folder offers."""

    __file__: str

    def perft_counts(self, seats: int) -> Any:
        """Numbers of decision sequences with so many seats, JSON-ready."""

    def playthrough_lines(self, seats: int, choose: Policy) -> Iterator[str]:
        """Yield the lines of a playing in which `choose` decides."""

    def policy(self, seats: int) -> Policy:
        """Return what decided in the playing that is kept."""


def golden_of(name: str) -> Golden:
    """Return the module of a game, also of an installed one. Raises ModuleNotFoundError if it has none."""
    return cast(Golden, importlib.import_module(f"{registry.package_of(name)}.golden"))


def playthrough_file(seats: int) -> str:
    """Return the name of the file with the playing of so many seats."""
    return f"playthrough_{seats}.txt"


def read(name: str, file: str) -> str:
    """Return the text of one of a game's golden files."""
    return Path(golden_of(name).__file__).with_name(file).read_text(encoding="utf-8")


def texts(name: str) -> Iterator[tuple[str, str]]:
    """Yield name and text of the golden files of a game as its rules give them now."""
    golden, seats_range = golden_of(name), registry.get(name).seats
    yield PERFT, json.dumps({str(seats): golden.perft_counts(seats) for seats in seats_range}, indent=1) + "\n"
    for seats in seats_range:
        yield playthrough_file(seats), "\n".join(golden.playthrough_lines(seats, golden.policy(seats))) + "\n"


def main(names: Sequence[str]) -> int:
    """Write the files of these games, of all by default; 0."""
    for name in names or registry.names():
        folder = Path(golden_of(name).__file__).parent
        for file, text in texts(name):
            (folder / file).write_text(text, encoding="utf-8")
    return 0


def playthrough(
    game: Game,
    seats: int,
    chance: Chance,
    choose: Policy,
    options: Mapping[str, Any] = MappingProxyType({}),
    is_shown: Callable[[State], bool] = lambda _: False,
) -> Iterator[str]:
    """Yield the lines of a playing in which `choose` decides for every seat.

    The position is shown where `is_shown` says so, and at the end.
    """
    playing = Playing(game, seats, game.parse_options(options), chance)
    shown = json.dumps(dict(options)) if options else "default"
    yield f"{game.title}, rules version {game.rules_version}, {seats} seats, options: {shown}"
    state = playing.state
    while (seat := state.seat()) is not None:
        if is_shown(state):
            yield from _position_lines(game, state)
        yield ""
        yield f"ply {playing.ply} · seat {seat}"
        names = [game.actions.format(action) for action in state.legal_actions()]
        is_long = len(names) > _LONGEST_LINE
        yield "  " + (f"{len(names)} actions: {names[0]} ... {names[-1]}" if is_long else " ".join(names))
        event = playing.apply(choose(state))
        yield CHOSEN + game.actions.format(event.action)
        yield from (f"  {reveal.kind} {' '.join(map(str, reveal.values))}" for reveal in event.reveals)
    yield from _position_lines(game, state)
    outcome = state.outcome()
    assert outcome is not None
    yield from ("", *json.dumps({"ranks": list(outcome.ranks), **outcome.details}, indent=1).splitlines())


def _position_lines(game: Game, state: State) -> Iterator[str]:
    yield from ("", "-" * 60, *game.shown.text(state, None, "en").splitlines())


def actions_in(actions: ActionTable, lines: Iterable[str]) -> Iterator[int]:
    """Yield the actions taken in the lines of a playthrough."""
    return (actions.parse(line.removeprefix(CHOSEN).rstrip("\n")) for line in lines if line.startswith(CHOSEN))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
