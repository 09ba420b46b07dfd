"""The process that helps the pages: `python -m arena.web.helper_main`, started by `arena.web.shared.helper_process`.

It reads messages from its standard input, first the database and how far to give way to the pages, then questions, and
writes their answers: a tuple with the answer, or `None` if it knows none. It ends at once when its input does.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from contextlib import suppress
from functools import partial
from typing import IO, Any

from arena.app.arena import open_for_visitors
from arena.web.shared.helper_process import STORY, call_of, give_way, read_message, write_message
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
            question, arguments, more = questions.get()
            answer = None
            with suppress(Exception):  # the top of a process: the asking process then answers itself
                call = partial(render_story, arena) if question == STORY else call_of(arena, question)
                answer = (call(*arguments, **more),)
            write_message(output, answer)


def _read(pipe: IO[bytes], questions: queue.SimpleQueue[Any]) -> None:
    """Pass questions on, and end this process at once when the asking process ends."""
    try:
        while True:
            questions.put(read_message(pipe))
    except EOFError:
        os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
