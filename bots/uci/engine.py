"""Talks UCI with an engine: the handshake, its options, new games, and the move that it chooses."""

from __future__ import annotations

import re
from collections.abc import Mapping

from bots.uci.errors import UciError
from bots.uci.process import EngineProcess, quote

_THREADS = "threads"
_OPTION = re.compile(rb"option name (.+?) type ")


class Engine:
    """An engine that plays. Every method raises UciError if it ended or said what is no answer.

    None of them gives up waiting: for how long an engine may be silent is for the arena's clock to say.
    """

    def __init__(self, process: EngineProcess, options: Mapping[str, str]) -> None:
        self._process = process
        self._wanted = {name.lower(): value for name, value in options.items()}
        self._has: dict[str, str] = {}
        self._threads = 0

    def start(self) -> None:
        """Greet the engine and set its options."""
        self._process.send("uci")
        while (line := self._process.receive(b"")) != b"uciok":
            if found := _OPTION.match(line):
                name = found[1].decode("utf-8", "replace")
                self._has[name.lower()] = name
        for name, value in self._wanted.items():
            self._set(name, value)
        self._process.send("isready")
        self._process.receive(b"readyok")

    def new_game(self, cores: int) -> None:
        """Have the engine forget the last game, and think with so many threads unless that option was given."""
        if cores != self._threads and _THREADS in self._has and _THREADS not in self._wanted:
            self._set(_THREADS, str(cores))
            self._threads = cores
        self._process.send("ucinewgame\nisready")
        self._process.receive(b"readyok")

    def best_move(self, position: str, go: str) -> str:
        """Return the move that the engine chooses."""
        self._process.send_anew(f"{position}\n{go}")
        line = self._process.receive(b"bestmove")
        words = line.split()
        if len(words) < 2 or words[0] != b"bestmove":
            raise self._process.illegal(line)
        return words[1].decode("utf-8", "replace")

    def illegal(self, move: str) -> UciError:
        """Return the error of a move that the position does not allow."""
        return self._process.illegal(move)

    def _set(self, name: str, value: str) -> None:
        """Set an option, whatever the case of its name."""
        if name not in self._has:
            known = ", ".join(self._has.values()) or "none"
            raise UciError(f"the engine {self._process.name} has no option {quote(name)}; it has: {known}")
        self._process.send(f"setoption name {self._has[name]} value {value}")
