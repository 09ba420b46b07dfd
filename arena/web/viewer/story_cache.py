"""The stories of matches that are over, told when they are asked for and kept packed while there is room."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable, Iterator
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from arena.match.replay import load, with_texts
from arena.model.matches import MatchDetail
from arena.model.port import ArenaPort
from arena.story.replays import picture_of_replay, story_of_replay
from arena.web.viewer.byte_cache import ByteCache
from arena.web.viewer.document import viewer_document
from arena.web.viewer.persons import persons_of, with_persons
from arena.web.viewer.semaphore import QueueingSemaphore
from engine import registry

KEPT_BYTES = 48 * 1024 * 1024
_LEVEL = 6
_AT_ONCE, _MOST_WAITING = 2, 12
"""A match takes up to some seconds to tell: so many at once, and so many in all, leave threads for other pages."""


def render_story(arena: ArenaPort, match_id: str, language: str) -> bytes:
    """Return the story of a finished match as the viewer takes it: JSON, packed by gzip.

    Raises what `Replays.get_replay` does, ReplayError, and StoryError if the match cannot be told here.
    """
    replay, match = load(arena.replays.get_replay(match_id).data), arena.matches.get_match(match_id)
    told = with_persons(with_texts(replay, match.faults), persons_of(match))
    document = viewer_document(story_of_replay(told, language))
    return gzip.compress(json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode(), _LEVEL, mtime=0)


class StoryCache:
    """The stories of matches, each told once for each language; `renderer` is `render_story`, or has it done."""

    def __init__(
        self, renderer: Callable[[ArenaPort, str, str], bytes] = render_story, most_bytes: int = KEPT_BYTES
    ) -> None:
        self._render = renderer
        self._kept = ByteCache(most_bytes)
        self._semaphore = QueueingSemaphore(_AT_ONCE, _MOST_WAITING)

    def packed(self, arena: ArenaPort, match: MatchDetail, language: str) -> bytes:
        """Return the story of a finished match as `render_story` does, with its errors; TooManyWaitingError."""

        def render_in_turn() -> bytes:
            with self._semaphore.acquired():
                return self._render(arena, match.match_id, language)

        return self._kept.get(story_id(match, language), render_in_turn)

    def document(self, arena: ArenaPort, match: MatchDetail, language: str) -> dict[str, Any]:
        """Return the same as data."""
        found: dict[str, Any] = json.loads(gzip.decompress(self.packed(arena, match, language)))
        return found

    def picture(self, arena: ArenaPort, match: MatchDetail, language: str, plies: int | None) -> str:
        """Return the picture of a finished match after so many plies, else of its end, as SVG; the same errors.

        Nothing if its game draws none. It costs far less than the story, of which every position is drawn.
        """

        def draw() -> bytes:
            document = load(arena.replays.get_replay(match.match_id).data)
            picture = picture_of_replay(with_persons(document, persons_of(match)), language, plies)
            return b"" if picture is None else picture.svg().encode()

        return self._kept.get(f"after {plies} {story_id(match, language)}", draw).decode()


def story_id(match: MatchDetail, language: str) -> str:
    """Return what changes when a story does: the match, the language, the program and the game that tell it."""
    parts = (match.match_id, match.record_digest, language, renderer_hash(match.pool.game))
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:20]


@cache
def renderer_hash(game: str) -> str:
    """Return a hash of the program's version, of its words, and of the files that tell and draw a game."""
    packages = [
        "arena.story",
        "arena.i18n",
        "engine.kit",
        *([registry.package_of(game)] if game in registry.names() else []),
    ]
    digest = hashlib.sha256(version("kingmaker-arena").encode())
    for file in sorted(found for package in packages for found in _files(package)):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _files(package: str) -> Iterator[Path]:
    spec = find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        yield from (file for kind in ("*.py", "*.json") for file in Path(folder).rglob(kind))
