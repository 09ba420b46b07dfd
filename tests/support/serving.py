"""`arena serve` as an organiser runs it, in a process of its own, on a place whose directory is its home."""

from __future__ import annotations

import json
import os
import signal
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from arena.hosting.sandbox.programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.tournament.creation import TournamentTerms, create_tournament
from arena.tournament.formats.format import Format
from arena.tournament.formats.roundrobin import RoundRobin
from arena.tournament.seed_key import SeedKey
from ratings.ledger.ledger import Ledger
from ratings.store.database import open_database
from tests.support.patience import PATIENCE_S, PATIENT
from tests.support.places import CHOICES, Place, Terminal

SEED = 11


class Served:
    """A service that is ready."""

    def __init__(self, terminal: Terminal) -> None:
        found = terminal.wait_for(r"ready home=\S+ pid=(\d+) (.*)\r?\n")
        self.terminal = terminal
        self.pid = int(found[1])
        self.addresses = dict(word.split("=", 1) for word in found[2].split())

    def get(self, path: str) -> tuple[int, str]:
        """The status and the body of what the admin listener answers."""
        try:
            with urllib.request.urlopen(self.addresses["admin"] + path, timeout=PATIENCE_S) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    @property
    def health(self) -> Any:
        return json.loads(self.get("/health")[1])

    def metric(self, sample: str) -> float:
        """The value of one sample; 0 if it is not there yet."""
        found = [line for line in self.get("/metrics")[1].splitlines() if line.startswith(sample + " ")]
        return float(found[0].rpartition(" ")[2]) if found else 0.0

    def stop(self) -> int:
        """Stop it in good order; the exit code."""
        os.kill(self.pid, signal.SIGTERM)
        return self.terminal.end()


@contextmanager
def serving(place: Place, *words: str, address: str = "", web: str = "") -> Iterator[Served]:
    """A service on the place; ended with the block, and then no process of the place is left."""
    addresses = ("--admin-address", "127.0.0.1:0", "--address", address, "--web-address", web)
    with place.on_terminal("serve", "--home", place.directory, *addresses, *words) as terminal:
        yield Served(terminal)


def plan(
    place: Place,
    *,
    blocks: int = 2,
    name: str = "monday",
    bots: Sequence[str] = tuple(CHOICES),
    form: Format | None = None,
    game: str = "foreign_king",
    options: Mapping[str, Any] | None = None,
) -> str:
    """Create a tournament that nobody plays yet; its id."""
    database = open_database(place.db)
    try:
        form = form or RoundRobin(3, blocks)
        programs = StoredPrograms(VersionStore.of_database(place.db))
        terms = TournamentTerms(
            game=game,
            seats=form.seats,
            clock=PATIENT,
            options=options or {},
            seed=SEED,
            seed_key=SeedKey.beside(programs.store.root),
            same_owner=True,
        )
        made = create_tournament(database, programs, terms, form, bots=bots, choose_name=lambda _: name)
        return made.id
    finally:
        database.close()


def cancel(place: Place, tournament_id: str) -> None:
    """Cancel a tournament from outside."""
    database = open_database(place.db)
    try:
        Ledger(database).cancel(tournament_id)
    finally:
        database.close()


def left_behind(place: Place) -> list[str]:
    """Files that only a running service, or a run of a tournament, has a use for."""
    names = [path.name for path in place.directory.iterdir() if path.name.endswith((".lock", "-wal", "-shm"))]
    return names + [path.name for path in (place.directory / "run").iterdir() if path.name != "lock"]


def wait_for_counts(place: Place, wanted: dict[str, int]) -> None:
    """Return when the matches are in these states."""
    deadline = time.monotonic() + PATIENCE_S
    while (counts := place.counts()) != wanted:
        assert time.monotonic() < deadline, f"{counts}, not {wanted}"
        time.sleep(0.05)
