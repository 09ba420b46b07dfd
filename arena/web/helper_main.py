"""The process that helps the pages: `python -m arena.web.helper_main`, started by `arena.web.shared.helper`.

It reads messages from its standard input, first the database and how far to give way to the pages, then questions, and
writes their answers: a tuple with the answer, or `None` if it knows none. It ends at once when its input does.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

from arena.app.arena import LocalArena
from arena.app.policy import Viewer
from arena.app.store import store_of
from arena.hosting.sandbox.programs import StoredPrograms
from arena.web.shared.helper import STORY, call_of, give_way, read_message, write_message
from arena.web.viewer.stories import render_story
from ratings.store.database import open_for_reading
from ratings.values.states import Scope


def main() -> int:
    """Answer questions until the input ends."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed is no answer
    questions: queue.SimpleQueue[Any] = queue.SimpleQueue()
    db, niceness = read_message(sys.stdin.buffer)
    give_way(niceness)
    with _opened(db) as arena:
        threading.Thread(target=_read, args=(sys.stdin.buffer, questions), daemon=True).start()
        while True:
            write_message(output, _answer(arena, *questions.get()))


def _read(pipe: IO[bytes], questions: queue.SimpleQueue[Any]) -> None:
    """Pass questions on, and end this process at once when the asking process ends."""
    try:
        while True:
            questions.put(read_message(pipe))
    except EOFError:
        os._exit(0)


@contextmanager
def _opened(db: str) -> Iterator[LocalArena]:
    """Open a database for questions of somebody without a login."""
    database = open_for_reading(db)
    try:
        programs = StoredPrograms(store_of(db))
        yield LocalArena(database, programs, Viewer(Scope.VIEWER))
    finally:
        database.close()


def _answer(arena: LocalArena, question: str, arguments: tuple[Any, ...], more: Mapping[str, Any]) -> tuple[Any] | None:
    """Return the answer in a tuple, or `None` on any error: the asking process then answers itself."""
    try:
        if question == STORY:
            return (render_story(arena, *arguments),)
        return (call_of(arena, question)(*arguments, **more),)
    except Exception:  # the top of a process
        return None


if __name__ == "__main__":
    sys.exit(main())
