"""A UCI engine that knows one line, knights that go out and come back, and misbehaves on demand.

    python uci_engine.py [--do BEHAVIOUR] [--at N] [--log FILE] [--form FORM]

At its N-th `go` (from 0) it does BEHAVIOUR instead of answering; a behaviour is a function below, its name with dashes,
and those of `STARTS` happen instead of the handshake. What it is told is written to the log. FORM is a key of `FORMS`:
how it writes its lines.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

FOREVER_S = 3600.0
LINE = ("g1f3", "g8f6", "f3g1", "f6g8")
"""From the start; two of these engines have the first position for the third time after eight plies."""


FORMS: dict[str, Callable[[str], str]] = {
    "plain": lambda line: f"{line}\n",
    "windows": lambda line: f"{line}\r\n",
    "indented": lambda line: f" \t {line}\n",
    "tabs": lambda line: "\t".join(line.split(" ")) + "\t\n",
    "wide": lambda line: "   ".join(line.split(" ")) + "  \n",
    "form-feeds": lambda line: "\f\v" + " \f".join(line.split(" ")) + "\r\r\n",
    "marked": lambda line: f"\ufeff{line}\n",
    "talkative": lambda line: f"Ready for uciok\n\n \nbestmoves readyokay\ninfo string bestmove\n{line}\n",
    "long-info": lambda line: f"info pv {'e2e4 ' * 100_000}\n{line}\n",
}
form = FORMS["plain"]


def say(text: str) -> None:
    os.write(1, "".join(map(form, text.split("\n"))).encode())


def next_move(position: str) -> str:
    """The move of the line behind a `position startpos [moves ...]`."""
    return LINE[len(position.split()[3:]) % len(LINE)]


# Instead of an answer.


def crash() -> None:
    sys.stderr.write("engine: assertion failed\n")
    os._exit(3)


def segfault() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def close_output() -> None:
    os.close(1)
    time.sleep(FOREVER_S)


def stall() -> None:
    time.sleep(FOREVER_S)


def illegal_move() -> None:
    say("bestmove e2e5")


def no_move() -> None:
    say("bestmove (none)")


def half_an_answer() -> None:
    say("bestmove")


def capitals() -> None:
    say("bestmove G1F3 ponder E7E8Q")


def last_words() -> None:
    """Answer in a line without an end, and leave."""
    os.write(1, b"bestmove g1f3")
    os._exit(0)


def endless_nodes() -> None:
    """Think on and on like an engine that does not know `go nodes`, until it is stopped."""
    say("info string nodes 99999\ninfo depth 1 nodes 1 nps 99999 pv e2e4\ninfo depth 2 nodes 20003 time 1")
    while next(sys.stdin).strip() != "stop":
        pass
    say("bestmove e2e4")


def answer_twice() -> None:
    say("bestmove g1f3\nbestmove e2e4")


def garbage() -> None:
    os.write(1, b"bestmove \xff\xfe\x00\n")


def queen_without_a_letter() -> None:
    say("bestmove a2a3q")


def flood_of_lines() -> None:
    while True:
        say("info string " + "x" * 200)


def endless_line() -> None:
    while True:
        os.write(1, b"x" * 65_536)


def deaf_to_the_end() -> None:
    """Never end by itself, not even when nobody is left to talk to."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        with contextlib.suppress(OSError):
            time.sleep(FOREVER_S)


ANSWERS: tuple[Callable[[], None], ...] = (
    *(crash, segfault, close_output, stall, illegal_move, no_move, half_an_answer, garbage, queen_without_a_letter),
    *(capitals, last_words, endless_nodes, answer_twice, flood_of_lines, endless_line, deaf_to_the_end),
)


# Instead of the handshake.


def mute() -> None:
    time.sleep(FOREVER_S)


def leave() -> None:
    os._exit(0)


def untyped() -> None:
    say("option name Book\noption name My Own   Table  type  string  default  <empty>\nuciok")


STARTS: tuple[Callable[[], None], ...] = (mute, leave, untyped)


def by_name(functions: tuple[Callable[[], None], ...]) -> dict[str, Callable[[], None]]:
    return {function.__name__.replace("_", "-"): function for function in functions}


def play(behaviour: str, at: int, log: Path | None) -> None:
    position, asked = "", 0
    for line in map(str.strip, sys.stdin):
        if log:
            with log.open("a", encoding="utf-8") as file:
                file.write(f"{line}\n")
        if line == "uci":
            by_name(STARTS).get(behaviour, greet)()
        elif line == "isready":
            say("readyok")
        elif line.startswith("position"):
            position = line
        elif line.startswith("go"):
            if asked == at and behaviour in by_name(ANSWERS):
                by_name(ANSWERS)[behaviour]()
            else:
                say(f"info depth 1 score cp 0\r\nbestmove {next_move(position)} ponder a2a3\r")
            asked += 1
        elif line == "quit":
            return


def greet() -> None:
    say("id name Scripted\noption name Threads type spin default 1 min 1 max 8")
    say("option name Clear Hash type button\noption name Hash type spin default 16 min 1 max 64\nuciok")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--do", default="")
    parser.add_argument("--at", type=int, default=0)
    parser.add_argument("--log", type=Path)
    parser.add_argument("--form", default="plain", choices=FORMS)
    options = parser.parse_args()
    form = FORMS[options.form]
    play(options.do, options.at, options.log)
