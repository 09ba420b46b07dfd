"""How fast the pages of a large database are: 10,000 bots, 1,000,000 matches, one core, 20 requests a second.

    python -m benchmarks.web_pages [--db FILE] [--seconds 90] [--core 0] [--alone]

Without a database that `python -m benchmarks.web_book FILE` made, one is made first, which takes some minutes. A real
`arena web` is then held to one core. Every kind of page is asked for to see what making it costs: processor time of the
server and bytes. Then, of a server that has just started, all of them in turn at a fixed pace, whether or not it keeps
up: a request that has to wait counts from the moment at which it was due. Where the answer is that a page is being made
(`later`), it is asked for again until it is there; how long that took at most stands in the column `ready`.

With --alone, for root on a machine that does other work, server and measurement come before everything else on it. At
last Chromium paints the main pages, from an empty cache. What a page fetches once it is shown (a match told for the
first time) has a goal of its own. Exits with 1 and names what misses a goal.
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
from pathlib import Path
from random import Random
from typing import Final

from benchmarks.arena import ARENA
from benchmarks.web_book import make
from benchmarks.web_figures import Measured, show
from benchmarks.web_mix import Kind, kinds_of

PACE: Final = 20.0
"""Requests a second."""
_LATER: Final = (202, 503)
"""The answer is being made."""
_AGAIN_MS: Final = re.compile(rb"load delay:(\d+)ms")
"""After how long a page that waits asks again."""
_AGAIN: Final = 3
_PAINTED: Final = (
    *("front", "leaderboards", "leaderboard", "bot", "bot with most matches", "matches", "match", "tournaments"),
    *("tournament", "tournament, large", "comparison", "confidence", "games", "game", "bots", "compare"),
)
_FIRST_PAINT: Final = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"
_BROWSER: Final = {"Accept-Encoding": "gzip", "Accept-Language": "en"}


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

    def family(self) -> list[int]:
        """Return its process and all that it has started, itself first."""
        found = [self._process.pid]
        for pid in found:
            with suppress(OSError):
                for thread in Path(f"/proc/{pid}/task").iterdir():
                    found += map(int, (thread / "children").read_text().split())
        return found

    def memory_mb(self) -> list[float]:
        """Return what each of them holds of memory: PSS in MB."""
        held = []
        for pid in self.family():
            with suppress(OSError):
                rolled = Path(f"/proc/{pid}/smaps_rollup").read_text()
                held += [int(size) / 1000 for size in re.findall(r"^Pss:\s+(\d+)", rolled, re.MULTILINE)]
        return held

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

    def get(self, address: str, language: str = "en") -> tuple[int, bytes, int]:
        """Return status and body, unpacked, and the bytes of the body as it was sent."""
        self._connection.request("GET", address, headers=_BROWSER | {"Accept-Language": language})
        answer = self._connection.getresponse()
        body = answer.read()
        is_packed = answer.getheader("Content-Encoding") == "gzip"
        return answer.status, gzip.decompress(body) if is_packed else body, len(body)

    def text(self, address: str) -> str:
        """Return a page, as soon as it is made. Raises RuntimeError if it is none."""
        status, body, _ = self.get(address)
        while status in _LATER:
            time.sleep(_rest_s(status, body))
            status, body, _ = self.get(address)
        if status != 200:
            raise RuntimeError(f"{status}: {address}: {body[:300]!r}")
        return body.decode()


def weigh(server: Server, found: Sequence[Measured], *, alone: bool) -> None:
    """Ask for each address, alone, and note what the server pays to make the same answer in another language."""
    asking = Asking(server.port)
    for one in found:
        if alone:
            server.put_first()
        for address in one.kind.addresses[:_AGAIN]:
            asking.text(address)
            before = server.cpu_s()
            _, body, sent = asking.get(address, "de")
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
    status, body = await _exchange(port, address, free)
    one.took_ms.append(1000 * (time.monotonic() - due))
    while status in _LATER:
        await asyncio.sleep(_rest_s(status, body))
        status, body = await _exchange(port, address, free)
        if status not in _LATER:
            one.ready_ms.append(1000 * (time.monotonic() - due))
    if status != 200:
        raise RuntimeError(f"{status}: {address}")


def _rest_s(status: int, body: bytes) -> float:
    """Return how long whoever reads that something is being made rests before asking again: a browser, a program."""
    found = _AGAIN_MS.search(body) if status == 202 else None
    return 1.0 if found is None else int(found[1]) / 1000


async def _exchange(
    port: int, address: str, free: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]]
) -> tuple[int, bytes]:
    """Ask for an address, and return the status and the body of the answer, unpacked."""
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
    body = b""
    if "content-length" in headers:
        body = await reader.readexactly(int(headers["content-length"]))
    else:
        while size := int(await reader.readline(), 16):
            body += (await reader.readexactly(size + 2))[:-2]
        await reader.readline()
    free.append((reader, writer))
    is_packed = headers.get("content-encoding") == "gzip"
    return int(status.split()[1]), gzip.decompress(body) if is_packed else body


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
                while (took := page.evaluate(_FIRST_PAINT)) is None:  # to wait in the page, its policy forbids
                    page.wait_for_timeout(10)
                painted.setdefault(kind.name, []).append(took)
                context.close()
    return painted


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
        held = server.memory_mb()
        painted = paint(server.port, kinds)
    is_well = show(found, painted)
    print(f"memory (PSS): {held[0]:.0f} MB, {sum(held):.0f} MB with the {len(held) - 1} processes that help it")
    return is_well


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
