"""The arena beside fastchess: one UCI engine against itself, the same openings, as many games at once.

    python -m benchmarks.chess --fastchess PATH --engine PATH [--nodes 1 100 10000] [--rounds 3]

Both play every opening in both colours, by turns; the openings are the arena's, which fastchess reads as a book. What
counts is the time in which all slots are busy with engines that have played before: neither the start nor the last game
is in it. A move is one that an engine was asked for; the arena plays by itself where only one is legal. Games of one
opening should be the same on both sides, so their lengths are compared. Needs kingmaker-arena[openspiel].
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from sqlmodel import Session, col, select

from ratings.store.database import open_database
from ratings.store.models import BlockRecord, FaultRecord, MatchRecord
from ratings.values.states import MatchState

GAME = "openspiel_chess"
NAMES = ("uci-a", "uci-b")
SLOTS = 2
OPENING_PLIES = 8
GOALS = {1: 0.9, 100: 1.0, 10_000: 1.0}
"""What the arena must reach of fastchess's moves a second, by the nodes of a move."""
_OPENINGS = ((1, 150), (1_000, 100), (10_000, 30))
"""Openings for searches of up to so many nodes; of more, as of the last."""
_MANIFEST = """schema = 1
name = "{name}"
command = [
  "python", "-m", "bots.uci", "--engine", {engine}, "--option", "Hash=16", "--option", "Threads=1",
  "--nodes", "{nodes}",
]
games = ["{game}"]
"""
_PGN = '[Event "Opening"]\n[Result "*"]\n\n{moves} *\n\n'


class ChessError(Exception):
    """One of the programs did not play what it was asked to play."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """What is played, and by which programs."""

    fastchess: str
    engine: str
    nodes: int
    openings: int


@dataclass(frozen=True, slots=True)
class Playing:
    """One game: its plies, how many moves engines were asked for, and when it began and ended, by `time.time()`."""

    plies: int
    moves: int
    began_s: float
    ended_s: float


@dataclass(frozen=True, slots=True)
class Figures:
    """What one program did: moves a second while all slots were busy, and how many games had so many plies."""

    moves_a_second: float
    lengths: Counter[int]


def figures(playings: Sequence[Playing]) -> Figures:
    """Return the figures from when every slot has ended a game to when the last game begins. Raises ChessError."""
    ends = sorted(one.ended_s for one in playings)
    began_s, ended_s = ends[min(SLOTS, len(ends)) - 1], max(one.began_s for one in playings)
    if ended_s <= began_s:
        raise ChessError(f"{len(playings)} games are too few to measure; play more")
    # The moves of a game are spread evenly over it.
    moves = sum(
        max(min(one.ended_s, ended_s) - max(one.began_s, began_s), 0.0) / (one.ended_s - one.began_s) * one.moves
        for one in playings
    )
    return Figures(moves / (ended_s - began_s), Counter(one.plies for one in playings))


# The arena.


def play_arena(pairing: Pairing, book: Path) -> Figures:
    """Play the pairing by the real command, and write its openings as a book. Raises ChessError."""
    arena = (sys.executable, "-m", "arena.cli.main")
    with tempfile.TemporaryDirectory(prefix="arena-benchmark-") as name:
        home = Path(name)
        for bot in NAMES:
            (home / bot).mkdir()
            words = {"name": bot, "engine": json.dumps(pairing.engine), "nodes": pairing.nodes, "game": GAME}
            (home / bot / "bot.toml").write_text(_MANIFEST.format(**words), encoding="utf-8")
            subprocess.run([*arena, "bot", "add", bot], cwd=home, check=True, stdout=subprocess.DEVNULL)
        command = [*arena, "tournament", "run", "round-robin", "--game", GAME, "--seats", "2", "--seed", "1"]
        command += ["--bots", ",".join(NAMES), "--blocks", str(pairing.openings), "--workers", str(SLOTS)]
        command += ["--opening-plies", str(OPENING_PLIES), "--time", "60s", "--start-limit", "60s"]
        command += ["--leak-checks", "0"]
        ended = subprocess.run(command, cwd=home, capture_output=True, text=True, errors="replace", check=False)
        playings, openings, fault = _recorded(home / "arena.db")
        if ended.returncode or len(playings) != 2 * pairing.openings:
            raise ChessError(
                f"the arena ended with {ended.returncode} and played {len(playings)} of {2 * pairing.openings} games: "
                f"{fault or ' '.join(ended.stderr.split())[-500:]}"
            )
        book.write_text("".join(map(_pgn, openings)), encoding="utf-8")
    return figures(playings)


def _recorded(path: Path) -> tuple[list[Playing], list[Sequence[int]], str]:
    """Return the games that ended by the rules, the openings as ids of actions, and the first fault of a bot."""
    database = open_database(path)
    with Session(database.engine) as session:
        ended = select(MatchRecord).where(MatchRecord.state == MatchState.FINISHED, col(MatchRecord.by_rules).is_(True))
        playings = [
            Playing(
                match.plies or 0,
                match.decisions or 0,
                match.started_at_us / 1e6,
                (match.started_at_us + match.duration_us) / 1e6,
            )
            for match in session.exec(ended)
            if match.started_at_us is not None and match.duration_us is not None
        ]
        openings: list[Sequence[int]] = list(session.exec(select(BlockRecord.opening).order_by(col(BlockRecord.index))))
        fault = session.exec(select(FaultRecord).limit(1)).first()
    database.close()
    return playings, openings, "" if fault is None else f"{fault.cause}: {fault.explanation}"


def _pgn(opening: Sequence[int]) -> str:
    import pyspiel

    state = pyspiel.load_game("chess").new_initial_state()
    moves = []
    for action in opening:
        moves.append(state.action_to_string(action))
        state.apply_action(action)
    numbered = [f"{index // 2 + 1}. {move}" if index % 2 == 0 else move for index, move in enumerate(moves)]
    return _PGN.format(moves=" ".join(numbered))


# fastchess.

_STARTED = re.compile(r"Started game (\d+) of \d+ \(")
_FINISHED = re.compile(r"Finished game (\d+) \(")
_TAG = re.compile(r'\[(\w+) "(.*)"\]')


def play_fastchess(pairing: Pairing, book: Path) -> Figures:
    """Play the pairing from a book. Raises ChessError."""
    engines = [word for name in NAMES for word in ("-engine", f"cmd={pairing.engine}", f"name={name}")]
    each = ("-each", "proto=uci", f"nodes={pairing.nodes}", "option.Hash=16", "option.Threads=1")
    openings = ("-openings", f"file={book}", "format=pgn", "order=sequential", f"plies={OPENING_PLIES}")
    games = ("-rounds", str(pairing.openings), "-games", "2", "-repeat", "-concurrency", str(SLOTS))
    command = (pairing.fastchess, *engines, *each, *openings, *games, "-pgnout", "file=games.pgn")
    with tempfile.TemporaryDirectory(prefix="arena-benchmark-") as home:
        with subprocess.Popen(
            command, cwd=home, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as process:
            assert process.stdout is not None, "a pipe was asked for"
            began, ended, told = _moments(process.stdout)
        if process.returncode or began.keys() != ended.keys() or not ended:
            raise ChessError(f"fastchess ended with {process.returncode}: {told or 'it said nothing'}")
        plies = dict(_plies((Path(home) / "games.pgn").read_text(encoding="utf-8")))
    return figures([Playing(plies[game], plies[game] - OPENING_PLIES, began[game], ended[game]) for game in ended])


def _moments(lines: Iterable[str]) -> tuple[dict[int, float], dict[int, float], str]:
    """Return when games began and ended, by their numbers, and the last line that tells something else."""
    began: dict[int, float] = {}
    ended: dict[int, float] = {}
    told = ""
    for line in lines:
        if found := _STARTED.match(line):
            began[int(found[1])] = time.time()
        elif found := _FINISHED.match(line):
            ended[int(found[1])] = time.time()
        else:
            told = line.strip() or told
    return began, ended, told


def _plies(pgn: str) -> Iterator[tuple[int, int]]:
    """Yield the number of each game and its plies, the opening included. Raises ChessError.

    The games of a round are those of one opening: the first engine has white in the first.
    """
    for game in re.split(r"^(?=\[Event )", pgn, flags=re.MULTILINE):
        tags: Mapping[str, str] = dict(_TAG.findall(game))
        if not tags:
            continue
        if tags["Termination"] != "normal":
            raise ChessError(f"game {tags['Round']} ended by {tags['Termination']!r}; see whether the engine is sound")
        yield 2 * int(tags["Round"]) - (tags["White"] == NAMES[0]), int(tags["PlyCount"])


def compare(pairing: Pairing, rounds: int) -> float:
    """Let both programs take turns, print their figures, and return the ratio of moves a second, the median of rounds.

    Raises ChessError.
    """
    pairs = []
    with tempfile.TemporaryDirectory(prefix="arena-benchmark-") as name:
        book = Path(name) / "book.pgn"
        for _ in range(rounds):
            pairs.append((play_arena(pairing, book), play_fastchess(pairing, book)))
            arena, fastchess = (side.moves_a_second for side in pairs[-1])
            print(f"{pairing.nodes:7,} nodes: arena {arena:,.0f}, fastchess {fastchess:,.0f} moves/s", flush=True)
    alike = sum((one.lengths & other.lengths).total() for one, other in pairs)
    games = sum(one.lengths.total() for one, _ in pairs)
    print(f"{pairing.nodes:7,} nodes: {alike:,} of {games:,} games have a counterpart of the same length")
    return median(one.moves_a_second / other.moves_a_second for one, other in pairs)


def _program(text: str) -> str:
    found = shutil.which(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r}: there is no program of that name; give the path of one")
    return str(Path(found).absolute())


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 0 if every goal is met, 1 if one is missed, 2 if nothing could be compared."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chess", description=__doc__)
    parser.add_argument("--fastchess", type=_program, required=True, metavar="PATH", help="the program fastchess")
    parser.add_argument("--engine", type=_program, required=True, metavar="PATH", help="a UCI engine such as Stockfish")
    parser.add_argument("--nodes", type=int, nargs="+", default=list(GOALS), help="positions searched for a move")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each program")
    options = parser.parse_args(arguments)
    is_missed = False
    for nodes in options.nodes:
        openings = next((count for most, count in _OPENINGS if nodes <= most), _OPENINGS[-1][1])
        try:
            ratio = compare(Pairing(options.fastchess, options.engine, nodes, openings), options.rounds)
        except ChessError as error:
            print(error, file=sys.stderr)
            return 2
        goal = GOALS.get(nodes, 0.0)
        is_missed |= ratio < goal
        print(f"{nodes:7,} nodes: moves a second, arena / fastchess: {ratio:.2f} (goal {goal:g})", flush=True)
    return 1 if is_missed else 0


if __name__ == "__main__":
    sys.exit(main())
