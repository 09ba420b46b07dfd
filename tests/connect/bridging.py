"""A bot on this machine, connected to a service of a test by a real bridge: real processes, real TLS."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from arena.connect.bridge import Bridge, ConnectOptions, run_bridge
from arena.connect.news import News
from arena.hosting.manifest import load_manifest
from arena.rpc.backoff import Backoff
from arena.rpc.profiles import Profile
from ratings.values.states import Scope
from tests.support.patience import PATIENCE_S
from tests.support.play_service import FakeService

N = TypeVar("N", bound=News)

HEAD = """
import os, pathlib, sys, time
from bots.kit import RESIGN, Bot, Decision, run

PLACE = pathlib.Path({place!r})

def wait_for(name):
    while not (PLACE / name).exists():
        time.sleep(0.01)

def log(text):
    with (PLACE / "log").open("a") as file:
        file.write(f"{{text}}\\n")

class MyBot(Bot):
    games = {games!r}

    def match_started(self, match):
        self.match = match

    def decide(self, decision: Decision):
        log(f"{{decision.match.id}}:{{decision.ply}}")
        decision.note = f"{{os.getpid()}} {{id(self)}}"
"""
TAIL = """
run(MyBot())
"""


def write_bot(place: Path, decide: str = "return 0", *, name: str = "fox", games: tuple[str, ...] = ("*",)) -> Path:
    """A bot whose method `decide` ends with these lines; it notes each question in the file `log` of the place."""
    lines = "".join(f"        {line}\n" for line in decide.splitlines())
    return write_program(place, HEAD.format(place=str(place), games=games) + lines + TAIL, name=name)


def write_program(place: Path, source: str, *, name: str = "fox", **keys: str) -> Path:
    """A bot with this program; `keys` are further lines of its bot.toml."""
    directory = place / name
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "main.py").write_text(source, encoding="utf-8")
    lines = ["schema = 1", f'name = "{name}"', f"command = {json.dumps(['python', 'main.py'])}"]
    lines += [f"{key} = {value}" for key, value in keys.items()]
    (directory / "bot.toml").write_text("\n".join(lines), encoding="utf-8")
    return directory


def order_for(service: FakeService | None, directory: Path) -> ConnectOptions:
    """What connects the bot to the service; without one, `change` of `connected` must say where."""
    certificate = None if service is None else service.tls.certificate.read_text(encoding="ascii")
    address = "" if service is None else service.address
    profile = Profile("club", address, "kma_t0ken", "ada", Scope.PLAYER, certificate, None, "localhost")
    return ConnectOptions(
        directory=directory,
        manifest=load_manifest(directory),
        profile=profile,
        name="fox",
        play_address=address,
        backoff=Backoff(0.01, 0.05, jitter=0.5),
        start_limit_s=PATIENCE_S,
        cache=directory.parent / "cache",
    )


@dataclass
class Connected:
    """A bridge that runs, and what it has told."""

    news: list[News] = field(default_factory=list)
    bridge: Bridge | None = None
    task: asyncio.Task[None] | None = None
    told: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self, what: News) -> None:
        self.news.append(what)
        self.told.set()

    def of(self, kind: type[N]) -> list[N]:
        """What was told of one kind."""
        return [what for what in self.news if isinstance(what, kind)]

    async def wait_for(self, kind: type[N], number: int = 1) -> N:
        """The last of so many pieces of news of one kind."""
        async with asyncio.timeout(PATIENCE_S):
            while len(self.of(kind)) < number:
                self.told.clear()
                assert self.task is not None
                waiting = asyncio.create_task(self.told.wait())
                await asyncio.wait({waiting, self.task}, return_when=asyncio.FIRST_COMPLETED)
                waiting.cancel()
                if self.task.done():
                    self.task.result()
                    assert len(self.of(kind)) >= number, self.news
        return self.of(kind)[number - 1]

    async def end(self) -> None:
        """Wait until the bridge has ended by itself; raises what ended it."""
        assert self.task is not None
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.shield(self.task)

    @property
    def running(self) -> Bridge:
        assert self.bridge is not None
        return self.bridge


@asynccontextmanager
async def connected(
    service: FakeService | None,
    directory: Path,
    change: Callable[[ConnectOptions], ConnectOptions] = lambda order: order,
    **keys: object,
) -> AsyncIterator[Connected]:
    """A bridge for the bot; it is left at the end of the block if it still runs."""
    told = Connected()

    def when_ready(bridge: Bridge) -> None:
        told.bridge = bridge

    order = change(replace(order_for(service, directory), **keys))  # type: ignore[arg-type] # tests name real fields
    told.task = asyncio.create_task(run_bridge(order, told.tell, when_ready))
    try:
        yield told
    finally:
        told.task.cancel()
        await asyncio.gather(told.task, return_exceptions=True)
