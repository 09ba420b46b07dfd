"""500 submissions in a row, 20 at a time, good and bad, whole and cut off: every accepted archive must be intact.

    python -m benchmarks.submissions [--submissions 500] [--at-once 20] [--owners 10] [--seed 1]

A real `arena serve` listens on TCP with a certificate of its own; clients of several owners hand bots in over gRPC: new
ones, the same again, the same at the same time, cut off (the stream, the connection, the process by kill -9) and
resumed, cut off for good, and malformed in every way. The bots name a game that nobody has, so that their admissions
are decided without a match: uploads are measured here, not play. It fails if anything is accepted or refused that
should not be, if a version is not intact in the store, lost or doubled, if anything half-stored is left, if an upload
that was cut off cannot be resumed, or if the database does not check.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from arena.hosting.content import content_hash
from arena.hosting.procfs.usage import count_descriptors
from arena.rpc.certificates import name_in
from arena.rpc.channel import Endpoint
from arena.rpc.login import open_line
from arena.rpc.quiet import keep_grpc_quiet
from arena.rpc.remote_arena import RemoteArena
from benchmarks.submission_clients import (
    MALFORMED,
    Client,
    Result,
    Source,
    cut_off,
    hand_in,
    killed,
    result_of,
    write_source,
)
from ratings.values.states import Scope
from tests.support.places import Place, Served, serving

PATIENCE_S = 300.0
MOST_MEMORY_KB = 400 << 10
MOST_MORE_FILES = 10
"""Connections of the database may stay open."""
SETTINGS = (
    "--workers",
    "1",
    "--tls-self-signed",
    "--set",
    "limits.uploads_per_hour=100000",
    "--set",
    "limits.versions=100000",
)
VERSIONS = "SELECT owner.name, content_hash FROM version JOIN bot ON bot.id = bot_id JOIN owner ON owner.id = owner_id"
OPEN = "SELECT count(*) FROM admission WHERE state IN ('queued', 'running')"
NOT_ASKED = "SELECT count(*) FROM version WHERE id NOT IN (SELECT version_id FROM admission)"


GOOD, AGAIN, TWINS, CUT, KILLED, ABANDONED, UNRUNNABLE, WRONG = (
    "new", "the same again", "the same at once", "cut off, resumed", "killed, resumed", "cut off for good",
    "unknown runtime", "malformed",
)  # fmt: skip
WEIGHTS = {GOOD: 38, AGAIN: 10, TWINS: 5, CUT: 14, KILLED: 4, ABANDONED: 2, UNRUNNABLE: 3, WRONG: 24}


@dataclass(frozen=True, slots=True)
class Order:
    """One submission that is to be made."""

    kind: str
    owner: str
    source: Source
    how: str = ""
    closes: bool = False


SETTLED = 60
"""What so many others followed is over: handed in again before, it would take the place of the first, rightly."""


@dataclass(frozen=True, slots=True)
class Made:
    """One submission that was made."""

    order: Order
    result: Result
    seconds: float


def draw(rng: random.Random, count: int, owners: Sequence[str], sources: Path) -> list[Order]:
    """Draw so many submissions."""
    orders: list[Order] = []
    abandoned: Counter[str] = Counter()
    while len(orders) < count:
        (kind,) = rng.choices(list(WEIGHTS), list(WEIGHTS.values()))
        owner, number = rng.choice(owners), len(orders)
        if kind == ABANDONED and abandoned[owner]:
            continue  # more of them would use up what the owner may leave unfinished
        if kind == AGAIN:
            over = [order for order in orders[:-SETTLED] if order.kind in (GOOD, AGAIN, TWINS, CUT)]
            if not over:
                continue
            earlier = rng.choice(over)
            again = rng.random() < 0.5
            orders.append(Order(AGAIN, earlier.owner if again else owner, earlier.source))
            continue
        more = 'runtime = "quantum"\n' if kind == UNRUNNABLE else ""
        source = write_source(sources / str(number), f"fox{number % 7}", rng.randrange(1 << 30), more)
        how = rng.choice(list(MALFORMED)) if kind == WRONG else ""
        abandoned[owner] += kind == ABANDONED
        order = Order(kind, owner, source, how, closes=rng.random() < 0.5)
        orders += [order, order] if kind == TWINS else [order]
    return orders[:count]


def make(client: Client, order: Order) -> Made:
    """Make one submission."""
    begun = time.perf_counter()
    if order.kind == WRONG:
        send = MALFORMED[order.how][1](order.source)
        result = result_of(lambda: send(client))
    elif order.kind in (CUT, ABANDONED):
        result = result_of(lambda: cut_off(client, order.source, closes=order.closes))
    elif order.kind == KILLED:
        killed(client, order.source)
        result = Result()
    else:
        result = Result()
    if not result.reason and order.kind not in (WRONG, ABANDONED):
        result = result_of(lambda: hand_in(client, order.source))
    return Made(order, result, time.perf_counter() - begun)


def expected_reasons(order: Order) -> set[str]:
    """The reasons for which it may be refused; an empty one stands for being accepted."""
    if order.kind == WRONG:
        return {MALFORMED[order.how][0]}
    if order.kind == UNRUNNABLE:
        return {"BOT_DIRECTORY"}
    if order.kind in (TWINS, AGAIN):
        return {"", "UPLOAD_SUPERSEDED"}  # the same archive of the same owner, handed in by another client meanwhile
    return {""}


class Trial:
    """A service under load, and what is wrong with it."""

    def __init__(self, place: Place, served: Served) -> None:
        self.place = place
        self.served = served
        self.wrong: list[str] = []
        self.made: list[Made] = []

    def enrol(self, owners: Sequence[str]) -> dict[str, Client]:
        """Make the owners, each with a token."""
        certificate = (self.place.directory / "tls" / "cert.pem").read_text(encoding="ascii")
        address, name = self.served.addresses["owners"], name_in(certificate)
        with open_line(Endpoint(f"unix:{self.served.addresses['socket']}")) as line:
            admin = RemoteArena(line).admin
            for owner in owners:
                admin.add_owner(owner)
            tokens = {owner: admin.new_token(owner, "laptop", Scope.COMPETITOR).token for owner in owners}
        return {owner: Client(address, certificate, name, token) for owner, token in tokens.items()}

    def ask(self, query: str) -> list[tuple[object, ...]]:
        """Rows of the database."""
        with closing(sqlite3.connect(self.place.db)) as connection:
            return connection.execute(query).fetchall()

    def wait_for_admissions(self) -> None:
        """Wait until every admission is decided."""
        end = time.monotonic() + PATIENCE_S
        while self.ask(OPEN) != [(0,)]:
            if time.monotonic() > end:
                self.wrong.append(f"admissions are open after {PATIENCE_S:g} s: {self.ask(OPEN)}")
                return
            time.sleep(0.2)

    def check_reasons(self) -> None:
        """Everything was accepted or refused as it should be."""
        for one in self.made:
            if one.result.reason not in expected_reasons(one.order):
                what = f"{one.order.kind} {one.order.how}".strip()
                self.wrong.append(f"{what} of {one.order.owner}: {one.result.reason or 'accepted'}")

    def check_versions(self) -> None:
        """The database has what was accepted, once; the store has it whole, and nothing else but what cannot run."""
        accepted = {(one.order.owner, one.order.source.content_hash) for one in self.made if one.result.submitted}
        found = Counter((str(owner), str(version)) for owner, version in self.ask(VERSIONS))
        if set(found) != accepted:
            self.wrong.append(f"versions: {set(found) - accepted} too many, {accepted - set(found)} missing")
        if doubled := [version for version, count in found.items() if count > 1]:
            self.wrong.append(f"versions doubled: {doubled}")
        if self.ask(NOT_ASKED) != [(0,)]:
            self.wrong.append(f"versions that never waited for an admission: {self.ask(NOT_ASKED)}")
        known = {version for _, version in accepted}
        known |= {one.order.source.content_hash for one in self.made if one.order.kind == UNRUNNABLE}
        stored = {path.name for path in (self.place.directory / "arena.bots").iterdir()}
        if stored != known:
            self.wrong.append(f"store: {sorted(stored - known)} too many, {sorted(known - stored)} missing")
        for name in stored & known:
            if content_hash(self.place.directory / "arena.bots" / name) != name:
                self.wrong.append(f"the files of {name} are not those of its hash")

    def check_left(self, kept: int) -> None:
        """No temporary files, and no uploads but those that were left on purpose."""
        uploads = [path for path in (self.place.directory / "uploads").iterdir() if path.name != ".history"]
        if len(uploads) != kept:
            self.wrong.append(f"{len(uploads)} uploads are left, not {kept}")
        self.wrong += [f"left behind: {path}" for path in half_made(self.place.directory)]

    def resume_abandoned(self, clients: dict[str, Client]) -> int:
        """Go on with what was cut off for good; how many bytes of it need not be sent again."""
        spared = 0
        for one in [one for one in self.made if one.order.kind == ABANDONED]:
            result = result_of(lambda order=one.order: hand_in(clients[order.owner], order.source))  # type: ignore[misc]
            one.result.submitted = result.submitted
            spared += result.resumed_at
            if result.submitted is None or not result.resumed_at:
                self.wrong.append(f"an upload that was cut off: {result.reason or 'nothing of it had been kept'}")
        return spared

    def memory_kb(self) -> tuple[int, int]:
        """What the service has in memory now, and had at most."""
        lines = Path(f"/proc/{self.served.pid}/status").read_text(encoding="ascii").splitlines()
        found = dict(line.split(":", 1) for line in lines)
        return int(found["VmRSS"].split()[0]), int(found["VmHWM"].split()[0])


def half_made(home: Path) -> Iterator[Path]:
    """What only a process that was killed, or goes wrong, leaves."""
    for pattern in (
        "arena.bots/.*",
        "uploads/.unmade-*",
        "uploads/.history/*.new",
        "uploads/*/.meta.json",
        "builds/.*",
    ):
        yield from home.glob(pattern)


def report(made: Sequence[Made], seconds: float) -> None:
    """Print how many of each kind came to what."""
    print(f"{len(made)} submissions in {seconds:.1f} s")
    kinds = Counter((one.order.how or one.order.kind, one.result.reason or "accepted") for one in made)
    for (kind, reason), count in sorted(kinds.items()):
        print(f"  {kind:<30}{'' if kind == ABANDONED else reason:<30}{count:>4}")
    times = sorted(one.seconds for one in made if one.order.kind == GOOD)
    if times:
        print(f"a new bot took {statistics.median(times):.2f} s, at most {times[-1]:.2f} s")
    print(f"had to wait for others of the same owner: {sum(one.result.waited > 0 for one in made)}")


def run(trial: Trial, options: argparse.Namespace, sources: Path) -> None:
    """Make the submissions and look at what they left."""
    owners = [f"owner{number}" for number in range(options.owners)]
    clients = trial.enrol(owners)
    orders = draw(random.Random(options.seed), options.submissions, owners, sources)
    for client in clients.values():  # so that everything is loaded
        with open_line(client.open(), client.token) as line:
            RemoteArena(line).account.get_identity()
    files, memory = count_descriptors(trial.served.pid), trial.memory_kb()[0]
    begun = time.perf_counter()
    with ThreadPoolExecutor(options.at_once) as pool:
        trial.made = list(pool.map(lambda order: make(clients[order.owner], order), orders))
    report(trial.made, time.perf_counter() - begun)
    trial.check_reasons()
    trial.check_left(sum(order.kind == ABANDONED for order in orders))
    print(f"resumed in the end: {trial.resume_abandoned(clients):,} bytes had been kept of what was cut off")
    trial.wait_for_admissions()
    trial.check_left(0)
    trial.check_versions()
    end = time.monotonic() + 30
    while (now := count_descriptors(trial.served.pid)) > files + MOST_MORE_FILES and time.monotonic() < end:
        time.sleep(0.2)
    after_kb, most_kb = trial.memory_kb()
    print(f"open files: {files} before, {now} after")
    print(f"memory: {memory >> 10} MiB before, {after_kb >> 10} MiB after, at most {most_kb >> 10} MiB")
    if now > files + MOST_MORE_FILES:
        trial.wrong.append(f"{now - files} files more are open than before")
    if most_kb > MOST_MEMORY_KB:
        trial.wrong.append(f"it had {most_kb >> 10} MiB in memory")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 0 if everything that was accepted is there, intact, and nothing else."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.submissions", description=__doc__)
    parser.add_argument("--submissions", type=int, default=500)
    parser.add_argument("--at-once", type=int, default=20)
    parser.add_argument("--owners", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    keep_grpc_quiet()
    with tempfile.TemporaryDirectory(prefix="ka-") as name:
        place = Place(Path(name) / "home")
        place.directory.mkdir()
        with serving(place, *SETTINGS, address="127.0.0.1:0") as served:
            trial = Trial(place, served)
            run(trial, options, Path(name) / "sources")
            if code := served.stop():
                trial.wrong.append(f"exit code {code}")
        checked = place.arena("db", "check")
        print(f"db check: {checked.out.strip()}")
        if checked.code:
            trial.wrong.append("the database does not check")
    print("\n".join(trial.wrong) or "every accepted archive is intact, nothing is half-stored")
    return 1 if trial.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
