"""A tournament of real bots that is killed in the middle and goes on, from the command line, with real processes."""

import json
import os
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ("random", "greedy")
MATCHES = 18


class Arena:
    """The command line in a directory of its own. Every process it starts, bots too, has that directory as HOME."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.database = directory / "arena.db"

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "arena.cli.main", *arguments, "--db", str(self.database)],
            cwd=ROOT,
            env={**os.environ, "HOME": str(self.directory)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str) -> str:
        process = self.start(*arguments)
        output, errors = process.communicate()
        assert process.returncode == 0, errors
        return output

    def add_bots(self) -> None:
        """The two deterministic sample bots, and one of them again under another name."""
        copy = shutil.copytree(ROOT / "bots" / "random", self.directory / "again")
        (copy / "bot.toml").write_text(
            'schema = 1\nname = "again"\ncommand = ["python", "main.py"]\ndeterministic = true\n', encoding="utf-8"
        )
        for directory in (*(ROOT / "bots" / name for name in SAMPLES), copy):
            self.run("bot", "add", str(directory))

    def start_round_robin(self, workers: int) -> subprocess.Popen[str]:
        words = "tournament run round-robin --game foreign_king --seats 2 --bots random,greedy,again --blocks 3"
        return self.start(*words.split(), "--time", "20s", "--seed", "11", "--name", "class", "--workers", str(workers))

    def finished(self) -> int:
        """How many matches have a result."""
        with closing(sqlite3.connect(self.database)) as connection:
            return int(connection.execute("SELECT count(*) FROM match WHERE state = 'finished'").fetchone()[0])

    def outcome(self) -> Any:
        """Ratings to the last digit, and how every match was played."""
        (pool,) = json.loads(self.run("leaderboard", "--json"))
        shown = json.loads(self.run("tournament", "show", "class", "--json"))
        columns = ("rank", "bot", "content_hash", "mu", "sigma", "matches", "wins", "score")
        table = [[row[column] for column in columns] for row in pool["table"]]
        return table, [(match["position"], match["state"], match["game_digest"]) for match in shown["matches"]]

    def processes(self) -> list[int]:
        """All processes that belong to it."""
        mark = f"HOME={self.directory}".encode()
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and mark in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                continue  # it ended meanwhile, or is another user's
        return found

    def wait_until_all_ended(self) -> None:
        while running := self.processes():
            try:
                descriptor = os.pidfd_open(running[0])
            except ProcessLookupError:
                continue
            ended, _, _ = select.select([descriptor], [], [], 20)
            os.close(descriptor)
            assert ended, f"process {running[0]} was left behind"


def send_when_finished(
    signal_number: int, arena: Arena, process: subprocess.Popen[str], count: int, *, waits: bool = True
) -> str:
    """Send a signal once so many matches are finished, and wait for the end; what was written to stderr."""
    while arena.finished() < count:
        try:
            _, errors = process.communicate(timeout=0.02)
        except subprocess.TimeoutExpired:
            continue
        pytest.fail(f"the run ended too early: {errors}")
    process.send_signal(signal_number)
    return process.communicate()[1] if waits else ""


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a database in which the bots are, to be copied."""
    directory = tmp_path_factory.mktemp("prepared")
    Arena(directory).add_bots()
    return directory


@pytest.fixture(scope="module")
def uninterrupted(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    arena = Arena(shutil.copytree(prepared, tmp_path_factory.mktemp("whole") / "arena"))
    process = arena.start_round_robin(workers=2)
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    arena.wait_until_all_ended()
    return arena.outcome()


@pytest.mark.parametrize("workers", [1, 2])
def test_a_tournament_that_was_killed_ends_with_the_same_table(
    prepared: Path, uninterrupted: Any, tmp_path: Path, workers: int
) -> None:
    arena = Arena(shutil.copytree(prepared, tmp_path / "arena"))
    process = arena.start_round_robin(workers)
    send_when_finished(signal.SIGKILL, arena, process, 5)
    assert process.returncode == -signal.SIGKILL
    arena.wait_until_all_ended()
    assert 5 <= arena.finished() < MATCHES
    arena.run("tournament", "resume", "class", "--workers", str(workers))
    arena.wait_until_all_ended()
    assert arena.finished() == MATCHES
    assert arena.outcome() == uninterrupted


def test_ctrl_c_stops_in_good_order_and_resume_goes_on(prepared: Path, uninterrupted: Any, tmp_path: Path) -> None:
    arena = Arena(shutil.copytree(prepared, tmp_path / "arena"))
    process = arena.start_round_robin(workers=2)
    errors = send_when_finished(signal.SIGINT, arena, process, 3)
    assert process.returncode == 130, errors
    assert "arena tournament resume class" in errors
    arena.wait_until_all_ended()
    arena.run("tournament", "resume", "class", "--workers", "1")
    assert arena.outcome() == uninterrupted


def test_two_processes_do_not_play_one_tournament_at_once(prepared: Path, tmp_path: Path) -> None:
    arena = Arena(shutil.copytree(prepared, tmp_path / "arena"))
    first = arena.start_round_robin(workers=1)
    send_when_finished(signal.SIGSTOP, arena, first, 1, waits=False)
    second = arena.start("tournament", "resume", "class")
    _, errors = second.communicate()
    assert second.returncode == 1
    assert f"process {first.pid} is playing this tournament now" in errors
    first.kill()
    first.communicate()
    arena.wait_until_all_ended()
