"""Has matches told by the helper of the pages, where there is one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from arena.model.port import ArenaPort
from arena.web.helper.process import STORY, HelperProcess
from arena.web.viewer.story_cache import render_story


def story_renderer(helper: HelperProcess | None) -> Callable[[ArenaPort, str, str], bytes]:
    """Return what tells matches as `arena.web.viewer.story_cache.render_story` does."""
    if helper is None:
        return render_story

    def render_in_helper(arena: ArenaPort, match_id: str, language: str) -> bytes:
        return helper.ask(partial(render_story, arena, match_id, language), STORY, match_id, language)

    return render_in_helper
