"""What commands write: files whole or not at all, and progress that must not end a run if nobody reads it."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from arena.cli.shared.errors import MisuseError
from arena.cli.shared.files import write_file, written
from arena.cli.shared.process_signals import ignore_broken_stderr
from tests.cli.support import ROUND_ROBIN, Arena
from tests.support.patience import PATIENCE_S


def test_a_file_appears_whole_and_takes_the_place_of_another(tmp_path: Path) -> None:
    file = tmp_path / "made.html"
    file.write_text("before")
    file.chmod(0o640)
    with written(file, "--html") as stream:
        stream.write(b"after")
        assert file.read_text() == "before"
    assert file.read_text() == "after"
    assert file.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [file]


def test_what_is_broken_off_leaves_everything_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "made.html"
    with pytest.raises(KeyboardInterrupt):
        _break_off(file)
    assert list(tmp_path.iterdir()) == []


def _break_off(file: Path) -> None:
    with written(file, "--html") as stream:
        stream.write(b"half")
        raise KeyboardInterrupt


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_what_a_signal_breaks_off_leaves_everything_as_it_was(tmp_path: Path, number: signal.Signals) -> None:
    before = signal.signal(number, signal.SIG_DFL)  # tests may run under nohup
    try:
        with pytest.raises(KeyboardInterrupt):
            _tell_twice(tmp_path / "made.html", number)
        assert signal.getsignal(number) is signal.SIG_DFL
    finally:
        signal.signal(number, before)
    assert list(tmp_path.iterdir()) == []


def _tell_twice(file: Path, number: signal.Signals) -> None:
    with written(file, "--html"):
        try:
            os.kill(os.getpid(), number)
        finally:
            os.kill(os.getpid(), number)  # a terminal that is closed may tell so twice


def test_a_file_of_another_kind_is_not_replaced(tmp_path: Path) -> None:
    file = tmp_path / "README.md"
    file.write_text("# Mine")
    with pytest.raises(MisuseError, match=r"README.md is there, .*; remove it, or name another file after --html"):
        written(file, "--html", lambda beginning: beginning.startswith(b"<")).__enter__()
    assert file.read_text() == "# Mine"
    file.write_text("")
    for text in (b"<one>", b"<two>"):
        with written(file, "--html", lambda beginning: beginning.startswith(b"<")) as stream:
            stream.write(text)
    assert file.read_bytes() == b"<two>"
    with written(Path("/dev/null"), "--html", lambda _beginning: False) as stream:
        stream.write(b"a device")


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    file, link = tmp_path / "there", tmp_path / "link"
    link.symlink_to(file)
    write_file(link, "text", "--html")
    assert link.is_symlink()
    assert file.read_text() == "text"


def test_a_place_that_cannot_be_written_is_told_before_anything_is_made(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "none" / "made.html"):
        with pytest.raises(MisuseError, match=r"cannot write .*; name another file after --html"):
            written(place, "--html").__enter__()
    write_file(Path("/dev/null"), "text", "--html")
    assert not Path("/dev/null").is_file()


TABLE_RUN = """
import arena.cli.main, arena.cli.shared.play_tournament
from tests.cli.table import TableExecutor
arena.cli.shared.play_tournament.LocalExecutor = TableExecutor
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
