"""An engine as a process: what is said to it, what it may answer, and what is made of one that misbehaves."""

import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.hosting.procfs.processes import list_children
from bots.uci.engine import LONGEST_LINE, Engine, EngineProcess, UciError, quote
from tests.support.processes import wait_until

SCRIPTED = Path(__file__).resolve().parents[2] / "support" / "uci_engine.py"
START, GO = "position startpos", "go nodes 1"


def command(*flags: str) -> Sequence[str]:
    return (sys.executable, str(SCRIPTED), *flags)


@contextmanager
def running(*flags: str, options: Mapping[str, str] | None = None) -> Iterator[Engine]:
    """A scripted engine, which is stopped in the end; nothing of it is left."""
    process = EngineProcess(command(*flags))
    try:
        yield Engine(process, options or {})
    finally:
        process.stop()


def read(log: Path) -> list[str]:
    return log.read_text(encoding="utf-8").splitlines()


def test_it_is_greeted_and_plays_move_by_move(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with running("--log", str(log), options={"hash": "64"}) as engine:
        engine.start()
        engine.new_game(1)
        assert engine.best_move(START, GO) == "g1f3"
        assert engine.best_move(f"{START} moves g1f3", GO) == "g8f6"
        engine.new_game(1)
        assert engine.best_move(START, GO) == "g1f3"
    new_game = ["ucinewgame", "isready"]
    first = ["isready", START, GO]
    asked = [*first, "isready", f"{START} moves g1f3", GO, *new_game, *first]
    threads = "setoption name Threads value 1"
    assert read(log) == ["uci", "setoption name Hash value 64", "isready", threads, *new_game, *asked, "quit"]


def test_it_thinks_with_as_many_threads_as_there_are_cores_unless_it_is_told_otherwise(tmp_path: Path) -> None:
    logs = [tmp_path / name for name in ("cores", "given")]
    for log, options in zip(logs, ({}, {"Threads": "3"}), strict=True):
        with running("--log", str(log), options=options) as engine:
            engine.start()
            for cores in (2, 2, 4):
                engine.new_game(cores)
    told = [[line.split()[-1] for line in read(log) if "Threads" in line] for log in logs]
    assert told == [["2", "4"], ["3"]]


def test_an_option_that_it_does_not_have_is_refused_with_those_that_it_has() -> None:
    with running(options={"Contempt": "1"}) as engine, pytest.raises(UciError) as raised:
        engine.start()
    assert str(raised.value).endswith("has no option 'contempt'; it has: Threads, Clear Hash, Hash")


@pytest.mark.parametrize("program", ["no-such-engine", "/no/such/engine", str(Path(__file__).parent)])
def test_a_program_that_is_none_is_named(program: str) -> None:
    with pytest.raises(UciError, match=re.escape(f"the engine {shlex.quote(program)} cannot be started: ")):
        EngineProcess([program])


ENDS = [
    ("crash", r"ended with exit status 3 when it was asked 'position startpos\ngo nodes 1'"),
    ("segfault", "was ended by SIGSEGV when it was asked"),
    ("close-output", "closed its pipes when it was asked"),
    ("endless-line", "bytes without an end of line when it was asked"),
    ("half-an-answer", r"answered 'bestmove' to 'position startpos\ngo nodes 1': no legal move"),
]


@pytest.mark.hostile(*(f"engine-{behaviour}" for behaviour, _ in ENDS))
@pytest.mark.parametrize(("behaviour", "words"), ENDS)
def test_an_engine_that_gives_no_answer_is_an_error_that_says_how(behaviour: str, words: str) -> None:
    with running("--do", behaviour, "--at", "1") as engine:
        engine.start()
        engine.best_move(START, GO)
        with pytest.raises(UciError) as raised:
            engine.best_move(START, GO)
    assert words in str(raised.value)
    assert str(SCRIPTED) in str(raised.value)
    assert len(str(raised.value)) < 2 * LONGEST_LINE


@pytest.mark.parametrize(
    ("behaviour", "answer"), [("no-move", "(none)"), ("garbage", "\ufffd\ufffd\x00"), ("illegal-move", "e2e5")]
)
def test_what_it_says_is_handed_on_as_it_is(behaviour: str, answer: str) -> None:
    with running("--do", behaviour) as engine:
        engine.start()
        assert engine.best_move(START, GO) == answer


def test_a_second_answer_is_none_to_the_next_question() -> None:
    with running("--do", "answer-twice") as engine:
        engine.start()
        assert engine.best_move(START, GO) == "g1f3"
        assert engine.best_move(f"{START} moves g1f3", GO) == "g8f6"


def test_one_that_leaves_instead_of_a_greeting_is_an_error() -> None:
    with running("--do", "leave") as engine, pytest.raises(UciError, match="exit status 0 when it was asked 'uci'"):
        engine.start()


def test_for_how_long_it_owes_an_answer_is_told() -> None:
    process = EngineProcess(command())
    try:
        assert process.silence() == ""
        process.send("uci")
        assert re.search(r"has not answered 'uci' for \d+ ms$", process.silence())
        assert process.receive(b"uciok") == b"uciok"
        assert process.silence() == ""
    finally:
        process.stop()


def test_one_that_is_ready_still_owes_its_answer() -> None:
    process = EngineProcess(command("--do", "stall"))
    try:
        process.send_anew(GO)
        assert "has not answered 'go nodes 1'" in process.silence()
    finally:
        process.kill()
        process.stop()


def test_one_that_says_anything_but_a_greeting_still_owes_it() -> None:
    process = EngineProcess(["sh", "-c", "echo 'GNU Chess 6.2.9'; exec cat >/dev/null"])
    try:
        process.send("uci")
        assert process.receive(b"") == b"GNU Chess 6.2.9"
        assert "has not answered 'uci'" in process.silence()
    finally:
        process.stop()


WATCHING = """
import sys
from bots.uci.engine import EngineProcess
process = EngineProcess(sys.argv[1:])
process.send("uci")
process.receive(b"uciok")
process.send("position startpos\\ngo nodes 1")
print("thinking", flush=True)
process.receive(b"bestmove")
"""


@pytest.mark.hostile("engine-deaf-to-the-end")
@pytest.mark.parametrize("behaviour", ["deaf-to-the-end", "flood-of-lines", ""])
def test_it_does_not_outlive_a_bot_that_is_killed(behaviour: str) -> None:
    flags = ("--do", behaviour) if behaviour else ()
    words = [sys.executable, "-c", WATCHING, *command(*flags)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as bot:
        assert bot.stdout is not None
        assert bot.stdout.readline() == "thinking\n"
        (number,) = list_children(bot.pid)
        bot.send_signal(signal.SIGKILL)
        wait_until(lambda: has_ended(number))


def has_ended(number: int) -> bool:
    """Whether the process has ended; what is left of it is for whoever inherited it."""
    try:
        return Path(f"/proc/{number}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.parametrize(("text", "quoted"), [("go", "'go'"), (b"\xff", "'\ufffd'"), ("x" * 201, f"'... {'x' * 200}'")])
def test_a_quotation_is_short(text: str | bytes, quoted: str) -> None:
    assert quote(text) == quoted
