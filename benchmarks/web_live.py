"""What many spectators of one live match cost: the processor time of the pages' process, and the bots' clocks.

    python benchmarks/web_live.py [SPECTATORS]

A real service plays three matches of bots that answer after 50 ms, about 20 moves a second, one after another. Nobody
watches the first; SPECTATORS streams (500) are told the last. Printed are the share of one core that the process of the
pages took from its first move to its end, how often a spectator was told, and what the bots were charged in both.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from arena.match.replay import load
from arena.web.opening import open_site
from tests.support.places import Place, write_manifest
from tests.support.serving import plan, serving, wait_for_counts

SPECTATORS = 500
BOT = """
import time
from bots.kit import Bot, Decision, run

class Slow(Bot):
    def decide(self, decision: Decision) -> int:
        time.sleep(0.05)
        return decision.match.random.choice(decision.legal_actions)

run(Slow())
"""


def processor_s(process: int) -> float:
    """The processor time of a process so far."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Crowd:
    """Spectators of one match, and what they saw."""

    def __init__(self, process: int) -> None:
        self.process = process
        self.told: list[int] = []
        self.began: tuple[float, float] | None = None

    async def watch(self, host: str, port: int, match: str) -> None:
        """Be told a match to its end."""
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(f"GET /live?match={match}&lang=en HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        told = 0
        while line := await reader.readline():
            if line.startswith(b"event: stop"):
                break
            if line.startswith(b"event: "):
                told += 1
                self.began = self.began or (time.monotonic(), processor_s(self.process))
        self.told.append(told)
        writer.close()


async def crowd_of(process: int, address: str, match: str, count: int) -> tuple[Crowd, float, float]:
    """Let a crowd watch a match, and return it with the seconds and the processor time from its first move on."""
    place, crowd = urlsplit(address), Crowd(process)
    assert place.hostname is not None
    assert place.port is not None
    await asyncio.gather(*(crowd.watch(place.hostname, place.port, match) for _ in range(count)))
    assert crowd.began is not None
    return crowd, time.monotonic() - crowd.began[0], processor_s(process) - crowd.began[1]


def charged_ms(db: Path, match: str) -> list[float]:
    """What each decision of a match was charged."""
    with open_site(str(db)) as site:
        entries = site.arena.replays.get_replay(match).data
        return sorted(one["charged_us"] / 1000 for one in load(entries)["entries"] if one.get("charged_us") is not None)


def main() -> None:
    """Measure, and print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else SPECTATORS
    with tempfile.TemporaryDirectory(prefix="kma-web-live-") as directory:
        place = Place(Path(directory))
        for name in ("ant", "bee", "cat"):
            source = place.directory / "sources" / name
            source.mkdir(parents=True)
            (source / "main.py").write_text(BOT, encoding="utf-8")
            place.ok("bot", "add", write_manifest(source, name))
        with serving(place, "--workers", "1", "--set", "service.leak_checks=0%", web="127.0.0.1:0") as served:
            plan(place, blocks=1, bots=("ant", "bee", "cat"))
            with open_site(str(place.db)) as site:
                matches = [one.id for one in reversed(site.arena.matches.list_matches(limit=3).items)]
            (process,) = [pid for pid, line in place.processes().items() if " arena.web " in line]
            crowd, seconds, used_s = asyncio.run(crowd_of(process, served.addresses["web"], matches[-1], count))
            wait_for_counts(place, {"finished": 3})
            print(f"{count} spectators, {seconds:.1f} s: {100 * used_s / seconds:.1f} % of a core")
            print(f"told {statistics.mean(crowd.told):.1f} times each, {statistics.mean(crowd.told) / seconds:.2f}/s")
            for text, match in (("nobody watching", matches[0]), (f"{count} watching", matches[-1])):
                found = charged_ms(place.db, match)
                p99 = found[int(0.99 * len(found))]
                print(f"charged, {text}: median {statistics.median(found):.2f} ms, p99 {p99:.2f} ms of {len(found)}")
            served.stop()


if __name__ == "__main__":
    main()
