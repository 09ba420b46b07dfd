"""A command imports what it needs: looking at something costs no more than the database, help not even that.

What it costs is measured by `benchmarks.start_up`; here stands what must not be imported.
"""

from __future__ import annotations

import gc
import importlib
import io
import json
import shutil
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from arena.cli.app import make_parser, run
from arena.cli.shared.importing import importing
from ratings.store.database import open_database
from tests.cli.table import TableExecutor

HEAVY = {
    "alembic",
    "arena.executor",
    "arena.hosting.launcher",
    "arena.hosting.runtimes",
    "arena.hosting.store",
    "arena.match.live",
    "arena.tournament.creation",
    "arena.tournament.runner",
    "cryptography",
    "engine.games",
    "grpc",
    "numpy",
    "ratings.ledger",
    "rich.console",
    "sqlalchemy.dialects.postgresql",
    "structlog",
    "trueskill",
}
"""What writes, plays, keeps bots or computes: no list of what was played needs it."""
OF_THE_SERVICE = {"ratings.store.ladders", "ratings.store.service"}
"""The tables of what a service keeps; what was played is told without them, as long as there is something to tell."""
PLAYS = {
    "arena.executor",
    "arena.hosting.launcher",
    "arena.match.live",
    "arena.tournament.creation",
    "arena.tournament.runner",
}
OTHER_FORMATS = {f"arena.tournament.formats.{name}" for name in ("adaptive", "compare", "knockout", "ladder", "swiss")}
"""The formats that the tournament which is looked at has not."""
RULES = {"engine.games.foreign_king.rules", "engine.games.foreign_king.state", "engine.kit.phases"}
"""What moves a position; who names a game, its options and its facts makes none."""
WRITES = {"alembic", "ratings.ledger.ledger", "ratings.ledger.recording", "sqlalchemy.dialects.postgresql"}
COMPUTES = {"cryptography", "grpc", "numpy", "trueskill"}
NOUNS_WITH_VERB_FILES = ("bot", "match", "rating", "replay", "tournament")


def imported_by(*words: str) -> set[str]:
    """The modules that a command imports in a process of its own."""
    program = (
        f"import sys; from arena.cli.app import run; code = run({list(words)!r}); print(*sys.modules); sys.exit(code)"
    )
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert finished.returncode == 0, finished.stderr
    return set(finished.stdout.splitlines()[-1].split())


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("start") / "arena.db"
    open_database(path).close()
    return path


@pytest.mark.parametrize(
    "words",
    ["leaderboard", "tournament list", "match list", "bot list"],
)
def test_looking_imports_nothing_that_plays_writes_or_computes(empty: Path, words: str) -> None:
    assert not imported_by(*words.split(), "--db", str(empty)) & HEAVY


@pytest.fixture(scope="module")
def filled(three_bots: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """A database with a tournament named `cup`, played without processes; and one of its matches."""
    directory = tmp_path_factory.mktemp("filled")
    shutil.copytree(three_bots, directory, dirs_exist_ok=True)
    db = str(directory / "arena.db")
    bots = ["--game", "foreign_king", "--seats", "3", "--bots", "ada,bob,eve"]
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(io.StringIO()) as out:
        patch.setattr("arena.cli.shared.executors.LocalExecutor", TableExecutor)
        patch.delenv("ARENA_SERVER", raising=False)
        assert run(["tournament", "run", "round-robin", *bots, "--name", "cup", "--db", db]) == 0
        out.truncate(out.seek(0))
        assert run(["match", "list", "--json", "--db", db]) == 0
    return db, json.loads(out.getvalue())[0]["id"]


def in_filled(words: str, filled: tuple[str, str]) -> set[str]:
    """The modules that a command imports which looks at the filled database."""
    db, match = filled
    return imported_by(*words.format(match=match).split(), "--db", db)


@pytest.mark.parametrize(
    "words",
    [
        "leaderboard",
        "tournament list",
        "tournament show cup",
        "tournament standings cup",
        "match list",
        "match show {match}",
        "bot list",
        "bot show ada",
        "stats crosstable --game foreign_king",
        "stats lengths --game foreign_king",
        "stats seats --game foreign_king",
        "db check",
    ],
)
def test_what_was_played_is_told_without_what_plays_writes_or_computes(filled: tuple[str, str], words: str) -> None:
    unneeded = {*OF_THE_SERVICE, *OTHER_FORMATS, *RULES, *PLAYS, *WRITES, *COMPUTES}
    assert not in_filled(words, filled) & unneeded


def test_a_replay_is_told_by_the_rules_and_by_nothing_else_that_plays(filled: tuple[str, str]) -> None:
    modules = in_filled("replay show {match}", filled)
    assert modules >= RULES
    assert not modules & {*OF_THE_SERVICE, *OTHER_FORMATS, *PLAYS, *WRITES, *COMPUTES}


def test_the_official_table_imports_numpy_and_nothing_else_that_it_does_not_need(filled: tuple[str, str]) -> None:
    modules = in_filled("rating official --game foreign_king", filled)
    unneeded = {*OF_THE_SERVICE, *OTHER_FORMATS, *RULES, *PLAYS, *WRITES, *COMPUTES, "numpy.ma"} - {"numpy"}
    assert not modules & unneeded


@pytest.mark.parametrize("noun", NOUNS_WITH_VERB_FILES)
def test_the_help_of_a_noun_imports_none_of_its_verbs_and_no_database(noun: str) -> None:
    modules = imported_by(noun, "--help")
    assert not [name for name in modules if name.startswith(f"arena.cli.verbs.{noun}.")]
    assert not modules & {*HEAVY, "sqlalchemy"}


@pytest.mark.parametrize("noun", NOUNS_WITH_VERB_FILES)
def test_a_noun_lists_the_verbs_that_its_files_have_whichever_is_called(noun: str) -> None:
    def listed(verb: str | None) -> list[tuple[str, str]]:
        commands = make_parser([noun], verb).commands[noun].commands
        return [(name, command.short_help) for name, command in commands.items() if not command.hidden]

    files = importlib.import_module(f"arena.cli.nouns.{noun}").VERBS
    for verb in ("", *(name for names in files.values() for name in names)):
        assert listed(verb) == listed(None)


@pytest.mark.parametrize("noun", NOUNS_WITH_VERB_FILES)
def test_the_verbs_of_a_noun_are_told_with_the_file_that_they_are_in(noun: str) -> None:
    for file, names in importlib.import_module(f"arena.cli.nouns.{noun}").VERBS.items():
        app = importlib.import_module(f"arena.cli.verbs.{noun}.{file}").app
        found = [command.name or command.callback.__name__ for command in app.registered_commands]
        assert list(names) == (found or ["run"])


def test_what_was_imported_is_not_looked_through_for_garbage_again() -> None:
    program = (
        "import gc\nfrom arena.cli.shared.importing import importing\nwith importing():\n    import wave\n    "
        "assert not gc.isenabled()\nassert gc.isenabled() and gc.get_freeze_count() > 0"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_where_nothing_is_imported_garbage_is_looked_for_as_before() -> None:
    frozen = gc.get_freeze_count()
    with importing():
        pass
    assert gc.isenabled()
    assert gc.get_freeze_count() == frozen
