"""What is said of a bot that does not start: by what real interpreters, shells and loaders complain of."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from arena.match.result import Fault, FaultCause
from arena.match.spec import LINES, PROTOBUF, SeatSpec
from arena.trial.faults import remedy_of

PYTHON = f"#!{Path(sys.executable).resolve()}\n"  # the path of an environment may have a space
TOKENS = "Connect to ARENA_ADDRESS"


def complaint(program: str | bytes, directory: Path) -> tuple[str, str]:
    """How a program ended, in the words of the arena, and what it or its host wrote."""
    path = directory / "program"
    path.write_bytes(program if isinstance(program, bytes) else program.encode())
    path.chmod(0o755)
    try:
        done = subprocess.run([path], capture_output=True, check=False, cwd=directory)
    except OSError as error:
        return f"It could not be started: {error}.", ""
    return f"It ended before it joined (exit status {done.returncode}).", done.stderr.decode(errors="replace")


def remedy(program: str | bytes, directory: Path, cause: FaultCause = FaultCause.START_FAILED) -> str:
    explanation, output = complaint(program, directory)
    return str(remedy_of(Fault(0, cause, 0, explanation), output))


CASES: Mapping[str, tuple[str | bytes, str]] = {
    "a module": (PYTHON + "import numpyx.linalg", "The module 'numpyx' is missing"),
    "a module of a package": (PYTHON + "import os.numpyx", "The module 'os.numpyx' is missing"),
    "a name": (PYTHON + "from os import numpyx", "The name 'numpyx' cannot be imported"),
    "a module named in vain": (
        PYTHON + "try:\n import numpyx\nexcept ImportError:\n import numpyy",
        "'numpyy' is missing",
    ),
    "a source": (PYTHON + "def f(:", "Its source cannot be read (SyntaxError)"),
    "an indentation": (PYTHON + "if 1:\npass", "Its source cannot be read (IndentationError)"),
    "a library": (PYTHON + "import ctypes\nctypes.CDLL('libfoo.so.7')", "The library 'libfoo.so.7' is missing"),
    "a file": (PYTHON + "open('weights.bin')", "The file 'weights.bin' is not where the bot looks"),
    "a source file": (f"#!/bin/sh\nexec '{sys.executable}' mian.py\n", "/mian.py' is not where the bot looks"),
    "a program by env": ("#!/usr/bin/env nodexx\n", "The program 'nodexx' is missing"),
    "a program in a shell": ("#!/bin/sh\nnodexx main.js\n", "The program 'nodexx' is missing"),
    "a program in place of a shell": (
        "#!/bin/sh\nexec nodexx main.js\n",
        "The program 'nodexx' is missing",
    ),
    "a program in place of bash": ("#!/bin/bash\nexec nodexx main.js\n", "The program 'nodexx' is missing"),
    "a source of a shell": ("#!/bin/sh\nif true\n", "correct the line in the evidence if that is a script"),
    "a source of bash": ("#!/bin/bash\nif true; (\n", "correct the line in the evidence if that is a script"),
    "a program in bash": ("#!/bin/bash\nnodexx main.js\n", "The program 'nodexx' is missing"),
    "line ends by env": ("#!/usr/bin/env python3\r\nprint(1)\r\n", "has line ends of Windows"),
    "line ends in a shell": ("#!/bin/sh\nnodexx\r\n", "has line ends of Windows"),
    "line ends in bash": ("#!/bin/bash\nnodexx\r\n", "has line ends of Windows"),
    "an interpreter": ("#!/usr/bin/nodexx\n", "what the first line (#!) of that names, does not exist"),
    "no interpreter": ("echo hello\n", "a script needs a first line like #!/bin/sh"),
    "another processor": (b"\x7fELF\x02\x01\x01" + bytes(100), "must be built for Linux and this processor"),
    "a program of Windows": (b"MZ\x90" + bytes(100), "must be built for Linux and this processor"),
    "a program not executable": ("#!/bin/sh\n./main.py\n", "run chmod +x on it"),
    "a directory": ("#!/tmp\n", "run chmod +x on it"),
    "its own words": (PYTHON + "raise SystemExit('I resign')", TOKENS),
    "an error of its own": (PYTHON + "1 / 0", TOKENS),
    "nothing": ("#!/bin/sh\n", TOKENS),
}


@pytest.mark.parametrize("what", CASES)
def test_a_bot_that_does_not_start_is_told_what_it_lacks(what: str, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("1", encoding="utf-8")
    program, words = CASES[what]
    assert words in remedy(program, tmp_path)


@pytest.mark.needs("node")
@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("require('ws')", "The module 'ws' is missing"),
        ("require('@scope/name/part')", "The module '@scope/name/part' is missing"),
        ("require('./kit')", "The module './kit' is missing"),
        ("import('ws')", "The module 'ws' is missing"),
        ("require('fs').readFileSync('weights.bin')", "The file 'weights.bin' is not where"),
        ("const a = ;", "Its source cannot be read (SyntaxError)"),
        ("throw new Error('own')", TOKENS),
    ],
)
def test_a_bot_in_node_is_told_the_same(source: str, words: str, tmp_path: Path) -> None:
    assert words in remedy(f"#!/usr/bin/env node\n{source}\n", tmp_path)


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("prlimit: failed to execute /bot/bot: No such file or directory", "does not exist where it runs"),
        ("prlimit: failed to execute /bot/bot: Exec format error", "must be built for Linux"),
        ('/bot/bot: 1: Syntax error: "(" unexpected', "build it for Linux and the processor"),
        ("prlimit: failed to execute /bot/bot: Permission denied", "run chmod +x on it"),
        (
            "./bot: error while loading shared libraries: libx-1.so.2: cannot open shared object file: No such",
            "'libx-1.so.2'",
        ),
        ("/lib/libc.so.6: version `GLIBC_2.38' not found (required by ./bot)", "which lacks GLIBC_2.38"),
        ("/bin/bash: ./run.sh: /usr/bin/python^M: bad interpreter: No such file or directory", "line ends of Windows"),
        ("Could not open input file: mian.php", "The file 'mian.php' is not where the bot looks"),
        ("ruby: No such file or directory -- mian.rb (LoadError)", "The file 'mian.rb' is not where the bot looks"),
    ],
)
def test_what_sandboxes_and_loaders_say_is_understood(output: str, words: str) -> None:
    fault = Fault(0, FaultCause.START_FAILED, 0, "It ended before it joined (exit status 127).")
    assert words in str(remedy_of(fault, output))


def test_only_a_bot_that_ended_is_told_so(tmp_path: Path) -> None:
    program = CASES["a module"][0]
    assert "'numpyx' is missing" in remedy(program, tmp_path, FaultCause.DISCONNECTED)
    assert "Each Decide tells how much time" in remedy(program, tmp_path, FaultCause.TIMEOUT)


LINES_TOML = 'schema = 1\nname = "b"\ncommand = {command}\nprotocol = "lines"\n'


def lines_seat(directory: Path, toml: str = LINES_TOML.format(command='["python", "main.py"]')) -> SeatSpec:
    (directory / "bot.toml").write_text(toml, encoding="utf-8")
    return SeatSpec("", "b", str(directory), ("/b",), 0, protocol=LINES)


@pytest.mark.parametrize(
    ("cause", "words"),
    [
        (FaultCause.START_FAILED, "Read standard input as soon as the program starts"),
        (
            FaultCause.PROTOCOL,
            "Write one line for each decide (an id, a notation in quotes, a list of both, or an object)",
        ),
        (FaultCause.MALFORMED, "Write lines within the sizes"),
        (FaultCause.FLOOD, "Write one line for each decide, and then wait"),
        (FaultCause.ILLEGAL_ACTION, "Choose among the ids that the Decide lists as legal"),
        (FaultCause.TIMEOUT, "Each Decide tells how much time there is"),
    ],
)
def test_a_bot_that_speaks_lines_is_told_of_lines(cause: FaultCause, words: str, tmp_path: Path) -> None:
    told = str(remedy_of(Fault(0, cause, 0, "It did."), "", lines_seat(tmp_path)))
    assert told.startswith(words)
    assert "flush" not in told


@pytest.mark.parametrize(
    ("manifest", "source", "how"),
    [
        (LINES_TOML.format(command='["python", "main.py"]'), "main.py", "at once: print(..., flush=True). Each Decide"),
        (LINES_TOML.format(command='["./b"]') + 'build = ["make"]\n', "main.c", "at once: fflush(stdout). Each Decide"),
        (LINES_TOML.format(command='["./b"]'), "b", "otherwise the line waits in a buffer of its program. Each Decide"),
        ("no manifest", "b", "otherwise the line waits in a buffer of its program. Each Decide"),
    ],
    ids=["python", "c", "unknown", "unreadable"],
)
def test_a_bot_of_which_no_line_came_is_told_how_to_flush(manifest: str, source: str, how: str, tmp_path: Path) -> None:
    (tmp_path / source).touch(mode=0o755)
    fault = Fault(0, FaultCause.TIMEOUT, 3, "It took too long.", {"answers": 0})
    told = str(remedy_of(fault, "", lines_seat(tmp_path, manifest)))
    assert told.startswith("A bot that writes lines must flush each of them at once")
    assert how in told


@pytest.mark.parametrize(
    ("protocol", "words"),
    [(PROTOBUF, 'If it speaks JSON lines, write protocol = "lines" into bot.toml.'), (LINES, "Look at command")],
)
def test_a_bot_that_ended_at_once_is_told_to_look_at_its_manifest(protocol: str, words: str) -> None:
    fault = Fault(0, FaultCause.START_FAILED, 0, "It ended.", {"ended": "exit status 0"})
    seat = SeatSpec("v" * 64, "bot", "/", ("php", "main.php"), seed=1, protocol=protocol, games=("*",))
    assert words in str(remedy_of(fault, "", seat))
