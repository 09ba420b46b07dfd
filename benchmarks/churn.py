"""What people do while a ladder plays: versions come and go, tournaments are created and cancelled.

It runs in a thread of its own, over the services of the arena; what is refused or fails is kept for the verdict.
"""

from __future__ import annotations

import shutil
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import count, cycle
from pathlib import Path

from arena.model.errors import ClientError
from arena.model.planning import TournamentRequest
from arena.rpc.channel import Endpoint
from arena.rpc.login import open_line
from arena.rpc.remote import RemoteArena
from arena.rpc.upload import submit

INSTANT = Path(__file__).with_name("instant")
_PLAIN = "legal[int(draw() * len(legal))]"


def write_bot(directory: Path, name: str, power: float, edition: int) -> Path:
    """Write an instant bot that prefers early actions the more, the higher the power; return its directory."""
    shutil.copytree(INSTANT, directory, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"), dirs_exist_ok=True)
    main, manifest = directory / "main.py", directory / "bot.toml"
    program = (INSTANT / "main.py").read_text(encoding="utf-8")
    assert _PLAIN in program
    program = program.replace(_PLAIN, f"legal[int(draw() ** {power} * len(legal))]")
    main.write_text(f"{program}\n# edition {edition}\n", encoding="utf-8")
    text = (INSTANT / "bot.toml").read_text(encoding="utf-8")
    manifest.write_text(text.replace('"instant"', f'"{name}"').replace('["*"]', '["foreign_king"]'), encoding="utf-8")
    return directory


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot of the ladder."""

    owner: str | None
    name: str
    power: float
    """How much it prefers early actions, see `write_bot`."""


class Churn:
    """Does one thing after another, `every_s` seconds apart, until it is stopped."""

    def __init__(
        self,
        endpoint: Endpoint,
        tokens: Mapping[str, str],
        socket: Endpoint,
        bots: Sequence[Entrant],
        directory: Path,
        every_s: float,
    ) -> None:
        """Bots of owners get new versions, the operator's play the tournaments; `tokens` are by owner."""
        self._endpoint, self._tokens, self._socket = endpoint, tokens, socket
        self._bots = [bot for bot in bots if bot.owner is not None]
        self._cup = tuple(bot.name for bot in bots if bot.owner is None)[:3]
        self._directory, self._every_s = directory, every_s
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="churn")
        self.done: Counter[str] = Counter()
        self.failures: list[str] = []

    def start(self) -> None:
        """Begin in a thread of its own."""
        self._thread.start()

    def stop(self) -> None:
        """End after the thing that is being done."""
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        with ExitStack() as stack:
            arenas = {
                owner: RemoteArena(stack.enter_context(open_line(self._endpoint, token)))
                for owner, token in self._tokens.items()
            }
            organiser = RemoteArena(stack.enter_context(open_line(self._socket)))
            for what, do in self._things(arenas, organiser):
                if self._stopping.wait(self._every_s):
                    return
                self._try(what, do)

    def _try(self, what: str, do: Callable[[], object]) -> None:
        try:
            do()
            self.done[what] += 1
        except ClientError as error:
            self.failures.append(f"{what}: {error}")

    def _things(
        self, arenas: Mapping[str, RemoteArena], organiser: RemoteArena
    ) -> Iterator[tuple[str, Callable[[], object]]]:
        """Yield what to do next, for ever: a withdrawal comes before every second submission."""
        submissions = self._submissions(arenas)
        withdrawals = cycle(self._bots[1::2])
        for number in count():
            yield "submitted", next(submissions)
            yield "created", partial(organiser.tournaments.create_tournament, _cup(number, self._cup))
            yield "cancelled", partial(organiser.tournaments.cancel_tournament, f"cup{number}")
            if number % 2:
                bot = next(withdrawals)
                yield "withdrawn", partial(_withdraw, arenas[str(bot.owner)], bot.name)
            yield "read", organiser.leaderboards.list_leaderboards
            yield "read", organiser.matches.list_matches

    def _submissions(self, arenas: Mapping[str, RemoteArena]) -> Iterator[Callable[[], object]]:
        for edition, bot in enumerate(cycle(self._bots), start=2):
            owner = str(bot.owner)
            source = write_bot(self._directory / owner / bot.name, bot.name, bot.power, edition)
            yield partial(submit, arenas[owner], source, f"edition {edition}", _ignore)


def _ignore(_sent: int, _total: int) -> None:
    """Nobody looks at the progress."""


def _withdraw(arena: RemoteArena, name: str) -> None:
    """Take the newest version of a bot out for good; what follows is a new one, or the one before."""
    newest = next(iter(arena.bots.list_versions(name, limit=1).items))
    arena.bots.withdraw_version(f"{name}@{newest.content_hash[:12]}", "not good enough")


def _cup(number: int, names: tuple[str, ...]) -> TournamentRequest:
    return TournamentRequest(
        format="round-robin",
        settings={"blocks": 2},
        game="foreign_king",
        seats=3,
        bots=names,
        time="1s",
        start_limit="60s",
        name=f"cup{number}",
    )
