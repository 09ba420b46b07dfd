"""Unpacks what an owner uploads: a zip file or a tar file, compressed or not, into an empty directory.

Nothing but plain files is taken, at most as many and as large as a version may have; no path leads out of it.
"""

from __future__ import annotations

from pathlib import Path
from typing import IO, BinaryIO

from arena.hosting.archive.errors import BotArchiveError
from arena.hosting.archive.limits import ArchiveLimits
from arena.hosting.archive.names import check_path, quote_path
from arena.hosting.content import is_left_out
from arena.web.owners.archives import BROKEN, InvalidUploadError, read_members
from arena.web.shared.public_message import is_full
from engine.text import Text

_CHUNK_BYTES = 1 << 20
_MANIFEST = "bot.toml"


def unpack_bot(file: BinaryIO, directory: Path, limits: ArchiveLimits) -> Path:
    """Return the directory with the bot's manifest: the one given, or the only folder in it.

    Raises UploadError, or OSError if the disk is full.
    """
    try:
        left, count = limits.total_bytes, 0
        for path, content, is_program in read_members(file, limits):
            parts = path.split("/")
            if content is None or (".." not in parts and any(map(is_left_out, parts))):
                continue
            count += 1
            if count > limits.files:
                raise InvalidUploadError(
                    Text(
                        "web.over_files_leave_out_what",
                        "it has over {count} files; leave out what the bot does not need to run",
                        count=limits.files,
                    )
                )
            left -= _write(directory, path, content, left, is_program=is_program)
    except BotArchiveError as error:
        raise InvalidUploadError(str(error)) from error
    except InvalidUploadError:
        raise
    except FileExistsError as error:
        raise InvalidUploadError(
            Text("web.twice_leave_one_out", "{path} is in it twice; leave one out", path=quote_path(path))
        ) from error
    except BROKEN as error:
        if is_full(error):
            raise
        raise InvalidUploadError(
            Text(
                "web.cannot_unpacked_send_zip_tar",
                "it cannot be unpacked; send a .zip or a .tar.gz with the directory of the bot",
            )
        ) from error
    return _root(directory)


def _write(directory: Path, path: str, content: IO[bytes], most_bytes: int, *, is_program: bool) -> int:
    check_path(path)
    place, written = directory / path, 0
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("xb") as target:
        while data := content.read(_CHUNK_BYTES):
            written += len(data)
            if written > most_bytes:
                raise InvalidUploadError(
                    Text(
                        "web.files_larger_than_version_may",
                        "its files are larger than a version may be; leave out what the bot does not need",
                    )
                )
            target.write(data)
    place.chmod(0o755 if is_program else 0o644)
    return written


def _root(directory: Path) -> Path:
    for folder in (directory, *(found for found in sorted(directory.iterdir()) if found.is_dir())):
        if (folder / _MANIFEST).is_file():
            return folder
    raise InvalidUploadError(
        Text(
            "web.no_send_directory_bot_arena",
            "there is no {file} in it; send the directory of the bot, as `arena bot submit` takes it",
            file=_MANIFEST,
        )
    )
