"""A host that lacks what only Linux has, as macOS does: it plays, and says what it could not measure."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from arena.hosting.launcher.client import LauncherClient
from arena.hosting.launcher.request import StartRequest
from arena.hosting.proc import processes, tasks, tree, usage
from arena.match.replay import load, read_figures
from arena.worker.host import MatchHost
from tests.support.patience import until
from tests.support.specs import king_spec, scripted

HONEST = scripted()

INTERPRETER = """#!{python} -IS
import builtins, os, runpy, signal, sys

real_open, real_listdir, real_os_open = builtins.open, os.listdir, os.open

def refuse(path):
    if isinstance(path, str) and path.startswith("/proc"):
        raise FileNotFoundError(2, "there is no /proc here", path)

def hidden_open(path, *rest, **more):
    refuse(path)
    return real_open(path, *rest, **more)

def hidden_listdir(path="."):
    refuse(path)
    return real_listdir(path)

builtins.open, os.listdir = hidden_open, hidden_listdir
os.path.exists = lambda path, exists=os.path.exists: not str(path).startswith("/proc") and exists(path)
for name in ("waitid", "pidfd_open", "sched_getaffinity", "sched_setaffinity", "pipe2"):
    delattr(os, name)
sys.platform = "darwin"
program, sys.argv = sys.argv[3], sys.argv[3:]
runpy.run_path(program, run_name="__main__")
"""
"""An interpreter for the launcher, called with `-I -S PROGRAM ...`, which finds no /proc and no function of Linux."""


@pytest.fixture
def unlike_linux(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide /proc from this process, and from the launcher also what else is Linux's own."""
    interpreter = tmp_path / "python"
    interpreter.write_text(INTERPRETER.format(python=sys.executable), encoding="utf-8")
    interpreter.chmod(0o755)
    monkeypatch.setattr("arena.hosting.launcher.client.sys.executable", str(interpreter))

    def no_proc(*_: object) -> None:
        raise FileNotFoundError(2, "there is no /proc here")

    for module in (processes, tree):
        monkeypatch.setattr(module, "read_threads", no_proc)
    for module in (processes, usage):
        monkeypatch.setattr(module, "read_file", no_proc)
    monkeypatch.setattr(tasks.TaskFiles, "_open", no_proc)


@pytest.mark.usefixtures("unlike_linux")
async def test_a_match_is_played_and_its_wall_time_charged() -> None:
    async with MatchHost() as host:
        first = await host.play(king_spec("first", [HONEST, HONEST], keeps_logs=True))
        last = await host.play(king_spec("last", [HONEST, HONEST], keeps_logs=True, uses_fresh_bots=True))
    for report in (first, last):
        assert not report.result.faults
        document = load(report.replay)
        slow = [figures for figures in read_figures(document) if not figures.is_readable]
        assert all(figures.charge_us(1) == figures.wall_us for figures in slow)
    assert [process.peak_memory_bytes for process in first.seat_processes] == [None, None], "nobody could look"
    assert all(process.peak_memory_bytes for process in last.seat_processes), "the kernel told it at the end"


@pytest.mark.usefixtures("unlike_linux")
async def test_a_bot_that_dies_is_still_told_apart() -> None:
    async with MatchHost() as host:
        report = await host.play(king_spec("dies", [HONEST, replace(HONEST, command=("/bin/false",), version="false")]))
    (fault,) = report.result.faults
    assert (fault.seat, fault.evidence["exit_status"]) == (1, 1)


@pytest.mark.usefixtures("unlike_linux")
async def test_the_guardian_ends_the_bots_of_a_launcher_that_was_killed() -> None:
    async with LauncherClient() as launcher:
        process = await launcher.start(StartRequest(("/bin/sh", "-c", "sleep 3600 & wait"), "/", {}))
        assert launcher._process is not None
        launcher._process.kill()
        await until(lambda: not is_alive(process.pid))


def is_alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
