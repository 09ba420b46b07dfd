"""A host that lacks what only Linux has, as macOS does, in this process and in the launchers that it starts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.hosting.launcher import client
from arena.hosting.procfs import processes, tree, usage, waiting

LAUNCHER = """
import builtins, os, runpy, sys

def hiding(real):
    def function(path=".", *rest, **more):
        if isinstance(path, str) and path.startswith("/proc"):
            raise FileNotFoundError(2, "there is no /proc here", path)
        return real(path, *rest, **more)
    return function

builtins.open, os.listdir, os.open = map(hiding, (builtins.open, os.listdir, os.open))
os.path.exists = lambda path, exists=os.path.exists: not str(path).startswith("/proc") and exists(path)
for name in ("waitid", "pidfd_open", "sched_getaffinity", "sched_setaffinity", "pipe2"):
    delattr(os, name)
sys.platform = "darwin"
runpy.run_path({program!r}, run_name="__main__")
"""
"""The program of a launcher that finds no /proc and none of Linux's own calls, prctl(2) included."""


@pytest.fixture
def unlike_linux(tmp_path: Path) -> Iterator[None]:
    """Hide /proc from this process, and from its launchers what else is Linux's own."""
    program = tmp_path / "launcher.py"
    program.write_text(LAUNCHER.format(program=str(client._PROGRAM)), encoding="utf-8")

    def no_proc(*_: object) -> None:
        raise FileNotFoundError(2, "there is no /proc here")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client, "_PROGRAM", program)
        for name in ("sched_getaffinity", "sched_setaffinity"):
            patch.delattr(os, name)
        for module in (processes, tree):
            patch.setattr(module, "read_threads", no_proc)
        for module in (processes, usage):
            patch.setattr(module, "read_file", no_proc)
        patch.setattr(waiting.TaskFiles, "_open", no_proc)
        yield
