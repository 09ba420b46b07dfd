"""A host that is profiled plays as every host does, and its sheet tells what it did."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from arena.match.decisions import DecidedBy, ReplayEntry
from arena.match.match import Match
from arena.profiling.parts import ProfilePart
from arena.profiling.sheet import Reading, Sheet, WorkerPhase, new_words, read_sheet
from arena.worker.host import MatchHost
from arena.worker.profiled_host import ProfiledHost, profiled
from tests.support.specs import script_spec, scripted
from tests.worker.hosted import play


def read(directory: Path) -> Reading:
    found = read_sheet(directory / str(os.getpid()))
    assert found is not None
    return found


class Sampled(list[ReplayEntry]):
    """Entries of which a sample is taken while they are counted."""

    def __init__(self, entries: Iterable[ReplayEntry], sample: Callable[[], None]) -> None:
        super().__init__(entries)
        self._samples = [sample]

    def __getitem__(self, key: Any) -> Any:
        while self._samples:
            self._samples.pop()()
        return super().__getitem__(key)


async def test_a_sample_that_comes_while_decisions_are_counted_counts_none_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sheet = Sheet(new_words())
    host = ProfiledHost(sheet, 8, None, None)
    match = Match(script_spec("0:3 1:3"))
    match.entries = Sampled(
        [ReplayEntry(0, 0, 1, DecidedBy.BOT), ReplayEntry(1, 1, 2, DecidedBy.FORCED)], host.count_decisions
    )

    async def referee(*_: object) -> None:
        """Play nothing."""

    monkeypatch.setattr(MatchHost, "_referee", referee)
    await host._referee(match, [], None)
    assert sheet.read().decisions == 1


@pytest.mark.usefixtures("mark")
async def test_its_sheet_counts_the_decisions_of_its_matches_and_its_phases_take_all_of_the_time(
    tmp_path: Path,
) -> None:
    seats = [scripted(), scripted()]
    async with profiled(tmp_path, 8, None, None, apart=False) as host:
        assert read(tmp_path).wall_s[WorkerPhase.PLAY] == 0
        reports = [await play(host, seats), await play(host, seats)]
        told = read(tmp_path)
    assert told.matches == 2
    assert told.decisions == sum(report.decisions for report in reports) > 0
    assert 0 < told.asked_s <= told.wall_s[WorkerPhase.PLAY]
    assert min(told.wall_s.values()) > 0
    # The duration of a match that the host tells lies around the phase in which the referee plays.
    assert told.wall_s[WorkerPhase.PLAY] <= sum(report.duration_us for report in reports) / 1e6
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
    assert sum(read(tmp_path).cpu_s[part] for part in ProfilePart) > 0, "the last sample is taken at the end"
