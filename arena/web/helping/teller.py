"""Has matches told by the helper of the pages, where there is one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from arena.model.port import ArenaPort
from arena.web.helping.helper import TELL, Helper
from arena.web.viewing.tellings import tell


def teller_of(helper: Helper | None) -> Callable[[ArenaPort, str, str], bytes]:
    """Return what tells matches as `arena.web.viewing.tellings.tell` does."""
    if helper is None:
        return tell

    def tell_elsewhere(arena: ArenaPort, match_id: str, language: str) -> bytes:
        return helper.ask(partial(tell, arena, match_id, language), TELL, match_id, language)

    return tell_elsewhere
