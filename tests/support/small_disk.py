"""A disk that is soon full, for one command; only root may have one."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from tests.support.patience import PATIENCE_S


def run_on_small_disk(directory: Path, size_kb: int, words: Sequence[str], after: str = "true") -> list[str]:
    """The lines that a command prints while a small disk of its own lies at `directory`, then a shell command.

    Skips the test where no disk may be mounted.
    """
    if not _may_mount():
        pytest.skip("no small disk may be mounted here")
    directory.mkdir(exist_ok=True)
    script = f'mount -t tmpfs -o size={size_kb}k none "{directory}" && "$@" && {after}'
    command = ["unshare", "-m", "sh", "-c", script, "sh", *words]
    done = subprocess.run(command, input="go\n", capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@cache
def _may_mount() -> bool:
    if shutil.which("unshare") is None:
        return False
    command = ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/tmp"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
