import sys
from pathlib import Path

import pytest

from arena.hosting.errors import SandboxUnavailableError
from arena.hosting.sandbox.choice import SandboxPolicy
from arena.hosting.sandbox.programs import StoredPrograms
from arena.hosting.store import StoreError, VersionStore

MANIFEST = """schema = 1
name = "ann"
command = ["python", "main.py"]
games = ["chess", "go"]
memory_mb = 100
deterministic = true
"""


@pytest.fixture
def store(tmp_path: Path) -> VersionStore:
    return VersionStore(tmp_path / "store")


@pytest.fixture
def version(tmp_path: Path, store: VersionStore) -> str:
    source = tmp_path / "ann"
    source.mkdir()
    (source / "bot.toml").write_text(MANIFEST, encoding="utf-8")
    (source / "main.py").write_text("# ann\n", encoding="utf-8")
    return store.add(source).hash


def test_a_program_is_what_its_manifest_says(store: VersionStore, version: str) -> None:
    program = StoredPrograms(store).find(version)
    assert program.directory == store.directory(version)
    assert program.command == (sys.executable, str(store.directory(version) / "main.py"))
    assert (program.games, program.memory_mb, program.is_deterministic) == (("chess", "go"), 100, True)
    assert (program.plays("go"), program.plays("foreign_king")) == (True, False)


def test_programs_lie_in_the_store(store: VersionStore) -> None:
    assert StoredPrograms(store).root == store.root


def test_a_program_that_is_not_there_is_refused(store: VersionStore) -> None:
    with pytest.raises(StoreError, match="the files of this version are missing"):
        StoredPrograms(store).find("0" * 64)


def test_the_policy_decides_the_sandbox(store: VersionStore) -> None:
    programs = StoredPrograms(store, SandboxPolicy("none"))
    assert programs.sandbox_level(has_owner=False) == "none"
    with pytest.raises(SandboxUnavailableError, match="run only in a sandbox"):
        programs.sandbox_level(has_owner=True)
