"""`arena bot test` of bots that speak lines: what went wrong is said in words for them, with real processes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.support import Arena, Finished, write_bot
from tests.support.patience import ANY_TIME

BOT = """
import json, sys, time
{start}
for line in sys.stdin:
    message = json.loads(line)
    if "decide" in message:
        {answer}
"""
ANSWER = "print(message['decide']['legal_actions'][0], flush=True)"
KEPT = "kept = open(1, 'w', buffering=65536); kept.write('0\\n'); time.sleep(3600)"
ONE_MATCH = ("--game", "foreign_king", "--seats", "2", "--against", "random", "--matches", "1", "--workers", "1")


def author(directory: Path, start: str = "", answer: str = ANSWER) -> Path:
    body = BOT.format(start=start, answer=answer)
    return write_bot(directory / "author", "author", body, protocol='"lines"', games='["foreign_king"]')


def try_out(arena: Arena, bot: Path, *words: str) -> Finished:
    """One match without a sandbox, in which this seed has the bot asked first."""
    return arena("bot", "test", bot, *ONE_MATCH, "--sandbox", "none", "--seed", "7", "--json", *words)


def failures(finished: Finished) -> dict[str, str]:
    """The sentence of each check that failed."""
    assert finished.code == 1, finished
    return {one["check"]: one["sentence"] for one in finished.json["findings"] if one["state"] == "failed"}


def test_standard_output_is_not_looked_at_where_it_carries_the_answers(arena: Arena, tmp_path: Path) -> None:
    finished = try_out(arena, author(tmp_path, start="print('hello', file=sys.stderr)"), *ANY_TIME)
    assert finished.code == 0, finished
    checks = [one["check"] for one in finished.json["findings"]]
    assert "play" in checks
    assert "output" not in checks
    (log,) = Path(finished.json["kept"]).glob("*.log")
    assert log.read_text(encoding="utf-8") == "hello\n"


@pytest.mark.parametrize("faulty", ["start", "answer"], ids=["banner", "log"])
def test_what_is_no_answer_is_quoted_and_logs_are_sent_to_standard_error(
    faulty: str, arena: Arena, tmp_path: Path
) -> None:
    words = "print('thinking', flush=True)"
    bot = author(tmp_path, start=words) if faulty == "start" else author(tmp_path, answer=f"{words}; {ANSWER}")
    told = failures(try_out(arena, bot, *ANY_TIME))["protocol"]
    assert "'thinking'; it is no JSON; standard output is for answers only, and logs belong on standard error" in told
    assert told.endswith(
        "Write one line for each decide (an id, a notation in quotes, a list of both, or an object), and nothing else "
        "to standard output; docs/protocol.md shows the lines."
    )


def test_a_bot_of_which_no_line_comes_is_told_how_to_flush(arena: Arena, tmp_path: Path) -> None:
    told = failures(try_out(arena, author(tmp_path, answer=KEPT), "--time", "10ms", "--start-limit", "60s"))["clock"]
    assert "No line of it has come at all: if it does answer, it does not flush." in told
    assert "A bot that writes lines must flush each of them at once: print(..., flush=True)." in told


def test_a_bot_that_ends_no_line_is_told_so_instead(arena: Arena, tmp_path: Path) -> None:
    endless = "print(message['decide']['legal_actions'][0], end='', flush=True); time.sleep(3600)"
    bot = author(tmp_path, answer=endless)
    told = failures(try_out(arena, bot, "--time", "2s", "--start-limit", "60s"))["clock"]
    assert re.search(r"It wrote '\d+' without the end of a line, which an answer needs\.", told)
    assert "flush" not in told
    checked = arena("bot", "conform", bot, "--rule", "stdout-answers")
    assert checked.code == 1
    assert re.search(r"broken +stdout-answers: .* Seen: '\d+' came without the end of a line\.", checked.out)


def test_a_bot_that_was_too_late_later_on_is_not_told_to_flush(arena: Arena, tmp_path: Path) -> None:
    slow = f"time.sleep(3600 if message['decide']['events'] else 0); {ANSWER}"
    told = failures(try_out(arena, author(tmp_path, answer=slow), "--time", "2s", "--start-limit", "60s"))["clock"]
    assert "flush" not in told


def test_a_bot_that_does_not_read_is_told_of_its_first_line(arena: Arena, tmp_path: Path) -> None:
    told = failures(try_out(arena, author(tmp_path, start="time.sleep(3600)"), "--start-limit", "1s"))["start"]
    assert told.endswith(
        "It did not read its first line within 1 s. Read standard input as soon as the program starts: its first line "
        "is there. Load later what takes long."
    )


def test_a_bot_that_ends_before_it_reads_is_told_how_it_ended(arena: Arena, tmp_path: Path) -> None:
    told = failures(try_out(arena, author(tmp_path, start="print('no config'); sys.exit(3)"), *ANY_TIME))["start"]
    assert "It ended before it read its first line (exit status 3). It wrote to standard output: 'no config'." in told
    assert told.endswith("Look at command in bot.toml, and at the end of what it wrote.")
    assert "ARENA_ADDRESS" not in told


def test_a_missing_interpreter_is_named_with_its_package(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = author(tmp_path)
    manifest = 'schema = 1\nname = "b"\ncommand = ["lua", "main.lua"]\nruntime = "bundled"\nprotocol = "lines"\n'
    (bot / "bot.toml").write_text(manifest, encoding="utf-8")
    (bot / "main.lua").touch()
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr("arena.hosting.runtimes.runtime.SYSTEM_PATH", str(tmp_path / "bin"))
    finished = try_out(arena, bot)
    assert finished.code == 2
    assert "lua" in finished.err
