"""The same command line says and does the same on a database and at a service that serves it."""

import json
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.app.arena import LocalArena
from arena.hosting.sandbox.programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.model.planning import TournamentRequest
from ratings.store.database import open_database
from tests.cli.command_lines import AFTERWARDS, ELSEWHERE, READS, WRITES, WRITES_THAT_FAIL, commands
from tests.cli.support import Arena, write_bot
from tests.support.owners import running_server

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
