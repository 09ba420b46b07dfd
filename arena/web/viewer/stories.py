"""The stories of finished matches: told when they are asked for, a few at once, kept packed while there is room.

Whether a stored match is sound is found out the same way, and remembered.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from threading import BoundedSemaphore, Lock
from typing import Any, ClassVar

from arena.match.replay import load, with_texts
from arena.model.matches import MatchDetail, ReplayCheck
from arena.model.port import ArenaPort
from arena.story.replays import picture_of_replay, story_of_replay
from arena.web.shared.helper_process import STORY, HelperProcess
from arena.web.viewer.payload import persons_of, viewer_document, with_persons
from engine import registry
from engine.translatable import Text

KEPT_BYTES = 48 * 1024 * 1024
_LEVEL = 6
_AT_ONCE, _MOST_WAITING = 2, 12
"""A match takes up to some seconds to tell: so many at once, and so many in all, leave threads for other pages."""
_MOST_CHECKS = 10_000


def render_story(arena: ArenaPort, match_id: str, language: str) -> bytes:
    """Return the story of a finished match as the viewer takes it: JSON, packed by gzip.

    Raises what `Replays.get_replay` does, ReplayError, and StoryError if the match cannot be told here.
    """
    replay, match = load(arena.replays.get_replay(match_id).data), arena.matches.get_match(match_id)
    told = with_persons(with_texts(replay, match.faults), persons_of(match))
    document = viewer_document(story_of_replay(told, language))
    return gzip.compress(json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode(), _LEVEL, mtime=0)


def story_renderer(helper: HelperProcess | None) -> Callable[[ArenaPort, str, str], bytes]:
    """Return `render_story`, or a function that has the helper do the same."""
    if helper is None:
        return render_story

    def render_in_helper(arena: ArenaPort, match_id: str, language: str) -> bytes:
        return helper.ask(partial(render_story, arena, match_id, language), STORY, match_id, language)

    return render_in_helper


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
        """Return the story of a finished match as data; the same errors."""
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
    """Return a hash of everything a story depends on: the match, the language, the program and the game."""
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
    specs = [spec for package in packages if (spec := find_spec(package)) is not None]
    folders = [Path(folder) for spec in specs for folder in spec.submodule_search_locations or ()]
    for file in sorted(file for folder in folders for kind in ("*.py", "*.json") for file in folder.rglob(kind)):
        digest.update(file.read_bytes())
    return digest.hexdigest()


class ReplayChecks:
    """The checks of matches, one at a time: each plays a match again, and two at once would take another core."""

    def __init__(self) -> None:
        self._semaphore = QueueingSemaphore(1, _MOST_WAITING)
        self._known: OrderedDict[tuple[str, str | None], ReplayCheck] = OrderedDict()

    def of(self, arena: ArenaPort, match: MatchDetail) -> ReplayCheck:
        """Return the check of a match. Raises what `Replays.verify_match` does, and TooManyWaitingError."""
        key = (match.match_id, match.record_digest)
        known = self._known.get(key)
        if known is not None:
            return known
        with self._semaphore.acquired():
            found = self._known.get(key) or arena.replays.verify_match(match.match_id)
            self._known[key] = found
            while len(self._known) > _MOST_CHECKS:
                self._known.popitem(last=False)
        return found


class TooManyWaitingError(Exception):
    """Too many wait for what takes long; the message says what to do."""

    kind: ClassVar[str] = "unavailable"


class QueueingSemaphore:
    """A semaphore held by up to `at_once`, with a queue: holders and waiters are `most` together. Safe for threads."""

    def __init__(self, at_once: int, most: int) -> None:
        self._inside = BoundedSemaphore(at_once)
        self._waiting = BoundedSemaphore(most)

    @contextmanager
    def acquired(self) -> Iterator[None]:
        """Wait until it is our turn. Raises TooManyWaitingError if too many wait."""
        if not self._waiting.acquire(blocking=False):
            raise TooManyWaitingError(Text("many ask for what takes a while to work out; try again in some seconds"))
        try:
            with self._inside:
                yield
        finally:
            self._waiting.release()


class ByteCache:
    """Bytes by key, of which those that were used last are kept, up to so many bytes. Safe for threads."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._found: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()
        self._making: dict[str, Lock] = {}

    def get(self, key: str, make: Callable[[], bytes]) -> bytes:
        """Return what is kept under a key, or make it; whoever asks meanwhile waits for that. Errors of `make` pass."""
        found = self._find(key)
        if found is not None:
            return found
        with self._lock:
            making = self._making.setdefault(key, Lock())
        try:
            with making:
                if (found := self._find(key)) is not None:
                    return found
                made = make()
                with self._lock:
                    self._found[key] = made
                    self._bytes += len(made)
                    while self._bytes > self._most_bytes and len(self._found) > 1:
                        self._bytes -= len(self._found.popitem(last=False)[1])
                return made
        finally:
            with self._lock:
                self._making.pop(key, None)

    def _find(self, key: str) -> bytes | None:
        with self._lock:
            found = self._found.get(key)
            if found is not None:
                self._found.move_to_end(key)
            return found
