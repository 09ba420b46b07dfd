"""A game whose parts lie in its folder where every game keeps them; they are found by the names of their files.

    __init__.py       GAME, made of the package's name
    rules/phases.py   the phase table, which gives positions their moves (a small game has one file, rules.py)
    wire.py           TYPE, encode(state) and decode(bytes)
    evaluation        PLAYABLE, if bots may search the game; a module or a package
    view              SHOWN, if it is shown otherwise than plainly; a module or a package

So no file of a game's folder imports what lies in a folder below it, and what a referee does not need is loaded when
somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Generic, TypeVar

from engine.abilities import Playable, Shown
from engine.chance import Chance
from engine.core import Game, Observation, State
from engine.kit.fields import PositionForm
from engine.kit.phases import PhasedState

S = TypeVar("S", bound=PhasedState)


@cache
def has_part(package: str, part: str) -> bool:
    """Tell whether the package has a module of that name, which may lie in a package within it."""
    try:
        return find_spec(f"{package}.{part}") is not None
    except ModuleNotFoundError:  # what should hold it is a single file
        return False


class FolderGame(Game, Generic[S]):
    """The game in a folder. A subclass gives the constants of `Game`, and `position`."""

    position: PositionForm[S]
    """What its positions consist of."""

    def __init__(self, package: str) -> None:
        """Load the rules of the package; every other part is loaded when it is asked for."""
        self._package = package
        import_module(f"{package}.rules.phases" if has_part(package, "rules.phases") else f"{package}.rules")

    def _part(self, name: str) -> Any:
        return import_module(f"{self._package}.{name}")

    def new_state(self, seats: int, options: Any = None, chance: Chance | None = None) -> S:
        self.check_seats(seats)
        drawn_from = {"chance": chance} if self.has_chance else {}
        chosen = self.parse_options({}) if options is None else options
        state = self.position.start(seats=seats, options=chosen, **drawn_from)
        state.phases.begin(state)
        return state

    def state_from_json(self, data: Mapping[str, Any], chance: Chance | None = None) -> S:
        return self.position.read(data, **({"chance": chance} if self.has_chance else {}))

    def encode_observation(self, state: State, seat: int) -> tuple[str, bytes]:
        """Return what every seat may see: a game with secrets of single seats overrides this and `observed`."""
        del seat
        wire = self._part("wire")
        return wire.TYPE, wire.encode(state)

    def observed(self, message: bytes) -> Observation:
        return Observation(self._part("wire").decode(message), seat=0)

    @property
    def playable(self) -> Playable | None:
        playable: Playable | None = self._part("evaluation").PLAYABLE if has_part(self._package, "evaluation") else None
        return playable

    @property
    def shown(self) -> Shown:
        shown: Shown = self._part("view").SHOWN if has_part(self._package, "view") else super().shown
        return shown
