"""What becomes of a run whose progress nobody reads any more."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from arena.cli.shared.process import ignore_broken_stderr
from tests.cli.support import ROUND_ROBIN, Arena
from tests.support.patience import PATIENCE_S

TABLE_RUN = """
import arena.cli.main, arena.cli.shared.play
from tests.cli.table import TableExecutor
arena.cli.shared.play.LocalExecutor = TableExecutor
arena.cli.main.main()
"""


@contextmanager
def pipe_without_a_reader() -> Iterator[int]:
    ours, its = os.pipe()
    os.close(ours)
    yield its
    os.close(its)


@contextmanager
def full_disk() -> Iterator[int]:
    with Path("/dev/full").open("wb") as full:
        yield full.fileno()


@pytest.mark.host_fault("progress-that-nobody-reads", "progress-on-a-full-disk")
@pytest.mark.parametrize("nowhere", [pipe_without_a_reader, full_disk])
def test_a_run_does_not_mind_that_its_progress_cannot_be_written(table: Arena, nowhere: Any) -> None:
    with nowhere() as place, open(place, "w", closefd=False) as stderr, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stderr", stderr)
        ignore_broken_stderr()
        with sys.stderr:
            played = table(*ROUND_ROBIN, "--json")
    assert (played.code, len(played.json)) == (0, 3)
    assert {row["state"] for row in table("match", "list", "--json").json} == {"finished"}


@pytest.mark.needs("minutes")
@pytest.mark.host_fault("progress-that-nobody-reads")
def test_a_run_goes_on_where_its_progress_cannot_be_written(tmp_path: Path, three_bots: Path) -> None:
    shutil.copytree(three_bots, tmp_path, dirs_exist_ok=True)
    with pipe_without_a_reader() as stderr:
        command = [sys.executable, "-c", TABLE_RUN, *ROUND_ROBIN, "--db", str(tmp_path / "arena.db")]
        finished = subprocess.run(command, stdout=subprocess.PIPE, stderr=stderr, text=True, timeout=PATIENCE_S)
    assert (finished.returncode, "eve" in finished.stdout) == (0, True)
    with closing(sqlite3.connect(tmp_path / "arena.db")) as connection:
        assert connection.execute("SELECT state, count(*) FROM match GROUP BY state").fetchall() == [("finished", 3)]
