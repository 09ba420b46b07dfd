"""Plays a pairing in fastchess, from a book of openings, and reads what it prints and writes."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.chess.run import Playing
from benchmarks.chess.spending import Spending

_STARTED = re.compile(r"Started game (\d+) of \d+ \(")
_FINISHED = re.compile(r"Finished game (\d+) \(")
_TAG = re.compile(r'\[(\w+) "(.*)"\]')
NAMES = ("uci-a", "uci-b")


class FastchessError(Exception):
    """fastchess did not play what it was asked to play."""


def command(program: str, engine: str, nodes: int, rounds: int, slots: int, opening_plies: int) -> Sequence[str]:
    """Return the command that plays each opening of `book.pgn` in both colours, the games into `games.pgn`."""
    engines = [word for name in NAMES for word in ("-engine", f"cmd={engine}", f"name={name}")]
    each = ("-each", "proto=uci", f"nodes={nodes}", "option.Hash=16", "option.Threads=1")
    book = ("-openings", "file=book.pgn", "format=pgn", "order=sequential", f"plies={opening_plies}")
    games = ("-rounds", str(rounds), "-games", "2", "-repeat", "-concurrency", str(slots))
    return (program, *engines, *each, *book, *games, "-pgnout", "file=games.pgn")


def play(words: Sequence[str], home: Path, engine: str, opening_plies: int) -> tuple[list[Playing], Spending]:
    """Run it in a directory that holds the book; the games, and what was computed. Raises FastchessError."""
    process = subprocess.Popen(words, cwd=home, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    with process, Spending(process.pid, engine) as spending:
        assert process.stdout is not None, "a pipe was asked for"
        began, ended, told = _read_moments(process.stdout)
    if process.returncode or began.keys() != ended.keys() or not ended:
        raise FastchessError(f"fastchess ended with {process.returncode}: {told[-1] if told else 'it said nothing'}")
    plies = dict(read_games((home / "games.pgn").read_text(encoding="utf-8")))
    playings = [Playing(plies[number], plies[number] - opening_plies, began[number], ended[number]) for number in ended]
    return playings, spending


def _read_moments(lines: Iterator[str]) -> tuple[dict[int, float], dict[int, float], list[str]]:
    """Return when games began and ended, by their numbers, and the lines that tell something else."""
    began: dict[int, float] = {}
    ended: dict[int, float] = {}
    told = []
    for line in lines:
        now_s = time.time()
        if found := _STARTED.match(line):
            began[int(found[1])] = now_s
        elif found := _FINISHED.match(line):
            ended[int(found[1])] = now_s
        elif line.strip():
            told.append(line.strip())
    return began, ended, told


def read_games(pgn: str) -> Iterator[tuple[int, int]]:
    """Yield the number of each game and its plies, those of the opening included. Raises FastchessError.

    The games of a round are those of one opening: the first engine has white in the first.
    """
    for tags in _tags(pgn):
        if tags["Termination"] != "normal":
            raise FastchessError(
                f"game {tags['Round']} ended by {tags['Termination']!r}; see whether the engine is sound"
            )
        number = 2 * int(tags["Round"]) - (tags["White"] == NAMES[0])
        yield number, int(tags["PlyCount"])


def _tags(pgn: str) -> Iterator[Mapping[str, str]]:
    for game in re.split(r"^(?=\[Event )", pgn, flags=re.MULTILINE):
        tags = dict(_TAG.findall(game))
        if tags:
            yield tags
