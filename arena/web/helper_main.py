"""The process that helps the pages: `python -m arena.web.helper_main`, started by `arena.web.shared.helper`.

It reads messages from its standard input, first the database and how far to give way to the pages, then questions, and
writes their answers: a tuple with the answer, or `None` if it knows none. It ends at once when its input does.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from collections.abc import Mapping
from typing import IO, Any

from arena.app.arena import LocalArena, open_for_visitors
from arena.web.shared.helper import STORY, call_of, give_way, read_message, write_message
from arena.web.viewer.stories import render_story


def main() -> int:
    """Answer questions until the input ends."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed is no answer
    questions: queue.SimpleQueue[Any] = queue.SimpleQueue()
    db, niceness = read_message(sys.stdin.buffer)
    give_way(niceness)
    with open_for_visitors(db) as arena:
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
