import io
import random
import subprocess
import sys
from pathlib import Path

import pytest

from arena.hosting.archive.checking import add_archive
from arena.hosting.archive.format import ArchiveContentError, ArchiveLimits, ArchiveReason, BotArchiveError
from arena.hosting.content import content_hash
from arena.hosting.store import StoreError, VersionStore
from tests.hosting.archive.archives import LEAST, packed, write_files
from tests.support.patience import PATIENCE_S
from tests.support.small_disk import run_on_small_disk

ADD = """
import resource, sys
from pathlib import Path
from arena.hosting.archive.checking import add_archive
from arena.hosting.store import StoreError, VersionStore
store, archive, expected, most = Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
if most:
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
print("ready", flush=True)
sys.stdin.readline()
try:
    print(add_archive(VersionStore(store), open(archive, "rb"), expected).hash)
except StoreError as error:
    print("StoreError", error)
print("left", sorted(path.name for path in store.iterdir()))
"""

# Adds the same forty versions for ever, each of some files, and removes every third again at once.
CHURN = """
import io, sys
from pathlib import Path
from arena.hosting.archive.packing import pack
from arena.hosting.archive.checking import add_archive
from arena.hosting.store import VersionStore
source, store = Path(sys.argv[1]), VersionStore(Path(sys.argv[2]))
number = int(sys.argv[3])
while True:
    (source / "number").write_text(str(number % 40))
    archive = io.BytesIO()
    expected = pack(source, archive).content_hash
    add_archive(store, archive, expected)
    if number % 3 == 0:
        store.remove(expected)
    print(number, flush=True)
    number += 1
"""


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    return write_files(tmp_path / "bot", {**LEAST, "data/weights": bytes(300_000), "run": b""}, executable=["run"])


@pytest.fixture
def store(tmp_path: Path) -> VersionStore:
    return VersionStore(tmp_path / "store")


def refusal(store: VersionStore, archive: io.BytesIO, expected: str) -> tuple[ArchiveReason, str]:
    with pytest.raises(BotArchiveError) as caught:
        add_archive(store, archive, expected)
    assert not store.hashes()
    return caught.value.reason, str(caught.value)


def start(*words: object) -> subprocess.Popen[str]:
    command = [sys.executable, *map(str, words)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_an_archive_becomes_the_version_that_the_directory_is(bot: Path, store: VersionStore) -> None:
    version = add_archive(store, packed(bot), content_hash(bot))
    assert version == store.get(content_hash(bot)) == store.add(bot)
    assert (version.directory / "run").stat().st_mode & 0o777 == 0o555
    assert (version.directory / "data/weights").stat().st_mode & 0o777 == 0o444
    assert (version.directory / "data").stat().st_mode & 0o777 == 0o755
    assert [path.name for path in store.root.iterdir()] == [version.hash]


def test_adding_twice_stores_once(bot: Path, store: VersionStore) -> None:
    first = add_archive(store, packed(bot), content_hash(bot))
    written = (first.directory / "main.py").stat()
    assert add_archive(store, packed(bot), content_hash(bot)) == first
    assert (first.directory / "main.py").stat() == written
    assert len(list(store.root.iterdir())) == 1


@pytest.mark.hostile("archive-of-other-files")
def test_an_archive_of_other_files_is_refused_and_nothing_stored(bot: Path, store: VersionStore) -> None:
    reason, message = refusal(store, packed(bot), "f" * 64)
    assert reason is ArchiveReason.WRONG_CONTENT
    assert message.endswith("and 'ffffffffffff' was announced; submit the bot again")
    assert not store.root.exists()


@pytest.mark.hostile("ask-for-anothers-bot-by-its-hash")
def test_knowing_the_hash_of_anothers_bot_gives_nobody_that_bot(bot: Path, store: VersionStore, tmp_path: Path) -> None:
    secret = store.add(bot)
    mine = packed(write_files(tmp_path / "mine", LEAST))
    with pytest.raises(ArchiveContentError, match="was announced"):
        add_archive(store, mine, secret.hash)


@pytest.mark.hostile("hash-that-is-a-path")
@pytest.mark.parametrize("hash_", ["../outside", "/etc", ""])
def test_a_hash_that_is_a_path_leads_nowhere(bot: Path, store: VersionStore, hash_: str) -> None:
    assert refusal(store, packed(bot), hash_)[0] is ArchiveReason.WRONG_CONTENT


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"bot.toml": b"schema = 1"}, "bot.toml: the key 'name' is missing; "),
        ({"bot.toml": b"\xff"}, "bot.toml: is not UTF-8 text "),
        ({"bot.toml": LEAST["bot.toml"]}, "bot.toml: command runs 'main.py', and there is no such file"),
    ],
)
def test_an_archive_of_no_bot_is_refused_in_words_that_name_no_place_of_the_server(
    files: dict[str, bytes], message: str, store: VersionStore, tmp_path: Path
) -> None:
    bot = write_files(tmp_path / "bot", files)
    reason, text = refusal(store, packed(bot), content_hash(bot))
    assert reason is ArchiveReason.BAD_MANIFEST
    assert text.startswith(message)
    assert str(store.root) not in text
    assert not list(store.root.iterdir())


def test_the_limits_are_those_of_the_caller(bot: Path, store: VersionStore) -> None:
    with pytest.raises(BotArchiveError, match="has over 1000 bytes"):
        add_archive(store, packed(bot), content_hash(bot), ArchiveLimits(file_bytes=1000))


@pytest.mark.host_fault("stored-version-changed")
def test_a_version_that_was_changed_in_the_store_is_not_given_out(bot: Path, store: VersionStore) -> None:
    version = add_archive(store, packed(bot), content_hash(bot))
    (version.directory / "main.py").chmod(0o644)
    (version.directory / "main.py").write_text("tampered", encoding="utf-8")
    with pytest.raises(StoreError, match="the stored files were changed"):
        add_archive(store, packed(bot), content_hash(bot))


def test_processes_that_add_the_same_at_once_store_it_once(bot: Path, store: VersionStore, tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    archive.write_bytes(packed(bot).getvalue())
    expected = content_hash(bot)
    processes = [start("-c", ADD, store.root, archive, expected, 0) for _ in range(3)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    outputs = [process.communicate(timeout=PATIENCE_S)[0] for process in processes]
    assert [output.splitlines()[0] for output in outputs] == [expected] * 3
    assert [path.name for path in store.root.iterdir()] == [expected]
    assert store.get(expected).hash == expected


def adding(bot: Path, tmp_path: Path, most_bytes: int) -> list[str]:
    """The command that adds a bot to the store `small`, perhaps without the right to larger files."""
    archive = tmp_path / "archive"
    archive.write_bytes(packed(bot).getvalue())
    return [sys.executable, "-c", ADD, str(tmp_path / "small"), str(archive), content_hash(bot), str(most_bytes)]


@pytest.mark.host_fault("file-size-limit-while-a-bot-is-stored")
def test_files_that_may_not_be_written_leave_nothing_behind(bot: Path, tmp_path: Path) -> None:
    process = start(*adding(bot, tmp_path, 100_000)[1:])
    _, said, left = process.communicate("go\n", timeout=PATIENCE_S)[0].splitlines()
    assert said.startswith(f"StoreError {tmp_path}/small: the bot cannot be stored (File too large); check space")
    assert left == "left []"


@pytest.mark.host_fault("disk-full-while-a-bot-is-stored")
@pytest.mark.needs("minutes")
def test_a_full_disk_leaves_nothing_behind(bot: Path, tmp_path: Path) -> None:
    _, said, left = run_on_small_disk(tmp_path / "small", 200, adding(bot, tmp_path, 0))
    assert said.startswith(f"StoreError {tmp_path}/small: the bot cannot be stored (No space left on device); check")
    assert left == "left []"


@pytest.mark.host_fault("killed-while-a-bot-is-stored")
@pytest.mark.parametrize("rounds", [2, pytest.param(12, marks=pytest.mark.needs("minutes"))])
def test_a_process_killed_at_any_moment_leaves_whole_versions_alone(
    bot: Path, store: VersionStore, tmp_path: Path, rounds: int
) -> None:
    write_files(bot, {f"more/{number}": b"x" for number in range(30)})
    moments = random.Random(11)
    for round_ in range(rounds):
        process = start("-c", CHURN, bot, store.root, round_ * 7)
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(3)]
        assert all(said)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(moments.uniform(0, 0.03))
        process.kill()
        process.communicate(timeout=PATIENCE_S)
        for version in store.hashes():
            assert store.get(version).hash == version
    store.sweep(0)
    assert sorted(path.name for path in store.root.iterdir()) == store.hashes()
    assert 0 < len(store.hashes()) <= 40
