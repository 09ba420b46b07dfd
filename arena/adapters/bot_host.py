"""The process that hosts bots for a `HostedDriver`, and asks back for the seats of those who play where it was started.

It is told in frames over its pipes which bots to host and which matches to play, and tells how each match ended. A seat
of somebody who plays elsewhere is asked before the referee asks it. The referee lets a watcher look between two
decisions, when no clock runs. So whoever learns may take as long as it likes, and the bots' own clocks stay as they
are: the answer is there when the question is put.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from arena.app.bot_store import store_of
from arena.hosting.builder.build import BuildFailure, prepare_copy
from arena.hosting.errors import HostingError
from arena.hosting.framed_pipe import encode_frame, read_frame
from arena.hosting.manifest import BotDirectoryError, BotManifest
from arena.hosting.procfs.run_delay import OwnWaitMeter
from arena.hosting.runtimes.catalog import NO_RUNTIMES, RuntimeCatalog
from arena.hosting.runtimes.runtime import SYSTEM_PATH, read_runtimes
from arena.hosting.sample_bots import sample_directory, sample_names
from arena.hosting.sandbox.limits import SandboxPolicy
from arena.hosting.sandbox.stored_programs import StoredPrograms
from arena.hosting.store import StoreError
from arena.match.decisions import Malformed, Message
from arena.match.match import Match, MatchSpecError
from arena.match.result import Fault, MatchLostError, MatchResult
from arena.match.spec import MatchSpec, SeatSpec, program_seat
from arena.referee.play import SeatedBot, play_match
from arena.referee.queue.loop import run
from arena.referee.stream import Arrival, Inbox, Resume, StreamClosedError, nothing_to_resume
from arena.wire.messages import Leave, MatchEncoder, encode_broken_off, parse_request
from arena.worker.blame import StartError
from arena.worker.bot_processes import ProcessPool
from arena.worker.process_setup import check_limits, check_room_for_bot, open_stdin, take_stdout
from arena.worker.warm_bot import WarmBot
from ratings.errors import RatingsError
from ratings.read.bots import find_version
from ratings.store.database import open_for_reading

Ask = Callable[[int, bytes, Sequence[Fault]], Awaitable[bytes]]
"""`(seat, message, faults)`: hands a `Decide` to who plays the seat, with what was done wrong so far, and returns the
`PlayRequest` of the answer."""
SendToCaller = Callable[[int, bytes], None]
"""`(seat, message)`: hands on what asks for nothing."""
_NO_FILE = "none"
_LOOK_EVERY_S = 0.5


class CallerSeat:
    """A `SeatStream` whose bot is elsewhere."""

    def __init__(self, send: SendToCaller) -> None:
        self.spoiled = ""
        self.last_message = b""
        self.answer: Message | None = None
        """What was answered already to the question that comes next."""
        self._send = send
        self._inbox: Inbox | None = None
        self._seat = -1

    @property
    def is_closed(self) -> bool:
        """Return False: without the process elsewhere there is nobody to play for."""
        return False

    async def send(self, data: bytes) -> None:
        """Deliver the answer that is there; whatever is no question is handed on."""
        answer, self.answer = self.answer, None
        if answer is None:
            self._send(self._seat, data)
        elif self._inbox is not None:
            self._inbox.put(Arrival(self._seat, asyncio.get_running_loop().time(), answer))

    def attach(self, inbox: Inbox, seat: int, resume: Resume = nothing_to_resume) -> None:
        """Deliver answers to the inbox of a match; nobody comes back, so that nothing is resumed."""
        del resume
        self._inbox, self._seat = inbox, seat

    def detach(self) -> None:
        """Stop delivering: the match is over."""
        self._inbox = None

    def mute(self) -> None:
        """Go on: a seat that is out is asked no more."""


class CallerAsker:
    """A `MatchWatcher` that has those who play elsewhere decide before the referee asks them."""

    def __init__(self, match: Match, seats: dict[int, CallerSeat], ask: Ask) -> None:
        self._match = match
        self._encoder = MatchEncoder(match)
        self._seats = seats
        self._ask = ask

    @property
    def is_present(self) -> bool:
        """Whether the next decision is one of theirs."""
        decision = self._match.decision
        return decision is not None and decision.seat in self._seats

    async def look(self) -> None:
        """Ask who decides, and keep the answer."""
        decision = self._match.decision
        assert decision is not None, "nobody looks at a match that is over"
        seat = self._seats[decision.seat]
        faults = [fault for number in range(len(self._match.spec.seats)) for fault in self._match.faults_of(number)]
        seat.last_message = await self._ask(decision.seat, self._encoder.decide(decision), faults)
        said = parse_request(seat.last_message)
        seat.answer = Malformed("a Leave in the middle of a match") if isinstance(said, Leave) else said


class MatchLeftError(Exception):
    """Whoever plays elsewhere has stopped in the middle of a match."""


class CallerMatchHost:
    """Plays one match at a time with the bots of a pool."""

    def __init__(self, pool: ProcessPool) -> None:
        self._pool = pool

    async def play(self, spec: MatchSpec, ask: Ask, send: SendToCaller) -> MatchResult:
        """Play a match and return its result; a seat that `is_remote` is asked by `ask` and told by `send`.

        Raises MatchLeftError that `ask` raised, once the bots can play again; MatchSpecError; MatchLostError and
        HostingError when this machine is to blame.
        """
        match = Match(spec)
        elsewhere = {number: CallerSeat(send) for number, seat in enumerate(spec.seats) if seat.is_remote}
        seated = await self._pool.seat(match)
        lag_meter = OwnWaitMeter()
        try:
            asker = CallerAsker(match, elsewhere, ask)
            seats: list[SeatedBot | Fault] = [
                SeatedBot(elsewhere[seat])
                if one is None
                else one.fault(seat)
                if isinstance(one, StartError)
                else self._pool.seated_bot(one)
                for seat, one in enumerate(seated)
            ]
            await play_match(match, seats, lag_meter=lag_meter, watcher=asker)
        except MatchLeftError:
            for one in seated:
                if not isinstance(one, WarmBot):
                    continue
                try:
                    await one.stream.tell(encode_broken_off(spec.match_id))
                    self._pool.bots.give_back(one)
                except (StreamClosedError, HostingError):
                    self._pool.bots.end(one)
            raise
        except BaseException:
            self._pool.end_all(seated)
            raise
        finally:
            lag_meter.close()
            self._pool.close_meters(seated)
        await self._pool.part_with_all(match, seated)
        return match.result()


class BotUnavailableError(Exception):
    """A bot that was named cannot play. The message is a line with the remedy."""


async def find_seat(wanted: Mapping[str, str], game: str, policy: SandboxPolicy) -> SeatSpec:
    """Return the seat of a bot: `{"bot": NAME or DIRECTORY}`, or `{"bot": NAME or NAME@HASH, "db": DATABASE}`.

    Raises BotUnavailableError.
    """
    try:
        if "db" in wanted:
            found, plays = await asyncio.to_thread(_find_stored, wanted["db"], wanted["bot"], policy)
        else:
            found, plays = await _in_directory(wanted["bot"], policy)
    except (RatingsError, HostingError, BotDirectoryError, StoreError, ValueError) as error:
        raise BotUnavailableError(f"{wanted['bot']}: {error}") from error
    if not plays.plays(game):
        raise BotUnavailableError(f"{found.name} does not play {game}; its bot.toml names: {', '.join(plays.games)}")
    return found


async def _in_directory(bot: str, policy: SandboxPolicy) -> tuple[SeatSpec, BotManifest]:
    directory = sample_directory(bot) if bot in sample_names() else Path(bot)
    if not directory.is_dir():
        raise BotUnavailableError(
            f"there is no sample bot and no directory {bot!r}; the samples are {', '.join(sample_names())}, and a bot "
            "in a database is named by Version(db, bot)"
        )
    prepared = await prepare_copy(directory.resolve(), policy, _runtimes())
    if isinstance(prepared, BuildFailure):
        raise BotUnavailableError(prepared.sentence)
    name = prepared.manifest.name
    return program_seat(name, prepared.version, prepared.program, prepared.level), prepared.manifest


def _find_stored(db: str, bot: str, policy: SandboxPolicy) -> tuple[SeatSpec, BotManifest]:
    database = open_for_reading(db)
    try:
        named = find_version(database, bot)
    finally:
        database.close()
    if named.bot.remote:
        raise BotUnavailableError(
            f"{bot} runs on its author's machine; only versions whose files are here can sit down"
        )
    programs = StoredPrograms(store_of(db), policy, _runtimes())
    program = programs.find(named.version.content_hash)
    level = programs.sandbox_level(has_owner=named.bot.owner_id is not None)
    return program_seat(named.bot.name, named.version.content_hash, program, level), program.manifest


def _runtimes() -> RuntimeCatalog:
    """Return the runtimes that this user's commands know, too. Raises RuntimeSettingsError."""
    file = os.environ.get("ARENA_RUNTIMES", _NO_FILE)
    own_places = [place for place in os.get_exec_path() if Path(place).is_absolute()]
    path = os.pathsep.join((SYSTEM_PATH, *own_places))
    return RuntimeCatalog(NO_RUNTIMES if file in ("", _NO_FILE) else read_runtimes(Path(file)), path=path)


class CallerGoneError(Exception):
    """Whoever started this process has closed the pipe."""


class BotHost:
    """Reads what it is told to do, and plays."""

    def __init__(self, reader: asyncio.StreamReader, output: int) -> None:
        self._reader = reader
        self._output = output
        self._bots: list[SeatSpec] = []

    async def serve(self) -> None:
        """Serve until the pipe is closed."""
        try:
            head = await self._read()
            try:
                check_limits()
                await check_room_for_bot(self._reader, is_patient=False)
                policy = SandboxPolicy(head["sandbox"])
                self._bots = [await find_seat(wanted, head["game"], policy) for wanted in head["bots"]]
            except (BotUnavailableError, HostingError, ValueError) as error:
                self._send({"event": "refused", "why": str(error)})
                return
            async with ProcessPool() as pool:
                self._send({"event": "ready"})
                while True:
                    await self._play(CallerMatchHost(pool), await self._read())
        except CallerGoneError:
            return

    async def _play(self, host: CallerMatchHost, head: Mapping[str, Any]) -> None:
        if head["do"] != "play":
            return  # an answer or a farewell that crossed with the end of its match
        spec, places = MatchSpec.from_json(head["spec"]), head["bots"]
        seats = [
            replace(self._bots[places[str(number)]], seed=seat.seed) if str(number) in places else seat
            for number, seat in enumerate(spec.seats)
        ]
        try:
            result = await host.play(replace(spec, seats=tuple(seats)), self._ask, self._tell)
        except MatchLeftError:
            self._send({"event": "left"})
        except (MatchLostError, MatchSpecError) as error:
            self._send({"event": "lost", "why": str(error)})
        except HostingError as error:
            self._send({"event": "lost", "why": f"this machine cannot host bots now: {error}"})
            raise CallerGoneError from error
        else:
            self._send({"event": "over", "result": result.to_json()})

    async def _ask(self, seat: int, message: bytes, faults: Sequence[Fault]) -> bytes:
        self._send({"event": "ask", "seat": seat, "faults": [asdict(fault) for fault in faults]}, message)
        frame = await read_frame(self._reader)
        if frame is None:
            raise CallerGoneError
        head, blob = frame
        if head["do"] == "leave":
            raise MatchLeftError
        return blob

    def _tell(self, seat: int, message: bytes) -> None:
        self._send({"event": "tell", "seat": seat}, message)

    async def _read(self) -> Mapping[str, Any]:
        frame = await read_frame(self._reader)
        if frame is None:
            raise CallerGoneError
        return frame[0]

    def _send(self, head: Mapping[str, Any], blob: bytes = b"") -> None:
        """Write all of a message, blocking: the other side always reads."""
        view = memoryview(encode_frame(head, blob))
        try:
            while view:
                view = view[os.write(self._output, view) :]
        except BrokenPipeError:
            raise CallerGoneError from None


async def _serve(output: int) -> None:
    reader = await open_stdin()
    tasks = {asyncio.create_task(BotHost(reader, output).serve()), asyncio.create_task(_wait_for_end(reader))}
    done, running = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
    for task in done:
        task.result()


async def _wait_for_end(reader: asyncio.StreamReader) -> None:
    """Return when the pipe is closed, also while a bot thinks and nobody reads."""
    while not reader.at_eof():
        await asyncio.sleep(_LOOK_EVERY_S)


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve, and return 0 when the pipe was closed."""
    del arguments
    run(_serve(take_stdout()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
