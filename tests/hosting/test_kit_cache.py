"""What bots import of the arena is compiled before they start: they may not write it themselves."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import cache_from_source
from pathlib import Path

import pytest

from arena.hosting.kit_cache import write_kit_cache
from arena.hosting.visible_paths import bot_trees
from arena.worker.host import MatchHost


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of three modules, one of them broken; caches may be written, whatever the environment of the tests."""
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    folder = tmp_path / "kit"
    (folder / "deep").mkdir(parents=True)
    for name in ("one.py", "deep/two.py"):
        (folder / name).write_text("WHO = 'first'\n", encoding="utf-8")
    (folder / "broken.py").write_text("WHO = \n", encoding="utf-8")
    return folder


def compiled(path: Path) -> Path:
    return Path(cache_from_source(str(path)))


def test_every_module_is_compiled_so_that_python_takes_what_lies_there(package: Path) -> None:
    write_kit_cache([package])
    assert [compiled(package / name).exists() for name in ("one.py", "deep/two.py", "broken.py")] == [True, True, False]
    command = [sys.executable, "-B", "-v", "-c", "import one; print(one.WHO)"]
    ran = subprocess.run(command, cwd=package, capture_output=True, text=True, check=True)
    assert ran.stdout == "first\n"
    assert f"matches {package / 'one.py'}" in ran.stderr


def test_what_has_changed_is_compiled_again_and_nothing_else(package: Path) -> None:
    write_kit_cache([package])
    os.utime(package / "one.py", ns=(0, compiled(package / "one.py").stat().st_mtime_ns + 5_000_000_000))
    before = {name: compiled(package / name).stat().st_mtime_ns for name in ("one.py", "deep/two.py")}
    os.utime(compiled(package / "deep/two.py"), ns=(0, before["deep/two.py"] + 1))
    write_kit_cache([package / "one.py", package / "deep"])
    assert compiled(package / "one.py").stat().st_mtime_ns > before["one.py"]
    assert compiled(package / "deep/two.py").stat().st_mtime_ns == before["deep/two.py"] + 1


def test_where_nothing_may_be_written_nothing_happens(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    write_kit_cache([package, package / "not-there.py"])
    assert not (package / "__pycache__").exists()


async def test_a_host_that_starts_bots_does_it_first(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    monkeypatch.setattr("arena.worker.process_pool.write_kit_cache", lambda: written.append("all"))
    async with MatchHost():
        assert written == ["all"]


def test_the_kit_is_among_what_is_compiled() -> None:
    names = {path.name for path in bot_trees()}
    assert {"kit.py", "queue_stream.py", "engine", "wire"} <= names
