"""Keeps compiled what bots import of the arena: a bot writes nothing there, and would compile it at every start.

pip compiles what it installs; in a checkout only who imports a module may write it, and some modules only bots import.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable
from contextlib import suppress
from importlib.machinery import SourceFileLoader
from pathlib import Path

from arena.hosting.visible_paths import bot_trees


def write_kit_cache(trees: Iterable[Path] | None = None) -> None:
    """Compile every module in these files and directories that is not compiled, or has changed since.

    By default in those that a sandbox shows to every bot. Where nothing may be written, nothing happens.
    """
    if sys.dont_write_bytecode:
        return
    for tree in bot_trees() if trees is None else trees:
        for path in [tree] if tree.is_file() else tree.rglob("*.py"):
            if path.suffix == ".py" and _is_stale(path):
                with suppress(OSError, SyntaxError, ValueError):  # who imports it is told
                    SourceFileLoader(path.stem, str(path)).get_code(path.stem)


def _is_stale(path: Path) -> bool:
    try:
        return Path(importlib.util.cache_from_source(str(path))).stat().st_mtime < path.stat().st_mtime
    except FileNotFoundError:
        return True
    except OSError:
        return False
