"""The command line as a whole: its help, its errors, its language and the commands that it suggests."""

from __future__ import annotations

import importlib
import os
import resource
import shlex
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
import typer
from _pytest.mark import ParameterSet

from arena.cli.app import NOUNS, run
from arena.cli.nouns import doctor
from arena.cli.shared import errors
from arena.cli.shared.connect import next_command, program
from arena.cli.shared.errors import CliError, MisuseError, report, unknown
from arena.hosting.manifest import ManifestError
from arena.i18n.catalogue import words
from arena.match.time_control import TimeControlError
from engine.core import EngineError, SeatsError, UnknownGameError
from ratings.errors import AmbiguousError, DatabaseFullError, NotFoundError, SchemaVersionError
from tests.cli.command_lines import whole_parser
from tests.cli.support import Arena, write_bot

CLI = Path(__file__).resolve().parents[2] / "arena" / "cli"


def rarely(*values: object) -> ParameterSet:
    """Values of a test that starts processes, and has values much like these."""
    return pytest.param(*values, marks=pytest.mark.needs("minutes"))


def test_help_lists_every_noun(arena: Arena) -> None:
    shown = arena("--help")
    assert shown.code == 0
    for noun in NOUNS:
        assert noun in shown.out
        assert words("en").say(f"cli.noun_{noun}")[:40] in shown.out


def test_the_line_of_a_noun_is_its_own_help() -> None:
    for noun, command in whole_parser().commands.items():
        assert command.help.startswith(words("en").say(f"cli.noun_{noun}").rstrip(".")), noun


def test_a_noun_without_a_verb_shows_help_and_counts_as_misuse(arena: Arena) -> None:
    for line in ([], ["game"], ["tournament"], ["tournament", "run"]):
        finished = arena(*line)
        assert (finished.code, finished.out) == (2, ""), line
        assert finished.err.startswith("Usage: arena"), line


MISUSE = [
    ("tournamnt list", "No such command 'tournamnt'. Did you mean 'tournament'? see `arena --help`"),
    ("game lst", "No such command 'lst'. Did you mean 'list'? see `arena game --help`"),
    ("zzz", "No such command 'zzz'; see `arena --help`"),
    ("--sideways", "No such option: --sideways; see `arena --help`"),
    ("game list --jsn", "see `arena game list --help`"),
    (
        "bot submit fox --server x",
        "--server stands before the command, not behind it; write `arena --server NAME bot submit`",
    ),
    ("perft", "Missing argument 'GAME'; see `arena perft --help`"),
    ("perft foreign_king --depth deep", "Invalid value for '--depth'"),
    ("perft foreign_king --depth 0", "Invalid value for '--depth'"),
    ("game list surplus", "see `arena game list --help`"),
    ("compare a b --game chess --preset fast", "Invalid value for '--preset': 'fast' is not one of 'quick', "),
]


def test_misuse_is_one_line_with_where_to_look(arena: Arena) -> None:
    assert arena.misses((line.split(), message) for line, message in MISUSE) == []


def test_where_nothing_more_can_be_told_nothing_follows(arena: Arena) -> None:
    assert arena.refusal("login", "h:1", "--name").endswith("requires an argument")


def test_the_version_is_told(arena: Arena) -> None:
    assert arena("--version").out.startswith("kingmaker-arena 0.")


def test_every_noun_has_its_file() -> None:
    for noun in NOUNS:
        assert isinstance(importlib.import_module(f"arena.cli.nouns.{noun}").app, typer.Typer), noun


def test_every_file_of_nouns_and_every_folder_of_verbs_is_called_by_a_noun() -> None:
    files = {path.stem for path in (CLI / "nouns").glob("*.py")} - {"__init__"}
    folders = {path.parent.name for path in (CLI / "verbs").glob("*/__init__.py")}
    assert files == set(NOUNS)
    assert folders <= files


def test_no_noun_is_imported_but_by_the_command_and_no_verb_but_by_its_noun() -> None:
    strange = []
    for path in CLI.rglob("*.py"):
        room = path.relative_to(CLI).parts
        own = f"arena.cli.verbs.{room[1].removesuffix('.py')}" if room[0] in ("nouns", "verbs") else "none"
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith(("from arena.cli.nouns", "from arena.cli.verbs")):
                strange += [] if line.startswith((f"from {own} ", f"from {own}.")) else [f"{path}: {line}"]
    assert strange == []


def test_no_command_opens_a_session_of_the_database() -> None:
    opening = []
    for path in CLI.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        opening += (
            [f"{path}: it speaks of a session"]
            if "session" in text.replace("ratings.store.sessions import interruptible", "")
            else []
        )
        for line in text.splitlines():
            if line.startswith("from ratings.store.database import"):
                names = set(line.partition("import ")[2].split(", "))
                opening += [f"{path}: {line}"] if names & {"Session", "Source", "read", "write"} else []
    assert opening == []


def test_doctor_finds_this_machine_fit_and_makes_no_database(arena: Arena) -> None:
    findings = {finding["check"]: finding for finding in arena("doctor", "--json").json}
    assert {"python", "packages", "games", "sockets", "processes", "launcher", "files", "sandbox", "database"} <= set(
        findings
    )
    assert findings["python"]["state"] == "ok"
    assert findings["launcher"]["state"] == "ok"
    assert findings["sandbox"]["state"] in ("ok", "note")
    assert not arena.db.exists()


def test_doctor_says_which_limit_of_this_machine_is_too_low(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.hosting.sandbox.host_capacity.allow_many_descriptors", lambda: 200)
    monkeypatch.setattr("arena.hosting.sandbox.host_capacity.has_room", lambda _: False)
    files, processes = doctor.check_files(), doctor.check_processes()
    assert (files.state, processes.state) == (doctor.FAILED, doctor.FAILED)
    assert files.detail == "this host allows a process 200 open files (ulimit -n), and the arena needs 1024"
    assert files.remedy.startswith("raise the limit with `ulimit -n 1024`")
    assert "no room for" in processes.detail


LESS_LOAD = "end other programs on this machine, or use fewer workers (--workers)"
OTHER_HOST = "use a host that gives the processors of this machine to no other one"


@pytest.mark.parametrize(
    ("load", "stolen", "state", "found", "remedy"),
    [
        (7.9, 0, "ok", "the load average is 2.0 per core; 0.0% of the processor time", ""),
        (16.4, 49, "note", "the load average is 4.1 per core; 4.7% of the processor time", LESS_LOAD),
        (0.0, 60, "note", "the load average is 0.0 per core; 5.7% of the processor time", OTHER_HOST),
        (16.4, 60, "note", "the load average is 4.1 per core; 5.7% of", f"{LESS_LOAD}; {OTHER_HOST}"),
        (0.0, None, "ok", "the load average is 0.0 per core; 0.0% of", ""),
    ],
)
def test_doctor_tells_of_a_machine_where_bots_wait_for_a_processor(
    monkeypatch: pytest.MonkeyPatch, load: float, stolen: int | None, state: str, found: str, remedy: str
) -> None:
    monkeypatch.setattr("os.getloadavg", lambda: (load, 0.0, 0.0))
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    ticks = (4000, 200) if stolen is None else (5000 + stolen, 200 + stolen)
    monkeypatch.setattr("arena.cli.nouns.doctor.processor_ticks", lambda: ticks)
    finding = doctor.check_load((4000, 200))
    assert (finding.check, finding.state, finding.remedy) == ("load", state, remedy)
    assert finding.detail.startswith(found)


@pytest.mark.usefixtures("brief_doctor")
def test_doctor_counts_the_matches_in_which_no_time_could_be_judged_and_says_what_to_change(table: Arena) -> None:
    for _ in range(2):
        assert table("match", "run", "--game", "foreign_king", "--bots", "ada,bob").code == 0
    assert [one["check"] for one in table("doctor", "--json").json] == ["load", "database"]
    with closing(sqlite3.connect(table.db)) as connection, connection:
        connection.execute("UPDATE attempt SET cause = 'CHARGE_BOUND'")
        connection.execute("UPDATE attempt SET cause = 'WORKER_DIED' WHERE match_id = (SELECT min(id) FROM match)")
    finding = table("doctor", "--json").json[-1]
    assert (finding["check"], finding["state"]) == ("clocks", "note")
    assert finding["detail"].startswith("in the last 7 days, 1 attempt to play a match was lost because")
    assert all(words in finding["remedy"] for words in ("--workers", "--cores", "other programs", "host"))
    with closing(sqlite3.connect(table.db)) as connection, connection:
        connection.execute("UPDATE attempt SET ended_at_us = 1")
    assert table("doctor", "--json").json[-1]["check"] == "database"


@pytest.mark.usefixtures("brief_doctor")
def test_doctor_fails_on_a_database_that_is_none_and_says_what_to_do(arena: Arena) -> None:
    arena.db.write_text("no database " * 1000, encoding="utf-8")
    finished = arena("doctor", "--json")
    (finding,) = [finding for finding in finished.json if finding["check"] == "database"]
    assert finished.code == 1
    assert (finding["state"], finding["remedy"]) == ("FAILED", "name another file")


IMPORTS_STOP = """
import builtins, os, signal
import arena.cli.main
real = builtins.__import__
def stop(name, *more):
    if name == "typer":
        os.kill(os.getpid(), signal.SIGINT)
    return real(name, *more)
builtins.__import__ = stop
arena.cli.main.main()
"""


@pytest.mark.host_fault("ctrl-c-while-the-program-loads")
def test_ctrl_c_while_the_program_is_loading_is_one_line() -> None:
    finished = subprocess.run([sys.executable, "-c", IMPORTS_STOP, "game", "list"], capture_output=True, text=True)
    assert (finished.returncode, finished.stdout, finished.stderr) == (130, "", "arena: interrupted\n")


@pytest.mark.host_fault("ctrl-c")
def test_ctrl_c_in_a_command_is_one_line(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("arena.cli.nouns.game.print_table", interrupt)
    finished = arena("game", "list")
    assert finished.code == 130
    assert finished.err.strip() == "arena: interrupted"


LIMITS_TOLD = """
import atexit, resource
from arena.cli.main import main
atexit.register(lambda: print([resource.getrlimit(one)[0] for one in (resource.RLIMIT_STACK, resource.RLIMIT_FSIZE)]))
main()
"""


@pytest.mark.host_fault("ulimit-of-the-stack", "ulimit-of-file-size")
def test_limits_at_which_a_command_would_end_without_a_word_are_raised_before_it_begins() -> None:
    command = f"ulimit -Ss 1024; ulimit -Sf 100; exec {shlex.quote(sys.executable)} -c '{LIMITS_TOLD}' --version"
    finished = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    most = [resource.getrlimit(one)[1] for one in (resource.RLIMIT_STACK, resource.RLIMIT_FSIZE)]
    least = 8 << 20
    expected = [least if most[0] == resource.RLIM_INFINITY else min(most[0], least), most[1]]
    assert finished.stdout.splitlines()[-1] == str(expected), finished.stderr


@pytest.mark.host_fault("ulimit-of-the-stack")
def test_a_stack_that_is_too_small_for_any_command_is_told_in_one_line() -> None:
    command = f"ulimit -s 200; exec {shlex.quote(sys.executable)} -m arena.cli.main --version"
    finished = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (finished.returncode, finished.stdout) == (1, "")
    assert finished.stderr == (
        "arena: this host sets a limit of 200 (ulimit -s), and the arena needs 8192; "
        "raise it with `ulimit -s 8192`, as root if need be\n"
    )


@pytest.mark.host_fault("standard-streams-closed")
@pytest.mark.parametrize("closed", [rarely("<&-"), rarely(">&-"), "<&- >&- 2>&-"])
def test_a_standard_stream_that_is_closed_disturbs_nothing(closed: str) -> None:
    command = f"{shlex.quote(sys.executable)} -m arena.cli.main game list {closed}"
    finished = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert (finished.returncode, finished.stderr) == (0, "")
    assert ("foreign_king" in finished.stdout) is (">&-" not in closed.replace("2>&-", ""))


@pytest.mark.host_fault("output-on-a-full-disk")
@pytest.mark.parametrize(
    ("words", "code", "unbuffered"),
    [("game list", 1, ""), rarely("game lst", 2, "1")],
)
def test_output_for_which_there_is_no_room_is_told_in_one_line(words: str, code: int, unbuffered: str) -> None:
    command = [sys.executable, "-m", "arena.cli.main", *words.split()]
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with Path("/dev/full").open("w") as full:
        told = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=environment)
        silent = subprocess.run(command, stdout=full, stderr=full, env=environment)
    assert (told.returncode, silent.returncode) == (code, code)
    assert told.stderr.startswith("arena: ")
    assert told.stderr.count("\n") == 1


def test_help_is_short_to_ask_for_and_no_line_is_cut(arena: Arena) -> None:
    for line in ([], *([noun] for noun in NOUNS)):
        finished = arena(*line, "-h")
        assert finished.code == 0, line
        assert [one for one in finished.out.splitlines() if one.endswith("...") and "Usage" not in one] == [], line


@pytest.mark.parametrize(("words", "code"), [rarely(("--version",), 0), (("zzz",), 2)])
def test_where_ray_was_loaded_a_command_ends_in_order_and_what_libraries_do_at_their_end_is_not_waited_for(
    words: tuple[str, ...], code: int
) -> None:
    program = (
        "import atexit, ctypes, sys\n"
        "from arena.cli.main import main\n"
        "library = ctypes.CDLL(None)\n"
        "library.__cxa_atexit(library.abort, None, None)\n"
        "sys.modules['ray._raylet'] = sys\n"
        "atexit.register(print, 'all was given back')\n"
        "main()\n"
    )
    finished = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=False)
    assert finished.returncode == code, finished.stderr
    assert finished.stdout.splitlines()[-1] == "all was given back"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (MisuseError("x"), 2),
        (CliError("x"), 1),
        (UnknownGameError("x"), 2),
        (SeatsError("x"), 2),
        (EngineError("x"), 1),
        (TimeControlError("x"), 2),
        (ManifestError("x"), 2),
        (NotFoundError("x"), 2),
        (AmbiguousError("x"), 2),
        (SchemaVersionError("x"), 1),
        (DatabaseFullError("x"), 1),
        (PermissionError(13, "Permission denied", "file"), 1),
        (KeyboardInterrupt(), 130),
        (RuntimeError("surprise"), 1),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else str(value),
)
def test_every_error_has_its_exit_code_and_one_line(
    error: BaseException, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report(error) == code
    written = capsys.readouterr()
    assert written.out == ""
    assert written.err.startswith("arena: ")
    assert written.err.count("\n") == 1


@pytest.mark.hostile("steer-the-terminal")
def test_a_message_of_many_lines_and_strange_characters_becomes_one_clean_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    report(CliError("first\nsecond\x1b[31m\tthird\0"))
    assert capsys.readouterr().err == "arena: first second\\u001b[31m third\\u0000\n"


def test_an_unexpected_error_says_that_it_is_the_arenas_fault(capsys: pytest.CaptureFixture[str]) -> None:
    report(RuntimeError("surprise"))
    assert capsys.readouterr().err == f"arena: {errors.fault_of_the_arena('RuntimeError', 'surprise')}\n"


def test_an_error_is_told_in_the_language_of_whoever_reads_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ARENA_LANG")
    monkeypatch.setenv("LC_ALL", "it_IT.UTF-8")
    assert run(["match", "list", "--limt", "3"]) == 2
    assert capsys.readouterr().err == (
        "arena: non c\u2019è nessuna opzione --limt; sono possibili --fault, --limit; vedi `arena match list --help`\n"
    )
    report(PermissionError(13, "Permission denied", "/root/x"))
    assert capsys.readouterr().err == "arena: permesso negato: /root/x\n"


def test_the_traceback_is_shown_only_on_request(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_DEBUG", "1")
    report(CliError("broken"))
    written = capsys.readouterr().err
    assert "CliError: broken" in written
    assert written.endswith("arena: broken\n")


def test_an_unknown_name_gets_the_nearest_one_and_where_to_look() -> None:
    error = unknown("bot", "serch", ["random", "search"], "`arena bot list` shows all")
    assert str(error) == "there is no bot 'serch'; did you mean 'search'? `arena bot list` shows all"


def test_a_name_like_no_other_gets_no_guess() -> None:
    error = unknown("bot", "zzz", ["random", "search"], "`arena bot list` shows all")
    assert str(error) == "there is no bot 'zzz'; `arena bot list` shows all"


def install(directory: Path) -> Path:
    directory.mkdir(parents=True)
    command = directory / "arena"
    command.write_text("#!/bin/sh\n", encoding="utf-8")
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    return command


def test_a_command_on_path_is_called_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = install(tmp_path / "bin")
    monkeypatch.setenv("PATH", str(command.parent))
    monkeypatch.setattr("sys.argv", [str(command)])
    assert program() == "arena"


def test_a_command_in_an_environment_that_is_not_active_is_called_by_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = install(tmp_path / ".venv" / "bin")
    monkeypatch.setenv("PATH", "/usr/bin")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [str(command)])
    assert program() == ".venv/bin/arena"


def test_the_default_database_is_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARENA_DB", raising=False)
    assert next_command("leaderboard", db="arena.db") == "arena leaderboard"
    assert next_command("leaderboard", db="demo.db") == "arena leaderboard --db demo.db"


def test_the_database_of_the_environment_is_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_DB", "mine.db")
    assert next_command("leaderboard", db="mine.db") == "arena leaderboard"


def test_words_with_spaces_are_quoted_for_the_shell() -> None:
    line = next_command("tournament", "resume", "class of '26", db="my games.db")
    assert shlex.split(line)[1:] == ["tournament", "resume", "class of '26", "--db", "my games.db"]


def test_the_option_may_stand_before_the_noun_and_behind_the_verb(arena: Arena) -> None:
    before = arena("--lang", "de", "bot", "list", "--help").out
    assert before.startswith("Aufruf: arena bot list [OPTIONEN]")
    assert arena("bot", "list", "--help", "--lang=de").out == before
    assert arena("bot", "list", "--help").out.startswith("Usage: arena bot list [OPTIONS]")


def test_the_option_goes_before_the_environment_and_the_locale_last(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ARENA_LANG")
    monkeypatch.setenv("LC_ALL", "it_IT.UTF-8")
    assert arena("--help").out.startswith("Uso:")
    monkeypatch.setenv("ARENA_LANG", "fr")
    assert arena("--help").out.startswith("Utilisation\u00a0:")
    assert arena("--help", "--lang", "de").out.startswith("Aufruf:")


@pytest.mark.parametrize("words", [["--lang", "xx", "bot", "list"], ["bot", "list", "--lang=xx"], ["--lang="]])
def test_an_unknown_language_is_refused_with_the_list(arena: Arena, words: list[str]) -> None:
    assert "; --lang takes en, de, fr, it" in arena.refusal(*words)


def test_a_language_that_only_a_game_speaks_is_that_of_its_names(arena: Arena) -> None:
    shown = arena("game", "show", "foreign_king", "--lang", "nl").out
    assert "LANGUAGES".lower() in shown
    assert "Luik" in shown


def test_an_option_without_its_value_is_refused(arena: Arena) -> None:
    assert "--lang" in arena.refusal("bot", "list", "--lang")


def test_what_stands_behind_two_dashes_is_left_alone(arena: Arena) -> None:
    assert "'--lang'" not in arena.refusal("bot", "conform", "--", "no-such-program", "--lang", "xx")


def test_names_in_json_follow_no_locale(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    english = arena("game", "show", "foreign_king", "--json").out
    monkeypatch.delenv("ARENA_LANG")
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    assert arena("game", "show", "foreign_king", "--json").out == english
    assert arena("game", "show", "foreign_king", "--json", "--lang", "de").out != english


def test_what_is_stored_of_a_match_is_told_in_the_language_that_is_asked_for(
    table: Arena, arena_cli: Arena, tmp_path: Path
) -> None:
    for name in ("cheat", "lost"):
        table("bot", "add", write_bot(tmp_path / name, name))
    order = ("match", "run", "--game", "foreign_king", "--json", "--bots")
    faulty, void = (table(*order, f"ada,{other}").json["match_id"] for other in ("cheat", "lost"))
    assert "Er wählte Aktion" in arena_cli("match", "show", faulty, "--lang", "de").out
    assert "Er wählte Aktion" in arena_cli("replay", "show", faulty, "--lang", "de").out
    assert "It chose action" in arena_cli("match", "show", faulty, "--lang", "de", "--json").out
    assert "3 Versuche scheiterten" in arena_cli("match", "show", void, "--lang", "de").out
    assert "3 Versuche scheiterten" in arena_cli("match", "list", "--state", "void", "--lang", "de").out
    with closing(sqlite3.connect(table.db)) as connection, connection:
        connection.execute("UPDATE match SET plies = 1")
    assert "in der Datenbank" in arena_cli("replay", "verify", faulty, "--lang", "de").out
