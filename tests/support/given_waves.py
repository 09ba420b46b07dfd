"""A planner that plans what it is told: for tests of what happens to a tournament that is planned."""

from __future__ import annotations

from collections.abc import Sequence

from ratings.ledger.tournaments import WaveLedger
from ratings.statistics.blocks import Block


class GivenWaves:
    """Plans all its blocks as one wave, and no wave after it."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._blocks = blocks

    def plan_ready(self, waves: WaveLedger) -> int:
        if not self._blocks or not waves.add_wave(0, self._blocks):
            return 0
        assert waves.add_wave(1, [])
        return sum(len(block.rotations()) for block in self._blocks)
