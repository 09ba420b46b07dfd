"""How what was built in an action stands in JSON. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from engine.core import PositionError
from engine.games.rex_romanorum.actions import ACTIONS, BUILD_DONE, CHURCH
from engine.kit.forms import Name
from engine.kit.reading import read_list


class Buildings:
    """The form of CHURCH and CASTLE actions, listed in the order of the action table."""

    _form: Final = Name({ACTIONS.names[action]: action for action in range(CHURCH, BUILD_DONE)})

    def write(self, value: Sequence[int], state: Any) -> list[str]:
        return [self._form.write(building, state) for building in value]

    def read(self, data: Any, key: str, state: Any) -> tuple[int, ...]:
        built = tuple(self._form.read(name, key, state) for name in read_list(data, key))
        self._check_order(built, key)
        return built

    def check(self, value: Sequence[int], key: str, state: Any) -> None:
        for building in value:
            self._form.check(building, key, state)
        self._check_order(value, key)

    def _check_order(self, built: Sequence[int], key: str) -> None:
        if sorted(set(built)) != list(built):
            raise PositionError(f"{key}: expected buildings in the order of the action table")
