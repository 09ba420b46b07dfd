"""A command line says and does the same on a database and at a service; what makes sense only here says so."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.app.arena import LocalArena
from arena.cli.shared.connect import next_command
from arena.hosting.sandbox.stored_programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.model.tournament_requests import TournamentRequest
from ratings.ledger.service_ledger import ServiceLedger
from ratings.store.database import open_database
from tests.cli.command_lines import AFTERWARDS, ELSEWHERE, READS, WRITES, WRITES_THAT_FAIL, commands
from tests.cli.support import Arena, write_bot
from tests.cli.test_tournament import ROUND_ROBIN, play_monday
from tests.support.owners import running_server

REFUSED = [
    ["bot", "show", "adda"],
    ["tournament", "show", "munday"],
    ["match", "show", "ffffffff"],
    ["match", "list", "--after", "nonsense"],
    ["stats", "lengths", "-t", "monday", "-p", "abcd"],
    ["leaderboard", "--pool", "ffff0000"],
    [*ROUND_ROBIN, "--option", "queen=any"],
    [*ROUND_ROBIN, "--name", "monday"],
]
ONLY_HERE = [
    ["db", "check"],
    ["db", "upgrade"],
    ["doctor"],
    ["demo"],
    ["rating", "rebuild"],
    ["tournament", "export", "monday", "monday.arena"],
    ["tournament", "import", "monday.arena"],
]


@pytest.fixture
def monday(table: Arena) -> None:
    play_monday(table)


def test_everything_is_refused_alike_everywhere(table: Arena, monday: None, arena_cli: Arena) -> None:
    for words in REFUSED:
        assert arena_cli.refusal(*words) == table.refusal(*words)


def test_a_bot_is_barred_from_everywhere(table: Arena, arena_cli: Arena) -> None:
    assert arena_cli("bot", "disable", "ada").out == "ada enters no new tournaments\n"
    assert table("bot", "list", "--json").json[-1]["disabled_at_us"] is not None
    assert arena_cli("bot", "disable", "ada", "--undo").code == 0


def test_what_makes_sense_only_here_says_so_in_one_line(table: Arena) -> None:
    for said in ("not over the service 'club'", "name a database of this machine with --db"):
        assert table.misses((["--server", "club", *words], said) for words in ONLY_HERE) == []


def test_a_directory_is_not_added_to_a_service_but_submitted(table: Arena, tmp_path: Path) -> None:
    refusal = table.refusal("--server", "club", "bot", "add", write_bot(tmp_path / "zoe", "zoe"))
    assert "`arena bot submit DIRECTORY`" in refusal


def test_the_command_line_counts_more_than_the_environment(table: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_SERVER", "club")
    assert "'club'" in table.refusal("db", "check")
    assert table("bot", "list", "--db", str(table.db)).code == 0
    assert "exclude each other" in table.refusal("--server", "club", "bot", "list", "--db", str(table.db))
    assert table("--server", "none", "bot", "list").code == 0


def test_an_unknown_service_is_refused(table: Arena) -> None:
    assert "clubb" in table.refusal("--server", "clubb", "bot", "list", code=2)


def test_suggested_commands_go_to_the_same_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARENA_SERVER", raising=False)
    monkeypatch.delenv("ARENA_DB", raising=False)
    assert next_command("leaderboard", db="arena://club") == "arena --server club leaderboard"
    monkeypatch.setenv("ARENA_SERVER", "club")
    assert next_command("leaderboard", db="arena://club") == "arena leaderboard"
    assert next_command("leaderboard", db="arena.db") == "arena leaderboard --db arena.db"


def test_a_match_that_was_annulled_says_why_wherever_it_is_shown(table: Arena, monday: None, arena_cli: Arena) -> None:
    annulled = table("match", "list", "--json").json[0]["id"]
    database = open_database(table.db)
    ServiceLedger(database).annul_match(annulled, why="the power failed", actor="operator")
    database.close()
    for words in (["match", "show", annulled], ["match", "list"], ["tournament", "show", "monday", "--matches"]):
        assert "the power failed" in arena_cli(*words).out
    assert arena_cli("match", "show", annulled, "--json").json["annulled"] == "the power failed"


def test_without_a_database_that_of_the_home_is_meant(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ARENA_DB")
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("ARENA_HOME", str(home))
    assert arena("ladder", "open", "king2", "--game", "foreign_king", "--seats", "2").code == 0
    assert (home / "arena.db").exists()
    assert not arena.db.exists()
    assert "king2" in arena("ladder", "list").out
    assert next_command("ladder", "list", db=f"{home}/arena.db").endswith("ladder list")
    monkeypatch.setenv("ARENA_DB", str(arena.db))
    assert arena("ladder", "list").code != 0  # what is named counts more


def test_to_promote_what_plays_already_says_that_nothing_has_changed(arena_cli: Arena) -> None:
    assert (
        arena_cli("bot", "promote", "ada").out == "version 1 of ada already plays on the ladders: nothing has changed\n"
    )


def test_an_empty_leaderboard_of_a_service_does_not_take_its_login_for_a_place(arena_cli: Arena) -> None:
    said = arena_cli("leaderboard").out
    assert "yet at the service of your login 'unix:" in said or said.startswith("no rated matches in ")


TERMS = "--game foreign_king --option max_rounds=4"
BEFOREHAND = [
    f"tournament run round-robin {TERMS} --seats 3 --bots ada,bob,eve --name cup --seed 1",
    "owner add zoe",
    "token new --owner zoe --name laptop",
    "ladder open summer --game foreign_king --seats 3",
    "season freeze summer --final-blocks 0",
    "season close summer",
    "season open summer --name autumn",
]
OPEN = TournamentRequest(
    format="ladder",
    settings={"waves": 0},
    game="foreign_king",
    seats=2,
    bots=("ada", "bob"),
    time="50ms",
    start_limit="10s",
    name="open",
)
VARYING = [
    (r"(?m)^(.*\b\d+(\.\d+)?/s\b.*|\d+/\d+ matches)\n", ""),  # how far a command is, told on a slow machine
    (r"--server \S+ ", ""),  # what a suggested command needs to work at the same place
    (r" --db \S+?(?=[`\s]|$)", ""),
    (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "ID"),
    (r"\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?\b", "TIME"),
    (r"\b\d{16}\b", "TIME"),
]
CHANGING = [(r"\bkm[a-z]_[\w-]+", "SECRET"), *VARYING, (r"\b[0-9a-f]{8,}\b", "HASH")]


def neutral(text: str, varying: list[tuple[str, str]]) -> str:
    """A text without what differs between two places, or two runs, that say the same."""
    for pattern, word in varying:
        text = re.sub(pattern, word, text)
    return text


def without_places(data: object) -> object:
    """What a program is told, without the directories that only this machine has."""
    if isinstance(data, dict):
        return {key: without_places(value) for key, value in data.items() if key != "directory"}
    return [without_places(item) for item in data] if isinstance(data, list) else data


@contextmanager
def served(database: Path) -> Iterator[str]:
    """The name of a service that answers for the database."""
    with (
        tempfile.TemporaryDirectory(prefix="kma") as directory,
        running_server(Path(directory), database=database) as server,
    ):
        yield f"unix:{server.addresses.socket}"


@pytest.fixture
def match(table: Arena) -> str:
    """A book with something to show for every command; the id of a match in it."""
    return play_beforehand(table)


def play_beforehand(table: Arena) -> str:
    """Have something to show for every command in a fresh database; the id of a match that is over."""
    *done, listed = table.played(*BEFOREHAND, "match list cup --json")
    assert [one.code for one in done] == [0] * len(BEFOREHAND), done
    match_id: str = listed.json[0]["id"]
    return match_id


def test_every_command_is_run_over_both_or_has_a_reason_not_to_be() -> None:
    written = {name for name in commands() if any(f"{line} ".startswith(f"{name} ") for line in WRITES)}
    kinds = [set(READS), written, set(ELSEWHERE)]
    assert set.union(*kinds) == commands()
    assert sum(map(len, kinds)) == len(commands()), "a command is of one kind"


def told(text: str) -> object:
    """What a command wrote, read as far as it is for programs, without what differs between two places."""
    try:
        return without_places(json.loads(text))
    except ValueError:
        return neutral(text, VARYING[:3])


@pytest.mark.parametrize(
    ("form", "part"),
    [
        ("--json", slice(1)),
        pytest.param("--json", slice(1, None), marks=pytest.mark.needs("minutes")),
        pytest.param("", slice(1), marks=pytest.mark.needs("minutes")),
    ],
    ids=["json", "json with other options", "for people"],
)
def test_every_question_is_answered_alike_here_and_there(table: Arena, match: str, form: str, part: slice) -> None:
    asked = [f"{name} {words}".replace("MATCH", match) for name, each in READS.items() for words in each[part]]
    with served(table.db) as service:
        for line in asked:
            words = line.split() if "--csv" in line else [*line.split(), *form.split()]
            near, far = table(*words), table("--server", service, *words)
            assert (far.code, told(far.out), told(far.err)) == (near.code, told(near.out), told(near.err)), line


def test_every_change_is_told_alike_and_leaves_the_same_behind(table: Arena, match: str, tmp_path: Path) -> None:
    for name in ("spare", "extra"):  # of another game, or the ladder would take them
        table("bot", "add", write_bot(tmp_path / name, name, games='["chess"]'))
    database = open_database(table.db)
    programs = StoredPrograms(VersionStore.of_database(table.db))
    LocalArena(database, programs).tournaments.create_tournament(OPEN)
    database.close()
    other = tmp_path / "elsewhere" / "arena.db"
    other.parent.mkdir()
    shutil.copytree(table.db.with_suffix(".bots"), other.with_suffix(".bots"))
    shutil.copy(table.db, other)
    lines = [line.replace("MATCH", match).split() for line in [*WRITES, *(f"{line} --json" for line in AFTERWARDS)]]
    failed = []
    with served(other) as service:
        for line in lines:
            near, far = table(*line), table("--server", service, *line)
            assert far.code == near.code, (line, near, far)
            assert neutral(far.out, CHANGING) == neutral(near.out, CHANGING), line
            assert neutral(far.err, CHANGING) == neutral(near.err, CHANGING), line
            failed += [" ".join(line)] if near.code else []
    assert failed == [line.replace("MATCH", match) for line in WRITES_THAT_FAIL]
