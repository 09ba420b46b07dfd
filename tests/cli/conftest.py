from pathlib import Path

import pytest

from tests.cli.support import Arena


@pytest.fixture
def arena(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Arena:
    """The command, in an empty directory, with `--db` set by the environment."""
    monkeypatch.chdir(tmp_path)
    db = tmp_path / "arena.db"
    monkeypatch.setenv("ARENA_DB", str(db))
    for name in ("ARENA_DEBUG", "ARENA_LANG", "ARENA_WORKERS"):
        monkeypatch.delenv(name, raising=False)
    return Arena(db, capsys)
