"""Names the parts of the system that a bot finds on any machine, also in a sandbox."""

from __future__ import annotations

from pathlib import Path

USR_PARTS = ("bin", "sbin", "games", "include", "lib", "lib32", "lib64", "libx32", "libexec", "share", "local")
"""The parts of /usr that programs need or lie in, Debian's chess engines among its games. An arena that is installed in
/usr/src is not among them."""
SYSTEM_PLACES = (*(Path("/usr", name) for name in USR_PARTS), *map(Path, ("/bin", "/sbin", "/lib", "/lib64")))
"""Where the programs of a system lie."""
