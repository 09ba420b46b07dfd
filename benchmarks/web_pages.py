"""How fast the pages of a large database are: 10,000 bots, 1,000,000 matches, one core, 20 requests a second.

    python -m benchmarks.web_pages [--db FILE] [--seconds 90] [--core 0] [--alone]

Without a database that `python -m benchmarks.web_book FILE` made, one is made first, which takes some minutes. A real
`arena web` is then held to one core. Every kind of page is asked for once to see what it costs: processor time of the
server and bytes. Then, of a server that has just started, all of them in turn at a fixed pace, whether or not it keeps
up: a request that has to wait counts from the moment at which it was due. With --alone, for root on a machine that does
other work, server and measurement come before everything else on it. At last Chromium paints the main pages, from
an empty cache. Exits with 1 if a goal is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import http.client
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import median
from typing import Final

from benchmarks.arena import ARENA
from benchmarks.web_book import make
from benchmarks.web_mix import Kind, kinds_of

PACE: Final = 20.0
"""Requests a second."""
MOST_MS, MOST_PAINT_MS, MOST_BYTES = 50.0, 300.0, 200_000
_AGAIN: Final = 3
_PAINTED: Final = (
    *("front", "leaderboards", "leaderboard", "bot", "bot with most matches", "matches", "match", "tournaments"),
    *("tournament", "tournament, large", "comparison", "confidence", "games", "game", "bots", "compare"),
)
_BROWSER: Final = {"Accept-Encoding": "gzip", "Accept-Language": "en"}


@dataclass(slots=True)
class Measured:
    """What was seen of a kind of page."""

    kind: Kind
    took_ms: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)
    sent: int = 0
    """The largest answer as it was sent, in bytes."""
    whole: int = 0
    """The same unpacked."""

    def percentile(self, part: float) -> float:
        """Return how long so many of its requests took at most."""
        return percentile(self.took_ms, part)

    @property
    def is_page(self) -> bool:
        """Return whether it is a page that people look at, of which the size has a goal."""
        return not self.kind.name.startswith(("api", "frames", "replay", "file"))


def percentile(values: Sequence[float], part: float) -> float:
    """Return the value that `part` of all values do not exceed; 0 of none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else 0.0


class Server:
    """A running `arena web`, held to one core."""

    def __init__(self, db: Path, core: int, *, alone: bool) -> None:
        command = [*ARENA, "web", "--db", str(db), "--address", "127.0.0.1:0"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        os.sched_setaffinity(self._process.pid, {core})
        if alone:
            self.put_first()
        assert self._process.stdout is not None
        said = self._process.stdout.readline()
        found = re.search(r"127\.0\.0\.1:(\d+)", said)
        assert found, said
        self.port = int(found[1])

    def cpu_s(self) -> float:
        """Return the processor time of the process so far, without the processes that it started."""
        return time.clock_gettime((~self._process.pid << 3) | 2)  # clock_getcpuclockid(3) of the whole process

    def put_first(self) -> None:
        """Have its threads, and no process that it starts, come before all that is not of real time."""
        policy, least = os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(1)
        for thread in Path(f"/proc/{self._process.pid}/task").iterdir():
            os.sched_setscheduler(int(thread.name), policy, least)

    def close(self) -> None:
        """End the process."""
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(30)


@contextmanager
def serving(db: Path, core: int, *, alone: bool) -> Iterator[Server]:
    """Serve a database."""
    server = Server(db, core, alone=alone)
    try:
        yield server
    finally:
        server.close()


class Asking:
    """A connection that asks one address after another."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    def get(self, address: str) -> tuple[int, bytes, int]:
        """Return status and body, unpacked, and the bytes of the body as it was sent."""
        self._connection.request("GET", address, headers=_BROWSER)
        answer = self._connection.getresponse()
        body = answer.read()
        is_packed = answer.getheader("Content-Encoding") == "gzip"
        return answer.status, gzip.decompress(body) if is_packed else body, len(body)

    def text(self, address: str) -> str:
        """Return a page. Raises RuntimeError if it is none."""
        status, body, _ = self.get(address)
        if status != 200:
            raise RuntimeError(f"{status}: {address}: {body[:300]!r}")
        return body.decode()


def weigh(server: Server, found: Sequence[Measured], *, alone: bool) -> None:
    """Ask for each address twice, alone, and note what the second answer costs the server."""
    asking = Asking(server.port)
    for one in found:
        if alone:
            server.put_first()
        for address in one.kind.addresses[:_AGAIN]:
            asking.text(address)
            before = server.cpu_s()
            _, body, sent = asking.get(address)
            one.cpu_ms.append(1000 * (server.cpu_s() - before))
            one.sent, one.whole = max(one.sent, sent), max(one.whole, len(body))


async def load(server: Server, found: Sequence[Measured], seconds: float, *, alone: bool) -> None:
    """Ask for pages of every kind at a fixed pace, for so long."""
    random = Random(7)
    turns = {one.kind.name: one.kind.each() for one in found}
    deck: list[Measured] = []
    free: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []
    start, running = time.monotonic(), set()
    for number in range(int(seconds * PACE)):
        if not deck:
            deck = [one for one in found for _ in range(one.kind.weight)]
            random.shuffle(deck)
        if alone and number % PACE == 0:
            server.put_first()  # threads that are new
        one, due = deck.pop(), start + number / PACE
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        running.add(asyncio.create_task(_ask_when_due(server.port, one, next(turns[one.kind.name]), due, free)))
    await asyncio.gather(*running)


async def _ask_when_due(
    port: int, one: Measured, address: str, due: float, free: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]]
) -> None:
    head = "".join(f"{name}: {value}\r\n" for name, value in _BROWSER.items())
    status, headers = b"", {}
    while not status:  # the server closes a connection that was idle for some seconds
        reader, writer = free.pop() if free else await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"GET {address} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{head}\r\n".encode())
        with suppress(ConnectionError):
            status = await reader.readline()
    while (line := await reader.readline()) not in (b"\r\n", b""):
        name, _, value = line.decode().partition(":")
        headers[name.lower()] = value.strip()
    if "content-length" in headers:
        await reader.readexactly(int(headers["content-length"]))
    else:
        while size := int(await reader.readline(), 16):
            await reader.readexactly(size + 2)
        await reader.readline()
    one.took_ms.append(1000 * (time.monotonic() - due))
    if b" 200 " not in status:
        raise RuntimeError(f"{status!r}: {address}")
    free.append((reader, writer))


def paint(port: int, kinds: Sequence[Kind]) -> dict[str, list[float]]:
    """Return the first contentful paint of the main pages in milliseconds, each some times from an empty cache."""
    from tests.support.browsing import chromium

    painted: dict[str, list[float]] = {}
    with chromium() as browser:
        for kind in kinds:
            for number in range(_AGAIN if kind.name in _PAINTED else 0):
                context = browser.new_context()
                page = context.new_page()
                address = kind.addresses[number % len(kind.addresses)]
                page.goto(f"http://127.0.0.1:{port}{address}", wait_until="load")
                page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length")
                took = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
                painted.setdefault(kind.name, []).append(took)
                context.close()
    return painted


def show(found: Sequence[Measured], painted: dict[str, list[float]]) -> bool:
    """Print a table; whether all goals are kept."""
    print(f"{'page':<28}{'n':>5}{'p50':>7}{'p99':>8}{'max':>8}{'cpu':>8}{'kB':>7}{'sent':>6}{'paint':>7}{'worst':>7}")
    is_well = True
    for one in found:
        paints = painted.get(one.kind.name, [])
        misses = [
            *(["p99"] if one.percentile(0.99) > MOST_MS else []),
            *(["size"] if one.is_page and one.whole > MOST_BYTES else []),
            *(["paint"] if paints and max(paints) > MOST_PAINT_MS else []),
        ]
        is_well = is_well and not misses
        drawn = f"{median(paints):7.0f}{max(paints):7.0f}" if paints else f"{'':14}"
        print(
            f"{one.kind.name:<28}{len(one.took_ms):5}{one.percentile(0.5):7.1f}{one.percentile(0.99):8.1f}"
            f"{max(one.took_ms, default=0):8.1f}{max(one.cpu_ms, default=0):8.1f}{one.whole / 1000:7.1f}"
            f"{one.sent / 1000:6.1f}{drawn}{'  MISSED: ' + ', '.join(misses) if misses else ''}"
        )
    every = [took for one in found for took in one.took_ms]
    paints = [took for taken in painted.values() for took in taken] or [0.0]
    largest = max((one.whole for one in found if one.is_page), default=0) / 1000
    print(
        f"all: {len(every)} requests, median {percentile(every, 0.5):.1f} ms, 99 % {percentile(every, 0.99):.1f} ms "
        f"(goal {MOST_MS:g} for every page), longest {max(every, default=0):.1f} ms"
    )
    print(
        f"first contentful paint: median {median(paints):.0f} ms, worst {max(paints):.0f} ms (goal {MOST_PAINT_MS:g})"
    )
    print(f"largest page: {largest:.0f} kB (goal {MOST_BYTES / 1000:g})")
    return is_well


def measure(db: Path, seconds: float, core: int, only: str = "", *, alone: bool = False) -> bool:
    """Measure a database and print what was found; whether all goals are kept."""
    with serving(db, core, alone=alone) as server:
        kinds = [kind for kind in kinds_of(db, Asking(server.port).text) if only in kind.name]
        found = [Measured(kind) for kind in kinds]
        weigh(server, found, alone=alone)
    with serving(db, core, alone=alone) as server:
        if alone:
            os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(2))
        asyncio.run(load(server, found, seconds, alone=alone))
        if alone:
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        painted = paint(server.port, kinds)
    return show(found, painted)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--db", type=Path, help="a database that web_book made; otherwise one is made")
    parser.add_argument("--seconds", type=float, default=90, help="how long pages are asked for")
    parser.add_argument("--core", type=int, default=0, help="the core that the server is held to")
    parser.add_argument("--alone", action="store_true", help="come before everything else on the machine; for root")
    parser.add_argument("--only", default="", help="only the kinds of pages whose names hold this")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        db = options.db or Path(folder) / "pages.db"
        if not db.exists():
            make(db)
        is_well = measure(db, options.seconds, options.core, options.only, alone=options.alone)
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main())
