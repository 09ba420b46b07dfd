"""An archive is checked before a byte of it is unpacked, and comes into a store whole or not at all."""

from __future__ import annotations

import gzip
import io
import random
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arena.hosting.archive.checking import add_archive, archive_hash, check_archive, unpack
from arena.hosting.archive.format import END, ArchiveContentError, ArchiveLimits, ArchiveReason, BotArchiveError, header
from arena.hosting.content import content_hash
from arena.hosting.store import StoreError, VersionStore
from tests.hosting.archive.archives import LEAST, packed, refusal, tar, write_files
from tests.support.machines import run_on_small_disk
from tests.support.patience import PATIENCE_S

FILES = {**LEAST, "data/weights": bytes(600), "é" * 60: b"pax"}
STEPS = [11, pytest.param(1, marks=pytest.mark.needs("minutes"))]
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


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return packed(write_files(tmp_path_factory.mktemp("bot"), FILES)).getvalue()


def member(name: str, kind: bytes = tarfile.REGTYPE, size: int = 0, **more: Any) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.size, info.linkname = kind, size, "bot.toml" if kind in (tarfile.LNKTYPE, tarfile.SYMTYPE) else ""
    for key, value in more.items():
        setattr(info, key, value)
    return info


def test_a_listing_tells_what_lies_where(good: bytes) -> None:
    listing = check_archive(io.BytesIO(good))
    assert [entry.path for entry in listing.entries] == sorted(FILES)
    assert listing.size_bytes == len(good)
    assert listing.total_bytes == sum(map(len, FILES.values()))
    for entry in listing.entries:
        assert good[entry.data_offset :][: entry.size_bytes] == FILES[entry.path]


def test_what_pythons_own_tar_makes_of_plain_files_is_the_same_format() -> None:
    listing = check_archive(io.BytesIO(tar("bot.toml", "data/x", "main.py")))
    assert [entry.path for entry in listing.entries] == ["bot.toml", "data/x", "main.py"]


@pytest.mark.hostile("archive-with-names-that-lead-out")
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("/etc/passwd", ArchiveReason.NAME_ABSOLUTE),
        ("../x", ArchiveReason.NAME_LEAVES),
        ("a/../../x", ArchiveReason.NAME_LEAVES),
        ("a/..", ArchiveReason.NAME_LEAVES),
        ("./x", ArchiveReason.NAME_EMPTY_PART),
        ("a//x", ArchiveReason.NAME_EMPTY_PART),
        ("a/", ArchiveReason.NAME_EMPTY_PART),
        ("", ArchiveReason.NAME_EMPTY_PART),
        ("a\\..\\x", ArchiveReason.NAME_BACKSLASH),
        ("C:\\x", ArchiveReason.NAME_BACKSLASH),
        ("a\nb", ArchiveReason.NAME_UNPRINTABLE),
        ("a\x1b[31m", ArchiveReason.NAME_UNPRINTABLE),
        ("a\x7f", ArchiveReason.NAME_UNPRINTABLE),
        ("a\u202egnp.py", ArchiveReason.NAME_UNPRINTABLE),
        ("a\u2028b", ArchiveReason.NAME_UNPRINTABLE),
        ("a\udcff", ArchiveReason.NAME_NOT_UTF8),
        (".bashrc", ArchiveReason.NAME_HIDDEN),
        ("a/.git/config", ArchiveReason.NAME_HIDDEN),
        ("a/__pycache__/x.pyc", ArchiveReason.NAME_HIDDEN),
        ("a./x", ArchiveReason.NAME_ENDS_BADLY),
        ("a ", ArchiveReason.NAME_ENDS_BADLY),
    ],
)
def test_a_name_that_no_file_of_a_bot_may_have_is_refused(name: str, reason: ArchiveReason) -> None:
    assert refusal(tar(name))[0] is reason


@pytest.mark.parametrize("name", ["x" * 256, "x/" * 64 + "x", "/".join(["x" * 200] * 6)])
def test_a_name_that_is_too_long_is_refused(name: str) -> None:
    reason, message = refusal(tar(name, form=tarfile.PAX_FORMAT))
    assert reason in (ArchiveReason.NAME_TOO_LONG, ArchiveReason.EXTENSION)
    assert len(message) < 200


@pytest.mark.hostile("archive-with-names-in-conflict")
@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (("a", "a"), ArchiveReason.NAME_TWICE),
        (("a", "a/b"), ArchiveReason.NAME_FILE_AND_DIRECTORY),
        (("a/b", "a"), ArchiveReason.NAME_FILE_AND_DIRECTORY),
        (("Bot.toml", "bot.toml"), ArchiveReason.NAMES_COLLIDE),
        (("data/a", "Data/b"), ArchiveReason.NAMES_COLLIDE),
        (("d/straße", "d/STRASSE"), ArchiveReason.NAMES_COLLIDE),
        (("d/\u00e9", "d/e\u0301"), ArchiveReason.NAMES_COLLIDE),
        (("d/\u00c9/x", "d/e\u0301/y"), ArchiveReason.NAMES_COLLIDE),
        (("d/\u212b", "d/\u00e5"), ArchiveReason.NAMES_COLLIDE),
        (("Data", "data/a"), ArchiveReason.NAMES_COLLIDE),
        (("b", "a"), ArchiveReason.NOT_CANONICAL),
    ],
)
def test_names_that_cannot_lie_side_by_side_are_refused(names: tuple[str, ...], reason: ArchiveReason) -> None:
    headers = [header(name, 0, executable=False) for name in names]
    assert refusal(b"".join(headers) + END)[0] is reason


@pytest.mark.hostile("archive-with-links-and-devices")
@pytest.mark.parametrize(
    "kind", [tarfile.LNKTYPE, tarfile.SYMTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE]
)
def test_whatever_is_no_file_is_refused(kind: bytes) -> None:
    reason, message = refusal(tar(member("evil", kind)))
    assert reason is ArchiveReason.NO_FILE
    assert message.startswith(("'evil' is a ", "'evil/' is a directory"))


@pytest.mark.parametrize(
    "data",
    [
        tar("x" * 150, form=tarfile.GNU_FORMAT),
        tar(member("x", tarfile.SYMTYPE, linkname="y" * 150), form=tarfile.GNU_FORMAT),
        tar(member("x", tarfile.GNUTYPE_SPARSE)),
        tar(member("x", tarfile.AREGTYPE)),
        tar(member("x", tarfile.CONTTYPE)),
        tar(member("x", mtime=1.5), form=tarfile.PAX_FORMAT),
        tar(member("x", pax_headers={"size": "1"}), form=tarfile.PAX_FORMAT),
        tar(member("x", pax_headers={"path": "y", "GNU.sparse.name": "z"}), form=tarfile.PAX_FORMAT),
        tar(member("x", pax_headers={"hdrcharset": "BINARY"}), form=tarfile.PAX_FORMAT),
        tar(member("x" * 1200), form=tarfile.PAX_FORMAT),
    ],
)
def test_what_other_tars_can_do_besides_is_refused(data: bytes) -> None:
    assert refusal(data)[0] is ArchiveReason.EXTENSION


def test_a_global_header_is_refused() -> None:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=tarfile.PAX_FORMAT, pax_headers={"path": "../x"}) as archive:
        archive.addfile(tarfile.TarInfo("bot.toml"))
    assert refusal(target.getvalue())[0] is ArchiveReason.EXTENSION


@pytest.mark.parametrize(
    "more",
    [{"mode": 0o4755}, {"mode": 0o600}, {"uid": 1000}, {"gid": 1}, {"mtime": 1}, {"uname": "root"}, {"gname": "root"}],
)
def test_a_header_with_more_in_it_than_pack_writes_is_refused(more: dict[str, Any]) -> None:
    assert refusal(tar(member("x", **more)))[0] is ArchiveReason.NOT_CANONICAL


def test_a_long_name_that_another_tar_splits_is_refused() -> None:
    assert refusal(tar("d" * 90 + "/" + "x" * 90))[0] is ArchiveReason.NOT_CANONICAL


@pytest.mark.hostile("archive-over-a-limit")
@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (ArchiveLimits(archive_bytes=2000), ArchiveReason.TOO_LARGE),
        (ArchiveLimits(file_bytes=599), ArchiveReason.FILE_TOO_LARGE),
        (ArchiveLimits(total_bytes=650), ArchiveReason.FILES_TOO_LARGE),
        (ArchiveLimits(files=3), ArchiveReason.TOO_MANY_FILES),
    ],
)
def test_what_is_over_a_limit_is_refused(good: bytes, limits: ArchiveLimits, reason: ArchiveReason) -> None:
    assert refusal(good, limits)[0] is reason


def test_what_comes_to_a_limit_and_not_over_it_is_taken(good: bytes) -> None:
    total_bytes = sum(map(len, FILES.values()))
    limits = ArchiveLimits(archive_bytes=len(good), file_bytes=600, total_bytes=total_bytes)
    assert check_archive(io.BytesIO(good), limits).total_bytes == total_bytes


def test_too_many_directories_are_refused() -> None:
    assert refusal(tar("c/d/e/f"), ArchiveLimits(files=2))[0] is ArchiveReason.TOO_MANY_FILES


@pytest.mark.hostile("archive-that-promises-a-giant")
def test_a_size_is_refused_before_anything_of_that_size_is_read() -> None:
    data = header("main.py", 8**11 - 1, executable=False)
    assert refusal(data)[0] is ArchiveReason.FILE_TOO_LARGE
    assert refusal(data, ArchiveLimits(file_bytes=8**12, total_bytes=8**12))[0] is ArchiveReason.TRUNCATED


def test_a_size_in_another_notation_is_refused() -> None:
    data = member("main.py", size=8**11).tobuf(tarfile.GNU_FORMAT)
    assert refusal(data)[0] is ArchiveReason.EXTENSION


@pytest.mark.hostile("archive-cut-off")
@pytest.mark.parametrize("cut", [1, 512, 513, 1024, 1025, 2000])
def test_an_archive_that_was_cut_off_is_refused(good: bytes, cut: int) -> None:
    assert refusal(good[:-cut])[0] is ArchiveReason.TRUNCATED


@pytest.mark.hostile("archive-with-something-behind-it")
@pytest.mark.parametrize("more", [b"x", bytes(512), bytes(8704)])
def test_an_archive_with_something_behind_it_is_refused(good: bytes, more: bytes) -> None:
    assert refusal(good + more)[0] is ArchiveReason.TRAILING_BYTES


@pytest.mark.hostile("archive-with-hidden-bytes")
def test_bytes_hidden_between_two_files_are_refused(good: bytes) -> None:
    hidden = bytearray(good)
    hidden[512 + len(LEAST["bot.toml"])] = 1
    assert refusal(bytes(hidden))[0] is ArchiveReason.NOT_CANONICAL


def test_an_archive_without_manifest_is_refused() -> None:
    reason, message = refusal(bytes(1024))
    assert reason is ArchiveReason.NO_MANIFEST
    assert message == "the archive has no bot.toml; submit the directory that holds it"
    assert refusal(tar("data/bot.toml"))[0] is ArchiveReason.NO_MANIFEST


def zipped() -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("../bot.toml", bytes(4096))
    return target.getvalue()


@pytest.mark.parametrize(
    "make",
    [zipped, lambda: gzip.compress(bytes(range(256)) * 9, 0), lambda: b"\x7fELF" + bytes(2000), lambda: b"x" * 512],
)
def test_another_kind_of_file_is_called_so(make: Callable[[], bytes]) -> None:
    reason, message = refusal(make())
    assert reason is ArchiveReason.NO_ARCHIVE
    assert message == "this is no archive of a bot; let the arena's own command pack the bot"


def test_an_empty_file_is_refused() -> None:
    assert refusal(b"")[0] is ArchiveReason.TRUNCATED


def changed_hash(data: bytes) -> str | None:
    """The content hash of an archive; None if it is refused."""
    file = io.BytesIO(data)
    try:
        return archive_hash(file, check_archive(file))
    except BotArchiveError:
        return None


@pytest.mark.parametrize("step", STEPS)
def test_every_single_byte_matters(good: bytes, step: int) -> None:
    right = changed_hash(good)
    assert right is not None
    for place in range(0, len(good), step):
        damaged = bytearray(good)
        damaged[place] ^= 1 << place % 8
        assert changed_hash(bytes(damaged)) != right, place


@pytest.mark.parametrize("step", STEPS)
def test_every_length_matters(good: bytes, step: int) -> None:
    for length in range(0, len(good), step):
        assert changed_hash(good[:length]) is None, length


@pytest.mark.hostile("archive-damaged-with-right-checksums")
@given(
    changes=st.lists(
        st.tuples(st.integers(0, 511), st.sampled_from([b"0", b"1", b"x", b"L", b"../", b"/", b"\0", b"7777", b"pax"])),
        min_size=1,
        max_size=4,
    ),
    block=st.integers(0, 12),
)
@example(changes=[(0, b"../")], block=0)
def test_no_damage_with_right_checksums_leads_out_of_the_directory(
    changes: list[tuple[int, bytes]], block: int, good: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    data, start = bytearray(good), block * 512 % len(good)
    for place, text in changes:
        data[start + place : start + place + len(text)] = text
    total = sum(data[start : start + 512]) - sum(data[start + 148 : start + 156]) + 8 * ord(" ")
    data[start + 148 : start + 156] = b"%06o\0 " % total
    file = io.BytesIO(data[: len(good)])
    try:
        listing = check_archive(file)
    except BotArchiveError:
        return
    outside = tmp_path_factory.mktemp("outside")
    assert unpack(file, listing, outside / "inside") == content_hash(outside / "inside")
    assert [path.name for path in outside.iterdir()] == ["inside"]
    assert not [path for path in outside.rglob("*") if path.is_symlink()]


def test_the_files_are_not_read(good: bytes, tmp_path: Path) -> None:
    """A gigabyte of holes is checked at once, and within little memory."""
    path = tmp_path / "archive"
    size_bytes = 1 << 30
    with path.open("wb") as file:
        file.write(header("bot.toml", size_bytes, executable=False))
        file.seek(size_bytes, io.SEEK_CUR)
        file.write(END)
    reads: list[int] = []

    class Counting(io.FileIO):
        def read(self, size: int | None = -1, /) -> bytes:
            reads.append(size or 0)
            return super().read(size)

    with Counting(path) as counting:
        check_archive(counting, ArchiveLimits(2 * size_bytes, 2 * size_bytes, 2 * size_bytes))
    assert 0 < sum(reads) < 5000
    assert min(reads) >= 0


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    return write_files(tmp_path / "bot", {**LEAST, "data/weights": bytes(300_000), "run": b""}, executable=["run"])


@pytest.fixture
def store(tmp_path: Path) -> VersionStore:
    return VersionStore(tmp_path / "store")


def refused_by_store(store: VersionStore, archive: io.BytesIO, expected: str) -> tuple[ArchiveReason, str]:
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
    reason, message = refused_by_store(store, packed(bot), "f" * 64)
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
    assert refused_by_store(store, packed(bot), hash_)[0] is ArchiveReason.WRONG_CONTENT


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
    reason, text = refused_by_store(store, packed(bot), content_hash(bot))
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
