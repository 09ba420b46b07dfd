"""What the archive of a home looks like: a tar file with a header, the files, and a manifest of hashes at its end.

arena-home.json            format, schema of the database, when it was made
settings.toml, tls/...     as they are in the home
arena.key                  under which the seeds of tournaments work, if there is one
arena.db                   a consistent copy
arena.bots/HASH/...        the versions that the copy names
builds/...                 what build commands made of them
manifest.json              the hash of every file before it, and counts
manifest.sha256            the hash of the manifest
"""

from __future__ import annotations

import re

FORMAT = 1
HEADER = "arena-home.json"
MANIFEST = "manifest.json"
MANIFEST_HASH = "manifest.sha256"
SETTINGS = "settings.toml"
DATABASE = "arena.db"
KEY = "arena.key"
STORE = "arena.bots"
BUILDS = "builds"
TLS = "tls"
SUFFIXES = {".tar": False, ".tar.gz": True, ".tgz": True}
"""How the name of an archive ends, and whether it is compressed then."""
MOST_SMALL_BYTES = 256 << 20
"""No header and no manifest is larger."""

_HASH = "[0-9a-f]{64}"
_PLACES = re.compile(
    rf"settings\.toml|arena\.db|arena\.key|tls/[a-z]+\.pem|arena\.bots/{_HASH}/.+|builds/{_HASH}-{_HASH}(/.+|\.json|\.log)",
    re.DOTALL,
)


def is_place(name: str) -> bool:
    """Return whether a file of that name may lie in a home that is restored: nowhere else, and by no detour."""
    return _PLACES.fullmatch(name) is not None and all(_is_plain(part) for part in name.split("/"))


def _is_plain(part: str) -> bool:
    return part not in ("", ".", "..") and "\0" not in part
