"""A database with bots and a planned round robin, for tests; and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import contextmanager
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from arena.hosting.store import VersionStore
from arena.match.clock import parse_time_control
from arena.tournament.create import Terms, create_round_robin
from engine import registry
from ratings.bots import add_version
from ratings.database import Engine, Session, open_database, read, write
from ratings.models import Rating, Tournament, Version

BOTS = ("ann", "bob", "cid", "dee")
TERMS = Terms(game="countdown", seats=3, clock=parse_time_control("50ms"), seed=42)


def install_countdown() -> None:
    """Make the game of the tests known, as an installed plug-in would be."""
    registry._plugins = lambda: {"countdown": "tests.tournament.countdown"}  # type: ignore[assignment]


@dataclass
class Book:
    database: Engine
    store: VersionStore
    path: Path

    def add_bot(self, name: str, directory: Path, games: str = '["*"]', code: str = "") -> Version:
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "bot.toml").write_text(
            f'schema = 1\nname = "{name}"\ncommand = ["python", "main.py"]\ngames = {games}\n', encoding="utf-8"
        )
        (directory / "main.py").write_text(f"# {name} {code}\n", encoding="utf-8")
        stored = self.store.add(directory)
        with write(self.database) as session:
            version, _ = add_version(
                session, bot=name, content_hash=stored.hash, manifest=stored.manifest.to_json()
            )
        return version

    def plan(self, terms: Terms = TERMS, bots: Sequence[str] = BOTS, blocks: int = 2) -> Tournament:
        with write(self.database) as session:
            return create_round_robin(session, self.store, terms, name="class", bots=bots, blocks=blocks)


@contextmanager
def open_book(path: Path) -> Iterator[Book]:
    database = open_database(path)
    try:
        yield Book(database, VersionStore.of_database(path), path)
    finally:
        database.dispose()


def final_table(session: Session, tournament: Tournament, versions: dict[str, Version]) -> dict[str, tuple[object, ...]]:
    """mu, sigma, matches, wins and points of each bot, to the last digit."""
    table = {}
    for name, version in versions.items():
        rating = session.get(Rating, (tournament.pool_id, version.id))
        if rating is not None:
            table[name] = (rating.mu.hex(), rating.sigma.hex(), rating.matches, rating.wins, rating.points)
    return table
