"""Homes with bots and a tournament, as small as they can be."""

from __future__ import annotations

import shutil
import tempfile
from functools import cache
from pathlib import Path

from arena.hosting.store import VersionStore
from arena.service.home import Home, make_home
from arena.service.settings import settings_template
from arena.tournament.seed_key import SeedKey
from ratings.ledger.ledger import Ledger
from ratings.store.database import open_database
from tests.ratings import book
from tests.support.places import write_quick_bot


def small_home(directory: Path, *, played: bool = True) -> Home:
    """A home with three bots, whose tournament is played, and a certificate that is none."""
    return Home(shutil.copytree(Path(_made_home(played).name, "h"), directory))


@cache
def _made_home(played: bool) -> tempfile.TemporaryDirectory[str]:
    """Such a home to be copied, for making one takes longest."""
    made = tempfile.TemporaryDirectory(prefix="kma")
    home = make_home(Path(made.name, "h"), settings_template())
    for name in ("cert.pem", "key.pem"):
        (home.tls / name).write_text(name, encoding="ascii")
        (home.tls / name).chmod(0o600)
    SeedKey.beside(home.store).secret_of(1)
    (home.logs / "serve.jsonl").write_text("{}\n", encoding="ascii")
    database = open_database(home.database)
    try:
        ids = [add_bot(home, choice) for choice in ("first", "last", "drawn")]
        tournament = book.create(database, ids)
        if played:
            book.play_all(database, tournament)
    finally:
        database.close()
    return made


def add_bot(home: Home, choice: str, *, name: str = "") -> str:
    """Store a bot as `arena bot add` does; the id of its version."""
    source = write_quick_bot(home.directory.parent / f"{home.directory.name}-{name or choice}", choice, name=name)
    (source / "run.sh").write_text("#!/bin/sh\n", encoding="ascii")
    (source / "run.sh").chmod(0o755)
    stored = VersionStore(home.store).add(source)
    database = open_database(home.database)
    try:
        added, _ = Ledger(database).add_version(
            bot=name or choice, content_hash=stored.hash, manifest=stored.manifest.to_json()
        )
        return added.id
    finally:
        database.close()
