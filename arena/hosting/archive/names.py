"""Says which names files in an archive may have, alone and together, on every kind of file system."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from arena.hosting.archive.errors import ArchiveNameError, ArchiveReason, ArchiveSizeError
from arena.hosting.content import is_left_out

MOST_PATH_BYTES = 1024
MOST_PART_BYTES = 255
MOST_PARTS = 64
_SHOWN_CHARACTERS = 80
# Control characters, invisible ones that turn the text around them, halves of characters, line and paragraph ends.
_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_RENAME = "rename it"


def check_path(path: str) -> None:
    """Check the path of one file: relative, with parts joined by `/`. Raises ArchiveNameError."""
    if path.startswith("/"):
        raise _refused(
            ArchiveReason.NAME_ABSOLUTE, path, "is an absolute path; name it relative to the bot's directory"
        )
    size_bytes = len(path.encode("utf-8", "surrogatepass"))
    parts = path.split("/")
    if size_bytes > MOST_PATH_BYTES or len(parts) > MOST_PARTS:
        raise _refused(
            ArchiveReason.NAME_TOO_LONG, path, f"has over {MOST_PATH_BYTES} bytes or {MOST_PARTS} parts; shorten it"
        )
    for part in parts:
        _check_part(part, path)


def quote_path(path: str) -> str:
    """Return a path for a message: quoted, without control characters, cut if it is very long."""
    text = repr(path)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[: _SHOWN_CHARACTERS - 3]}..."


class NameTree:
    """The files and directories of one archive; it finds what cannot lie side by side on every file system."""

    def __init__(self, most_directories: int) -> None:
        self._most_directories = most_directories
        self._directories = 0
        # (number of the directory above, folded name) -> (name as written, number if it is a directory, else 0)
        self._known: dict[tuple[int, str], tuple[str, int]] = {}

    def add(self, path: str) -> None:
        """Note a file, whose path is checked already. Raises ArchiveNameError or ArchiveSizeError."""
        *above, name = path.split("/")
        inside = 0
        for part in above:
            inside = self._enter(inside, part, path)
        key = (inside, _folded(name))
        if key in self._known:
            raise self._clash(key, name, path)
        self._known[key] = (name, 0)

    def _enter(self, inside: int, part: str, path: str) -> int:
        key = (inside, _folded(part))
        written, number = self._known.get(key, (part, -1))
        if number == -1:
            return self._new_directory(key, part)
        if written != part or number == 0:
            raise self._clash(key, part, path, is_directory=True)
        return number

    def _new_directory(self, key: tuple[int, str], part: str) -> int:
        self._directories += 1
        if self._directories > self._most_directories:
            raise ArchiveSizeError(
                ArchiveReason.TOO_MANY_FILES,
                f"the bot has over {self._most_directories} directories; keep only what it needs to run",
            )
        self._known[key] = (part, self._directories)
        return self._directories

    def _clash(self, key: tuple[int, str], name: str, path: str, *, is_directory: bool = False) -> ArchiveNameError:
        written, number = self._known[key]
        if written != name:
            what = (
                f"differs from {quote_path(written)} beside it only in ways that some file systems ignore; rename one"
            )
            return _refused(ArchiveReason.NAMES_COLLIDE, path, what)
        if is_directory != (number > 0):
            what = f"needs {quote_path(name)} to be a file and a directory; rename one"
            return _refused(ArchiveReason.NAME_FILE_AND_DIRECTORY, path, what)
        return _refused(ArchiveReason.NAME_TWICE, path, "is there twice; pack the bot again")


def check_paths(paths: Iterable[str], most_directories: int) -> None:
    """Check the paths of all files of a bot, alone and together. Raises ArchiveNameError or ArchiveSizeError."""
    tree = NameTree(most_directories)
    for path in paths:
        check_path(path)
        tree.add(path)


def _check_part(part: str, path: str) -> None:
    if not part or part == ".":
        raise _refused(ArchiveReason.NAME_EMPTY_PART, path, "has an empty part; leave it out")
    if part == "..":
        raise _refused(ArchiveReason.NAME_LEAVES, path, "has a part '..'; leave it out")
    if len(part.encode("utf-8", "surrogatepass")) > MOST_PART_BYTES:
        raise _refused(ArchiveReason.NAME_TOO_LONG, path, f"has a part of over {MOST_PART_BYTES} bytes; shorten it")
    if any("\ud800" <= character <= "\udfff" for character in part):
        raise _refused(ArchiveReason.NAME_NOT_UTF8, path, f"is not UTF-8; {_RENAME}")
    if not part.isprintable() and any(unicodedata.category(character) in _UNPRINTABLE for character in part):
        raise _refused(ArchiveReason.NAME_UNPRINTABLE, path, f"has a control character or an invisible one; {_RENAME}")
    if "\\" in part:
        raise _refused(ArchiveReason.NAME_BACKSLASH, path, f"has a backslash; {_RENAME}")
    if is_left_out(part):
        raise _refused(
            ArchiveReason.NAME_HIDDEN, path, "is hidden, and hidden files are never part of a bot; rename it"
        )
    if part[-1] in ". ":
        raise _refused(ArchiveReason.NAME_ENDS_BADLY, path, f"has a part that ends with a dot or a space; {_RENAME}")


def _folded(name: str) -> str:
    """Return what names have in common that a file system may take for one: Unicode's canonical caseless match."""
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", name).casefold())


def _refused(reason: ArchiveReason, path: str, what: str) -> ArchiveNameError:
    return ArchiveNameError(reason, f"{quote_path(path)} {what}")
