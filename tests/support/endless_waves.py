"""A planner that never comes to an end: as soon as a wave is over, everybody who takes part meets again."""

from __future__ import annotations

from ratings.ledger.tournaments import WaveLedger
from ratings.statistics.blocks import Block


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
