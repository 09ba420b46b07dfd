"""Runs command lines in this process, on a database and at a service that answers for it, and writes bots to add."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from arena.cli.app import run
from arena.cli.shared import play_tournament as play
from tests.support.owners import running_server

MATCH = ["match", "run", "--game", "foreign_king", "--bots", "ada,bob,eve", "--seed", "3"]
"""A match of three bots that comes out the same each time."""
ROUND_ROBIN = ["tournament", "run", "round-robin", "--game", "foreign_king", "--seats", "3"]
ROUND_ROBIN += ["--bots", "ada,bob,eve", "--option", "max_rounds=2"]
"""A short tournament of the same bots."""


@dataclass(frozen=True)
class Finished:
    """What a command line did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it wrote for programs."""
        return json.loads(self.out)


class Arena:
    """The command `arena`, called without a process of its own, on one database."""

    def __init__(self, db: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.db = db
        self._capsys = capsys

    def __call__(self, *words: str | Path) -> Finished:
        self._capsys.readouterr()
        code = run([str(word) for word in words])
        written = self._capsys.readouterr()
        return Finished(code, written.out, written.err)

    def refusal(self, *words: str | Path, code: int = 2) -> str:
        """The one line that a command which must fail writes."""
        finished = self(*words)
        assert finished.code == code, finished
        assert finished.err.startswith("arena: ")
        assert finished.err.count("\n") == 1, finished.err
        assert "Traceback" not in finished.err
        assert "fault of the arena" not in finished.err
        return finished.err.removeprefix("arena: ").rstrip("\n")

    def misses(self, cases: Iterable[tuple[Sequence[str | Path], str]], code: int = 2) -> list[str]:
        """The command lines that are not refused by one line with the words that are expected, and what they said."""
        missed = []
        for words, expected in cases:
            line = " ".join(map(str, words))[:200]
            try:
                said = self.refusal(*words, code=code)[:2000]
            except AssertionError as error:
                missed.append(f"{line}: {error}")
            else:
                missed += [] if expected in said else [f"{line}: {said!r} instead of {expected!r}"]
        return missed

    def played(self, *lines: str) -> list[Finished]:
        """Run command lines on the fresh database of a test; where another test did so before, copy what they made.

        What they do may depend on nothing but themselves and the bots that lie in the directory.
        """
        key = (vars(play)["LocalExecutor"], self.db.exists(), lines)
        if key not in _played:
            told = [self(*line.split()) for line in lines]
            kept = Path(_keeper().name, str(len(_played)))
            shutil.copytree(self.db.parent, kept)
            _played[key] = kept, told
        kept, told = _played[key]
        shutil.copytree(kept, self.db.parent, dirs_exist_ok=True, copy_function=_copy)
        return told


_played: dict[object, tuple[Path, list[Finished]]] = {}
"""What `Arena.played` has run: the directory that it left, and what was said."""


@cache
def _keeper() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="kma")


def _copy(source: str, target: str) -> None:
    if not Path(target).exists() or Path(target).name.startswith("arena.db"):  # nobody but root writes over a bot
        shutil.copy2(source, target)


def write_bot(directory: Path, name: str = "quiet", body: str = "", **keys: str) -> Path:
    """A directory with a bot that is never started here; `keys` are further lines of its bot.toml."""
    directory.mkdir(parents=True, exist_ok=True)
    lines = ["schema = 1", f'name = "{name}"', 'command = ["python", "main.py"]']
    lines += [f"{key} = {value}" for key, value in keys.items()]
    (directory / "bot.toml").write_text("\n".join(lines), encoding="utf-8")
    (directory / "main.py").write_text(body, encoding="utf-8")
    return directory


Reached = Callable[[Arena], AbstractContextManager[Arena]]
"""Given the command on a database, the command that asks another place which answers for that database."""


@contextmanager
def here(arena: Arena) -> Iterator[Arena]:
    """The database itself."""
    yield arena


@contextmanager
def there(arena: Arena) -> Iterator[Arena]:
    """A service on the same machine, asked as its organiser; the environment names it, as people would have it."""
    with (
        tempfile.TemporaryDirectory(prefix="kma") as directory,
        running_server(Path(directory), database=arena.db) as server,
    ):
        yield _AtService(arena, f"unix:{server.addresses.socket}")


class _AtService(Arena):
    """The command with a service in its environment."""

    def __init__(self, arena: Arena, name: str) -> None:
        self.db = arena.db
        self._arena = arena
        self._name = name

    def __call__(self, *words: str | Path) -> Finished:
        os.environ["ARENA_SERVER"] = self._name
        try:
            return self._arena(*words)
        finally:
            del os.environ["ARENA_SERVER"]


PLACES: dict[str, Reached] = {"here": here, "there": there}
"""Every test that takes `arena_cli` runs once for each of them."""
