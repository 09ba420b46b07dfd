"""Imports what a command needs without looking for garbage among it: of classes and functions nothing is garbage.

The database's libraries make some hundred thousand objects that stay. To look through them again and again while they
are made, and once more at the end, takes a third of the processor time of a command that looks something up.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def importing() -> Iterator[None]:
    """Let the block import; what is there when it ends is never looked through for garbage again.

    Where nothing was imported, or whoever called looks for no garbage either, nothing changes: a process that runs many
    commands keeps none of their garbage.
    """
    if not gc.isenabled():
        yield
        return
    known = len(sys.modules)
    gc.disable()
    try:
        yield
    finally:
        if len(sys.modules) > known:
            gc.freeze()
        gc.enable()
