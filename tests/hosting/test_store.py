import hashlib
import json
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from arena.hosting.content import BotFilesError, VersionLimits, content_hash
from arena.hosting.manifest import ManifestError
from arena.hosting.store import StoreError, VersionStore
from tests.hosting.test_manifest import write_bot


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    return write_bot(tmp_path / "bot")


@pytest.fixture
def store(tmp_path: Path) -> VersionStore:
    return VersionStore(tmp_path / "arena.bots")


def listing(directory: Path) -> list[str]:
    return sorted(str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file())


def test_the_hash_is_that_of_the_sorted_list_of_files(bot: Path) -> None:
    (bot / "data").mkdir()
    (bot / "data" / "weights").write_bytes(b"\0\1")
    (bot / "run").write_bytes(b"")
    (bot / "run").chmod(0o755)
    lines = "".join(
        json.dumps([name, name == "run", hashlib.sha256((bot / name).read_bytes()).hexdigest()]) + "\n"
        for name in ("bot.toml", "data/weights", "main.py", "run")
    )
    assert content_hash(bot) == hashlib.sha256(lines.encode()).hexdigest()


@pytest.mark.parametrize(
    "change",
    [
        lambda bot: (bot / "main.py").write_text("other", encoding="utf-8"),
        lambda bot: (bot / "main.py").chmod(0o755),
        lambda bot: (bot / "main.py").rename(bot / "main2.py"),
        lambda bot: (bot / "more.txt").write_text("", encoding="utf-8"),
    ],
)
def test_any_change_is_another_version(bot: Path, change: Callable[[Path], object]) -> None:
    before = content_hash(bot)
    change(bot)
    assert content_hash(bot) != before


def test_what_python_and_editors_leave_behind_is_no_change(bot: Path) -> None:
    before = content_hash(bot)
    (bot / "__pycache__").mkdir()
    (bot / "__pycache__" / "main.pyc").write_bytes(b"x")
    (bot / ".git").mkdir()
    (bot / ".git" / "HEAD").write_bytes(b"x")
    (bot / ".hidden").write_bytes(b"x")
    os.utime(bot / "main.py", (0, 0))
    assert content_hash(bot) == before


def test_the_store_lies_beside_its_database(tmp_path: Path) -> None:
    assert VersionStore.of_database(tmp_path / "arena.db").root == tmp_path / "arena.bots"


def test_a_version_is_a_copy_named_by_its_hash(bot: Path, store: VersionStore) -> None:
    (bot / ".secret").write_text("x", encoding="utf-8")
    version = store.add(bot)
    assert version.hash == content_hash(bot) == content_hash(version.directory)
    assert version.directory == store.root / version.hash
    assert version.manifest.name == "my-bot"
    assert listing(version.directory) == ["bot.toml", "main.py"]
    assert store.get(version.hash) == version


def test_stored_files_are_read_only_and_keep_their_executable_bit(bot: Path, store: VersionStore) -> None:
    (bot / "main.py").chmod(0o755)
    version = store.add(bot)
    assert (version.directory / "main.py").stat().st_mode & 0o777 == 0o555
    assert (version.directory / "bot.toml").stat().st_mode & 0o777 == 0o444


def test_adding_twice_stores_once(bot: Path, store: VersionStore) -> None:
    assert store.add(bot) == store.add(bot)
    assert len(list(store.root.iterdir())) == 1


def test_changing_the_source_leaves_the_stored_version(bot: Path, store: VersionStore) -> None:
    version = store.add(bot)
    (bot / "main.py").write_text("changed", encoding="utf-8")
    assert store.add(bot).hash != version.hash
    assert store.get(version.hash) == version


@pytest.mark.host_fault("two-commands-add-one-bot")
def test_two_adds_at_once_both_succeed(bot: Path, store: VersionStore) -> None:
    together = threading.Barrier(4)
    hashes: list[str] = []

    def add() -> None:
        together.wait()
        hashes.append(store.add(bot).hash)

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert hashes == [content_hash(bot)] * 4
    assert [path.name for path in store.root.iterdir()] == [content_hash(bot)]


def test_what_another_add_finishes_at_that_moment_is_no_error(
    bot: Path, store: VersionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = store.root / ".adding-gone"
    real = Path.glob
    monkeypatch.setattr(Path, "glob", lambda path, pattern: [gone, *real(path, pattern)])
    assert store.add(bot).hash == content_hash(bot)


def test_a_directory_without_manifest_is_not_stored(tmp_path: Path, store: VersionStore) -> None:
    with pytest.raises(ManifestError, match=r"there is no bot\.toml"):
        store.add(tmp_path)
    assert not store.root.exists()


@pytest.mark.hostile("link-out-of-the-bot")
def test_a_link_out_of_the_directory_is_refused(bot: Path, store: VersionStore, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("secret", encoding="utf-8")
    (bot / "link").symlink_to(tmp_path / "outside")
    with pytest.raises(BotFilesError, match="/bot/link: is a link that leaves the bot's directory; put a copy"):
        store.add(bot)


@pytest.mark.hostile("link-out-of-the-bot")
def test_a_link_to_a_directory_outside_is_refused(bot: Path, tmp_path: Path) -> None:
    (bot / "link").symlink_to(tmp_path)
    with pytest.raises(BotFilesError, match="leaves the bot's directory"):
        content_hash(bot)


@pytest.mark.parametrize("target", ["missing", ".", "link"])
def test_a_link_to_no_file_is_refused(bot: Path, target: str) -> None:
    (bot / "link").symlink_to(target)
    with pytest.raises(BotFilesError, match="/bot/link: is a link to no file of the bot"):
        content_hash(bot)


def test_a_link_inside_the_directory_is_stored_as_a_file(bot: Path, store: VersionStore) -> None:
    (bot / "link.py").symlink_to("main.py")
    stored = store.add(bot).directory / "link.py"
    assert not stored.is_symlink()
    assert stored.read_bytes() == (bot / "main.py").read_bytes()


def test_a_bot_directory_may_itself_be_reached_by_a_link(bot: Path, store: VersionStore, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(bot)
    (bot / "link.py").symlink_to("main.py")
    assert store.add(tmp_path / "alias").hash == content_hash(bot)


@pytest.mark.hostile("pipe-among-the-files")
def test_a_pipe_is_refused(bot: Path) -> None:
    os.mkfifo(bot / "pipe")
    with pytest.raises(BotFilesError, match="/bot/pipe: is neither a file nor a directory; remove it"):
        content_hash(bot)


@pytest.mark.hostile("countless-files")
def test_too_many_files_are_refused(bot: Path, tmp_path: Path) -> None:
    with pytest.raises(BotFilesError, match="holds over 1 files; keep only what the bot needs"):
        VersionStore(tmp_path / "store", VersionLimits(files=1)).add(bot)


@pytest.mark.hostile("too-large-a-bot")
def test_too_large_files_are_refused(bot: Path, tmp_path: Path) -> None:
    with (bot / "large").open("wb") as file:
        file.truncate((3 << 20) + 1)
    with pytest.raises(BotFilesError, match="holds over 3 MiB; keep only what the bot needs"):
        VersionStore(tmp_path / "store", VersionLimits(total_bytes=3 << 20)).add(bot)


def test_a_version_that_is_not_there_is_named(store: VersionStore) -> None:
    with pytest.raises(StoreError, match="/feed: the files of this version are missing; add the bot again"):
        store.get("feed")


@pytest.mark.host_fault("stored-version-changed")
def test_a_changed_version_is_found_out(bot: Path, store: VersionStore) -> None:
    version = store.add(bot)
    stored = version.directory / "main.py"
    stored.chmod(0o644)
    stored.write_text("tampered", encoding="utf-8")
    with pytest.raises(StoreError, match="the stored files were changed; remove that directory and add the bot again"):
        store.get(version.hash)


def test_a_version_without_its_manifest_is_found_out(bot: Path, store: VersionStore) -> None:
    version = store.add(bot)
    (version.directory / "bot.toml").unlink()
    with pytest.raises(StoreError, match=r"the stored files are damaged: .* there is no bot\.toml"):
        store.get(version.hash)


@pytest.mark.host_fault("store-read-only")
def test_a_store_that_cannot_be_written_is_one_clear_line(bot: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(StoreError, match=r"the bot cannot be stored .*; check space and permissions there"):
        VersionStore(tmp_path / "file" / "store").add(bot)


@pytest.mark.host_fault("killed-while-a-bot-is-added")
def test_what_a_killed_add_left_is_removed_once_it_is_old(bot: Path, store: VersionStore) -> None:
    abandoned, recent = store.root / ".adding-old", store.root / ".adding-new"
    for directory in (abandoned, recent):
        directory.mkdir(parents=True)
    os.utime(abandoned, (0, 0))
    store.add(bot)
    assert not abandoned.exists()
    assert recent.exists()


def test_the_store_tells_what_it_holds_and_how_much(bot: Path, store: VersionStore) -> None:
    assert store.hashes() == []
    version = store.add(bot)
    (store.root / ".adding-left").mkdir()
    assert store.hashes() == [version.hash]
    (bot / "data").mkdir()
    (bot / "data" / "more").write_bytes(bytes(1000))
    assert store.stored_bytes(store.add(bot).hash) == store.stored_bytes(version.hash) + 1000
    assert store.stored_bytes("0" * 64) == 0


def test_a_removed_version_is_gone_and_can_be_added_again(bot: Path, store: VersionStore) -> None:
    version, other = store.add(bot), bot / "other"
    other.write_text("x", encoding="utf-8")
    kept = store.add(bot)
    assert store.remove(version.hash)
    assert [path.name for path in store.root.iterdir()] == [kept.hash]
    assert not store.remove(version.hash)
    other.unlink()
    assert store.add(bot) == version


@pytest.mark.parametrize("name", ["", "..", "../bot", "feed", "F" * 64, ".adding-x"])
def test_nothing_but_a_version_is_removed(name: str, bot: Path, store: VersionStore) -> None:
    version = store.add(bot)
    with pytest.raises(StoreError, match="is no hash of a version; name one in full"):
        store.remove(name)
    assert store.hashes() == [version.hash]
    assert bot.exists()


def used_by_nobody(version: str) -> bool:
    return False


def test_what_nothing_uses_is_collected_once_it_is_old(bot: Path, store: VersionStore) -> None:
    used = store.add(bot).hash
    (bot / "more").write_text("x", encoding="utf-8")
    unused = store.add(bot).hash
    (bot / "more").write_text("y", encoding="utf-8")
    recent = store.add(bot).hash
    for version in (used, unused):
        os.utime(store.directory(version), (0, 0))
    assert store.collect(lambda hash_: hash_ == used) == [unused]
    assert store.hashes() == sorted([used, recent])
    assert store.collect(bool, older_than_s=0) == []
    assert VersionStore(store.root / "none").collect(used_by_nobody) == []


def test_what_is_added_again_or_renewed_counts_as_recent(bot: Path, store: VersionStore) -> None:
    version = store.add(bot)
    for again in (lambda: store.add(bot), lambda: store.renew(version.hash)):
        os.utime(version.directory, (0, 0))
        assert again()
        assert store.collect(used_by_nobody) == []
    assert not store.renew("0" * 64)
    assert store.get(version.hash) == version


def test_collecting_while_versions_are_added_takes_none_that_was_just_added(bot: Path, store: VersionStore) -> None:
    """Each is old when it is added again; whoever has it in hand then finds it, collector or not."""
    version = store.add(bot)
    ended = threading.Event()

    def collect_all_the_time() -> None:
        while not ended.is_set():
            store.collect(used_by_nobody, older_than_s=60)

    collector = threading.Thread(target=collect_all_the_time)
    collector.start()
    try:
        for _ in range(100):
            with suppress(FileNotFoundError):
                os.utime(version.directory, (0, 0))
            if store.renew(version.hash) or store.add(bot):
                assert store.get(version.hash) == version
    finally:
        ended.set()
        collector.join()
