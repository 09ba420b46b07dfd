"""Directories for sockets: private, short, swept when a crash left them."""

import os
import shutil
from pathlib import Path

import pytest

from arena.hosting import user_directories as runtime
from arena.hosting.errors import RuntimeDirectoryError
from arena.hosting.user_directories import find_base, runtime_directory, scratch_directory, sweep


def test_a_directory_is_private_and_removed_at_the_end(tmp_path: Path) -> None:
    with runtime_directory(tmp_path) as directory:
        assert directory.stat().st_mode & 0o777 == 0o700
        (directory / "play").touch()
    assert list(tmp_path.iterdir()) == []


def test_a_directory_in_use_is_not_swept(tmp_path: Path) -> None:
    with runtime_directory(tmp_path) as directory:
        assert sweep(tmp_path) == []
        assert directory.exists()


@pytest.fixture
def stale(tmp_path: Path) -> Path:
    """A directory that a crash left behind."""
    with runtime_directory(tmp_path) as directory:
        (directory / "play").touch()
        (directory / "scratch" / "1").mkdir(parents=True)
        (directory / "scratch" / "1" / "debug.log").touch()
        copy = shutil.copytree(directory, tmp_path / f"{directory.name}x")
    (copy / "scratch" / "1").chmod(0)  # a bot may take away its own rights
    return copy


def test_a_scratch_directory_is_readable_by_others_and_removed_at_the_end(tmp_path: Path) -> None:
    with scratch_directory(tmp_path) as scratch:
        assert list(scratch.iterdir()) == []
        assert [place.stat().st_mode & 0o777 for place in (scratch, scratch.parent)] == [0o755, 0o755]
        (scratch / "anything").mkdir()
        assert sweep(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.host_fault("directories-left-by-a-killed-run")
def test_a_scratch_directory_whose_process_was_killed_is_swept(tmp_path: Path) -> None:
    with scratch_directory(tmp_path) as scratch:
        (scratch / "bots").mkdir()
        (scratch / "bots" / "bot.toml").touch()
        left = shutil.copytree(scratch.parent, tmp_path / f"{scratch.parent.name}x")
    assert sweep(tmp_path) == [left]
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_nobody_holds_is_swept(tmp_path: Path, stale: Path) -> None:
    assert sweep(tmp_path) == [stale]
    assert not stale.exists()


@pytest.mark.hostile("put-files-where-the-arena-sweeps")
def test_what_somebody_else_put_into_a_directory_is_not_swept(tmp_path: Path, stale: Path) -> None:
    (stale / "thesis.txt").touch()
    assert sweep(tmp_path) == []
    assert (stale / "thesis.txt").exists()


@pytest.mark.parametrize("name", ["arena-thesis", "kingmaker-arena-thesis"])
def test_a_directory_of_somebody_elses_program_is_not_swept(tmp_path: Path, name: str) -> None:
    other = tmp_path / name
    other.mkdir()
    for file in ("lock", "play"):
        (other / file).write_text("mine", encoding="utf-8")
    assert sweep(tmp_path) == []
    assert len(list(other.iterdir())) == 2


def test_what_is_not_ours_is_not_swept(tmp_path: Path) -> None:
    (tmp_path / "kingmaker-arena-demo").mkdir()
    (tmp_path / "other").mkdir()
    target = tmp_path / "target"
    target.mkdir()
    (target / "lock").write_bytes(runtime._MAGIC)
    (tmp_path / "kingmaker-arena-link").symlink_to(target)
    assert sweep(tmp_path) == []
    assert len(list(tmp_path.iterdir())) == 4


def test_a_long_temporary_directory_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = tmp_path / ("x" * 100)
    long.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(long))
    assert find_base() == Path("/tmp")


def test_without_a_short_directory_the_remedy_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(RuntimeDirectoryError, match="set TMPDIR"):
        find_base()


def test_a_socket_path_fits(tmp_path: Path) -> None:
    with runtime_directory() as directory:
        assert len(os.fsencode(directory / runtime.SOCKET_NAME)) <= runtime.MAX_SOCKET_PATH
