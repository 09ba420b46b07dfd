"""Shows how far a look at the whole book is: one live line on a terminal, or a line every few seconds in a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Final, TextIO

from arena.cli.shared.cells import format_duration
from arena.cli.shared.progress import ProgressDisplay
from arena.cli.shared.saying import say
from ratings.values.states import WorkStage

_SAID: Final = {
    WorkStage.LINES: "cli_db.stage_lines",
    WorkStage.REPLAYS: "cli_db.stage_replays",
    WorkStage.PAGES: "cli_db.stage_pages",
    WorkStage.FACTS: "cli_db.stage_facts",
    WorkStage.FILES: "cli_db.stage_files",
    WorkStage.TALLIES: "cli_db.stage_tallies",
    WorkStage.RATINGS: "cli_db.stage_ratings",
    WorkStage.MEMORIES: "cli_db.stage_memories",
    WorkStage.COPYING: "cli_db.stage_copying",
    WorkStage.COMPARING: "cli_db.stage_comparing",
}


class StageDisplay(ProgressDisplay):
    """Shows on stderr what is being looked at, and for how long already."""

    _part = "cli_db.stage_part"
    _time = "cli_db.stage_time"

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(0, 0, sys.stderr if stream is None else stream, clock)

    def show(self, stage: WorkStage, done: int, total: int) -> None:
        """Show the stage, and how much of how much is done where that is counted, unless something was shown just now.

        A look that is over within a few seconds leaves nothing in a log.
        """
        said = say(_SAID[stage])
        self.update(done, say(self._part, stage=said, done=done, total=total) if total else said)

    def clear(self) -> None:
        """Take the live line away."""
        self.take_away()

    def _text(self, _done: int, note: str) -> str:
        return say(self._time, stage=note, time=format_duration(self.elapsed_s))


class CopyDisplay(StageDisplay):
    """Shows on stderr how far a copy of a database is, which counts rows."""

    _part = "cli_db.copy_part"
    _time = "cli_db.copy_time"
