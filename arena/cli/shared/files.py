"""Files that commands write: whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from arena.cli.shared.errors import MisuseError
from arena.cli.shared.process_signals import ended_in_order
from engine.os_errors import os_error_text
from engine.translatable import Text

_BEGINNING = 2_000
"""So many bytes of a file tell of which kind it is."""


def write_file(file: Path, text: str, flag: str) -> None:
    """Write what a command made into the file that `flag` names. Raise MisuseError if the place cannot be written."""
    with written(file, flag) as stream:
        stream.write(text.encode(errors="surrogateescape"))


@contextmanager
def written(file: Path, flag: str, is_ours: Callable[[bytes], bool] | None = None) -> Iterator[IO[bytes]]:
    """Give a stream whose bytes stand in `file` at the end; if anything is raised, that is as it was before.

    SIGTERM and the closing of the terminal raise KeyboardInterrupt meanwhile. `is_ours` tells by its first bytes
    whether a file that stands there may be replaced; any may if it is not given, and one that is empty.

    Whoever needs long begins with it: MisuseError tells at once if the place cannot be written, later if it is full.
    """
    try:
        if is_ours is not None and file.is_file():
            _refuse_other(file, flag, is_ours)
        if file.exists() and not file.is_file():
            with file.open("wb") as stream:  # a device or a pipe, which no file may replace
                yield stream
            return
        with ended_in_order(), _beside(file) as stream:
            yield stream
    except OSError as error:
        raise cannot_write(file, error, flag) from error


def cannot_write(file: Path, error: OSError, option: str) -> MisuseError:
    """Return the error for a file that was named after `option` and cannot be written."""
    return MisuseError(
        Text(
            "cannot write {file}: {why}; name another file after {option}",
            file=file,
            why=os_error_text(error),
            option=option,
        )
    )


def _refuse_other(file: Path, flag: str, is_ours: Callable[[bytes], bool]) -> None:
    with file.open("rb") as stream:
        beginning = stream.read(_BEGINNING)
    if beginning and not is_ours(beginning):
        raise MisuseError(
            Text(
                "{file} is there, and is no report of the arena; remove it, or name another file after {option}",
                file=file,
                option=flag,
            )
        )


@contextmanager
def _beside(file: Path) -> Iterator[IO[bytes]]:
    target = file.resolve()
    if target.exists() and not os.access(target, os.W_OK):
        target.open("ab").close()  # says why not
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.")
    new = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
        new.chmod(target.stat().st_mode if target.exists() else 0o666 & ~_umask())
        new.replace(target)
    finally:
        with suppress(FileNotFoundError):
            new.unlink()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
