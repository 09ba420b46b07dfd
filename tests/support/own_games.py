"""The games that come with the arena, whatever plug-ins are installed beside it."""

from __future__ import annotations

from engine import registry

OURS = [name for name in registry.names() if registry.package_of(name).startswith("engine.games.")]
