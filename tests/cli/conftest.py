import os
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from arena.cli.app import run
from arena.hosting.runtimes import catalog
from arena.hosting.runtimes import inspection as kinds
from arena.hosting.runtimes.runtime import RuntimeKind
from tests.cli.support import MATCH, PLACES, Arena, write_bot
from tests.cli.table import TableExecutor

_lay_out, _contents = cache(kinds.lay_out_arena), cache(kinds.arena_contents)


@pytest.fixture(scope="module", autouse=True)
def own_runtime() -> Iterator[None]:
    """The interpreter of the tests, through whose packages every command would look anew."""
    with (
        mock.patch.dict(catalog._LAY_OUT, {RuntimeKind.ARENA: _lay_out}),
        mock.patch.dict(catalog._CONTENTS, {RuntimeKind.ARENA: _contents}),
    ):
        yield


@pytest.fixture
def arena(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Arena:
    """The command, in an empty directory, with `--db` set by the environment."""
    monkeypatch.chdir(tmp_path)
    db = tmp_path / "arena.db"
    monkeypatch.setenv("ARENA_DB", str(db))
    monkeypatch.setenv("SSL_CERT_FILE", os.devnull)  # nobody vouches for certificates here; reading all takes long
    for name in ("ARENA_DEBUG", "ARENA_WORKERS", "ARENA_SERVER"):
        monkeypatch.delenv(name, raising=False)
    return Arena(db, capsys)


@pytest.fixture
def brief_doctor(monkeypatch: pytest.MonkeyPatch) -> None:
    """`arena doctor` looks at the database alone, which starts no process."""
    monkeypatch.setattr("arena.cli.nouns.doctor.CHECKS", ())
    monkeypatch.setattr("arena.cli.nouns.doctor.check_sandboxes", lambda: iter(()))


@pytest.fixture(scope="session")
def three_bots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with three bots in its database; to be copied, not used."""
    directory = tmp_path_factory.mktemp("three")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARENA_DB", str(directory / "arena.db"))
        patch.delenv("ARENA_SERVER", raising=False)
        for name in ("ada", "bob", "eve"):
            assert run(["bot", "add", str(write_bot(directory / name, name))]) == 0
    return directory


@pytest.fixture
def table(arena: Arena, three_bots: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Arena:
    """The command with three bots in its database, and matches played without processes."""
    monkeypatch.setattr("arena.cli.shared.play_tournament.LocalExecutor", TableExecutor)
    shutil.copytree(three_bots, tmp_path, dirs_exist_ok=True)
    return arena


@pytest.fixture
def match(table: Arena) -> dict[str, Any]:
    """A match that was played, in the database of `table`."""
    (told,) = table.played(" ".join([*MATCH, "--json"]))
    found: dict[str, Any] = told.json
    return found


@pytest.fixture(params=["here", pytest.param("there", marks=pytest.mark.needs("minutes"))])
def arena_cli(request: pytest.FixtureRequest, table: Arena) -> Iterator[Arena]:
    """The command on the database of `table`, asked here, and by way of every other place that there is.

    Which question is answered elsewhere at all, and alike, is seen by test_places.py.
    """
    with PLACES[request.param](table) as elsewhere:
        yield elsewhere
