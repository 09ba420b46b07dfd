"""`arena bot conform` with bots as processes of their own."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from arena.cli.app import run
from arena.conform import process as module
from arena.conform.dialogue import Patience
from arena.conform.process import start_process
from arena.conform.rules import BY_ID, NAMES, Transport, rules_of
from tests.support.patience import PATIENCE_S
from tests.support.processes import marked_processes, wait_until

LEAVES_A_CHILD = """
import os, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
with open({file!r}, "a") as file:
    file.write(f"{{child.pid}}\\n")
os._exit(1)
"""
NODE_MANIFEST = 'schema = 1\nname = "b"\ncommand = ["node", "main.mjs"]\nruntime = "node"\n'
LINES_MANIFEST = """
schema = 1
name = "b"
command = ["python", "main.py"]
games = ["foreign_king"]
protocol = "lines"
"""
FLEES = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    print(os.getpid(), file=sys.stderr, flush=True)
    time.sleep(3600)
os.wait()
"""


ROOT = Path(__file__).resolve().parents[2]


BROKEN_KIT = Path(__file__).with_name("broken_kit.py")
LINES_BOT = Path(__file__).with_name("broken_lines.py")


KITS = {
    "random": [str(ROOT / "bots" / "random")],
    "node": ["--", "node", str(ROOT / "bots" / "node" / "main.mjs")],
}
"""What stands for each kit of this repository; that for C++ is checked where it is built, in tests/bots/test_cpp.py."""


@pytest.fixture(autouse=True)
def _kits_find_this_checkout(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("ARENA_SERVER", raising=False)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("random", marks=pytest.mark.needs("minutes")),
        pytest.param("node", marks=pytest.mark.needs("node")),
    ],
)
def test_every_kit_of_this_repository_keeps_every_rule(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = run(["bot", "conform", "--patience", "20", *KITS[name]])
    lines = capsys.readouterr().out.splitlines()
    kept, (summary,) = lines[:-1], lines[-1:]
    assert [line for line in kept if not line.startswith("kept ")] == []
    assert summary in [
        f"{len(rules_of(transport))} rules ({NAMES[transport]}): {len(kept)} kept" for transport in Transport
    ]
    assert code == 0


def test_of_a_rule_that_is_kept_that_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    code = run(["bot", "conform", "--patience", "20", "--rule", "act-legal", *KITS["random"]])
    kept, summary = capsys.readouterr().out.splitlines()
    assert kept.startswith("kept ")
    assert "act-legal" in kept
    assert summary == "1 rule (socket): 1 kept"
    assert code == 0


def test_a_broken_kit_ends_with_1_and_says_what_was_seen_and_the_remedy(capsys: pytest.CaptureFixture[str]) -> None:
    code = run(["bot", "conform", "--", sys.executable, str(BROKEN_KIT), "act-ply"])
    out = capsys.readouterr().out
    assert code == 1
    assert "broken          act-ply: Act named a different ply than its Decide. Seen: ply " in out
    assert BY_ID["act-ply"].remedy in out
    unchecked = [line for line in out.splitlines() if line.startswith("unchecked")]
    assert len(unchecked) == 1
    assert re.fullmatch(r"unchecked       \d\d rules: act-ply is broken; mend it first", unchecked[0])


def test_the_last_line_on_stderr_is_told_of_a_bot_that_ends(capsys: pytest.CaptureFixture[str]) -> None:
    code = run(["bot", "conform", "--json", "--rule", "untimed", "--", sys.executable, str(BROKEN_KIT), "untimed"])
    verdicts = {verdict["rule"]: verdict for verdict in json.loads(capsys.readouterr().out)}
    assert code == 1
    assert list(verdicts) == ["untimed"]
    assert verdicts["untimed"]["state"] == "broken"
    assert "ended with status 1; stderr ends with 'broken on purpose: untimed'" in verdicts["untimed"]["message"]


def test_of_an_exception_more_than_the_last_line_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    program = r"import sys; sys.exit('Uncaught: no weights\nStack trace:\n#0 {main}\n  thrown in main.php')"
    assert run(["bot", "conform", "--protocol", "lines", "--", sys.executable, "-c", program]) == 1
    told = "stderr ends with 'Uncaught: no weights' / 'Stack trace:' / '#0 {main}' / '  thrown in main.php'"
    assert told in capsys.readouterr().out


def test_a_bot_that_opens_no_stream_is_told_of_json_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bot", "conform", "--", sys.executable, "-c", "import sys; sys.stdin.read()"]) == 1
    assert 'write protocol = "lines" into bot.toml; for a command, add --protocol lines.' in capsys.readouterr().out


def test_the_rules_can_be_listed_without_a_bot(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bot", "conform", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(BY_ID)
    assert run(["bot", "conform", "--list", "--json", "--rule", "token"]) == 0
    assert json.loads(capsys.readouterr().out) == [
        {"rule": "token", "statement": BY_ID["token"].statement, "transports": ["grpc"]}
    ]


def test_a_directory_of_a_bot_that_speaks_lines_is_checked_by_lines(
    lines_bot: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["bot", "conform", "--rule", "act-legal", "--rule", "token", str(lines_bot)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "not-applicable  token: this is no rule for such a bot (JSON lines)",
        "kept            act-legal",
        "2 rules (JSON lines): 1 not-applicable, 1 kept",
    ]


def test_a_program_that_speaks_lines_is_checked_if_that_is_said(
    lines_bot: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["--rule", "reads-joined", "--", sys.executable, str(lines_bot / "main.py")]
    assert run(["bot", "conform", "--protocol", "lines", *command]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "1 rule (JSON lines): 1 kept"


def test_a_bot_that_does_not_flush_is_told_how_in_its_language(
    lines_bot: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.conform.dialogue.Patience", partial(Patience, answer_s=1.0))  # nothing comes anyway
    toml = LINES_MANIFEST.replace('"main.py"]', '"main.py", "flushes"]')
    (lines_bot / "bot.toml").write_text(toml, encoding="utf-8")
    assert run(["bot", "conform", "--rule", "flushes", str(lines_bot)]) == 1
    told, summary, advice = capsys.readouterr().out.splitlines()
    assert told.startswith("broken          flushes: The bot did not flush its answer. Seen: '0' came only when")
    assert advice == "A bot that writes lines must flush each of them at once: print(..., flush=True)."
    assert summary == "1 rule (JSON lines): 1 broken"


@pytest.mark.parametrize(
    ("games", "options", "told"),
    [
        ('["go"]', [], "games names none that is installed (go); `arena game list` shows those that are"),
        (
            '["*"]',
            ["--protocol", "grpc"],
            "bot.toml: protocol is 'lines', and asked for is 'grpc'; leave out --protocol, or correct the file",
        ),
    ],
)
def test_what_bot_toml_says_otherwise_is_told(
    lines_bot: Path, games: str, options: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (lines_bot / "bot.toml").write_text(LINES_MANIFEST.replace('["foreign_king"]', games), encoding="utf-8")
    assert run(["bot", "conform", *options, str(lines_bot)]) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "nothing to check; name a directory with bot.toml"),
        (["--rule", "act-lega", "bot"], "did you mean 'act-legal'? `arena bot conform --list` shows all"),
        (["no-such-program"], "there is no program 'no-such-program'; name a directory with bot.toml"),
        (["--", str(BROKEN_KIT)], "is not executable; write the program that runs it in front of it"),
        ([str(ROOT / "docs")], "there is no bot.toml"),
    ],
)
def test_what_cannot_be_started_is_misuse(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bot", "conform", *words]) == 2
    assert told in capsys.readouterr().err


def test_what_a_bot_leaves_behind_is_ended(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program, mark = tmp_path / "main.py", f"left-by-{tmp_path}"
    program.write_text(LEAVES_A_CHILD)
    assert run(["bot", "conform", "--rule", "token", "--", sys.executable, str(program), mark]) == 1
    assert (
        "connects: The bot did not open a stream in time. Seen: no stream; its process ended" in capsys.readouterr().out
    )
    wait_until(lambda: not marked_processes(mark))


@pytest.fixture
def lines_bot(tmp_path: Path) -> Path:
    """The directory of a bot that speaks lines."""
    (tmp_path / "main.py").write_text(LINES_BOT.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "bot.toml").write_text(LINES_MANIFEST, encoding="utf-8")
    return tmp_path


@pytest.fixture
def node_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bot for Node.js on a machine whose system has none; PATH leads to an empty directory `bin`."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr("arena.hosting.runtimes.runtime.SYSTEM_PATH", str(tmp_path / "system"))
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "main.mjs").touch()
    (tmp_path / "bot" / "bot.toml").write_text(NODE_MANIFEST)
    return tmp_path / "bot"


def test_a_bot_for_node_runs_by_the_node_that_its_author_has_installed_for_himself(
    node_bot: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = node_bot.parent / "bin" / "node"
    program.write_text("#!/bin/sh\necho a node of my own >&2\nexit 1\n")
    program.chmod(0o755)
    assert run(["bot", "conform", "--rule", "act-legal", str(node_bot)]) == 1
    assert "stderr ends with 'a node of my own'" in capsys.readouterr().out


def test_a_missing_node_is_named_with_its_package(node_bot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bot", "conform", str(node_bot)]) == 2
    assert "Node.js is not installed where it runs: apt install nodejs" in capsys.readouterr().err
    assert run(["bot", "conform", "--", "node", str(node_bot / "main.mjs")]) == 2
    assert "there is no program 'node'; install it, on Debian with `apt install nodejs`" in capsys.readouterr().err


def test_a_build_that_fails_shows_its_log_and_names_what_this_machine_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    (tmp_path / "main.cpp").touch()
    lines = 'schema = 1\nname = "b"\ncommand = ["./b"]\nruntime = "bundled"\n'
    (tmp_path / "bot.toml").write_text(lines + 'build = ["/bin/sh", "-c", "echo no luck; exit 1"]\n')
    code = run(["bot", "conform", str(tmp_path)])
    told = capsys.readouterr()
    assert (code, told.out) == (1, "")
    assert "| no luck\n" in told.err
    assert "This machine lacks what such a bot needs: apt install g++ make " in told.err.splitlines()[-1]


async def test_nobody_waits_for_what_a_bot_started_in_a_group_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "DRAIN_S", 0.1)
    process = start_process([sys.executable, "-c", FLEES], dict(os.environ), tmp_path)
    async with asyncio.timeout(PATIENCE_S):
        while not process.stderr.endswith("\n"):
            await asyncio.sleep(0.01)
    try:
        async with asyncio.timeout(PATIENCE_S):
            await process.end()
        assert process.ended.result() == -signal.SIGKILL
    finally:
        with suppress(ProcessLookupError):
            os.kill(int(process.stderr), signal.SIGKILL)
