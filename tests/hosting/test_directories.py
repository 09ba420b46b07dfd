"""Directories that appear whole or not at all, and private ones for sockets that are swept after a crash."""

from __future__ import annotations

import os
import shutil
import threading
from pathlib import Path

import pytest

from arena.hosting import atomic_directory
from arena.hosting import user_directories as runtime
from arena.hosting.errors import RuntimeDirectoryError
from arena.hosting.user_directories import find_base, runtime_directory, scratch_directory, sweep


def test_nothing_is_seen_until_it_is_published(tmp_path: Path) -> None:
    with atomic_directory.building_directory(tmp_path) as directory:
        atomic_directory.write_file(directory / "a/b", [b"x", b"y"], executable=False)
        assert not list(tmp_path.glob("[!.]*"))
        atomic_directory.publish(directory, tmp_path / "name")
    assert [path.name for path in tmp_path.iterdir()] == ["name"]
    assert (tmp_path / "name/a/b").read_bytes() == b"xy"


@pytest.mark.parametrize("files", [1, 300])
def test_few_files_and_many_are_published_alike(tmp_path: Path, files: int) -> None:
    with atomic_directory.building_directory(tmp_path) as directory:
        for number in range(files):
            atomic_directory.write_file(directory / f"{number % 7}" / f"{number}", [b"x"], executable=False)
        atomic_directory.publish(directory, tmp_path / "name")
    assert len(list(tmp_path.glob("name/*/*"))) == files


def test_what_is_not_published_is_gone(tmp_path: Path) -> None:
    with atomic_directory.building_directory(tmp_path) as directory:
        atomic_directory.write_file(directory / "a/b", [b"x"], executable=False)
    assert not list(tmp_path.iterdir())


def test_a_name_that_is_taken_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "name").mkdir()
    (tmp_path / "name/old").write_bytes(b"x")
    with atomic_directory.building_directory(tmp_path) as directory:
        atomic_directory.publish(directory, tmp_path / "name")
    assert [path.name for path in tmp_path.rglob("*")] == ["name", "old"]


def test_a_file_is_never_written_over_another(tmp_path: Path) -> None:
    atomic_directory.write_file(tmp_path / "a", [b"x"], executable=True)
    with pytest.raises(FileExistsError):
        atomic_directory.write_file(tmp_path / "a", [b"y"], executable=True)


def test_unpublishing_removes_all_of_it_and_says_whether_it_was_there(tmp_path: Path) -> None:
    with atomic_directory.building_directory(tmp_path) as directory:
        atomic_directory.write_file(directory / "a/b", [b"x"], executable=False)
        atomic_directory.publish(directory, tmp_path / "name")
    assert atomic_directory.unpublish(tmp_path / "name")
    assert not list(tmp_path.iterdir())
    assert not atomic_directory.unpublish(tmp_path / "name")


def test_a_sweep_removes_what_was_left_but_nothing_that_is_in_use(tmp_path: Path) -> None:
    for name in (".adding-left", ".removing-left", ".else", "version"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_bytes(b"x")
    with atomic_directory.building_directory(tmp_path) as directory:
        atomic_directory.sweep(tmp_path, 0)
        assert sorted(path.name for path in tmp_path.iterdir()) == sorted([".else", "version", directory.name])


def test_a_sweep_spares_what_was_touched_a_moment_ago(tmp_path: Path) -> None:
    for name in (".adding-old", ".adding-new"):
        (tmp_path / name).mkdir()
    os.utime(tmp_path / ".adding-old", (0, 0))
    atomic_directory.sweep(tmp_path, 3600)
    assert [path.name for path in tmp_path.iterdir()] == [".adding-new"]


def test_sweeping_and_building_at_once_hinder_nobody(tmp_path: Path) -> None:
    ended = threading.Event()

    def sweep_all_the_time() -> None:
        while not ended.is_set():
            atomic_directory.sweep(tmp_path, 0)

    sweeper = threading.Thread(target=sweep_all_the_time)
    sweeper.start()
    try:
        for number in range(40):
            with atomic_directory.building_directory(tmp_path) as directory:
                atomic_directory.write_file(directory / "a", [b"x"], executable=False)
                atomic_directory.publish(directory, tmp_path / str(number))
    finally:
        ended.set()
        sweeper.join()
    assert all((tmp_path / str(number) / "a").is_file() for number in range(40))


@pytest.mark.parametrize(
    ("age_s", "is_used", "is_removed"),
    [(3600, False, True), (3599, False, False), (3600, True, False)],
)
def test_only_what_is_old_and_not_used_is_unpublished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, age_s: int, is_used: bool, is_removed: bool
) -> None:
    (tmp_path / "name").mkdir()
    os.utime(tmp_path / "name", (10_000, 10_000))
    monkeypatch.setattr("time.time", lambda: 10_000 + age_s)
    assert (
        atomic_directory.unpublish_unless(tmp_path / "name", lambda name: is_used and name == "name", 3600)
        is is_removed
    )
    assert (tmp_path / "name").exists() is not is_removed
    assert not atomic_directory.unpublish_unless(tmp_path / "unknown", lambda _: False, 0)


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


@pytest.mark.parametrize("name", ["x" * 100, "\udcff"])
def test_a_temporary_directory_that_fits_no_socket_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / name).mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / name))
    assert find_base() == Path("/tmp")


def test_without_a_short_directory_the_remedy_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(RuntimeDirectoryError, match="set TMPDIR"):
        find_base()


def test_a_socket_path_fits(tmp_path: Path) -> None:
    with runtime_directory() as directory:
        assert len(os.fsencode(directory / runtime.SOCKET_NAME)) <= runtime.MAX_SOCKET_PATH
