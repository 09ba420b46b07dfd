"""`arena bot test` and `arena bot watch`: a bot at home against the samples, with real processes and no database."""

from __future__ import annotations

import shlex
import tempfile
from pathlib import Path

import pytest

from arena.cli.shared.interrupt import InterruptedRunError
from arena.cli.verbs.bot.test import watch_and
from arena.hosting import user_directories
from arena.hosting.sandbox.limits import strongest_level
from tests.cli.support import Arena, Finished, write_bot
from tests.cli.table import RoomExecutor
from tests.support.patience import ANY_TIME

KIT_BOT = """
import sys, time
from bots.kit import Bot, run

class Author(Bot):
    def decide(self, decision):
        {decide}
        return decision.legal_actions[{choice}]

    def prepare(self):
        {prepare}

run(Author())
"""
ONE_MATCH = ("--game", "foreign_king", "--seats", "2", "--against", "random", "--matches", "1", "--workers", "1")
HURRIED = ("--time", "10ms", "--start-limit", "60s")
"""With the seed of `try_out` the bot is asked first, so that nobody but the bot can be late on a busy machine."""


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep replays below the directory of the test, and give temporary stores its name."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(user_directories, "_PREFIX", f"{tmp_path.name}-")


def author(directory: Path, decide: str = "pass", prepare: str = "pass", choice: str = "0", **keys: str) -> Path:
    return write_bot(directory, "author", KIT_BOT.format(decide=decide, prepare=prepare, choice=choice), **keys)


def try_out(arena: Arena, bot: Path, *words: str) -> Finished:
    """One match without a sandbox, and what was said of it."""
    return arena("bot", "test", bot, *ONE_MATCH, "--sandbox", "none", "--seed", "7", *words)


def failures(finished: Finished) -> dict[str, str]:
    """The sentence of each check that failed."""
    return {one["check"]: one["sentence"] for one in finished.json["findings"] if one["state"] == "failed"}


@pytest.fixture
def at_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have matches played without processes."""
    monkeypatch.setattr("arena.cli.verbs.bot.testing.LocalExecutor", RoomExecutor)


@pytest.mark.usefixtures("at_the_table")
def test_what_matches_show_is_told_and_nothing_is_left_but_what_is_told(arena: Arena, tmp_path: Path) -> None:
    bot = author(tmp_path / "author", deterministic="true")
    words = ("--matches", "2", "--against", "search", "--json")
    finished = try_out(arena, bot, *words)
    assert finished.code == 0, finished
    told = finished.json
    assert [one["check"] for one in told["findings"] if one["state"] in ("passed", "noted")] == [
        "start",
        "play",
        "clock",
        "resources",
        "second match",
        "determinism",
        "ending",
        "output",
    ]
    (times,) = told["decisions"]
    assert times["median_us"] == times["p99_us"] == times["longest_us"] == 1000
    assert told["memory"]["peak_bytes"] == 20 << 20
    (score,) = told["scores"]
    assert score["low"] <= score["mean"] <= score["high"]
    assert [match["seat"] for match in told["matches"]] == [0, 1]
    kept = ["foreign_king-2-search-1.replay", "foreign_king-2-search-2.replay"]
    assert sorted(path.name for path in Path(told["kept"]).iterdir()) == kept
    assert not arena.db.exists()
    assert list(Path(tempfile.gettempdir()).glob(f"{tmp_path.name}-*")) == []
    assert "3/3 matches" in finished.err, "one was played again, by new processes"
    assert "without a sandbox" in finished.err


@pytest.mark.needs("minutes")
@pytest.mark.usefixtures("at_the_table")
def test_a_lost_match_leads_to_the_position_at_which_it_turned(arena: Arena, tmp_path: Path) -> None:
    finished = try_out(arena, author(tmp_path / "author"), "--matches", "2")
    assert finished.code == 0, finished
    line = next(line for line in finished.out.splitlines() if "from 0." in line)
    command = shlex.split(line.split("`")[1])
    assert command[1:3] == ["replay", "show"]
    assert arena(*command[1:]).out.startswith(f"before ply {command[-1]} of ")


@pytest.mark.usefixtures("at_the_table")
def test_an_illegal_action_is_said_in_words_with_the_ply(arena: Arena, tmp_path: Path) -> None:
    finished = try_out(arena, write_bot(tmp_path / "cheat", "cheat"))
    assert finished.code == 1
    assert "FAILED   play: It chose an illegal action" in finished.out
    (line,) = [line for line in finished.out.splitlines() if "shows the position" in line]
    assert arena(*shlex.split(line.split("`")[1])[1:]).code == 0


@pytest.mark.needs("minutes")
def test_a_good_bot_is_told_its_times_memory_and_scores_and_nothing_is_left_but_what_is_told(
    arena: Arena, tmp_path: Path
) -> None:
    bot = author(tmp_path / "author", deterministic="true")
    finished = try_out(arena, bot, *ANY_TIME, "--matches", "2", "--json")
    assert finished.code == 0, finished
    told = finished.json
    assert {one["check"] for one in told["findings"]} == {
        "start",
        "play",
        "clock",
        "resources",
        "second match",
        "determinism",
        "ending",
        "output",
    }
    (times,) = told["decisions"]
    assert 0 < times["median_us"] <= times["p99_us"] <= times["longest_us"]
    assert told["memory"]["peak_bytes"] > 1_000_000
    (score,) = told["scores"]
    assert score["low"] <= score["mean"] <= score["high"]
    assert [match["seat"] for match in told["matches"]] == [0, 1]
    assert sorted(path.name for path in Path(told["kept"]).iterdir()) == [
        "foreign_king-2-random-1.replay",
        "foreign_king-2-random-2.replay",
    ]
    assert not arena.db.exists()
    assert list(Path(tempfile.gettempdir()).glob(f"{tmp_path.name}-*")) == []
    assert "3/3 matches" in finished.err, "one was played again, by new processes"
    assert "without a sandbox" in finished.err


@pytest.mark.needs("minutes")
def test_a_bot_that_hangs_is_told_that_it_took_too_long(arena: Arena, tmp_path: Path) -> None:
    finished = try_out(arena, author(tmp_path / "author", decide="time.sleep(3600)"), *HURRIED, "--json")
    assert finished.code == 1
    assert "took too long for a decision" in failures(finished)["clock"]


@pytest.mark.needs("minutes")
def test_a_bot_that_never_joins_is_told_how_long_it_had(arena: Arena, tmp_path: Path) -> None:
    finished = try_out(arena, author(tmp_path / "author", prepare="time.sleep(3600)"), "--start-limit", "1s", "--json")
    assert finished.code == 1
    assert "did not join within 1 s" in failures(finished)["start"]


@pytest.mark.needs("minutes")
def test_that_a_bot_crashes_when_its_match_is_over_is_noted(arena: Arena, tmp_path: Path) -> None:
    bot = author(tmp_path / "author", decide="type(self).match_finished = lambda *_: 1 / 0")
    finished = try_out(arena, bot, *ANY_TIME)
    assert finished.code == 0, "the match counts, and the next one gets a new process"
    (ending,) = [line for line in finished.out.splitlines() if line.startswith("note     ending: ")]
    assert "1 of the 1 processes" in ending
    assert "exit status 1" in ending


@pytest.mark.needs("minutes")
def test_what_is_printed_to_standard_output_is_noted_since_nobody_reads_it(arena: Arena, tmp_path: Path) -> None:
    finished = try_out(arena, author(tmp_path / "author", decide="print('thinking')"), *ANY_TIME)
    assert finished.code == 0
    assert "note     output: It wrote " in finished.out
    assert "  | thinking" in finished.out


@pytest.mark.needs("minutes")
def test_of_a_bot_that_ends_at_once_it_is_said_how_and_why_its_memory_is_not_known(
    arena: Arena, tmp_path: Path
) -> None:
    finished = try_out(arena, author(tmp_path / "author", prepare="sys.exit(3)"), *ANY_TIME)
    assert finished.code == 1
    (start,) = [line for line in finished.out.splitlines() if line.startswith("FAILED   start: ")]
    assert "exit status 3" in start
    assert "memory: not measured, since none of its processes joined" in finished.out


@pytest.mark.needs("sandbox")
def test_it_is_tested_in_the_sandbox_as_at_a_service_where_that_works(arena: Arena, tmp_path: Path) -> None:
    bot = author(tmp_path / "author", prepare="open('/etc/hostname')")
    finished = arena("bot", "test", bot, *ONE_MATCH, *ANY_TIME, "--json")
    assert f"in the {strongest_level()} sandbox (as at a service)" in finished.err
    assert finished.code == 1
    assert "No such file or directory: '/etc/hostname'" in finished.json["findings"][0]["evidence"]["stderr"]


@pytest.mark.needs("minutes")
def test_a_crash_is_shown_with_its_traceback_and_the_ply(arena: Arena, tmp_path: Path) -> None:
    bot = author(tmp_path / "author", decide="assert decision.ply < 30, 'lost my way'")
    finished = try_out(arena, bot, *ANY_TIME)
    assert finished.code == 1
    (play,) = [line for line in finished.out.splitlines() if line.startswith("FAILED   play: ")]
    assert "gone before the match was over" in play
    assert "  | AssertionError: lost my way" in finished.out
    assert "foreign_king-2-random-1.log:" in finished.out
    (line,) = [line for line in finished.out.splitlines() if "shows the position" in line]
    assert arena(*shlex.split(line.split("`")[1])[1:]).code == 0


@pytest.mark.needs("minutes")
def test_a_bot_that_calls_itself_deterministic_and_is_not_is_found_out(arena: Arena, tmp_path: Path) -> None:
    bot = author(tmp_path / "author", choice="time.time_ns() // 7 % len(decision.legal_actions)", deterministic="true")
    finished = try_out(arena, bot, *ANY_TIME, "--json")
    assert finished.code == 1
    assert "differently from ply" in failures(finished)["determinism"]


def test_other_rules_are_said_before_anything_is_played(arena: Arena, tmp_path: Path) -> None:
    bot = author(tmp_path / "author")
    (bot / "bot.toml").write_text((bot / "bot.toml").read_text() + '\n[rules]\nforeign_king = "0"\n')
    finished = try_out(arena, bot, "--json")
    assert finished.code == 1
    assert 'write foreign_king = "' in failures(finished)["rules"]
    assert finished.json["matches"] == []


def test_a_build_that_fails_is_told_with_its_log_and_the_package_that_is_missing(arena: Arena, tmp_path: Path) -> None:
    bot = author(tmp_path / "author", build='["sh", "-c", "echo compiling; g++-0 x; no-such-dir/g++ main.cc"]')
    finished = try_out(arena, bot)
    assert finished.code == 1
    assert "FAILED   build: " in finished.out
    assert "`apt install g++`" in finished.out
    assert "  | compiling" in finished.out


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ('build = ["make"]', "the program 'make' is neither in the directory nor"),
        ('command = ["node", "main.mjs"]', "the program 'node' is neither in the directory nor on PATH; install it"),
    ],
)
def test_a_missing_compiler_or_node_is_named_with_its_package(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, said: str
) -> None:
    bot = author(tmp_path / "author")
    lines = ["schema = 1", 'name = "author"', command]
    lines += [] if command.startswith("command") else ['command = ["./bot"]', 'runtime = "bundled"']
    (bot / "bot.toml").write_text("\n".join(lines))
    monkeypatch.setenv("PATH", str(tmp_path))
    finished = try_out(arena, bot)
    assert finished.code in (1, 2)
    text = finished.out + finished.err
    assert said in text
    assert "apt install " in text


def test_misuse_is_one_line_with_the_remedy(arena: Arena, tmp_path: Path) -> None:
    bot = author(tmp_path / "author", games='["foreign_king"]')
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").touch()
    assert "there is no bot.toml, but one in 'author'; take that directory" in arena.refusal("bot", "test", tmp_path)
    assert "did you mean 'foreign_king'?" in arena.refusal("bot", "test", bot, "--game", "foreign_kin")
    assert "did you mean 'greedy'?" in arena.refusal("bot", "test", bot, "--against", "gredy")
    assert "seats" in arena.refusal("bot", "test", bot, "--game", "foreign_king", "--seats", "9")
    assert "leave out --server" in arena.refusal("--server", "club", "bot", "test", bot)
    assert "no time control" in arena.refusal("bot", "test", bot, "--time", "soon")
    for words in (("--game", "rex_romanorum"), ("--seats", "5")):
        assert "does not play" in arena.refusal("bot", "test", bot, *words)
    assert "name one outside" in arena.refusal("bot", "watch", bot, "--keep", bot / "last")
    assert "mine.txt" in arena.refusal("bot", "test", bot, "--keep", tmp_path / "full")
    assert arena.refusal("bot", "watch", tmp_path / "nowhere").startswith(f"{tmp_path / 'nowhere'}: there is no such")


def test_a_watched_bot_that_writes_into_its_own_directory_is_not_tested_for_ever(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bot = author(tmp_path / "author")
    tests, looks = 0, iter(range(100))

    def test() -> None:
        nonlocal tests
        tests += 1
        (bot / f"{tests}.log").write_text("mine")

    def wait(_seconds: float) -> None:
        if next(looks) == 50:
            (bot / "main.py").write_text("# mended")
        if tests > 3:
            raise KeyboardInterrupt

    with pytest.raises(InterruptedRunError):
        watch_and(bot, test, wait)
    assert tests == 4
    assert "not tested again" in capsys.readouterr().err


def test_a_watched_bot_is_tested_again_after_every_change_and_errors_are_outlived(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bot = author(tmp_path / "author")
    looks = iter(range(100))
    seen: list[str] = []

    def test() -> None:
        seen.append((bot / "main.py").read_text())
        if len(seen) == 2:
            raise ValueError("half written")

    def wait(_seconds: float) -> None:
        look = next(looks)
        (bot / "__pycache__").mkdir(exist_ok=True)
        (bot / "__pycache__" / "main.pyc").write_text(str(look))
        if look in (2, 6):
            (bot / "main.py").write_text(f"# {look}")
        if look == 12:
            raise KeyboardInterrupt

    with pytest.raises(InterruptedRunError):
        watch_and(bot, test, wait)
    assert seen[1:] == ["# 2", "# 6"]
    written = capsys.readouterr()
    assert written.out.count("changed main.py") == 2
    assert "half written" in written.err


def test_a_bot_that_lacks_a_package_is_told_so_and_not_of_tokens(arena: Arena, tmp_path: Path) -> None:
    bot = write_bot(tmp_path / "author", "author", "import numpyx\n")
    (bot / "requirements.txt").write_text("numpyx==1.0\n", encoding="utf-8")
    finished = try_out(arena, bot, "--json")
    noted = {one["check"]: one["sentence"] for one in finished.json["findings"] if one["state"] == "noted"}
    assert noted["build"].startswith("requirements.txt names numpyx, and nothing installs")
    assert "The module 'numpyx' is missing where it runs" in failures(finished)["start"]
    assert "ARENA_TOKEN" not in failures(finished)["start"]
