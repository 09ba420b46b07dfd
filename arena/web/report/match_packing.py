"""Packs matches as the viewer takes them, each by gzip, so that a browser opens any one of them at once.

`static/js/unpack.js` is the inverse. Texts that come again, in a match or in another, stand in one table, and matches
hold their numbers in it: templates of the parts of a picture, the values in their holes, sentences, actions. Figures
are rounded to what the viewer shows: times to milliseconds, clocks to tenths of a second, values to hundredths.
"""

from __future__ import annotations

import gzip
import json
import multiprocessing
import os
import re
import signal
import threading
from collections import defaultdict, deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from arena.match.replay import ReplayError, load, with_texts
from arena.model.matches import FaultFact
from arena.story.errors import StoryError
from arena.story.replays import story_of_replay
from arena.web.viewer.payload import viewer_document

_LONG: Final = 60_000
"""With so many plies it is quicker by processes, though they take a second to start."""
_PROCESSES: Final = 2
_AHEAD: Final = 8
"""So many matches are read from the database before the first of them is packed."""
_ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_VALUES: Final = re.compile(r'(?<==")[^"]*(?=")|(?<=>)[^<]+(?=<)')
"""The values of attributes, and the texts, of a part of a picture; what is left is its template."""
_LEFT_OUT: Final = {"format", "schema", "parts", "frames", "picture"}
"""What is stored of a document in another form, or not at all."""
_PLAIN: Final = ("seat", "decider", "turn", "chance", "note", "text", "faults")
"""What is stored of a frame as it is; a note is hardly ever made twice."""
_SHARED: Final = ("action", "by", "title")

Replay = tuple[bytes | None, tuple[FaultFact, ...]]
"""The replay of a match (`None` if that may not be shown), and what bots did wrong in it."""


class PackingError(Exception):
    """A process that prepares matches ended before it was told to."""


@dataclass(frozen=True, slots=True)
class PackedMatches:
    """Matches as they are stored, each block packed by gzip."""

    tables: bytes
    """What all matches share, and a line of each for their list."""
    matches: Sequence[bytes]


class Packer:
    """Takes matches one by one, documents as `arena.web.viewer.payload.viewer_document` makes them."""

    def __init__(self) -> None:
        self._texts: dict[str, int] = {}
        self._pictures: list[Any] = []
        self._list: list[dict[str, Any]] = []
        self._matches: list[bytes] = []

    def add(self, document: Mapping[str, Any]) -> None:
        """Take the next match."""
        frames, picture = document["frames"], document["picture"]
        if picture not in self._pictures:
            self._pictures.append(picture)
        slots, shown, parts = self._changes(document)
        match = {
            **{name: value for name, value in document.items() if name not in _LEFT_OUT},
            "picture": self._pictures.index(picture),
            "parts": parts,
            "slots": slots,
            "shown": shown,
            **{name: [frame.get(name) for frame in frames] for name in _PLAIN},
            **{name: [self._number(frame.get(name, "")) for frame in frames] for name in _SHARED},
            "words": [[self._number(sentence) for sentence in frame.get("words", ())] for frame in frames],
            "elapsed_ms": [frame["elapsed_us"] // 1000 if "elapsed_us" in frame else None for frame in frames],
            "remaining_ds": [[us // 100_000 for us in frame.get("remaining_us", ())] for frame in frames],
            "values": _differences([[round(value / 10) for value in frame.get("values", ())] for frame in frames]),
        }
        self._matches.append(_gzip(match))
        end = document["end"]
        self._list.append({"match_id": document["match_id"], "seats": document["seats"], "ranks": end and end["ranks"]})

    def packed(self) -> PackedMatches:
        """Return all that was taken."""
        tables = {"texts": list(self._texts), "pictures": self._pictures, "matches": self._list}
        return PackedMatches(_gzip(tables), tuple(self._matches))

    def _number(self, text: str) -> int:
        return self._texts.setdefault(text, len(self._texts))

    def _changes(self, document: Mapping[str, Any]) -> tuple[list[list[int]], list[list[int]], list[int]]:
        """Return frame by frame which slots of the picture change, what they show then, and the rows of all parts.

        A slot is its distance from the one before. For a part, 0 stands for the next one that was not shown yet, a
        positive number for a part that the slot showed before, counted back from the last one, and a negative number
        for any other, -1 for the first. A row is the template of a part and, plus one, its values; 0 stands for the
        value of the part of this template that the slot showed last or, if it never did, of the last one in any slot.
        """
        slots, shown, rows = list[list[int]](), list[list[int]](), list[int]()
        parts, last, shown_by = list[list[int]](), dict[tuple[int, ...], list[int]](), defaultdict[int, list[int]](list)
        for frame in document["frames"]:
            changes = frame.get("parts", ())
            slots.append([slot - before for before, slot in zip((0, *changes[::2]), changes[::2], strict=False)])
            shown.append([])
            for slot, number in zip(changes[::2], changes[1::2], strict=True):
                is_new = number == len(parts)
                before_it = shown_by[slot]
                if number in before_it:
                    shown[-1].append(before_it.index(number) + 1)
                    before_it.remove(number)
                else:
                    shown[-1].append(0 if is_new else -number - 1)
                before_it.insert(0, number)
                if is_new:
                    text = document["parts"][number]
                    part = [self._number(_VALUES.sub("\0", text)), *map(self._number, _VALUES.findall(text))]
                    parts.append(part)
                    old = last.get((part[0], slot)) or last.get((part[0],)) or [-1] * len(part)
                    values = zip(part[1:], old[1:], strict=True)
                    rows += part[0], *(0 if value == before else value + 1 for value, before in values)
                part = parts[number]
                last[part[0], slot] = last[part[0],] = part
        return slots, shown, rows


def _differences(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return each row less the last one before it that is not empty."""
    before: Sequence[int] = ()
    differences = list[list[int]]()
    for row in rows:
        differences.append([value - (before[at] if at < len(before) else 0) for at, value in enumerate(row)])
        before = row or before
    return differences


def _gzip(document: Mapping[str, Any]) -> bytes:
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return gzip.compress(text.encode(errors="replace"), mtime=0)


def pack_all(replays: Iterable[Replay], plies: int, language: str) -> Generator[bool, None, PackedMatches]:
    """Pack replays with so many plies together, yield for each whether it is in, and return what was packed.

    Raises PackingError. Whoever stops in between ends the processes, too.
    """
    packer = Packer()
    for document in _documents(replays, plies, language):
        if document is not None:
            packer.add(document)
        yield document is not None
    return packer.packed()


def _documents(replays: Iterable[Replay], plies: int, language: str) -> Iterator[dict[str, Any] | None]:
    if plies < _LONG:
        yield from (_document(replay, language) for replay in replays)
        return
    spawn = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(_PROCESSES, mp_context=spawn, initializer=_end_with_parent)
    try:
        waiting = deque[Future[dict[str, Any] | None]]()
        for replay in replays:
            with _signals_later():  # this may start a process
                # Which never receives the signals of a terminal: this process ends it.
                before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
                try:
                    waiting.append(pool.submit(_document, replay, language))
                finally:
                    signal.pthread_sigmask(signal.SIG_SETMASK, before)
            if len(waiting) == _AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool as error:
        raise PackingError from error
    finally:
        pool.shutdown(cancel_futures=True)


def _document(replay: Replay, language: str) -> dict[str, Any] | None:
    """Return a match as the viewer takes it; `None` if it may not be shown, or cannot be read or told here."""
    data, faults = replay
    try:
        return None if data is None else viewer_document(story_of_replay(with_texts(load(data), faults), language))
    except (ReplayError, StoryError):
        return None


def _end_with_parent() -> None:
    """End this process when the one that started it has ended, also by SIGKILL."""

    def wait() -> None:
        parent = multiprocessing.parent_process()
        assert parent is not None
        parent.join()
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()


@contextmanager
def _signals_later() -> Iterator[None]:
    """Have signals that end this process wait: a process that is half started would print a traceback.

    Blocking them would not do, as a library's thread receives them, and Python handles them in this one.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = {number: signal.signal(number, lambda number, _frame: came.append(number)) for number in _ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for each in came:
            signal.raise_signal(each)
