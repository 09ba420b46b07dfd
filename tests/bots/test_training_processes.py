"""The processes of the training: they are no copies of the one that asks, hear no Ctrl-C, and end with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bots.training import duels
from bots.training.__main__ import main
from engine import registry
from tests.support.processes import marked_processes, wait_until
from tests.support.sources import ROOT

pytestmark = pytest.mark.needs("minutes")

(GAME, *_) = [name for name in registry.single_names() if (game := registry.get(name).playable) and game.weighing]

HASTY = """
import os, sys
from bots.training import duels
duels.TURN_NODES, duels.LINE_NODES = 8, 4
{also}
from bots.training.__main__ import main
if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
"""
"""A training that looks at few positions, in all its processes, each of which runs this too."""


def write_program(directory: Path, also: str = "") -> Path:
    program = directory / "program.py"
    program.write_text(HASTY.format(also=also), encoding="utf-8")
    return program


@contextmanager
def training(processes: int, out: Path) -> Iterator[subprocess.Popen[str]]:
    """Give a training in the midst of its trial, in a group of its own, all with the path in their environment."""
    words = [sys.executable, str(write_program(out.parent)), GAME, "--steps", "1", "--trial", "10000"]
    with subprocess.Popen(
        [*words, "--processes", str(processes), "--out", str(out)],
        env={**os.environ, "KMA_TEST_OUT": str(out), "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("step 1 of 1")
        assert process.stderr.readline() == "trying them in 10000 duels\n"
        yield process


def test_they_find_what_one_process_finds_and_are_no_copies_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Libraries may not bear to be copied: gRPC, for one, may wait for ever in a copy, or end it.
    write_program(tmp_path, "os.register_at_fork(after_in_child=lambda: os._exit(9))")
    words = [GAME, "--seats", "2", "--steps", "1", "--trial", "2", "--out", "weights.json"]
    command = [sys.executable, "program.py", *words, "--processes", "2"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    found = (tmp_path / "weights.json").read_text(encoding="utf-8")
    monkeypatch.setattr(duels, "TURN_NODES", 8)
    monkeypatch.setattr(duels, "LINE_NODES", 4)
    assert main([*words[:-1], str(tmp_path / "weights.json")]) == 0
    assert (tmp_path / "weights.json").read_text(encoding="utf-8") == found


@pytest.mark.parametrize("processes", [1, 2])
def test_ctrl_c_ends_it_in_a_line_and_leaves_no_file_and_no_process(processes: int, tmp_path: Path) -> None:
    out = tmp_path / "weights.json"
    with training(processes, out) as process:
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        assert process.stderr is not None
        told = process.stderr.read().splitlines()
    assert process.returncode == 130
    assert told == ["bots.training: stopped; nothing was written"]
    assert not out.exists()
    wait_until(lambda: not marked_processes(str(out)))


def test_they_end_with_one_that_was_killed(tmp_path: Path) -> None:
    out = tmp_path / "weights.json"
    with training(2, out) as process:
        assert len(marked_processes(str(out))) > 2
        process.kill()
    wait_until(lambda: not marked_processes(str(out)))
