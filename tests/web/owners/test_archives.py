"""Archives as people have them: made on Windows, packed twice, damaged on the way, or made to do harm."""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import lzma
import shutil
import struct
import tarfile
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from arena.hosting.archive.format import ArchiveLimits
from arena.web.owners.archives import MOST_LIST_BYTES, InvalidUploadError, unpack_bot

minutes = pytest.mark.needs("minutes")
LIMITS = ArchiveLimits(total_bytes=1 << 20, files=50)
MUCH_BYTES = 32 << 20
"""More than the unpacking of a small bot may ever take."""


def unpack(content: bytes, directory: Path) -> Path:
    return unpack_bot(io.BytesIO(content), directory, LIMITS)


def packed(*blocks: bytes, times: int = 1) -> bytes:
    """A compressed tar file of those blocks, again and again."""
    kept = io.BytesIO()
    with gzip.GzipFile(fileobj=kept, mode="wb", compresslevel=1) as file:
        for _ in range(times):
            file.writelines(blocks)
    return kept.getvalue()


def header(name: str, kind: bytes = tarfile.REGTYPE, size: int = 0) -> bytes:
    info = tarfile.TarInfo(name)
    info.type, info.size = kind, size
    return info.tobuf(tarfile.GNU_FORMAT)


def much_of(name: str, kind: bytes) -> bytes:
    """A tar file with one member of that kind, and much in it."""
    return packed(header(name, kind, MUCH_BYTES), *[b"a" * (1 << 20)] * (MUCH_BYTES >> 20))


def zip_with(data: bytes, **changes: Any) -> bytes:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", **changes) as archive:
        archive.writestr("bot.toml", data)
    return kept.getvalue()


def damaged(archive: bytes) -> bytes:
    """A zip file whose first member has the first bytes of what is in it wrong."""
    begin = 30 + len("bot.toml")
    return archive[:begin] + b"\xff" * 4 + archive[begin + 4 :]


def zip_of_many() -> bytes:
    """A zip file whose list is longer than that of any bot."""
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w") as archive:
        for number in range(MOST_LIST_BYTES // 46 // 200 + 1):
            archive.writestr(f"{number:06}" + "x" * 194, b"")
    return kept.getvalue()


LIES: dict[str, Callable[[], bytes]] = {
    "a long name": partial(much_of, "x", tarfile.GNUTYPE_LONGNAME),
    "a long link": partial(much_of, "x", tarfile.GNUTYPE_LONGLINK),
    "a long header": partial(much_of, "x", tarfile.XHDTYPE),
    "a long header for all": partial(much_of, "x", tarfile.XGLTYPE),
    "a large hidden file": partial(much_of, ".x", tarfile.REGTYPE),
    "directories without end": partial(packed, header("d", tarfile.DIRTYPE), times=20_000),
    "hidden files without end": partial(packed, header(".x"), times=20_000),
    "a sparse file": partial(packed, header("x", tarfile.GNUTYPE_SPARSE, 10)),
    "a size below nothing": partial(packed, header("x", size=-1024)),
    "a list without end": zip_of_many,
}
ALIVE = b'schema = 1\nname = "owl"\n'
BROKEN = {
    "damaged": damaged(zip_with(b"a" * 1000, compression=zipfile.ZIP_DEFLATED)),
    "damaged gzip": packed(header("x", size=5000) + bytes(5000))[:-40] + bytes(40),
    "cut xz": lzma.compress(header("bot.toml", size=2000) + bytes(4096))[:-30],
    "zip by lzma": zip_with(ALIVE, compression=zipfile.ZIP_LZMA),
}


@pytest.mark.hostile(
    "web-archive-of-long-names",
    "web-archive-of-hidden-files",
    "web-archive-of-directories-without-end",
    "web-archive-with-a-sparse-file",
    "web-archive-with-a-size-below-nothing",
    "web-archive-with-a-list-without-end",
)
@pytest.mark.parametrize("lie", LIES)
def test_what_an_archive_says_of_itself_takes_no_memory(lie: str, tmp_path: Path) -> None:
    content = LIES[lie]()
    tracemalloc.start()
    try:
        with pytest.raises(InvalidUploadError):
            unpack(content, tmp_path)
        assert tracemalloc.get_traced_memory()[1] < MUCH_BYTES // 2
    finally:
        tracemalloc.stop()


@pytest.mark.hostile("web-damaged-archive")
@pytest.mark.parametrize("what", BROKEN)
def test_what_is_damaged_is_no_fault_of_the_arena(what: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidUploadError):
        unpack(BROKEN[what], tmp_path)


@pytest.mark.parametrize("kind", ["w", "w:gz", "w:bz2", "w:xz"])
def test_honest_archives_are_unpacked_with_long_names_and_what_is_left_out(kind: str, tmp_path: Path) -> None:
    kept = io.BytesIO()
    with tarfile.open(fileobj=kept, mode=kind) as archive:  # type: ignore[call-overload]
        for name in ("./bot.toml", "./.git/objects/x", "./deep/" + "n" * 200 + "/" + "m" * 120):
            info = tarfile.TarInfo(name)
            info.size = len(ALIVE)
            archive.addfile(info, io.BytesIO(ALIVE))
    assert unpack(kept.getvalue(), tmp_path) == tmp_path
    assert {path.name for path in tmp_path.iterdir()} == {"bot.toml", "deep"}


@pytest.mark.parametrize("packed_as", ["owl/.", "././owl", "./owl/./."])
def test_a_directory_that_was_packed_with_dots_in_its_path_is_taken_whole(packed_as: str, tmp_path: Path) -> None:
    kept = io.BytesIO()
    with tarfile.open(fileobj=kept, mode="w:gz") as archive:  # as `tar czf owl.tgz owl/.` does
        for name in ("bot.toml", "./lib/main.py"):
            info = tarfile.TarInfo(f"{packed_as}/{name}")
            info.size = len(ALIVE)
            archive.addfile(info, io.BytesIO(ALIVE))
    bot = unpack(kept.getvalue(), tmp_path)
    assert bot == tmp_path / "owl"
    assert {str(path.relative_to(bot)) for path in bot.rglob("*") if path.is_file()} == {"bot.toml", "lib/main.py"}


@pytest.mark.host_fault("disk-full-under-the-pages")
def test_a_full_disk_is_not_taken_for_a_bad_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "mkdir", full)
    with pytest.raises(OSError, match="No space left"):
        unpack(zip_with(ALIVE), tmp_path)


def files_in(directory: Path) -> dict[str, tuple[bytes, bool]]:
    """Every file below a directory: its content, and whether it is a program."""
    return {
        str(path.relative_to(directory)): (path.read_bytes(), bool(path.stat().st_mode & 0o100))
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


def unpacked(content: bytes, directory: Path) -> dict[str, tuple[bytes, bool]]:
    """What an archive holds, unpacked into a directory that is emptied first."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir()
    return files_in(unpack(content, directory))


BOT: Mapping[str, bytes] = {"bot.toml": ALIVE, "foo": b"1234", "n.py": b"import this\n"}
"""One bit makes `foo` the directory `fo/`, and `n.py` the hidden file `..py`."""


def tar_of(files: Mapping[str, bytes], kind: str = "w") -> bytes:
    kept = io.BytesIO()
    level = {"w:xz": {"preset": 0}, "w:bz2": {"compresslevel": 1}}.get(kind, {})  # these take less memory and time
    with tarfile.open(fileobj=kept, mode=kind, **level) as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(content), 0o755 if name == "foo" else 0o644
            archive.addfile(info, io.BytesIO(content))
    return kept.getvalue()


def plain_zip(files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return kept.getvalue()


def flips(content: bytes, places: range) -> Iterator[tuple[int, bytes]]:
    """The content with one wrong bit, for each bit of these places."""
    for place in places:
        for bit in range(8):
            yield 8 * place + bit, content[:place] + bytes([content[place] ^ 1 << bit]) + content[place + 1 :]


def check_damage(whole: bytes, damaged: Iterator[tuple[int, bytes]], directory: Path, *, modes: bool = True) -> None:
    """Each damaged archive is refused in one line, or gives the files of the whole one."""
    wanted = unpacked(whole, directory / "whole")
    assert set(wanted) == set(BOT)
    for what, content in damaged:
        try:
            found = unpacked(content, directory / "damaged")
        except InvalidUploadError:
            continue
        if not modes:
            found = {name: (data, wanted[name][1] if name in wanted else False) for name, (data, _) in found.items()}
        assert found == wanted, what


@pytest.mark.hostile("web-damaged-archive")
@pytest.mark.parametrize("kind", ["w:gz", "w:bz2", "w:xz"])
def test_one_wrong_bit_in_a_compressed_tar_is_noticed(kind: str, tmp_path: Path) -> None:
    whole = tar_of(BOT, kind)
    check_damage(whole, flips(whole, range(len(whole))), tmp_path)


@pytest.mark.hostile("web-damaged-archive")
@pytest.mark.parametrize("method", [pytest.param(zipfile.ZIP_STORED, marks=minutes), zipfile.ZIP_DEFLATED])
def test_one_wrong_bit_in_a_zip_is_noticed_but_in_the_mode_which_has_no_checksum(method: int, tmp_path: Path) -> None:
    whole = plain_zip({**BOT, "foo": b"1234" * 20}, method)
    check_damage(whole, flips(whole, range(len(whole))), tmp_path, modes=False)


@pytest.mark.hostile("web-damaged-archive")
@pytest.mark.parametrize("block", [2, *(pytest.param(other, marks=minutes) for other in (0, 4, 6))])
def test_one_wrong_bit_in_the_headers_of_a_tar_is_noticed(block: int, tmp_path: Path) -> None:
    # What is in the files of a plain tar has no checksum anywhere.
    whole = tar_of(BOT)
    check_damage(whole, flips(whole, range(512 * block, 512 * (block + 1))), tmp_path)


@pytest.mark.hostile("web-damaged-archive")
@pytest.mark.parametrize("kind", ["w", "w:gz", "w:bz2", "w:xz", "zip"])
def test_an_archive_that_was_cut_off_is_noticed_wherever_that_was(kind: str, tmp_path: Path) -> None:
    whole = plain_zip(BOT) if kind == "zip" else tar_of(BOT, kind)
    cuts = range(0, len(whole), 64 if kind == "w" else 1)
    check_damage(whole, ((cut, whole[:cut]) for cut in cuts), tmp_path)


LAST: Mapping[str, bytes] = {"last.py": b"1"}
TRAILED: dict[str, Callable[[], bytes]] = {
    "two tars": lambda: tar_of(BOT) + tar_of(LAST),
    "two tars in one gzip": lambda: gzip.compress(tar_of(BOT) + tar_of(LAST)),
    "two gzips": lambda: tar_of(BOT, "w:gz") + tar_of(LAST, "w:gz"),
    "two xz": lambda: tar_of(BOT, "w:xz") + tar_of(LAST, "w:xz"),
    "a hole": lambda: tar_of(BOT)[:1024] + bytes(512) + tar_of(BOT)[1536:],
    "a word after a gzip": lambda: tar_of(BOT, "w:gz") + b"more",
    "a word after a tar": lambda: tar_of(BOT) + b"more",
    "a file after a zip": lambda: plain_zip(BOT) + b"more",
    "no end": lambda: tar_of(BOT)[: 3 * 1024],
    "a wrong length in a gzip": lambda: tar_of(BOT, "w:gz")[:-4] + struct.pack("<L", 5),
    "a wrong checksum of a gzip": lambda: tar_of(BOT, "w:gz")[:-8] + bytes(4) + tar_of(BOT, "w:gz")[-4:],
}


@pytest.mark.hostile("web-damaged-archive")
@pytest.mark.parametrize("what", TRAILED)
def test_nothing_stands_behind_the_end_of_an_archive(what: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidUploadError, match="it cannot be unpacked"):
        unpack(TRAILED[what](), tmp_path)


def test_archives_of_several_streams_and_with_padding_are_whole(tmp_path: Path) -> None:
    whole = tar_of(BOT)
    halves = whole[:2000], whole[2000:]
    for content in (
        b"".join(map(gzip.compress, halves)),
        b"".join(map(bz2.compress, halves)),
        b"".join(map(lzma.compress, halves)),
        whole + bytes(1 << 20),
        whole[: 3 * 1024 + 512],  # a lone block of zeros, as some programs write it
        gzip.compress(whole) + bytes(512),
    ):
        assert unpacked(content, tmp_path / "bot") == unpacked(whole, tmp_path / "bot")


def test_a_tar_is_not_taken_for_the_zip_that_lies_in_it(tmp_path: Path) -> None:
    weights = plain_zip({"weights.npy": b"0123"})
    whole = {"bot.toml": ALIVE, "weights.npz": weights}
    assert unpacked(tar_of(whole), tmp_path / "bot")["weights.npz"] == (weights, False)


PROGRAM = b'schema = 1\nname = "owl"\ncommand = ["./bot"]\nbuild = ["./make.sh"]\n'
FAT, UNIX, NTFS = 0, 3, 10
UTF8 = 1 << 11


def zip_as(system: int, *members: tuple[bytes, bytes], mode: int = 0, flags: int = 0, extra: bytes = b"") -> bytes:
    """A zip file as a system writes it: each name byte by byte, and nothing is compressed."""
    local, central = b"", b""
    for name, content in members:
        facts = struct.pack("<4H3L2H", flags, 0, 0, 33, zlib.crc32(content), len(content), len(content), len(name), 0)
        attributes = struct.pack("<H3H2L", len(extra), 0, 0, 0, mode << 16, len(local))
        central += b"PK\x01\x02" + bytes((20, system, 20, 0)) + facts[:-2] + attributes + name + extra
        local += b"PK\x03\x04" + bytes((20, 0)) + facts + name + content
    count = len(members)
    return local + central + struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, count, count, len(central), len(local), 0)


WINDOWS_BOT = (
    (b"owl\\", b""),
    (b"owl\\bot.toml", PROGRAM),
    (b"owl\\bot", b"compiled"),
    (b"owl\\make.sh", b"make"),
    (b"owl\\lib\\run.sh", b"#!/bin/sh\n"),
    (b"owl\\lib\\engine", b"\x7fELF..."),
    (b"owl\\lib\\notes.txt", b"# !"),
    (b"owl\\desktop.ini", b"x"),
    (b"owl\\lib\\Thumbs.db", b"x"),
    (b"__MACOSX\\owl\\bot.toml", b"x"),
    (b"owl\\.DS_Store", b"x"),
    (b"owl\\Icon\r", b""),
)


@pytest.mark.parametrize("system", [FAT, NTFS])
def test_a_zip_made_on_windows_has_its_directories_and_its_programs(system: int, tmp_path: Path) -> None:
    found = unpacked(zip_as(system, *WINDOWS_BOT), tmp_path / "bot")
    assert sorted(found) == ["bot", "bot.toml", "lib/engine", "lib/notes.txt", "lib/run.sh", "make.sh"]
    assert {name for name, (_, is_program) in found.items() if is_program} == {
        *("bot", "lib/engine", "lib/run.sh", "make.sh"),
    }


def test_an_archive_that_knows_modes_keeps_them_but_what_the_bot_starts_can_be_started(tmp_path: Path) -> None:
    files = {"bot.toml": PROGRAM, "bot": b"compiled", "run.sh": b"#!/bin/sh\n"}
    members = [(name.encode(), content) for name, content in files.items()]
    for content in (zip_as(UNIX, *members, mode=0o100644), tar_of(files), tar_of(files, "w:gz")):
        found = unpacked(content, tmp_path / "bot")
        assert {name for name, (_, is_program) in found.items() if is_program} == {"bot"}


@pytest.mark.parametrize(
    ("raw", "flags", "extra", "name"),
    [
        ("größe.txt".encode(), UTF8, b"", "größe.txt"),
        ("größe.txt".encode(), 0, b"", "größe.txt"),  # as a Mac writes it
        ("größe.txt".encode("cp437"), 0, b"", "größe.txt"),
        (
            "данные.txt".encode("cp866"),
            0,
            struct.pack("<2HBL", 0x7075, 21, 1, zlib.crc32("данные.txt".encode("cp866"))) + "данные.txt".encode(),
            "данные.txt",
        ),
        ("данные.txt".encode("cp866"), 0, struct.pack("<2HBL", 0x7075, 6, 1, 5) + b"x", "ñá¡¡δÑ.txt"),
    ],
)
def test_a_name_is_read_in_the_encoding_that_the_archive_tells(
    raw: bytes, flags: int, extra: bytes, name: str, tmp_path: Path
) -> None:
    content = zip_as(FAT, (b"bot.toml", ALIVE), (raw, b"1"), flags=flags, extra=extra)
    assert set(unpacked(content, tmp_path / "bot")) == {"bot.toml", name}


def unicode_path(name: bytes, other: str) -> bytes:
    return struct.pack("<2HBL", 0x7075, 5 + len(other.encode()), 1, zlib.crc32(name)) + other.encode()


HARMFUL: dict[str, tuple[bytes, str]] = {
    "above": (zip_as(FAT, (b"..\\bot.toml", ALIVE)), "a part '..'"),
    "above in the middle": (zip_as(FAT, (b"a\\..\\..\\bot.toml", ALIVE)), "a part '..'"),
    "above, mixed": (zip_as(NTFS, (b"a/..\\../bot.toml", ALIVE)), "a part '..'"),
    "above, hidden": (zip_as(FAT, (b".git\\..\\..\\bot.toml", ALIVE)), "is hidden"),
    "above on a mac": (zip_as(FAT, (b"__MACOSX\\..\\..\\bot.toml", ALIVE)), "a part '..'"),
    "a root": (zip_as(FAT, (b"\\bot.toml", ALIVE)), "an absolute path"),
    "a share": (zip_as(FAT, (b"\\\\host\\share\\bot.toml", ALIVE)), "an absolute path"),
    "a drive": (zip_as(FAT, (b"C:\\bot.toml", ALIVE)), "an absolute path"),
    "a drive without a root": (zip_as(NTFS, (b"c:bot.toml", ALIVE)), "an absolute path"),
    "a device": (zip_as(FAT, (b"\\\\?\\C:\\bot.toml", ALIVE)), "an absolute path"),
    "a name of Unix with a backslash": (zip_as(UNIX, (b"a\\..\\bot.toml", ALIVE)), "a backslash"),
    "a dot at the end": (zip_as(FAT, (b"a.\\bot.toml", ALIVE)), "a dot or a space"),
    "a space at the end": (zip_as(FAT, (b"bot.toml ", ALIVE)), "a dot or a space"),
    "an empty part": (zip_as(FAT, (b"a\\\\bot.toml", ALIVE)), "an empty part"),
    "a dot in the middle": (zip_as(FAT, (b"a\\.\\..\\bot.toml", ALIVE)), r"a part '\.\.'"),
    "a NUL": (zip_as(FAT, (b"bot.toml\0.txt", ALIVE)), "a control character"),
    "both separators": (zip_as(FAT, (b"a\\bot.toml", ALIVE), (b"a/bot.toml", ALIVE)), "is there twice"),
    "another case": (zip_as(FAT, (b"a\\bot.toml", ALIVE), (b"A\\bot.toml", ALIVE)), "file systems ignore"),
    "a file and a directory": (zip_as(FAT, (b"a", ALIVE), (b"a\\bot.toml", ALIVE)), "a file and a directory"),
    "twice by a dot": (zip_as(FAT, (b"bot.toml", ALIVE), (b".\\bot.toml", ALIVE)), "is there twice"),
    "a second name": (
        zip_as(FAT, (b"bot.toml", ALIVE), extra=unicode_path(b"bot.toml", "..\\bot.toml")),
        "a part '..'",
    ),
    "a second name with a drive": (
        zip_as(FAT, (b"bot.toml", ALIVE), extra=unicode_path(b"bot.toml", "C:\\bot.toml")),
        "an absolute path",
    ),
    "a directory with content": (zip_as(FAT, (b"bot.toml", ALIVE), (b"a\\", b"1")), "it cannot be unpacked"),
    "a link": (zip_as(FAT, (b"bot.toml", b"/etc/passwd"), mode=0o120777), "is no plain file"),
    "a secret": (zip_as(FAT, (b"bot.toml", ALIVE), flags=1), "without a password"),
    "a name that is no text": (zip_as(FAT, (b"bot.toml\xff", ALIVE), flags=UTF8), "it cannot be unpacked"),
    "a method": (zip_with(ALIVE, compression=zipfile.ZIP_BZIP2), "in a way that is not read"),
}


@pytest.mark.hostile("web-archive-with-a-path-that-leaves")
@pytest.mark.parametrize("what", HARMFUL)
def test_the_names_of_an_archive_are_checked_after_they_are_read(what: str, tmp_path: Path) -> None:
    content, why = HARMFUL[what]
    (tmp_path / "inner").mkdir()
    with pytest.raises(InvalidUploadError, match=why):
        unpack(content, tmp_path / "inner")
    assert [path.name for path in tmp_path.iterdir()] == ["inner"]
    assert not any(path.is_file() and path.read_bytes() != ALIVE for path in tmp_path.rglob("*"))


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (["owl/Bot.toml", "owl/main.py"], r"there is no bot.toml, but 'owl/Bot.toml'; rename that to bot.toml"),
        (["bot.toml.txt", "main.py"], r"there is no bot.toml, but 'bot.toml.txt'; rename that"),
        (["a/b/bot.toml"], r"there is no bot.toml, but one in 'a/b'; take that directory"),
        (["owl/bot.toml", "fox/bot.toml"], r"there is no bot.toml, but one each in 'fox', 'owl'; take one of these"),
        (["a/owl/bot.toml", "a/fox/bot.toml", "b/bot.toml.bak"], r"but 'b/bot.toml.bak'; rename that"),
        (["Bot.toml", "old/x/bot.toml"], r"but 'Bot.toml'; rename that"),
        (["main.py"], r"there is no bot.toml in it; send the directory of the bot"),
        (["1/2/3/4/5/bot.toml"], r"there is no bot.toml in it; send the directory of the bot"),
    ],
)
def test_an_archive_without_a_bot_is_told_what_was_seen_in_it(names: list[str], why: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidUploadError, match=why):
        unpack(plain_zip(dict.fromkeys(names, ALIVE)), tmp_path)


def test_a_bot_may_hold_bots_and_lie_beside_other_things(tmp_path: Path) -> None:
    files = dict.fromkeys(["bot.toml", "old/bot.toml", "README.md"], ALIVE)
    assert set(unpacked(plain_zip(files), tmp_path / "bot")) == set(files)
    files = dict.fromkeys(["owl/bot.toml", "owl/old/bot.toml", "docs/README.md"], ALIVE)
    assert set(unpacked(plain_zip(files), tmp_path / "bot")) == {"bot.toml", "old/bot.toml"}


def test_a_link_in_what_is_left_out_does_no_harm_and_any_other_is_refused(tmp_path: Path) -> None:
    def tar_with(link: str) -> bytes:
        kept = io.BytesIO(tar_of(BOT))
        with tarfile.open(fileobj=kept, mode="a") as archive:
            info = tarfile.TarInfo(link)
            info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
            archive.addfile(info)
        return kept.getvalue()

    def zip_with_link(link: str) -> bytes:
        kept = io.BytesIO(plain_zip(BOT))
        with zipfile.ZipFile(kept, "a") as archive:
            info = zipfile.ZipInfo(link)
            info.external_attr = 0o120777 << 16
            archive.writestr(info, "/etc/passwd")
        return kept.getvalue()

    for with_link in (tar_with, zip_with_link):
        for link in ("node_modules/.bin/tool", ".venv/bin/python"):
            assert set(unpacked(with_link(link), tmp_path / "bot")) == set(BOT)
        for link in ("tool", ".venv/../tool"):
            with pytest.raises(InvalidUploadError, match=r"is no plain file"):
                unpacked(with_link(link), tmp_path / "bot")
