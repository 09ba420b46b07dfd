"""Equal bots are packed into equal archives, and an archive comes through its way as it was."""

from __future__ import annotations

import hashlib
import io
import os
import random
import tarfile
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.hosting.archive.checking import archive_hash, check_archive, unpack
from arena.hosting.archive.format import ArchiveLimits, ArchiveReason, BotArchiveError, header
from arena.hosting.archive.packing import CHUNK_BYTES, MOST_RATIO, compress_chunk, expand_chunk, pack
from arena.hosting.content import BotFilesError, content_hash
from tests.hosting.archive.archives import LEAST, packed, write_files

LONG = "directory/" * 11 + "a file of Zürich"
SMALL_BOT = {**LEAST, "data/weights": bytes(range(256)) * 5, "data/empty": b"", "run": b"#!/bin/sh\n", LONG: b"x"}
# They are the same on every machine and for every Python; whoever changes them makes every broken upload begin again.
GOLDEN_SHA256 = "d2e53296d511c7a80f286ac459db97056899c1ee5513b05489b0aaa3f0a0f2c0"
GOLDEN_CONTENT_HASH = "2fb14205f323a84b8dcd970009e5a46f469ad574e888adedffe372f7579b405b"

PARTS = st.text(st.characters(exclude_categories=("C", "Zl", "Zp"), exclude_characters="/\\"), min_size=1)
NAMES = PARTS.map(lambda text: f"f{text[:60]}f")
FILES = st.dictionaries(
    st.lists(NAMES, min_size=1, max_size=4).map("/".join),
    st.tuples(st.binary(max_size=1500), st.booleans()),
    max_size=8,
)


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    return write_files(tmp_path / "bot", SMALL_BOT, executable=["run"])


def test_the_same_files_give_the_same_bytes_on_every_machine(bot: Path) -> None:
    target = io.BytesIO()
    archive = pack(bot, target)
    assert target.tell() == 0
    assert archive.sha256 == hashlib.sha256(target.getvalue()).hexdigest() == GOLDEN_SHA256
    assert archive.content_hash == content_hash(bot) == GOLDEN_CONTENT_HASH
    assert (archive.size_bytes, archive.files) == (len(target.getvalue()), len(SMALL_BOT))


def test_nothing_but_names_content_and_the_executable_bit_is_packed(bot: Path, tmp_path: Path) -> None:
    other = write_files(tmp_path / "other", dict(reversed(SMALL_BOT.items())))
    (other / "run").chmod(0o700)
    (other / "main.py").chmod(0o600)
    os.utime(other / "main.py", (0, 0))
    for hidden in (".git/HEAD", "__pycache__/main.pyc", "data/.hidden"):
        write_files(other, {hidden: b"x"})
    assert packed(other).getvalue() == packed(bot).getvalue()


def test_a_link_within_the_bot_is_packed_as_a_file(bot: Path) -> None:
    before = packed(bot)
    (bot / "main.py").rename(bot / ".main.py")
    (bot / "main.py").symlink_to(".main.py")
    assert packed(bot).getvalue() == before.getvalue()


def test_every_tar_program_reads_an_archive(bot: Path) -> None:
    with tarfile.open(fileobj=packed(bot), encoding="utf-8") as archive:
        found = {member.name: (archive.extractfile(member), member.mode) for member in archive}
    assert list(found) == sorted(SMALL_BOT)
    assert found["run"][1] == 0o755
    assert found[LONG][1] == 0o644


@settings(max_examples=30)
@given(files=FILES)
def test_what_is_packed_is_checked_and_unpacked_to_the_same(
    files: dict[str, tuple[bytes, bool]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    directory = tmp_path_factory.mktemp("bots")
    write_files(directory / "bot", LEAST)
    for path, (content, executable) in files.items():
        try:
            write_files(directory / "bot", {path: content}, executable=[path] if executable else [])
        except OSError:  # a file and a directory of one name
            continue
    target = io.BytesIO()
    try:
        archive = pack(directory / "bot", target)
    except BotArchiveError as error:
        assert error.reason is ArchiveReason.NAMES_COLLIDE  # noqa: PT017 - which names collide is for Unicode to say
        return
    listing = check_archive(target)
    assert archive_hash(target, listing) == archive.content_hash
    assert unpack(target, listing, directory / "unpacked") == archive.content_hash
    assert content_hash(directory / "unpacked") == content_hash(directory / "bot") == archive.content_hash
    assert packed(directory / "unpacked").getvalue() == target.getvalue()


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (b"a\\b", ArchiveReason.NAME_BACKSLASH),
        (b"a\nb", ArchiveReason.NAME_UNPRINTABLE),
        (b"\xff", ArchiveReason.NAME_NOT_UTF8),
        (b"MAIN.py", ArchiveReason.NAMES_COLLIDE),
        (b"a.", ArchiveReason.NAME_ENDS_BADLY),
    ],
)
def test_a_name_that_no_store_would_take_is_refused_where_the_author_sees_it(
    bot: Path, name: bytes, reason: ArchiveReason
) -> None:
    with open(os.fsencode(bot) + b"/" + name, "wb"):  # noqa: PTH123 - pathlib knows no bytes
        pass
    target = io.BytesIO()
    with pytest.raises(BotArchiveError) as caught:
        pack(bot, target)
    assert caught.value.reason is reason
    assert not target.getvalue()


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (ArchiveLimits(archive_bytes=1000), ArchiveReason.TOO_LARGE),
        (ArchiveLimits(file_bytes=1000), ArchiveReason.FILE_TOO_LARGE),
    ],
)
def test_what_is_too_large_is_refused_by_pack_too(bot: Path, limits: ArchiveLimits, reason: ArchiveReason) -> None:
    with pytest.raises(BotArchiveError) as caught:
        pack(bot, io.BytesIO(), limits)
    assert caught.value.reason is reason


@pytest.mark.parametrize("limits", [ArchiveLimits(files=3), ArchiveLimits(total_bytes=1000)])
def test_what_holds_too_much_is_refused_by_pack_too(bot: Path, limits: ArchiveLimits) -> None:
    with pytest.raises(BotFilesError, match="keep only what the bot needs"):
        pack(bot, io.BytesIO(), limits)


@pytest.mark.hostile("file-changes-while-it-is-packed")
@pytest.mark.parametrize("change", [b"", b"longer than before, whatever it was"])
def test_a_file_that_changes_meanwhile_is_found_out(bot: Path, change: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    real = header

    def change_then_write(path: str, size_bytes: int, *, executable: bool) -> bytes:
        if path == "main.py":
            (bot / path).write_bytes(change)
        return real(path, size_bytes, executable=executable)

    monkeypatch.setattr("arena.hosting.archive.packing.header", change_then_write)
    with pytest.raises(BotFilesError, match=r"/main\.py: changed while it was read; try again"):
        pack(bot, io.BytesIO())


def refusal(frame: bytes) -> ArchiveReason:
    with pytest.raises(BotArchiveError, match="submit the bot again") as caught:
        expand_chunk(frame)
    return caught.value.reason


@given(st.binary(max_size=3000).flatmap(lambda data: st.integers(1, 50).map(lambda times: data * times)))
def test_a_chunk_arrives_as_it_was(data: bytes) -> None:
    assert expand_chunk(compress_chunk(data)) == data


@pytest.mark.parametrize("size_bytes", [CHUNK_BYTES, CHUNK_BYTES - 1])
def test_the_largest_chunk_arrives_whatever_is_in_it(size_bytes: int) -> None:
    for data in (bytes(size_bytes), random.Random(7).randbytes(size_bytes), b"ab" * (size_bytes // 2)):
        assert expand_chunk(compress_chunk(data)) == data


def test_text_becomes_smaller() -> None:
    text = "".join(f"line {number}\n" for number in range(20_000)).encode()
    assert len(compress_chunk(text)) < len(text) / 3


def test_a_chunk_that_is_too_large_is_the_callers_mistake() -> None:
    with pytest.raises(ValueError, match=f"a chunk has {CHUNK_BYTES + 1} bytes"):
        compress_chunk(bytes(CHUNK_BYTES + 1))


def test_a_frame_never_becomes_more_than_a_chunk() -> None:
    frame = zlib.compress(random.Random(7).randbytes(CHUNK_BYTES + 1))
    assert refusal(frame) is ArchiveReason.COMPRESSION_BOMB


@pytest.mark.hostile("frame-that-unpacks-to-a-giant")
def test_a_frame_never_becomes_more_than_a_hundred_times_its_size() -> None:
    assert MOST_RATIO == 100
    assert refusal(zlib.compress(bytes(CHUNK_BYTES))) is ArchiveReason.COMPRESSION_BOMB
    assert refusal(zlib.compress(bytes(1 << 26))) is ArchiveReason.COMPRESSION_BOMB


@pytest.mark.hostile("damaged-frame")
@given(st.integers(0, 1 << 16), st.integers(1, 255))
def test_a_damaged_frame_is_refused(place: int, flip: int) -> None:
    data = bytes(range(256)) * 40
    frame = bytearray(compress_chunk(data))
    frame[place % len(frame)] ^= flip
    try:
        assert expand_chunk(bytes(frame)) == data  # a bit that deflate does not look at
    except BotArchiveError as error:
        assert error.reason is ArchiveReason.COMPRESSION_DAMAGED  # noqa: PT017


@pytest.mark.parametrize("frame", [b"", b"x", compress_chunk(b"abc")[:-1], compress_chunk(b"abc") + b"x", bytes(100)])
def test_what_is_no_whole_frame_is_refused(frame: bytes) -> None:
    assert refusal(frame) is ArchiveReason.COMPRESSION_DAMAGED
