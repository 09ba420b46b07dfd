"""What the pages of an arena show: a database of played tournaments, served to a browser or asked without one."""

from __future__ import annotations

import fcntl
import io
import re
import shutil
import tarfile
import threading
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from unittest import mock

from fastapi import FastAPI
from fastapi.testclient import TestClient

from arena.match.decisions import Answer
from arena.match.match import Match
from arena.match.replay import write_replay
from arena.match.spec import MatchSpec
from arena.match.worker_report import MatchReport
from arena.web.app import make_app, open_site
from arena.web.serving import listen, make_server
from arena.worker.reporting import Accounts, build_report
from tests.support.owners import RunningServer
from tests.support.patience import PATIENCE_S
from tests.support.places import Place, write_quick_bot

BOTS = ("random", "greedy", "first")
WRONG_AFTER = 8
"""The bot `wrong` commits a fault after so many decisions, in the last match of the database."""
ILLEGAL = 999_999
_NAME = "played.db"
_TOURNAMENTS = (
    ("round-robin", "--game", "foreign_king", "--seats", "2", "--name", "duel", "--blocks", "2"),
    ("round-robin", "--game", "foreign_king", "--seats", "3", "--name", "three"),
    ("round-robin", "--game", "rex_romanorum", "--seats", "3", "--name", "rome"),
    ("knockout", "--game", "foreign_king", "--seats", "2", "--name", "cup", "--double"),
    ("swiss", "--game", "foreign_king", "--seats", "2", "--name", "swiss", "--rounds", "2"),
)


class Played:
    """An executor that plays one match at a time: `first` takes the first action, all others draw one."""

    def __init__(self, *_workers: object, **_options: object) -> None: ...

    async def __aenter__(self) -> Played:
        return self

    async def __aexit__(self, *exc_info: object) -> None: ...

    def slots(self) -> int:
        return 1

    async def run(self, spec: MatchSpec) -> MatchReport:
        started = time.time_ns() // 1000
        match = Match(spec)
        draw = Random(spec.chance_seed)
        asked = 0
        match.begin()
        while (decision := match.decision) is not None and not match.is_over:
            name = spec.seats[decision.seat].name
            asked += name == "wrong"
            action = (
                ILLEGAL
                if asked > WRONG_AFTER
                else decision.legal[0]
                if name == "first"
                else draw.choice(decision.legal)
            )
            match.receive(decision.seat, Answer(spec.match_id, decision.ply, [action]), 1000, 1000)
        return build_report(match, write_replay(match, started, time.time_ns() // 1000 - started), (), Accounts())

    async def cancel(self, _match_id: str) -> None:
        """Cancel nothing: a match is over before anybody can ask for it."""


def played_database(shared: Path) -> Path:
    """The database in the directory `shared`, which is made by whoever of the testing processes comes first."""
    with (shared / "played.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = shared / "played"
        if not done.exists():
            making = shared / "played-making"
            shutil.rmtree(making, ignore_errors=True)
            making.mkdir()
            with mock.patch("arena.cli.shared.play_tournament.LocalExecutor", Played):
                _play(making / _NAME)
            making.rename(done)
    return done / _NAME


def copy_played(shared: Path, directory: Path) -> Path:
    """A copy of the database, with the store of its bots, in an empty directory."""
    source = played_database(shared)
    shutil.copytree(source.parent, directory, dirs_exist_ok=True)
    return directory / _NAME


def _play(db: Path) -> None:
    place = Place(db.parent)
    place.environment["ARENA_DB"] = str(db)
    place.ok(
        "bot",
        "add",
        "random",
        "greedy",
        *(write_quick_bot(db.parent / "sources" / name, "first", name=name) for name in ("first", "wrong")),
    )
    for words in _TOURNAMENTS:
        place.ok("tournament", "run", *words, "--bots", ",".join(BOTS), "--seed", "7", "--workers", "1")
    place.ok("match", "run", "--game", "foreign_king", "--bots", "wrong,first", "--seed", "7")


@contextmanager
def pages_of(db: Path) -> Iterator[str]:
    """The address of the pages of a database, without a slash at its end."""
    with open_site(str(db)) as site, served(make_app(site)) as address:
        yield address


@contextmanager
def served(app: FastAPI) -> Iterator[str]:
    """The address of an application that is served by a thread of the test."""
    with listen("127.0.0.1", 0) as listening:
        server = make_server(app)
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(PATIENCE_S)


ORIGIN = {"origin": "http://testserver"}


@contextmanager
def browsing(server: RunningServer, *, is_secure: bool = False) -> Iterator[TestClient]:
    """A browser at the pages of a service."""
    place, service = server.addresses.socket, f"unix:{server.addresses.socket}"
    assert place is not None
    with (
        open_site(str(place.parents[1] / "arena.db"), service, is_secure=is_secure) as site,
        TestClient(make_app(site), headers=ORIGIN) as made,
    ):
        yield made


def sign_in(client: TestClient, token: str) -> str:
    """Sign in, and return the proof that forms hold."""
    page = client.post("/login", data={"token": f" {token}\n"})
    assert page.status_code == 200, page.text
    found = re.search(r'name="proof" value="([^"]+)"', page.text)
    assert found is not None
    return found[1]


def zipped(directory: Path) -> bytes:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w") as archive:
        for file in sorted(directory.iterdir()):
            archive.write(file, f"{directory.name}/{file.name}")
    return kept.getvalue()


def tarred(directory: Path) -> bytes:
    kept = io.BytesIO()
    with tarfile.open(fileobj=kept, mode="w:gz") as archive:
        archive.add(directory, ".")
    return kept.getvalue()
