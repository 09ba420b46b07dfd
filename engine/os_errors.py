"""What the operating system says of an error, as a text that can be translated. Nothing of ours but `engine.text`."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from typing import Final

from engine.text import Text

_NAME_UNKNOWN: Final = -2
_NAME_UNKNOWN_FOR_NOW: Final = -3
"""EAI_NONAME and EAI_AGAIN of `socket`, which only who looks up names imports."""
_TEXTS: Final[Mapping[int, Text]] = {
    _NAME_UNKNOWN: Text("system.name_service_not_known", "Name or service not known"),
    _NAME_UNKNOWN_FOR_NOW: Text("system.temporary_failure_name_resolution", "Temporary failure in name resolution"),
    errno.EACCES: Text("system.permission_denied", "Permission denied"),
    errno.EADDRINUSE: Text("system.address_already_use", "Address already in use"),
    errno.EADDRNOTAVAIL: Text("system.cannot_assign_requested_address", "Cannot assign requested address"),
    errno.ECONNREFUSED: Text("system.connection_refused", "Connection refused"),
    errno.ECONNRESET: Text("system.connection_reset_peer", "Connection reset by peer"),
    errno.EEXIST: Text("system.file_exists", "File exists"),
    errno.EHOSTUNREACH: Text("system.no_route_host", "No route to host"),
    errno.EISDIR: Text("system.is_a_directory", "Is a directory"),
    errno.EMFILE: Text("system.too_many_open_files", "Too many open files"),
    errno.ENAMETOOLONG: Text("system.file_name_too_long", "File name too long"),
    errno.ENETUNREACH: Text("system.network_unreachable", "Network is unreachable"),
    errno.ENOENT: Text("system.no_such_file_directory", "No such file or directory"),
    errno.ENOSPC: Text("system.no_space_left_device", "No space left on device"),
    errno.ENOTDIR: Text("system.not_directory", "Not a directory"),
    errno.EPIPE: Text("system.broken_pipe", "Broken pipe"),
    errno.EROFS: Text("system.read_only_file_system", "Read-only file system"),
    errno.ELOOP: Text("system.too_many_levels_symbolic_links", "Too many levels of symbolic links"),
}


def os_error_text(error: OSError) -> str:
    """Return what the system says of an error, without its number and its place; its words if they are not known."""
    text = _TEXTS.get(error.errno or 0)
    return text if text is not None and text == error.strerror else str(error.strerror or error)


def os_error_at_place(error: OSError) -> str:
    """Return what the system says of an error, and of which file if it names one."""
    text = os_error_text(error)
    if not error.filename:
        return text
    if not isinstance(text, Text):
        return f"{text}: {error.filename}"
    return Text("system.at_path", "{why}: {path}", why=text, path=error.filename)
