"""A kit whose ARENA_STREAM_FD names no socket: one line names the variable and what to do."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

BOT = "from bots.algorithms.uniform import RandomBot; from bots.kit import run; run(RandomBot())"


@pytest.mark.parametrize(
    ("number", "why"),
    [("987", "Bad file descriptor"), ("0", "Socket operation on non-socket"), ("three", "invalid literal")],
    ids=["closed", "no socket", "no number"],
)
def test_a_descriptor_that_is_no_socket_is_told(number: str, why: str) -> None:
    environment = {**os.environ, "ARENA_STREAM_FD": number, "ARENA_ADDRESS": "unix:/nobody", "ARENA_TOKEN": "t"}
    done = subprocess.run(
        [sys.executable, "-c", BOT],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"ARENA_STREAM_FD is {number!r}, which is no open socket of this process (")
    assert why in line
    assert line.endswith("leave descriptors that you did not open, or unset the variable to use gRPC")
