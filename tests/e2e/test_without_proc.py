"""Where there is no /proc, as on macOS, bots are tested all the same, and what cannot be known is said."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.patience import ANY_TIME, PATIENCE_S

pytestmark = pytest.mark.needs("sandbox")  # bubblewrap hides /proc
ROOT = Path(__file__).resolve().parents[2]
HIDDEN = ("bwrap", "--dev-bind", "/", "/", "--tmpfs", "/proc", "--")
OFFLINE = """
from bots.algorithms.greedy import GreedyBot
from bots.algorithms.uniform import RandomBot
from bots.kit import play_offline

print(play_offline([GreedyBot(), RandomBot()], "foreign_king", seeds=[1, 2]).ranks)
"""


def run_without_proc(*command: str, cwd: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    """A command in a mount namespace of its own, in which /proc is empty."""
    words = (*HIDDEN, "env", f"XDG_CACHE_HOME={cache}", sys.executable, *command)
    return subprocess.run(words, capture_output=True, text=True, cwd=cwd, timeout=PATIENCE_S, check=False)


@pytest.fixture
def no_proc(tmp_path: Path) -> Path:
    """An empty directory, if /proc can be hidden here."""
    seen = run_without_proc("-c", "import os; print(os.listdir('/proc'))", cwd=tmp_path, cache=tmp_path)
    if seen.stdout != "[]\n":
        pytest.skip(f"/proc cannot be hidden here: {seen.stderr.strip()}")
    return tmp_path


@pytest.mark.host_fault("no-proc")
def test_a_bot_is_tested_where_there_is_no_proc(no_proc: Path) -> None:
    words = ("bot", "test", str(ROOT / "bots" / "greedy"), "--game", "foreign_king", "--seats", "2", "--json")
    few = ("--against", "random", "--matches", "2", "--workers", "1", *ANY_TIME)
    finished = run_without_proc("-m", "arena.cli.main", *words, *few, cwd=no_proc, cache=no_proc / "cache")
    assert finished.returncode == 0, finished.stderr
    assert "without a sandbox (this system has no /proc" in finished.stderr.splitlines()[0]
    told = json.loads(finished.stdout)
    assert told["sandbox"] == "none"
    assert {finding["state"] for finding in told["findings"]} <= {"passed", "skipped"}
    assert told["memory"]["peak_bytes"] > 1_000_000, "the kernel tells it when a process has ended"
    assert told["decisions"][0]["decisions"] > 10


@pytest.mark.host_fault("no-proc")
def test_a_match_is_played_offline_where_there_is_no_proc(no_proc: Path) -> None:
    finished = run_without_proc("-c", OFFLINE, cwd=no_proc, cache=no_proc)
    assert finished.stdout in ("(1, 2)\n", "(2, 1)\n"), finished.stderr
