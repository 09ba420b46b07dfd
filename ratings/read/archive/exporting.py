"""A tournament out of the database into a file, and from a file into a database: all of it or nothing."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from ratings.errors import ArchiveError
from ratings.read.archive.chain import write_chain
from ratings.read.archive.contents import records
from ratings.store.database import Source, read
from ratings.store.models import Tournament


def export_tournament(source: Source, tournament: Tournament, target: Path) -> str:
    """Write a tournament that is over into the new file `target`; the digest of the file, hex.

    Raises ArchiveError, also when the file exists or cannot be written; then there is no file.
    """
    try:
        with read(source) as session, _new_file(target) as file:
            return write_chain(file, records(session, tournament))
    except FileExistsError:
        raise ArchiveError(f"{target} exists; name a new file") from None
    except OSError as error:
        raise ArchiveError(f"{target} cannot be written: {error.strerror}; name another file") from error


@contextmanager
def _new_file(target: Path) -> Iterator[IO[str]]:
    """A file that gets its name when it is whole. Raises OSError."""
    if target.exists():
        raise FileExistsError
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(descriptor)
        umask = os.umask(0)
        os.umask(umask)
        Path(name).chmod(0o666 & ~umask)
        os.link(name, target)
    finally:
        with suppress(OSError):
            Path(name).unlink()
