"""Archives for tests: good ones made by `pack`, others by Python's own tar."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from arena.hosting.archive.checking import check_archive
from arena.hosting.archive.format import ArchiveLimits, ArchiveReason, BotArchiveError
from arena.hosting.archive.packing import pack

MANIFEST = b'schema = 1\nname = "my-bot"\ncommand = ["python", "main.py"]\n'
LEAST = {"bot.toml": MANIFEST, "main.py": b"print('ready')\n"}


def write_files(directory: Path, files: Mapping[str, bytes], executable: Iterable[str] = ()) -> Path:
    """Write these files below a directory, which is made."""
    for path, content in files.items():
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        (directory / path).write_bytes(content)
        (directory / path).chmod(0o755 if path in executable else 0o644)
    return directory


def packed(directory: Path) -> io.BytesIO:
    """The archive of a directory."""
    target = io.BytesIO()
    pack(directory, target)
    return target


def tar(*members: tarfile.TarInfo | str, form: int = tarfile.USTAR_FORMAT) -> bytes:
    """What Python's tar makes of these members, a name being an empty file; it ends as `pack` ends it."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=form, encoding="utf-8", errors="surrogateescape") as archive:
        for member in members:
            info = tarfile.TarInfo(member) if isinstance(member, str) else member
            archive.addfile(info, io.BytesIO(bytes(info.size)) if info.isreg() else None)
        size_bytes = archive.offset
    return target.getvalue()[:size_bytes] + bytes(1024)


def refusal(data: bytes, limits: ArchiveLimits | None = None) -> tuple[ArchiveReason, str]:
    """Why an archive is refused, as a code and in words."""
    with pytest.raises(BotArchiveError) as caught:
        check_archive(io.BytesIO(data), limits)
    message = str(caught.value)
    assert message.isprintable(), message
    assert "; " in message, "a message ends with the remedy"
    return caught.value.reason, message
