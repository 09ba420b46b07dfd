"""A game whose parts lie in its folder where every game keeps them; they are found by the names of their files.

    __init__.py              GAME, made of the package's name
    state.py                 POSITION, what its positions consist of
    rules/phases.py          the phase table, which gives positions their moves
    rules/calls.py           made of it by `engine.kit.calling`, if the game is compiled with the engine
    wire.py                  TYPE, encode(state) and decode(bytes)
    evaluation/playable.py   PLAYABLE, if bots may search the game
    view/__init__.py         SHOWN, if it is shown otherwise than plainly
    features.py              FEATURED, if programs may learn from its positions

A small game has one file rules.py, evaluation.py or view.py in place of a folder.

So no file of a game's folder imports what lies in a folder below it, and every part is loaded when somebody asks for
it: state and rules with the first position, so that whoever only names the game pays for neither.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from engine.core import Game, Observation, State

if TYPE_CHECKING:
    from engine.abilities import Playable, Shown
    from engine.chance import Chance
    from engine.features import Featured
    from engine.kit.fields import PositionForm
    from engine.kit.phases import PhasedState

S = TypeVar("S", bound="PhasedState")
_PARTS: Final[Mapping[str, tuple[str, ...]]] = {
    "state": ("state",),
    "rules": ("rules.phases", "rules"),
    "wire": ("wire",),
    "evaluation": ("evaluation.playable", "evaluation"),
    "view": ("view.shown", "view"),
    "features": ("features",),
}
"""Where a part may be, the first of them that is there."""


def read_json(module: str, name: str) -> Any:
    """Return the JSON in file `name` of the folder in which a module lies, told by the module's `__name__`.

    The package tells where: a compiled module has no `__file__` of its own.
    """
    package = sys.modules[module.rpartition(".")[0]]
    return json.loads(Path(str(package.__file__)).with_name(name).read_text(encoding="utf-8"))


@cache
def find_part(package: str, part: str) -> Any:
    """Return the loaded module with a part of the game in the package, or None if the game has no such part."""
    for name in _PARTS[part]:
        if has_module(f"{package}.{name}"):
            return import_module(f"{package}.{name}")
    return None


def has_module(name: str) -> bool:
    """Tell whether there is a module of that name, which may lie in a package that is none."""
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # what should hold it is a single file, or is not there
        return False


class FolderGame(Game, Generic[S]):
    """The game in a folder. A subclass gives the constants of `Game`."""

    def __init__(self, package: str) -> None:
        """Take the parts from this package."""
        self._package = package
        self._default_options = self.parse_options({})

    @property
    def position(self) -> PositionForm[S]:
        """What its positions consist of: `POSITION` of `state.py`, unless the subclass gives another."""
        form: PositionForm[S] = self._part("state").POSITION
        return form

    def _part(self, part: str) -> Any:
        return find_part(self._package, part)

    def _load_rules(self) -> None:
        """Give positions their moves."""
        self._part("rules")

    def new_state(self, seats: int, options: Any = None, chance: Chance | None = None) -> S:
        self.check_seats(seats)
        self._load_rules()
        state = self.position.start(seats, self._default_options if options is None else options, chance)
        state.begin()
        return state

    def state_from_json(self, data: Mapping[str, Any], chance: Chance | None = None) -> S:
        self._load_rules()
        return self.position.read(data, chance)

    def encode_observation(self, state: State, seat: int) -> tuple[str, bytes]:
        """Return what every seat may see: a game with secrets of single seats overrides this and `observed`."""
        del seat
        wire = self._part("wire")
        return wire.TYPE, wire.encode(state)

    def observed(self, message: bytes) -> Observation:
        self._load_rules()
        return Observation(self._part("wire").decode(message), seat=0)

    @property
    def playable(self) -> Playable | None:
        evaluation = self._part("evaluation")
        return evaluation and evaluation.PLAYABLE  # type: ignore[no-any-return]

    @property
    def featured(self) -> Featured | None:
        features = self._part("features")
        return features and features.FEATURED  # type: ignore[no-any-return]

    @property
    def shown(self) -> Shown:
        view = self._part("view")
        return view.SHOWN if view else super().shown

    def stale_files(self) -> Sequence[str]:
        from engine.kit import calling, cloning  # needed by checks alone

        made = (
            (cloning.path_of(self._package), cloning, cloning.source),
            (cloning.path_of(f"{self._package}.rules", "calls.py"), calling, calling.source),
        )
        return [
            f"{path.name}: run `python -m {maker.__name__} {self._package}`"
            for path, maker, source in made
            if path.exists() and path.read_text(encoding="utf-8") != source(self._package)
        ]
