"""What a test process holds open, so that a test sees what its subject left behind."""

from __future__ import annotations

from pathlib import Path

_GRPCS = ("socket:", "anon_inode:[eventfd]", "anon_inode:[eventpoll]")
"""What gRPC's threads, which other tests of the process have begun, open and close when they like."""


def held_descriptors() -> list[str]:
    """Return what this process's descriptors lead to, but for the kinds that gRPC's threads hold."""
    links = [link for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]  # the listing's own is gone
    opened = {link.name: str(link.readlink()) for link in links}
    return sorted(f"{number} {target}" for number, target in opened.items() if not target.startswith(_GRPCS))
