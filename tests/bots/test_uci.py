"""The bridge to UCI engines: the conversation, the process, the limits of time, and the command."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.hosting.procfs.processes import list_children
from arena.v1 import match_pb2, play_pb2
from bots.decision import Decision, Match
from bots.uci.__main__ import main
from bots.uci.bot import go_by_clock
from bots.uci.engine import LONGEST_LINE, Engine, EngineProcess, UciError, quote
from tests.bots.fake_arena import serve
from tests.support.patience import PATIENCE_S
from tests.support.processes import wait_until
from tests.support.uci_engine import FORMS

SCRIPTED = Path(__file__).resolve().parents[1] / "support" / "uci_engine.py"
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


@pytest.mark.parametrize("form", FORMS)
def test_white_space_and_what_it_says_besides_do_not_matter(form: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with running("--form", form, "--log", str(log), options={" clear   HASH": "1"}) as engine:
        engine.start()
        engine.new_game(2)
        assert engine.best_move(START, GO) == "g1f3"
    assert read(log)[1:4] == ["setoption name Clear Hash value 1", "isready", "setoption name Threads value 2"]


def test_a_line_of_options_without_a_type_still_names_it() -> None:
    with running("--do", "untyped", options={"Book": "x", "My Own  Table": "y"}) as engine:
        engine.start()


@pytest.mark.parametrize(("behaviour", "move"), [("capitals", "g1f3"), ("last-words", "g1f3")])
def test_a_move_in_another_form_is_the_same_move(behaviour: str, move: str) -> None:
    with running("--do", behaviour) as engine:
        engine.start()
        assert engine.best_move(START, GO) == move


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


@pytest.mark.parametrize(
    ("program", "remedy"),
    [
        (
            "no-such-engine",
            "give --engine a file in the bot's directory, or the full path of a program for this machine",
        ),
        (
            "/no/such/engine",
            "if that path is right, the bot's sandbox hides it: it shows the files of the bot's own dir",
        ),
        (str(Path(__file__).parent), "give --engine a file that the bot may execute (chmod +x); in a sandbox"),
        ("{scratch}/no-loader", "the file is there, but not the interpreter or the loader that it names: install that"),
        ("{scratch}/other-machine", "or the full path of a program for this machine"),
    ],
)
def test_a_program_that_is_none_is_named_with_what_to_do(program: str, remedy: str, tmp_path: Path) -> None:
    for name, content in {"no-loader": b"#!/no/such/python\n", "other-machine": b"MZ\x90\x00\x00\xff"}.items():
        (tmp_path / name).write_bytes(content)
        (tmp_path / name).chmod(0o755)
    program = program.format(scratch=tmp_path)
    with pytest.raises(UciError, match=re.escape(f"the engine {shlex.quote(program)} cannot be started: ")) as raised:
        EngineProcess([program])
    assert remedy in str(raised.value)


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


def test_an_engine_that_does_not_know_a_limit_of_nodes_is_stopped(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with running("--do", "endless-nodes", "--log", str(log)) as engine:
        engine.start()
        assert engine.best_move(START, GO) == "e2e4"
        assert engine.best_move(f"{START} moves e2e4", "go nodes 2000") == "g8f6"
    assert "stop" not in read(log)  # it read that while it was thinking, and was told no second time


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
        assert re.search(r"has not answered 'uci' for \d+ ms; give one that speaks UCI", process.silence())
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
        assert re.search(r"has not answered 'uci' for \d+ ms; it said 'GNU Chess 6.2.9'; give", process.silence())
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


def decision(clock: match_pb2.Clock, *, bank_us: int = 0, time_limit_us: int = 0, waited_s: float = 0.0) -> Decision:
    match = Match(play_pb2.MatchStarted(clock=clock), play_pb2.GameInfo())
    asked = play_pb2.Decide(bank_us=bank_us, time_limit_us=time_limit_us)
    return Decision(match, asked, time.monotonic() - waited_s)


def test_without_a_clock_it_thinks_for_a_second() -> None:
    assert go_by_clock(decision(match_pb2.Clock())) == "go movetime 1000"


def test_under_a_limit_it_gets_most_of_what_is_left() -> None:
    clock = match_pb2.Clock(decision_limit_us=2_000_000_000)
    words = go_by_clock(decision(clock, time_limit_us=2_000_000_000)).split()
    assert words[:2] == ["go", "movetime"]
    assert 1_700_000 < int(words[2]) <= 1_800_000


def test_who_has_no_time_left_gets_a_millisecond() -> None:
    clock = match_pb2.Clock(decision_limit_us=1_000)
    assert go_by_clock(decision(clock, time_limit_us=1_000, waited_s=5.0)) == "go movetime 1"


@pytest.mark.parametrize(
    ("clock", "bank_us", "time_limit_us", "go"),
    [
        (match_pb2.Clock(bank_us=9_000_000), 5_500_999, 5_500_999, "go wtime 5500 btime 5500 winc 0 binc 0"),
        (match_pb2.Clock(increment_us=100_000), 0, 1, "go wtime 1 btime 1 winc 100 binc 100"),
        (
            match_pb2.Clock(bank_us=9_000_000, decision_limit_us=1_000_000),
            *(5_000_000, 1_000_000, "go wtime 5000 btime 5000 winc 0 binc 0 movetime 900"),
        ),
    ],
)
def test_a_bank_is_told_in_milliseconds_for_both(
    clock: match_pb2.Clock, bank_us: int, time_limit_us: int, go: str
) -> None:
    assert go_by_clock(decision(clock, bank_us=bank_us, time_limit_us=time_limit_us)) == go


ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "the following arguments are required: --engine"),
        (["--engine", "x", "--nodes", "0"], "argument --nodes: '0': give a whole number from 1"),
        (["--engine", "x", "--depth", "1.5"], "argument --depth: '1.5': give a whole number from 1"),
        (["--engine", "x", "--nodes", "1", "--depth", "1"], "argument --depth: not allowed with argument --nodes"),
        (["--engine", "x", "--option", "Hash"], "argument --option: 'Hash': an option is NAME=VALUE, such as Hash=64"),
        (["--engine", "x", "--option", "=1"], "'=1': an option is NAME=VALUE, such as Hash=64"),
        (["--engine", "x", "--option", "Hash=1\nquit"], "an option is NAME=VALUE, such as Hash=64"),
    ],
)
def test_what_is_wrong_with_a_command_is_told(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert told in capsys.readouterr().err


def test_an_engine_that_does_not_start_is_told_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--engine", "no-such-engine", "--", "--quiet"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("the engine no-such-engine --quiet cannot be started: ")


async def test_an_engine_is_given_the_files_of_its_bot_and_changes_nothing_among_them(tmp_path: Path) -> None:
    files, work = tmp_path / "files of the bot", tmp_path / "work"
    files.mkdir()
    work.mkdir()
    shutil.copy(SCRIPTED, files / "engine.py")
    (files / "default.nn").write_text("weights")
    words = ["--engine", sys.executable, "--option", "Hash={bot_dir}/default.nn"]
    engine = ["--", "{bot_dir}/engine.py", "--log", "log"]
    base = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
    async with serve(tmp_path, lambda arena: arena.welcome()) as arena:
        where = {"ARENA_ADDRESS": arena.address, "ARENA_TOKEN": "t0ken", "ARENA_BOT_DIR": str(files)}
        bot = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bots.uci", *words, *engine),
            env={**base, "PYTHONPATH": str(ROOT), **where},
            cwd=work,
        )
        assert await asyncio.wait_for(bot.wait(), PATIENCE_S) == 0
    assert f"setoption name Hash value {files}/default.nn" in read(work / "log")
    assert (work / "default.nn").read_text() == "weights"
    assert {file.name for file in files.iterdir()} == {"engine.py", "default.nn"}


def test_help_shows_an_example() -> None:
    command = [sys.executable, "-m", "bots.uci", "--help"]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=PATIENCE_S).stdout
    assert '"-m", "bots.uci", "--engine", "stockfish"' in shown
