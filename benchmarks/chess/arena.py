"""Plays a pairing in the arena, by the real command, and reads the matches and their openings from the database."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from sqlmodel import Session, col, select

from benchmarks.chess.run import Playing
from benchmarks.chess.spending import Spending
from ratings.store.database import open_database
from ratings.store.models import BlockRecord, FaultRecord, MatchRecord
from ratings.values.states import MatchState

ARENA = (sys.executable, "-m", "arena.cli.main")
GAME = "openspiel_chess"
NAMES = ("uci-a", "uci-b")
_MANIFEST = """schema = 1
name = "{name}"
command = [
  "python", "-m", "bots.uci", "--engine", {engine}, "--option", "Hash=16", "--option", "Threads=1",
  "--nodes", "{nodes}",
]
games = ["{game}"]
"""


class ArenaError(Exception):
    """The arena did not play what it was asked to play."""


def add_bots(home: Path, engine: str, nodes: int) -> None:
    """Put the engine into the database of a directory under two names."""
    for name in NAMES:
        (home / name).mkdir()
        (home / name / "bot.toml").write_text(
            _MANIFEST.format(name=name, engine=json.dumps(engine), nodes=nodes, game=GAME), encoding="utf-8"
        )
        subprocess.run([*ARENA, "bot", "add", name], cwd=home, check=True, stdout=subprocess.DEVNULL)


def play(home: Path, engine: str, rounds: int, slots: int, opening_plies: int) -> tuple[list[Playing], Spending]:
    """Play each opening in both colours; the matches, and what was computed. Raises ArenaError."""
    command = [*ARENA, "tournament", "run", "round-robin", "--game", GAME, "--seats", "2", "--bots", ",".join(NAMES)]
    command += ["--blocks", str(rounds), "--opening-plies", str(opening_plies), "--workers", str(slots), "--seed", "1"]
    command += ["--time", "60s", "--start-limit", "60s", "--leak-checks", "0"]
    process = subprocess.Popen(
        command, cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace"
    )
    with process, Spending(process.pid, engine) as spending:
        _, told = process.communicate()
    playings = _played(home / "arena.db")
    if process.returncode or len(playings) != 2 * rounds:
        raise ArenaError(
            f"the arena ended with {process.returncode}, and {len(playings)} of {2 * rounds} matches by the rules: "
            f"{_first_fault(home / 'arena.db') or ' '.join(told.split())[-500:]}"
        )
    return playings, spending


def _first_fault(database: Path) -> str:
    """Return what a bot did wrong and its last words, or nothing if none did."""
    book = open_database(database)
    with Session(book.engine) as session:
        fault = session.exec(select(FaultRecord).limit(1)).first()
    book.close()
    return f"{fault.cause}: {fault.explanation} {fault.evidence.get('stderr', '')}".strip() if fault else ""


def _played(database: Path) -> list[Playing]:
    book = open_database(database)
    with Session(book.engine) as session:
        wanted = select(MatchRecord).where(
            MatchRecord.state == MatchState.FINISHED, col(MatchRecord.by_rules).is_(True)
        )
        found = [
            Playing(
                match.plies or 0,
                match.decisions or 0,
                match.started_at_us / 1e6,
                (match.started_at_us + match.duration_us) / 1e6,
            )
            for match in session.exec(wanted)
            if match.started_at_us is not None and match.duration_us is not None
        ]
    book.close()
    return found


def openings(database: Path) -> list[Sequence[int]]:
    """Return the opening of each block, as the ids of its actions, in the order of the schedule."""
    book = open_database(database)
    with Session(book.engine) as session:
        found: list[Sequence[int]] = list(session.exec(select(BlockRecord.opening).order_by(col(BlockRecord.index))))
    book.close()
    return found
