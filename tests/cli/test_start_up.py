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
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from arena.cli.app import make_parser, run
from arena.cli.shared.connect import importing
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
OF_THE_SERVICE = {"ratings.store.ladder_queries", "ratings.store.service"}
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


PROGRAM = """
import importlib, json, os, sys
from arena.cli.app import run

def tell(plan):
    for part in plan:
        if part[0] == "import":
            importlib.import_module(part[1])
        elif isinstance(part[0], str):
            if run(part):
                raise SystemExit(f"failed: {part}")
            os.write(TOLD, json.dumps(list(sys.modules)).encode() + b"\\n")
        elif child := os.fork():
            if os.waitpid(child, 0)[1]:
                raise SystemExit("failed")
        else:
            tell(part)
            os._exit(0)

TOLD = os.dup(1)
os.dup2(2, 1)
tell(json.load(sys.stdin))
"""
"""Runs commands one after the other, each list of commands among them in a process of its own, and tells for each
what is imported after it."""
HELP = [["--help"], *([noun, "--help"] for noun in NOUNS_WITH_VERB_FILES), ["cluster", "show", "--help"]]
ON_AN_EMPTY_ONE = ["leaderboard", "tournament list", "match list", "bot list"]
ON_A_FILLED_ONE = [
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
]
APART = ["replay show {match}", "rating official --game foreign_king", "tournament run round-robin --help"]

Imported = dict[str, set[str]]
"""What is imported after a command and those before it, by the command."""


@pytest.fixture(scope="module")
def imported(three_bots: Path, tmp_path_factory: pytest.TempPathFactory) -> Imported:
    """What one process imports that looks at an empty database, and at one with a tournament named `cup`."""
    directory = tmp_path_factory.mktemp("filled")
    shutil.copytree(three_bots, directory, dirs_exist_ok=True)
    db, empty = str(directory / "arena.db"), str(directory / "empty.db")
    open_database(empty).close()
    bots = ["--game", "foreign_king", "--seats", "3", "--bots", "ada,bob,eve", "--option", "max_rounds=2"]
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(io.StringIO()) as out:
        patch.setattr("arena.cli.shared.play_tournament.LocalExecutor", TableExecutor)
        patch.delenv("ARENA_SERVER", raising=False)
        assert run(["tournament", "run", "round-robin", *bots, "--name", "cup", "--db", db]) == 0
        out.truncate(out.seek(0))
        assert run(["match", "list", "--json", "--db", db]) == 0
    match = json.loads(out.getvalue())[0]["id"]

    def lines(commands: Sequence[str], place: str = db) -> list[list[str]]:
        return [[*words.format(match=match).split(), *["--db", place] * ("--help" not in words)] for words in commands]

    plan = [
        *HELP,
        ["import", "ratings.store.database"],
        lines(ON_AN_EMPTY_ONE, empty),
        [*lines(ON_A_FILLED_ONE), *([one] for one in lines(APART))],
    ]
    named = [*map(" ".join, HELP), *(f"empty: {words}" for words in ON_AN_EMPTY_ONE), *ON_A_FILLED_ONE, *APART]
    told = subprocess.run([sys.executable, "-c", PROGRAM], input=json.dumps(plan), capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    return {name: set(json.loads(line)) for name, line in zip(named, told.stdout.splitlines(), strict=True)}


def needless(imported: Imported, commands: Iterable[str], unneeded: set[str]) -> dict[str, set[str]]:
    """What the commands import that they do not need."""
    return {one: imported[one] & unneeded for one in commands if imported[one] & unneeded}


def test_help_imports_no_database_no_verbs_and_nothing_of_a_cluster(imported: Imported) -> None:
    for words in HELP:
        modules = imported[" ".join(words)]
        assert not modules & {*HEAVY, "sqlalchemy", "sqlmodel"}, words
        verbs = [name for name in modules if name.startswith(f"arena.cli.verbs.{words[0]}.")]
        assert not verbs, words
    for name in ("cluster show --help", "tournament run round-robin --help"):
        assert not [one for one in imported[name] if one == "ray" or one.startswith(("ray.", "arena.executor.ray"))]


def test_looking_imports_nothing_that_plays_writes_or_computes(imported: Imported) -> None:
    assert needless(imported, (f"empty: {words}" for words in ON_AN_EMPTY_ONE), HEAVY) == {}


def test_what_was_played_is_told_without_what_plays_writes_or_computes(imported: Imported) -> None:
    unneeded = {*OF_THE_SERVICE, *OTHER_FORMATS, *RULES, *PLAYS, *WRITES, *COMPUTES}
    assert needless(imported, ON_A_FILLED_ONE, unneeded) == {}


def test_a_replay_is_told_by_the_rules_and_by_nothing_else_that_plays(imported: Imported) -> None:
    assert imported[APART[0]] >= RULES
    assert needless(imported, APART[:1], {*OF_THE_SERVICE, *OTHER_FORMATS, *PLAYS, *WRITES, *COMPUTES}) == {}


def test_the_official_table_imports_numpy_and_nothing_else_that_it_does_not_need(imported: Imported) -> None:
    unneeded = {*OF_THE_SERVICE, *OTHER_FORMATS, *RULES, *PLAYS, *WRITES, *COMPUTES, "numpy.ma"} - {"numpy"}
    assert "numpy" in imported[APART[1]]
    assert needless(imported, APART[1:2], unneeded) == {}


@pytest.mark.parametrize("noun", NOUNS_WITH_VERB_FILES)
def test_a_noun_lists_the_verbs_that_its_files_have_whichever_is_called(noun: str) -> None:
    def listed(verb: str | None) -> list[tuple[str, str]]:
        commands = make_parser([noun], verb).commands[noun].commands
        return [(name, command.short_help) for name, command in commands.items() if not command.hidden]

    files: dict[str, str | None] = importlib.import_module(f"arena.cli.nouns.{noun}").VERBS
    every = listed(None)
    for verb in ("", *{file: name for name, file in files.items()}.values()):
        assert listed(verb) == every, verb


@pytest.mark.parametrize("noun", NOUNS_WITH_VERB_FILES)
def test_the_verbs_of_a_noun_are_told_with_the_file_that_they_are_in(noun: str) -> None:
    module = importlib.import_module(f"arena.cli.nouns.{noun}")
    found = {
        file: module if file is None else importlib.import_module(f"arena.cli.verbs.{noun}.{file}")
        for file in module.VERBS.values()
    }
    for file, holder in found.items():
        commands = [command.name or command.callback.__name__ for command in holder.app.registered_commands]
        has = {*commands, *(group.name for group in holder.app.registered_groups)}
        named = {name for name, its_file in module.VERBS.items() if its_file == file}
        assert named <= has if file is None else named == has, file


def test_what_was_imported_is_not_looked_through_for_garbage_again() -> None:
    program = (
        "import gc\nfrom arena.cli.shared.connect import importing\nwith importing():\n    import wave\n    "
        "assert not gc.isenabled()\nassert gc.isenabled() and gc.get_freeze_count() > 0"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_where_nothing_is_imported_garbage_is_looked_for_as_before() -> None:
    frozen = gc.get_freeze_count()
    with importing():
        pass
    assert gc.isenabled()
    assert gc.get_freeze_count() == frozen
