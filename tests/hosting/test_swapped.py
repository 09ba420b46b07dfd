"""What a stranger's directory may hold or become while it is read: links, pipes, devices, depth, giants."""

import hashlib
import io
import os
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.hosting import content
from arena.hosting.archive.packing import pack
from arena.hosting.content import BotFilesError, content_hash
from arena.hosting.manifest import BotDirectoryError, ManifestError, load_manifest
from arena.hosting.removal import remove_tree
from arena.hosting.store import VersionStore
from tests.hosting.test_manifest import write_bot
from tests.support.processes import held_descriptors

SECRET = b"the organiser's own"

Take = Callable[[Path], object]


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    place = tmp_path / "secret"
    place.write_bytes(SECRET)
    return place


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    bot = write_bot(tmp_path / "bot")
    (bot / "data").mkdir()
    (bot / "data" / "weights").write_bytes(b"0" * len(SECRET))
    return bot


@pytest.fixture
def store(tmp_path: Path) -> VersionStore:
    return VersionStore(tmp_path / "arena.bots")


@pytest.fixture(params=["add", "pack", "hash"])
def take(request: pytest.FixtureRequest, store: VersionStore) -> Take:
    """Every way in which the files of a directory are read."""
    ways: dict[str, Take] = {"add": store.add, "pack": lambda bot: pack(bot, io.BytesIO()), "hash": content_hash}
    return ways[request.param]


@pytest.fixture
def swap(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], None]], None]:
    """Do something once, between the look at all files and the opening of the first."""

    def at_first_opening(deed: Callable[[], None]) -> None:
        first, opened = [deed], content.open_file

        def open_file(file: content.BotFile) -> io.BufferedReader:
            while first:
                first.pop()()
            return opened(file)

        monkeypatch.setattr(content, "open_file", open_file)

    return at_first_opening


def everything(directory: Path) -> Iterator[bytes]:
    return (path.read_bytes() for path in directory.rglob("*") if path.is_file())


@pytest.mark.hostile("file-becomes-a-link")
def test_a_file_that_becomes_a_link_brings_nothing_in(
    bot: Path, secret: Path, store: VersionStore, take: Take, swap: Callable[[Callable[[], None]], None]
) -> None:
    def become() -> None:
        (bot / "data" / "weights").unlink()
        (bot / "data" / "weights").symlink_to(secret)

    swap(become)
    with pytest.raises(BotFilesError, match=r"weights: changed while it was read; try again"):
        take(bot)
    assert SECRET not in set(everything(store.root))


@pytest.mark.hostile("directory-becomes-a-link")
def test_a_directory_that_becomes_a_link_brings_nothing_in(
    bot: Path, secret: Path, take: Take, swap: Callable[[Callable[[], None]], None]
) -> None:
    other = secret.parent / "other"
    other.mkdir()
    (other / "weights").write_bytes(SECRET)

    def become() -> None:
        (bot / "data").rename(bot.parent / "away")
        (bot / "data").symlink_to(other)

    swap(become)
    with pytest.raises(BotFilesError, match="changed while it was read"):
        take(bot)


@pytest.mark.hostile("bot-becomes-another")
def test_the_directory_itself_that_becomes_another_brings_nothing_in(
    bot: Path, secret: Path, take: Take, swap: Callable[[Callable[[], None]], None]
) -> None:
    other = write_bot(secret.parent / "other")
    (other / "data").mkdir()
    (other / "data" / "weights").write_bytes(SECRET)

    def become() -> None:
        bot.rename(bot.parent / "away")
        bot.symlink_to(other)

    swap(become)
    with pytest.raises(BotFilesError, match="changed while it was read"):
        take(bot)


@pytest.mark.hostile("file-becomes-a-pipe")
def test_a_file_that_becomes_a_pipe_holds_nobody_up(
    bot: Path, take: Take, swap: Callable[[Callable[[], None]], None]
) -> None:
    def become() -> None:
        (bot / "data" / "weights").unlink()
        os.mkfifo(bot / "data" / "weights")

    swap(become)
    with pytest.raises(BotFilesError, match="changed while it was read"):
        take(bot)


@pytest.mark.hostile("file-grows-without-end")
def test_a_file_that_grows_without_end_is_not_read_to_it(
    bot: Path, take: Take, swap: Callable[[Callable[[], None]], None]
) -> None:
    swap(lambda: os.truncate(bot / "data" / "weights", 1 << 40))
    with pytest.raises(BotFilesError, match="changed while"):
        take(bot)


@pytest.fixture
def deep(bot: Path) -> Iterator[Path]:
    """A bot with directories that no path could name; removed here, since nothing recursive can."""
    place = os.open(bot, os.O_RDONLY)
    for _ in range(1000):
        os.mkdir("d", dir_fd=place)
        inner = os.open("d", os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = inner
    os.close(place)
    yield bot
    remove_tree(str(bot / "d"))


@pytest.mark.hostile("directories-1000-deep")
def test_a_directory_that_is_too_deep_is_refused_in_a_line(deep: Path, take: Take) -> None:
    with pytest.raises(BotFilesError, match="deeper than 64 directories") as caught:
        take(deep)
    assert "\n" not in str(caught.value)


@pytest.mark.hostile("countless-directories")
def test_directories_without_end_are_refused(bot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "MOST_ENTRIES", 20)
    for number in range(20):
        (bot / f"d{number}").mkdir()
    with pytest.raises(BotFilesError, match="over 20 entries"):
        content_hash(bot)


@pytest.mark.hostile("manifest-is-a-link")
@pytest.mark.parametrize("target", ["/proc/kcore", "/dev/zero", "/etc/passwd", "nowhere", "bot.toml", "data"])
def test_a_manifest_that_is_a_link_elsewhere_is_refused_at_once(bot: Path, target: str) -> None:
    (bot / "bot.toml").unlink()
    (bot / "bot.toml").symlink_to(target)
    with pytest.raises(ManifestError, match=r"bot\.toml") as caught:
        load_manifest(bot)
    assert "root:" not in str(caught.value)


def test_a_manifest_that_is_a_link_within_the_bot_is_read(bot: Path) -> None:
    (bot / "bot.toml").rename(bot / "data" / "of.toml")
    (bot / "bot.toml").symlink_to("data/of.toml")
    assert load_manifest(bot).name == "my-bot"


@pytest.mark.hostile("manifest-is-a-pipe")
def test_a_manifest_that_is_a_pipe_holds_nobody_up(bot: Path) -> None:
    (bot / "bot.toml").unlink()
    os.mkfifo(bot / "bot.toml")
    with pytest.raises(ManifestError, match=r"bot\.toml"):
        load_manifest(bot)


@pytest.mark.hostile("giant-manifest")
def test_a_giant_manifest_is_not_read(bot: Path) -> None:
    os.truncate(bot / "bot.toml", 1 << 40)
    with pytest.raises(ManifestError, match="longer than 65536 bytes"):
        load_manifest(bot)


@pytest.mark.hostile("sparse-giant")
def test_a_sparse_giant_is_refused_before_it_is_read(bot: Path, take: Take) -> None:
    os.truncate(bot / "data" / "weights", 1 << 40)
    with pytest.raises((BotDirectoryError, ValueError), match=r"holds over 512 MiB|over .* bytes"):
        take(bot)


@pytest.mark.hostile("devices", "second-names-of-others-files")
@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root makes devices and others' files")
def test_devices_and_second_names_of_others_files_are_refused(bot: Path, secret: Path, take: Take) -> None:
    os.mknod(bot / "zero", stat.S_IFCHR | 0o666, os.makedev(1, 5))
    with pytest.raises(BotFilesError, match="neither a file nor a directory"):
        take(bot)
    (bot / "zero").unlink()
    for path in (bot, *bot.rglob("*")):
        os.chown(path, 65534, 65534)
    os.link(secret, bot / "borrowed")
    with pytest.raises(BotFilesError, match=r"borrowed: is a second name of another user's file"):
        take(bot)


def test_second_names_of_ones_own_files_are_files(bot: Path, store: VersionStore) -> None:
    os.link(bot / "data" / "weights", bot / "data" / "again")
    stored = store.add(bot).directory / "data" / "again"
    assert hashlib.sha256(stored.read_bytes()).digest() == hashlib.sha256(b"0" * len(SECRET)).digest()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows what is open")
def test_nothing_stays_open(bot: Path, take: Take) -> None:
    take(bot)
    before = held_descriptors()
    take(bot)
    assert held_descriptors() == before
