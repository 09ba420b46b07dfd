"""Runs command lines in this process, and writes bots to add."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from arena.cli.app import run

MATCH = ["match", "run", "--game", "foreign_king", "--bots", "ada,bob,eve", "--seed", "3"]
"""A match of three bots that comes out the same each time."""


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


def write_bot(directory: Path, name: str = "quiet", body: str = "", **keys: str) -> Path:
    """A directory with a bot that is never started here; `keys` are further lines of its bot.toml."""
    directory.mkdir(parents=True, exist_ok=True)
    lines = ["schema = 1", f'name = "{name}"', 'command = ["python", "main.py"]']
    lines += [f"{key} = {value}" for key, value in keys.items()]
    (directory / "bot.toml").write_text("\n".join(lines), encoding="utf-8")
    (directory / "main.py").write_text(body, encoding="utf-8")
    return directory
