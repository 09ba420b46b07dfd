"""What runs in a group that is tried (`arena.hosting.sandbox.inside.group`): it eats and ends, or it spins."""

import signal
import subprocess
import sys
from pathlib import Path

import arena.hosting.sandbox

PROGRAM = Path(arena.hosting.sandbox.__path__[0]) / "inside" / "group.py"


def start(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-I", "-S", str(PROGRAM), *words], stdout=subprocess.PIPE, text=True)


def test_who_eats_says_nothing_and_ends() -> None:
    with start("eat", "2") as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        process.kill() if said else None
        assert (said, process.wait()) == ("", 0)


def test_who_spins_says_when_it_does() -> None:
    with start("spin") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.kill()
        assert process.wait() == -signal.SIGKILL
