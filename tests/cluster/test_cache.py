"""What a machine keeps of versions is whole, or is not kept."""

import io
import os
from pathlib import Path

import pytest

from arena.executor.ray.cache import (
    LIMITS,
    MissingError,
    VersionCache,
    VersionUnplayableError,
    WantedVersion,
    program_json,
    read_program,
)
from arena.executor.ray.cores import Cores
from arena.hosting.archive.packing import pack
from arena.hosting.removal import remove_tree
from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.sample_bots import sample_directory


@pytest.fixture(scope="module")
def runtimes(tmp_path_factory: pytest.TempPathFactory) -> RuntimeCatalog:
    return RuntimeCatalog(cache=tmp_path_factory.mktemp("hashes"))


@pytest.fixture(scope="module")
def archive() -> tuple[str, bytes]:
    file = io.BytesIO()
    packed = pack(sample_directory("random"), file, LIMITS)
    return packed.content_hash, file.getvalue()


def test_a_version_that_came_is_there_for_everybody_who_looks_later(
    tmp_path: Path, runtimes: RuntimeCatalog, archive: tuple[str, bytes]
) -> None:
    content, data = archive
    cache = VersionCache(tmp_path, runtimes)
    with pytest.raises(MissingError):
        cache.find(WantedVersion(content, ""))
    cache.add(content, data)
    found = cache.find(WantedVersion(content, runtimes.get("arena").hash))
    assert found.directory == str(tmp_path / content)
    assert found.command[1] == str(tmp_path / content / "main.py")
    assert VersionCache(tmp_path, runtimes).find(WantedVersion(content, "")) == found
    assert read_program(program_json(found)) == found


def test_a_damaged_one_is_thrown_away_by_whoever_begins_to_use_it(
    tmp_path: Path, runtimes: RuntimeCatalog, archive: tuple[str, bytes]
) -> None:
    content, data = archive
    VersionCache(tmp_path, runtimes).add(content, data)
    file = tmp_path / content / "main.py"
    file.chmod(0o644)
    file.write_text("print('another bot')\n", encoding="utf-8")
    later = VersionCache(tmp_path, runtimes)
    with pytest.raises(MissingError):
        later.find(WantedVersion(content, ""))
    assert not file.exists()
    later.add(content, data)
    assert later.find(WantedVersion(content, "")).directory == str(tmp_path / content)


def test_one_that_is_removed_or_damaged_while_it_is_in_use_is_missed_by_whoever_looks_again(
    tmp_path: Path, runtimes: RuntimeCatalog, archive: tuple[str, bytes]
) -> None:
    content, data = archive
    cache = VersionCache(tmp_path, runtimes)
    file = tmp_path / content / "main.py"
    for damage in (lambda: file.write_text("", encoding="utf-8"), lambda: remove_tree(str(file.parent))):
        cache.add(content, data)
        assert cache.find(WantedVersion(content, ""))
        file.chmod(0o644)
        damage()
        with pytest.raises(MissingError):
            cache.find(WantedVersion(content, ""))


def test_what_somebody_looks_for_now_and_then_is_kept(
    tmp_path: Path, runtimes: RuntimeCatalog, archive: tuple[str, bytes]
) -> None:
    content, data = archive
    cache = VersionCache(tmp_path, runtimes)
    cache.add(content, data)
    for is_wanted in (True, False):
        os.utime(tmp_path / content, (0, 0))
        if is_wanted:
            cache.find(WantedVersion(content, ""))
        VersionCache(tmp_path, runtimes).sweep()
        assert (tmp_path / content).exists() == is_wanted


@pytest.mark.parametrize("damage", [lambda data: data[:-600], lambda data: b"x" + data[1:], lambda _: b""])
def test_what_is_not_the_version_that_was_announced_is_never_kept(
    tmp_path: Path, runtimes: RuntimeCatalog, archive: tuple[str, bytes], damage: "type[bytes]"
) -> None:
    content, data = archive
    cache = VersionCache(tmp_path, runtimes)
    with pytest.raises(VersionUnplayableError):
        cache.add(content, damage(data))
    with pytest.raises(VersionUnplayableError):
        cache.add("0" * 64, data)
    with pytest.raises(MissingError):
        cache.find(WantedVersion(content, ""))


def test_a_version_whose_runtime_is_another_one_there_cannot_play(
    tmp_path: Path, runtimes: RuntimeCatalog, archive: tuple[str, bytes]
) -> None:
    content, data = archive
    cache = VersionCache(tmp_path, runtimes)
    cache.add(content, data)
    with pytest.raises(VersionUnplayableError, match="its runtime 'arena' is another one than here"):
        cache.find(WantedVersion(content, "f" * 64))


def test_no_two_slots_of_a_machine_have_the_same_core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 2, 5})
    monkeypatch.setattr("arena.executor.ray.cores.find_base", lambda: tmp_path)
    first, second, third = Cores(), Cores(), Cores()
    assert first.take(1) == (0,)
    assert second.take(2) == (2, 5)
    assert third.take(1) == ()  # it may use any
    first.give_back()
    assert third.take(2) == ()
    assert third.take(1) == (0,)
    for one in (second, third):
        one.give_back()
