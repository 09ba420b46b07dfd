"""The command `arena` as users and organisers run it: in a process of its own, and as a page has it."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import select
import shlex
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from arena.cli.app import run
from arena.hosting.procfs.processes import list_processes, read_environment
from arena.hosting.sandbox.stored_programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.tournament.creation import TournamentTerms, create_tournament
from arena.tournament.formats.format import Format
from arena.tournament.formats.roundrobin import RoundRobin
from arena.tournament.seed_key import SeedKey
from ratings.ledger.ledger import Ledger
from ratings.store.database import open_database
from tests.support.patience import PATIENCE_S, PATIENT
from tests.support.processes import command_lines

ARENA = [sys.executable, "-m", "arena.cli.main"]

# What a bot that can be held needs beside its imports: a process that has played two matches waits in its third.
HELD_NAME = ".held"
HOLD = f"""
import os, pathlib, time

HELD, MATCHES = pathlib.Path(os.environ["ARENA_BOT_DIR"], "{HELD_NAME}"), []

def wait_if_held(match):
    if not MATCHES or MATCHES[-1] is not match:
        MATCHES.append(match)
    while len(MATCHES) > 2 and HELD.exists():
        time.sleep(0.01)
"""
FIRST_BOT = """
from bots.kit import Bot, Decision, run
{hold}
class {name}(Bot):
    def decide(self, decision: Decision) -> int:
        wait_if_held(decision.match)
        return decision.{choice}

run({name}())
"""
QUICK_BOT = """
from bots.kit import Bot, Decision, run

class Quick(Bot):
    def decide(self, decision: Decision) -> int:
        return decision.legal_actions[0]

run(Quick())
"""
"""A whole program: what is left of a bot whose play is of no interest."""
CHOICES = {
    "first": "legal_actions[0]",
    "last": "legal_actions[-1]",
    "drawn": "match.random.choice(decision.legal_actions)",
}


def write_quick_bot(directory: Path, choice: str, *, name: str = "") -> Path:
    """A deterministic bot that answers at once, by one of CHOICES; it is called like that unless `name` is given."""
    directory.mkdir(parents=True)
    body = FIRST_BOT.format(name=choice.title(), choice=CHOICES[choice], hold=HOLD)
    (directory / "main.py").write_text(body, encoding="utf-8")
    return write_manifest(directory, name or choice)


def write_manifest(directory: Path, name: str, *arguments: str) -> Path:
    """A bot.toml that runs main.py with some arguments."""
    command = json.dumps(["python", "main.py", *arguments])
    text = f'schema = 1\nname = "{name}"\ncommand = {command}\ndeterministic = true\n'
    (directory / "bot.toml").write_text(text, encoding="utf-8")
    return directory


@dataclass(frozen=True)
class Finished:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Place:
    """A directory of its own with a database; every process started for it is known by its HOME."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.db = directory / "arena.db"
        # The arena hands HOME on to workers and bots, so it marks every process of this place.
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("ARENA_")},
            "HOME": str(directory),
            "ARENA_DB": str(self.db),
        }

    def arena(self, *words: str | Path, through: Sequence[str] = ()) -> Finished:
        """Run a command to its end; `through` are the words of a program that starts it."""
        finished = subprocess.run(
            [*through, *ARENA, *map(str, words)],
            cwd=self.directory,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        return Finished(finished.returncode, finished.stdout, finished.stderr)

    def here(self, *words: str | Path) -> Finished:
        """Run a command in this process, which spares the second that a process of its own needs for its imports."""
        with (
            contextlib.chdir(self.directory),
            mock.patch.dict(os.environ, self.environment, clear=True),
            mock.patch.object(tempfile, "tempdir", None),  # so that TMPDIR is read anew
            contextlib.redirect_stdout(io.StringIO()) as out,
            contextlib.redirect_stderr(io.StringIO()) as err,
        ):
            code = run([str(word) for word in words])
        return Finished(code, out.getvalue(), err.getvalue())

    def ok(self, *words: str | Path) -> Finished:
        """Run a command that must succeed, in this process: for what goes before and after what a test is about."""
        finished = self.here(*words)
        assert finished.code == 0, finished
        return finished

    @contextmanager
    def on_terminal(self, *words: str | Path, through: Sequence[str] = ()) -> Iterator[Terminal]:
        """Start a command on a terminal, in a process group of its own; ended with the block.

        `through` are the words of a program that starts it, as `setpriv` does.
        """
        ours, its = os.openpty()
        command = [*through, *ARENA, *map(str, words)]
        process = subprocess.Popen(
            command,
            cwd=self.directory,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=its,
            stderr=its,
            start_new_session=True,
        )
        os.close(its)
        try:
            yield Terminal(process, ours)
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()
            os.close(ours)
            self.wait_until_nothing_runs()

    def hold(self) -> None:
        """Have every bot process wait in its third match, so that a tournament is under way until `release`."""
        for version in self.db.with_suffix(".bots").iterdir():
            (version / HELD_NAME).touch()

    def release(self) -> None:
        """Let the bots play on."""
        for version in self.db.with_suffix(".bots").iterdir():
            (version / HELD_NAME).unlink(missing_ok=True)

    def processes(self) -> dict[int, str]:
        """The processes of this place that run: id -> command line."""
        home = f"HOME={self.directory}".encode()
        return dict(command_lines(pid for pid in list_processes() if home in read_environment(pid)))

    def wait_until_nothing_runs(self) -> None:
        """Return when no process of this place is left; a process that does not end fails the test, and is ended."""
        deadline = time.monotonic() + PATIENCE_S
        while running := self.processes():
            for process in running:
                if not wait_for_end(process, deadline - time.monotonic()):
                    os.kill(process, signal.SIGKILL)
                    raise AssertionError(f"left behind: {running}")

    def put_back(self, database: bytes) -> None:
        """Make the database again what it was when these bytes were read; nobody has it open."""
        for name in ("-wal", "-shm"):
            Path(f"{self.db}{name}").unlink(missing_ok=True)
        self.db.write_bytes(database)

    def counts(self) -> dict[str, int]:
        """How many matches are in which state."""
        with closing(sqlite3.connect(self.db)) as connection:
            return dict(connection.execute("SELECT state, count(*) FROM match GROUP BY state"))

    def table(self) -> list[tuple[Any, ...]]:
        """The final table to the last digit, without ids."""
        with closing(sqlite3.connect(self.db)) as connection:
            return connection.execute(
                "SELECT bot.name, version.content_hash, mu, sigma, exposure, matches, wins, points FROM rating "
                "JOIN version ON version.id = rating.version_id JOIN bot ON bot.id = version.bot_id ORDER BY bot.name"
            ).fetchall()


def wait_for_end(process: int, seconds: float) -> bool:
    """Whether a process, child or not, ends in time."""
    try:
        descriptor = os.pidfd_open(process)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], max(seconds, 0))[0])
    finally:
        os.close(descriptor)


class Terminal:
    """A command that runs on a terminal."""

    def __init__(self, process: subprocess.Popen[bytes], descriptor: int) -> None:
        self.process = process
        self.text = ""
        self._descriptor = descriptor

    def wait_for(self, pattern: str) -> re.Match[str]:
        """Read on until what was written fits the pattern."""
        deadline = time.monotonic() + PATIENCE_S
        while not (found := re.search(pattern, self.text)):
            assert self._read(deadline - time.monotonic()), f"waited for {pattern!r}, there is: {self.text}"
        return found

    def _read(self, seconds: float) -> bool:
        if not select.select([self._descriptor], [], [], max(seconds, 0))[0]:
            return False
        try:
            piece = os.read(self._descriptor, 65536)
        except OSError:  # the other side was closed: a terminal says it like this
            return False
        self.text += piece.decode(errors="replace")
        return True

    def interrupt(self) -> None:
        """Ctrl-C, as a terminal sends it: to the whole process group."""
        os.killpg(self.process.pid, signal.SIGINT)

    def kill(self) -> None:
        """`kill -9` of the command alone."""
        self.process.kill()

    def end(self) -> int:
        """Read on to the end; the exit code."""
        deadline = time.monotonic() + PATIENCE_S
        while self._read(deadline - time.monotonic()):
            pass
        return self.process.wait(max(deadline - time.monotonic(), 1))

    @property
    def lines(self) -> list[str]:
        """What was written, line by line, the live line at its last state."""
        return [line.rsplit("\r", 1)[-1].rstrip() for line in self.text.replace("\r\n", "\n").splitlines()]


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


DOCS = Path(__file__).resolve().parents[2] / "docs"


def commands(page: str, heading: str) -> list[str]:
    """The lines of the shell blocks under the first heading of a page, which must begin like that."""
    section = (DOCS / page).read_text(encoding="utf-8").split("\n## ")[1]
    assert section.startswith(heading)
    return [line for block in re.findall(r"```sh\n(.*?)```", section, re.DOTALL) for line in block.splitlines()]


def typed(line: str, filled: Mapping[str, str]) -> list[str]:
    """What a shell makes of the line after `arena`, with what a reader puts in for each text of the page."""
    for text, value in filled.items():
        line = line.replace(text, value)
    words = shlex.split(line)
    assert words[0] == "arena", line
    return words[1:]
