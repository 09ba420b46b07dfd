"""The same command line gives the same output on a database and at a service that serves it."""

import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.support import Arena
from tests.support.owners import RunningServer, running_server

TOURNAMENT = ("tournament", "run", "round-robin", "--game", "foreign_king", "--seats", "3", "--bots", "ada,bob,eve")
BEFOREHAND = [
    "owner add zoe",
    "token new --owner zoe --name laptop",
    "ladder open summer --game foreign_king --seats 3",
    "season freeze summer --final-blocks 0",
    "season close summer",
    "season open summer --name autumn",
]
MISTAKES = [
    ("bot", "show", "nobody"),
    ("tournament", "show", "nothing"),
    ("match", "show", "ffffffff"),
    ("stats", "history", "nobody"),
    ("bot", "build-log", "ada"),
    ("season", "list", "winter"),
    ("season", "show", "summer", "2"),
    ("season", "close", "winter"),
    ("season", "freeze", "summer", "--at", "tomorrow"),
    ("ladder", "close", "winter", "--why", "nobody came"),
    ("match", "annul", "ffffffff", "--why", "a test"),
    ("bot", "annul", "nobody", "--why", "a test"),
]
READS = [
    ("bot", "list"),
    ("bot", "list", "--limit", "2"),
    ("bot", "show", "ada"),
    ("tournament", "list"),
    ("tournament", "show", "cup"),
    ("tournament", "show", "cup", "--matches"),
    ("match", "list"),
    ("match", "list", "--limit", "1"),
    ("match", "list", "cup"),
    ("match", "show", "MATCH"),
    ("match", "show", "MATCH", "--times"),
    ("match", "log", "MATCH"),
    ("replay", "show", "MATCH"),
    ("replay", "verify", "MATCH"),
    ("leaderboard",),
    ("stats", "crosstable"),
    ("stats", "history", "ada"),
    ("stats", "opponents", "ada"),
    ("stats", "seats"),
    ("stats", "lengths"),
    ("rating", "official"),
    ("rating", "fairplay"),
    ("owner", "list"),
    ("token", "list"),
    ("ladder", "list"),
    ("season", "list", "summer"),
    ("season", "show", "summer", "1"),
    ("notice",),
    *MISTAKES,
]


@pytest.fixture
def served(table: Arena) -> Iterator[RunningServer]:
    """A server of the database in which a tournament was played."""
    assert table(*TOURNAMENT, "--name", "cup", "--seed", "1").code == 0
    for line in BEFOREHAND:
        assert table(*line.split()).code == 0
    with (
        tempfile.TemporaryDirectory(prefix="kma") as directory,
        running_server(Path(directory), database=table.db) as server,
    ):
        yield server


def neutral(text: str) -> str:
    """A text without what a suggested command needs to work at the same place."""
    text = re.sub(r"--server \S+ ", "", text)
    return re.sub(r" --db \S+?(?=[`\s]|$)", "", text)


def without_places(data: object) -> object:
    """What a program is told, without the directories that only this machine has."""
    if isinstance(data, dict):
        return {key: without_places(value) for key, value in data.items() if key != "directory"}
    return [without_places(item) for item in data] if isinstance(data, list) else data


def test_every_read_says_the_same_here_and_there(table: Arena, served: RunningServer) -> None:
    match = table("match", "list", "cup", "--json").json[0]["id"]
    there = ("--server", f"unix:{served.addresses.socket}")
    for words in READS:
        line = [match if word == "MATCH" else word for word in words]
        for style in ((), ("--json",)):
            near, far = table(*line, *style), table(*there, *line, *style)
            assert far.code == near.code == (2 if words in MISTAKES else 0), (line, near, far)
            assert neutral(far.err) == neutral(near.err), line
            if style and near.code == 0 and near.out.startswith(("{", "[")):
                assert without_places(json.loads(far.out)) == without_places(json.loads(near.out)), line
            else:
                assert neutral(far.out) == neutral(near.out), line
