"""Orders of matches for tests, and planners that plan what they are told, or never come to an end."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from arena.match.spec import LINES, MatchSpec, SeatSpec
from arena.match.time_control import TimeControl
from engine import registry
from engine.core import Game
from ratings.ledger.tournaments import WaveLedger
from ratings.statistics.blocks import Block
from tests.support import script_game
from tests.support.patience import any_start


@contextmanager
def installed_script_game() -> Iterator[Game]:
    """`registry.get("script")` is the scripted game as long as this is open."""
    real = registry.get

    def get(name: str) -> Game:
        return script_game.GAME if name == "script" else real(name)

    with mock.patch.object(registry, "get", get):
        yield script_game.GAME


def seat_spec(index: int, *command: str, directory: str = "/", name: str = "") -> SeatSpec:
    return SeatSpec(
        version=f"{index:064x}", name=name or f"bot{index}", directory=directory, command=command, seed=1000 + index
    )


def script_spec(script: str, seats: int = 2, /, *, clock: TimeControl | str = "none", **changes: Any) -> MatchSpec:
    values: dict[str, Any] = {
        "match_id": "m1",
        "attempt": 1,
        "game": "script",
        "rules_version": "1",
        "options": {"script": script},
        "clock": any_start(clock) if isinstance(clock, str) else clock,
        "cores": 1,
        "chance_seed": 7,
        "opening": (),
        "seats": tuple(seat_spec(index) for index in range(seats)),
    }
    return MatchSpec(**{**values, **changes})


def link_words(by: str) -> dict[str, Any]:
    """What the seat of a bot with that link says of it."""
    return {"protocol": LINES, "games": ("*",)} if by == LINES else {}


def scripted(behaviour: str = "", at: int = 0, by: str = "") -> SeatSpec:
    """A seat for the scripted bot with one of its links; equal behaviour and link, equal version."""
    bot = Path(__file__).with_name("scripted_bot.py")
    flags: tuple[str, ...] = ("--do", behaviour, "--at", str(at)) if behaviour else ()
    flags += (f"--by={by}",) if by else ()
    return SeatSpec(
        version=(f"{behaviour}-{at}" if behaviour else "honest") + by,
        name=behaviour or "honest",
        directory=str(bot.parent),
        command=(sys.executable, str(bot), *flags),
        seed=1,
        **link_words(by),
    )


def king_spec(match_id: str, seats: Sequence[SeatSpec], *, clock: str = "none", **changes: Any) -> MatchSpec:
    """A match of The Foreign King."""
    values: dict[str, Any] = {
        "match_id": match_id,
        "attempt": 1,
        "game": "foreign_king",
        "rules_version": registry.get("foreign_king").rules_version,
        "options": {},
        "clock": any_start(clock),
        "cores": 1,
        "chance_seed": 7,
        "opening": (),
        "seats": tuple(seats),
    }
    return MatchSpec(**{**values, **changes})


class GivenWaves:
    """Plans all its blocks as one wave, and no wave after it."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._blocks = blocks

    def plan_ready(self, waves: WaveLedger) -> int:
        if not self._blocks or not waves.add_wave(0, self._blocks):
            return 0
        assert waves.add_wave(1, [])
        return sum(len(block.rotations()) for block in self._blocks)


class EndlessWaves:
    """Plans one block a wave, of the entrants who take part, the first `seats` of them turned by the wave's number."""

    def __init__(self, seats: int) -> None:
        self._seats = seats

    def plan_ready(self, waves: WaveLedger) -> int:
        if not waves.has_more_waves() or waves.first_open_block() is not None:
            return 0
        planned = waves.planned()
        present = [one.version_id for one in waves.entrants() if one.withdrawn_wave is None]
        if len(present) < self._seats:
            return 0
        turn = len(planned) % len(present)
        order = tuple([*present[turn:], *present[:turn]][: self._seats])
        block = Block(len(planned), order, (), len(planned))
        assert waves.add_wave(len(planned), [block])
        return len(block.rotations())
