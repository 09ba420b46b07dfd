"""Tells and packs the replays of a report: a short one here, a long one by processes, each with matches of its own.

What one process packs is a stream, which a browser reads by a worker of its own. How many streams there are depends on
the matches alone, not on the machine, so that a report made anew is the same.
"""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any, Final

from arena.match.replay import ReplayError, load, with_texts
from arena.model.matches import FaultFact
from arena.story.errors import StoryError
from arena.story.replays import story_of_replay
from arena.web.report.packing import PackedMatches, Packer
from arena.web.viewer.document import viewer_document

_LONG: Final = 60_000
"""With so many plies it is quicker by processes, though they take a second to start."""
_STREAMS: Final = 2
_AHEAD: Final = 8
"""So many matches wait in a process for those before them."""
_ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

Replay = tuple[int, bytes | None, tuple[FaultFact, ...]]
"""The place of a match in the list, its replay (`None` if that may not be shown), and what bots did wrong in it."""


class PackingError(Exception):
    """A process that packs ended before it was told to."""


def pack_all(replays: Iterable[Replay], plies: int, language: str) -> Generator[bool, None, list[PackedMatches]]:
    """Pack replays with so many plies together, yield for each whether it is in, and return the streams.

    Raises PackingError. Whoever stops in between ends the processes, too.
    """
    if plies < _LONG:
        packer = Packer(plies)
        for replay in replays:
            yield _pack(packer, replay, language)
        return [packer.packed()]
    return (yield from _pack_by_processes(replays, plies // _STREAMS, language))


def _pack(packer: Packer, replay: Replay, language: str) -> bool:
    """Tell a match and pack it; return False if it may not be shown, cannot be told here, or not be read."""
    place, data, faults = replay
    if data is None:
        return False
    try:
        document = viewer_document(story_of_replay(with_texts(load(data), faults), language))
    except (ReplayError, StoryError):
        return False
    packer.add(document, place)
    return True


def _pack_by_processes(
    replays: Iterable[Replay], plies: int, language: str
) -> Generator[bool, None, list[PackedMatches]]:
    processes = [_Process(plies, language) for _ in range(_STREAMS)]
    try:
        for turn, replay in enumerate(replays):
            process = processes[turn % _STREAMS]
            if replay[1] is None:
                yield False
                continue
            process.ask(replay)
            for each in processes:
                while each.is_answered() or each.open >= _AHEAD:
                    yield each.answer()
        for process in processes:
            process.ask(None)
            while process.open > 1:
                yield process.answer()
        return [process.answer() for process in processes]
    finally:
        for process in processes:
            process.close()


@contextmanager
def _ending_later() -> Iterator[None]:
    """Have signals that end this process wait: one that is half started complains of what it was not told.

    Blocking them would not do, as a library's thread hears them, and Python answers in this one.
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


@contextmanager
def _deaf_to_terminals() -> Iterator[None]:
    """Have what is started here never hear what a terminal tells all processes: the one that asks ends it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Process:
    """A process that packs one stream."""

    def __init__(self, plies: int, language: str) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=_work, args=(other, plies, language), daemon=True)
        with _ending_later(), _deaf_to_terminals():
            self._process.start()
        other.close()
        self.open = 0
        """How many answers are still to come."""

    def ask(self, replay: Replay | None) -> None:
        """Hand a replay over, or nothing at the end."""
        try:
            self._pipe.send(replay)
        except OSError as error:
            raise PackingError from error
        self.open += 1

    def is_answered(self) -> bool:
        return self.open > 0 and self._pipe.poll()

    def answer(self) -> Any:
        """Wait for the next answer: whether a match is in, and at the end the stream."""
        try:
            found = self._pipe.recv()
        except (EOFError, OSError) as error:
            raise PackingError from error
        self.open -= 1
        return found

    def close(self) -> None:
        self._pipe.close()
        self._process.kill()
        self._process.join()


def _work(pipe: Connection, plies: int, language: str) -> None:
    """Answer for replays until there is no more; end at once with the process that asks."""
    waiting: queue.Queue[Replay | None] = queue.Queue(_AHEAD)
    threading.Thread(target=_read, args=(pipe, waiting), daemon=True).start()
    packer = Packer(plies)
    while (found := waiting.get()) is not None:
        pipe.send(_pack(packer, found, language))
    pipe.send(packer.packed())


def _read(pipe: Connection, waiting: queue.Queue[Replay | None]) -> None:
    try:
        while True:
            waiting.put(pipe.recv())
    except (EOFError, OSError):
        os._exit(0)
