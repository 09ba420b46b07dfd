"""Messages of the operating system as translatable texts. Of ours this imports `engine.translatable` alone."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from typing import Final

from engine.translatable import Text

_NAME_UNKNOWN: Final = -2
_NAME_UNKNOWN_FOR_NOW: Final = -3
"""EAI_NONAME and EAI_AGAIN of `socket`, which only who looks up names imports."""
_TEXTS: Final[Mapping[int, Text]] = {
    _NAME_UNKNOWN: Text("Name or service not known"),
    _NAME_UNKNOWN_FOR_NOW: Text("Temporary failure in name resolution"),
    errno.EACCES: Text("Permission denied"),
    errno.EADDRINUSE: Text("Address already in use"),
    errno.EADDRNOTAVAIL: Text("Cannot assign requested address"),
    errno.ECONNREFUSED: Text("Connection refused"),
    errno.ECONNRESET: Text("Connection reset by peer"),
    errno.EEXIST: Text("File exists"),
    errno.EHOSTUNREACH: Text("No route to host"),
    errno.EISDIR: Text("Is a directory"),
    errno.EMFILE: Text("Too many open files"),
    errno.ENAMETOOLONG: Text("File name too long"),
    errno.ENETUNREACH: Text("Network is unreachable"),
    errno.ENOENT: Text("No such file or directory"),
    errno.ENOSPC: Text("No space left on device"),
    errno.ENOTDIR: Text("Not a directory"),
    errno.EPIPE: Text("Broken pipe"),
    errno.EROFS: Text("Read-only file system"),
    errno.ELOOP: Text("Too many levels of symbolic links"),
}


def os_error_text(error: OSError) -> str:
    """Return what the system says of an error, without its number and its place; its words if they are not known."""
    text = _TEXTS.get(error.errno or 0)
    return text if text is not None and text == error.strerror else str(error.strerror or error)


def limit_error(number: int | None, place: object) -> Text | None:
    """Return which limit of this process an error with this number tells of, with the remedy; None if of none.

    `place` is the file that could not be opened or written.
    """
    if number not in (errno.EFBIG, errno.EMFILE):
        return None
    import resource  # not every system has it

    limit, _ = resource.getrlimit(resource.RLIMIT_FSIZE if number == errno.EFBIG else resource.RLIMIT_NOFILE)
    if limit == resource.RLIM_INFINITY:
        return None
    if number == errno.EFBIG:
        return Text(
            "{path} would become larger than files may be here ({limit} kB, ulimit -f); raise the limit with "
            "`ulimit -f unlimited`, as root if need be",
            path=place,
            limit=limit // 1024,
        )
    return Text(
        "this host allows a process {allowed} open files (ulimit -n), and {path} would be one more; raise the limit "
        "with `ulimit -n 1024`, as root if need be",
        allowed=limit,
        path=place,
    )


def os_error_at_place(error: OSError) -> str:
    """Return what the system says of an error, and of which file if it names one."""
    text = os_error_text(error)
    if not error.filename:
        return text
    if not isinstance(text, Text):
        return f"{text}: {error.filename}"
    return Text("{why}: {path}", why=text, path=error.filename)
