"""A sheet says to another process what its own has counted."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from arena.profiling.parts import ProfilePart
from arena.profiling.sheet import Sheet, WorkerPhase, new_words, read_sheet, shared_sheet

OTHER = """
import sys
from pathlib import Path
from arena.profiling.parts import ProfilePart
from arena.profiling.sheet import WorkerPhase, shared_sheet
with shared_sheet(Path(sys.argv[1])) as sheet:
    sheet.enter(WorkerPhase.START)
    sheet.enter(WorkerPhase.PLAY)
    sheet.add_cpu(ProfilePart.METER, 1_500_000_000)
    sheet.add_cpu(ProfilePart.METER, 500_000_000)
    sheet.count_decisions(7, 2_000_000)
    sheet.count_match()
    sheet.count_sample()
    print("ready", flush=True)
    sys.stdin.read()
"""


def test_another_process_reads_what_was_counted_while_its_writer_lives_and_afterwards(tmp_path: Path) -> None:
    file = tmp_path / "4711"
    words = [sys.executable, "-c", OTHER, str(file)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        living, again = read_sheet(file), read_sheet(file)
        process.communicate(b"")
    ended = read_sheet(file)
    assert living is not None
    assert again is not None
    assert ended is not None
    assert living.cpu_s[ProfilePart.METER] == ended.cpu_s[ProfilePart.METER] == 2.0
    assert (living.decisions, living.asked_s, living.matches, living.samples) == (7, 2.0, 1, 1)
    assert again.wall_s[WorkerPhase.PLAY] > living.wall_s[WorkerPhase.PLAY], "the phase that lasts counts up to now"
    assert again.wall_s[WorkerPhase.START] == living.wall_s[WorkerPhase.START]
    assert living.wall_s[WorkerPhase.END] == 0


def test_a_sheet_that_has_only_just_begun_says_nothing(tmp_path: Path) -> None:
    file = tmp_path / "1"
    file.write_bytes(b"")
    assert read_sheet(file) is None
    with shared_sheet(tmp_path / "2"):
        file.write_bytes(bytes((tmp_path / "2").stat().st_size))
        assert read_sheet(file) is None
        assert read_sheet(tmp_path / "2") is not None


def test_a_sheet_is_made_where_none_is(tmp_path: Path) -> None:
    with shared_sheet(tmp_path / "1"), pytest.raises(FileExistsError), shared_sheet(tmp_path / "1"):
        pass


def test_the_phases_take_all_of_the_time() -> None:
    sheet = Sheet(new_words())
    assert sheet.read().wall_s[WorkerPhase.WAIT] > 0, "it waits first"
    for phase in (WorkerPhase.START, WorkerPhase.PLAY, WorkerPhase.END, WorkerPhase.WAIT):
        sheet.enter(phase)
    first, second = sheet.read(), sheet.read()
    assert all(wall > 0 for wall in first.wall_s.values())
    grown = [phase for phase in WorkerPhase if second.wall_s[phase] > first.wall_s[phase]]
    assert grown == [WorkerPhase.WAIT]
