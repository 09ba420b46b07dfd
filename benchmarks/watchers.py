"""Has 200 clients watch a service that plays: what it costs, and whether a bot's decision is delayed by it.

    python -m benchmarks.watchers [--pairs 5] [--seconds 30] [--workers 1] [--control SHARE]

A real `arena serve` plays a ladder of three bots: `greedy`, which answers at once, `search`, which takes all the time
it has, and `steady`, which computes the same amount at every decision and writes a line. Phases without watchers and
phases with 200 (`benchmarks.crowd`, a process of its own, over TCP with TLS) alternate, so that what drifts cancels. Of
every phase it tells the memory, threads, open files and processor time of the service, and of every bot what the
arena's own clock recorded: the time charged and the wall time of a decision, and how late the referee was. The ratio of
a phase with watchers to its two neighbours has an interval over the pairs. It fails if the service needs more than 400
MB, if a bot loses on time or the host loses a match, or if threads or files are left when the watchers have gone. With
`--control` a process that computes for a share of one core takes the place of the watchers: so much of a ratio comes
from what they and the service compute beside the bots, on the same cores, and not from being watched.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import IO

from arena.service.server.tls import find_certificate
from benchmarks.crowd import CLIENTS, PATIENCE_S
from benchmarks.phases import SAMPLE_EVERY_S, Phase, Usage, compare, decisions_of, measure, resident_mb, usage
from ratings.ledger.service import ServiceLedger
from ratings.read.bots import find_version
from ratings.store.database import open_database
from ratings.values.states import Scope
from tests.support.places import Place, write_manifest
from tests.support.serving import Served, serving

Watching = Callable[[], AbstractContextManager[int]]
"""Has somebody watch as long as it is open, and gives the process that does."""
GOAL_MB = 400
CLOCK = "100ms"
SETTLE_S = 5.0
LEAVE_S = 60.0
SAMPLES = Path(__file__).parents[1] / "bots"
BOTS = ("greedy", "steady", "search")
STEADY = """
import hashlib

from bots.kit import Bot, Decision, run

class Steady(Bot):
    def decide(self, decision: Decision) -> int:
        for _ in range({rounds}):
            hashlib.sha256(DATA).digest()
        print("asked at", decision.ply, flush=True)
        return decision.legal_actions[0]

DATA = b"x" * 2000
run(Steady())
"""
STEADY_S = 0.025
BURN = """
import time
while True:
    begun, used = time.monotonic(), time.process_time()
    while time.process_time() - used < 0.002:
        pass
    time.sleep(max(0.002 / {share} - (time.monotonic() - begun), 0))
"""


def _steady_rounds() -> int:
    import hashlib

    begun = time.process_time()
    for _ in range(10_000):
        hashlib.sha256(b"x" * 2000).digest()
    return round(10_000 * STEADY_S / (time.process_time() - begun))


def _prepare(directory: Path) -> Place:
    place = Place(directory)
    steady = directory / "sources" / "steady"
    steady.mkdir(parents=True)
    (steady / "main.py").write_text(STEADY.format(rounds=_steady_rounds()), encoding="utf-8")
    place.ok("bot", "add", write_manifest(steady, "steady"), SAMPLES / "greedy", SAMPLES / "search")
    newcomer = directory / "sources" / "newcomer"
    newcomer.mkdir()
    (newcomer / "main.py").write_text(STEADY.format(rounds=0), encoding="utf-8")
    with (write_manifest(newcomer, "newcomer") / "bot.toml").open("a", encoding="utf-8") as manifest:
        manifest.write('games = ["rex_romanorum"]\n')  # so that it does not enter the ladder when it is admitted
    place.ok("bot", "add", "--owner", "ada", newcomer)
    place.ok(
        "ladder", "open", "king", "--game", "foreign_king", "--seats", "3", "--time", CLOCK, "--matches-per-day", "0"
    )
    return place


def _token(place: Place) -> str:
    """Return a token for the crowd, and queue the admission that it watches."""
    with closing(open_database(place.db)) as database:
        ledger = ServiceLedger(database)
        ledger.request_admission(find_version(database, "ada/newcomer").version.id)
        return ledger.new_token(None, name="crowd", scope=Scope.ORGANISER).secret


@contextmanager
def _crowd(place: Place, served: Served, token: str, tournament: str) -> Iterator[int]:
    """Let 200 clients watch; the id of their process."""
    certificate = find_certificate(place.directory / "tls")
    assert certificate is not None
    words = (served.addresses["owners"], str(certificate.certificate), tournament)
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks.crowd", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(token + "\n")
        process.stdin.flush()
        answered = int(process.stdout.readline())
        if answered < CLIENTS:
            raise SystemExit(f"only {answered} of {CLIENTS} clients were answered within {PATIENCE_S:g} s")
        yield process.pid
        _print_counts(process.stdin, process.stdout)


@contextmanager
def _load(share: float) -> Iterator[int]:
    """Let a process compute for that share of one core, and have nothing to do with the service; its id."""
    with subprocess.Popen([sys.executable, "-c", BURN.format(share=share)]) as process:
        yield process.pid
        process.kill()


def _print_counts(stdin: IO[str], stdout: IO[str]) -> None:
    stdin.close()
    told = json.loads(stdout.readline())
    sent = ", ".join(f"{count:,} {role}" for role, count in sorted(told["messages"].items()))
    failed = ", ".join(f"{count} {what}" for what, count in told["failures"].items())
    print(f"  the clients were sent {sent}; calls that failed: {failed or 'none'}", flush=True)


def _tournament(place: Place) -> str:
    (ladder,) = place.ok("tournament", "list", "--limit", "1", "--json").json
    found: str = ladder["id"]
    return found


def _play(served: Served, pairs: int, seconds: float, watching: Watching) -> list[Phase]:
    """Phases without and with watchers in turn, the first and the last without."""
    phases = [measure(served.pid, seconds, None)]
    _print(phases[-1])
    for _ in range(pairs):
        with watching() as crowd:
            time.sleep(SETTLE_S)
            phases.append(measure(served.pid, seconds, crowd))
        _print(phases[-1])
        time.sleep(SETTLE_S)
        phases.append(measure(served.pid, seconds, None))
        _print(phases[-1])
    return phases


def _print(phase: Phase) -> None:
    high, who = phase.highest, "200 watch" if phase.is_watched else "nobody"
    cpu = ", ".join(f"{name} {share:.0%}" for name, share in phase.cpu.items())
    memory = f"service {high.own_mb:.0f} MB, whole arena {high.all_mb:.0f} MB"
    print(f"{who:10} {memory}, {high.threads} threads, {high.files} files; cores: {cpu}", flush=True)


def _gone(pid: int, before: Usage) -> list[str]:
    """What is left of the watchers some time after they went."""
    until = time.monotonic() + LEAVE_S
    while (now := usage(pid)).files > before.files + 2 or now.threads > before.threads + 2:
        if time.monotonic() > until:
            return [f"{now.threads} threads and {now.files} files are left; before {before.threads} and {before.files}"]
        time.sleep(SAMPLE_EVERY_S)
    return []


def _faults(place: Place) -> list[str]:
    """What went wrong in matches: a sentence for each fault of a bot and for each match that is void."""
    told = []
    for match in place.ok("match", "list", "--limit", "0", "--fault", "TIMEOUT", "--json").json:
        faults = place.ok("match", "show", match["id"], "--json").json["faults"]
        told += [f"{fault['bot']} at ply {fault['ply']}: {fault['explanation']}" for fault in faults]
    void = place.ok("match", "list", "--limit", "0", "--state", "void", "--json").json
    return told + [f"match {match['id']} is void: {match['void_reason']}" for match in void]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.watchers", description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--control", type=float, metavar="SHARE", help="a load on one core instead of the watchers")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="arena-watchers-") as directory:
        place = _prepare(Path(directory))
        token = _token(place)
        words = ("--workers", str(options.workers), "--tls-self-signed")
        with serving(place, *words, address="127.0.0.1:0") as served:
            crowd = partial(_crowd, place, served, token, _tournament(place))
            with crowd():
                time.sleep(SETTLE_S)  # by now it has the threads and connections that it keeps
            time.sleep(SETTLE_S)
            before = usage(served.pid)
            watching = crowd if options.control is None else partial(_load, options.control)
            phases = _play(served, options.pairs, options.seconds, watching)
            wrong = _gone(served.pid, before)
            peak_mb, lost = resident_mb(served.pid, "VmHWM"), served.metric("arena_lost_matches_total")
            code = served.stop()
        compare(decisions_of(place.db, phases), BOTS)
        wrong += _faults(place)
    all_mb = max(phase.highest.all_mb for phase in phases)
    print(
        f"service at its highest: {peak_mb:.0f} MB, with workers and launchers {all_mb:.0f} MB; goal under {GOAL_MB} MB"
    )
    wrong += [f"{max(peak_mb, all_mb):.0f} MB"] * (max(peak_mb, all_mb) >= GOAL_MB)
    wrong += [f"{lost:g} attempts were lost"] * (lost > 0) + [f"exit code {code}"] * (code != 0)
    for problem in wrong:
        print(f"missed: {problem}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
