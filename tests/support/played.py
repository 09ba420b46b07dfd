"""A database made by real tournaments of both games, once for all tests that show it; to be copied, not changed."""

from __future__ import annotations

import fcntl
import shutil
from pathlib import Path

from tests.support.patience import ANY_TIME
from tests.support.places import Place, write_manifest, write_quick_bot

BOTS = ("random", "greedy", "first")
WRONG = """
from bots.kit import Bot, Decision, run

class Wrong(Bot):
    asked = 0

    def decide(self, decision: Decision) -> int:
        self.asked += 1
        return decision.legal_actions[0] if self.asked < 9 else 999_999

run(Wrong())
"""
"""A bot that commits a fault in the middle of its match, the last one of the database."""
_NAME = "played.db"
_TOURNAMENTS = (
    ("round-robin", "--game", "foreign_king", "--seats", "2", "--name", "duel", "--blocks", "2"),
    ("round-robin", "--game", "foreign_king", "--seats", "3", "--name", "three"),
    ("round-robin", "--game", "rex_romanorum", "--seats", "3", "--name", "rome"),
    ("knockout", "--game", "foreign_king", "--seats", "2", "--name", "cup", "--double"),
    ("swiss", "--game", "foreign_king", "--seats", "2", "--name", "swiss", "--rounds", "2"),
)


def played_database(shared: Path) -> Path:
    """The database in the directory `shared`, which is made by whoever of the testing processes comes first."""
    with (shared / "played.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = shared / "played"
        if not done.exists():
            making = shared / "played-making"
            shutil.rmtree(making, ignore_errors=True)
            making.mkdir()
            _play(making / _NAME)
            making.rename(done)
    return done / _NAME


def copy_played(shared: Path, directory: Path) -> Path:
    """A copy of the database, with the store of its bots, in an empty directory."""
    source = played_database(shared)
    shutil.copytree(source.parent, directory, dirs_exist_ok=True)
    return directory / _NAME


def _play(db: Path) -> None:
    quick = write_quick_bot(db.parent / "sources" / "first", "first")
    place = Place(db.parent)
    place.environment["ARENA_DB"] = str(db)
    wrong = db.parent / "sources" / "wrong"
    wrong.mkdir()
    (wrong / "main.py").write_text(WRONG, encoding="utf-8")
    place.ok("bot", "add", "random", "greedy", quick, write_manifest(wrong, "wrong"))
    for words in _TOURNAMENTS:
        place.ok("tournament", "run", *words, "--bots", ",".join(BOTS), "--seed", "7", "--workers", "1", *ANY_TIME)
    place.ok("match", "run", "--game", "foreign_king", "--bots", "wrong,first", "--seed", "7", *ANY_TIME)
