"""An executor with which a tournament stands still until it is stopped."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from arena.match.spec import MatchSpec
from arena.match.worker_report import MatchReport
from tests.cli.table import TableExecutor

PLAYED = 4
"""How many matches are played."""


class _StallingExecutor(TableExecutor):
    left = PLAYED

    async def run(self, spec: MatchSpec) -> MatchReport:
        if self.left == 0:
            await asyncio.Event().wait()
        self.left -= 1
        return await super().run(spec)

    async def cancel(self, match_id: str) -> None:
        """Let it be: the task that waits for it is cancelled."""


@contextmanager
def stalling() -> Iterator[None]:
    """Let arenas play only the first matches of what they begin; all others are under way until they are stopped."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arena.scripting.database_arena.LocalExecutor", _StallingExecutor)
        yield
