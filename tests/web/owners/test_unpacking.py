"""Archives that lie about themselves: nothing that they say may cost more memory or time than an honest one."""

import errno
import gzip
import io
import lzma
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from arena.hosting.archive.format import ArchiveLimits
from arena.web.owners.archives import MOST_LIST_BYTES, InvalidUploadError
from arena.web.owners.unpacking import unpack_bot

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


@pytest.mark.host_fault("disk-full-under-the-pages")
def test_a_full_disk_is_not_taken_for_a_bad_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "mkdir", full)
    with pytest.raises(OSError, match="No space left"):
        unpack(zip_with(ALIVE), tmp_path)
