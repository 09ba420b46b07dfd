"""One machine of a cluster as its coordinator knows it: whether it may play, what it has, and how it did.

The files of programs are packed once and kept in the cluster's store of objects, from which machines fetch them. A
`NodeJudge` compares the machines of one coordinator, and drains one that does far worse than the others.
"""

from __future__ import annotations

import asyncio
import enum
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from arena.executor.child_handle import TransportLostError
from arena.executor.ray.actor_handles import ask
from arena.executor.ray.agent import LIMITS, CachedProgram, read_program
from arena.executor.ray.facts import ClockSample
from arena.executor.ray.outliers import BadMatchCounts, SlowMatches, far_worse, is_time_to_look
from arena.hosting.archive.format import BotArchiveError
from arena.hosting.archive.packing import pack
from arena.hosting.manifest import BotDirectoryError
from arena.match.result import FaultCause, HostCause, MatchLostError
from arena.match.spec import NO_SANDBOX, MatchSpec, SeatSpec
from arena.match.worker_report import MatchReport
from engine.translatable import Text, placed

FETCH_S = 300
"""A machine may take so long to fetch and unpack the largest archive."""
LOOK_AGAIN_S = 3600.0
"""A version that is played is checked again after so long, which has it kept there, too."""
_HASH = re.compile(r"[0-9a-f]{64}", re.ASCII)
KEPT_BYTES = 256 << 20
"""So much is kept for further machines; what was used longest ago is packed again for them."""
_SPOOL_BYTES = 64 << 20


class NodeState(enum.StrEnum):
    """Whether a machine plays."""

    JOINING = "joining"
    READY = "ready"
    REFUSED = "refused"
    DRAINED = "drained"
    """It does far worse than the others, and gets no more matches."""
    LOST = "lost"


@dataclass(slots=True)
class NodeTally:
    """How the matches of one machine ended."""

    finished: int = 0
    void: int = 0
    """Those that it lost, through no bot's fault."""
    slow: int = 0
    """Those of the finished ones that took far longer than others of their kind."""
    timed: int = 0
    """Those of which that could be told."""
    verdict: str = ""
    """Why the machine gets no more matches for it."""


@dataclass(slots=True)
class _Held:
    program: CachedProgram
    content: str
    due_s: float  # when it is checked again before it plays


class TallyObserver(Protocol):
    """Compares machines by how their matches end."""

    @property
    def slow(self) -> SlowMatches:
        """Tells which matches are slow."""

    def look_at(self, node: ClusterNode) -> None:
        """Look at a machine whose tally has changed."""


class ClusterNode:
    """A machine; an `arena.executor.child_handle.WorkerNode`."""

    def __init__(
        self,
        node_id: str,
        name: str,
        cpus: int,
        archives: Archives,
        judge: TallyObserver,
        on_change: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Call `on_change` when more is known of what it can play, with a sentence if that is less than was thought."""
        self.id = node_id
        self.name = name
        self.cpus = cpus
        self.state = NodeState.JOINING
        self.why = ""  # why it is refused or drained
        self.agent: Any = None
        self.facts: Mapping[str, Any] = {}
        self.clock: ClockSample | None = None
        self.levels: dict[str, str] = {NO_SANDBOX: ""}
        self.tally = NodeTally()
        self.cut = asyncio.Event()  # set when it is given up
        self.on_silent: Callable[[ClusterNode, str], None] = lambda _node, _why: None
        """Called when what stands for it does not answer any more, and why."""
        self._archives = archives
        self._judge = judge
        self._on_change = on_change
        self._held: dict[tuple[str, str], _Held] = {}
        self._refused: dict[tuple[str, str], MatchLostError] = {}
        self._works: dict[tuple[str, str], asyncio.Task[None]] = {}

    # What can be played here.

    def takes(self, spec: MatchSpec) -> bool:
        if self.state is not NodeState.READY:
            return False
        has = [self._has(seat) for seat in _hosted(spec)]  # all are asked, so that what is missing comes together
        return all(has)

    def localize(self, spec: MatchSpec) -> MatchSpec:
        return replace(spec, seats=tuple(map(self._localize, spec.seats)))

    def refusal(self, spec: MatchSpec) -> MatchLostError | None:
        """Return why a match can never be played here, or `None` if it can, or that is being found out."""
        found = (self._refused.get(key) for seat in _hosted(spec) for key in (_key(seat), ("level", seat.sandbox)))
        return next((error for error in found if error is not None), None)

    def _has(self, seat: SeatSpec) -> bool:
        """Return whether a program is here, whole, and can be started; else see to it, unless that was refused."""
        if seat.sandbox not in self.levels:
            self._begin(("level", seat.sandbox), self._try_level(seat))
        held = self._held.get(_key(seat))
        is_here = held is not None and asyncio.get_running_loop().time() < held.due_s
        if not is_here:
            self._begin(_key(seat), self._fetch(seat))
        return is_here and self.levels.get(seat.sandbox) == ""

    def _begin(self, key: tuple[str, str], work: Any) -> None:
        if key in self._works or key in self._refused or self.cut.is_set():
            work.close()
        else:
            self._works[key] = asyncio.create_task(self._do(key, work))

    async def _do(self, key: tuple[str, str], work: Any) -> None:
        try:
            await work
        except MatchLostError as error:
            self._refused[key] = error
        except TransportLostError as error:
            if not self.cut.is_set():
                self.on_silent(self, str(error))
            return
        except Exception as error:  # nobody awaits this task, and the match would wait for ever
            self._refused[key] = MatchLostError(f"{self.name}: {type(error).__name__}: {error}", HostCause.UNPLAYABLE)
        finally:
            del self._works[key]
        self._on_change(str(self._refused.get(key, "")))

    async def _try_level(self, seat: SeatSpec) -> None:
        problem = (await ask(self.agent.try_levels.remote([seat.sandbox]), self.cut, FETCH_S))[seat.sandbox]
        self.levels[seat.sandbox] = problem
        if problem:
            why = placed(self.name, placed(f"level {seat.sandbox}", problem))
            raise MatchLostError(why, HostCause.SANDBOX_FAILED)

    async def _fetch(self, seat: SeatSpec) -> None:
        """Have a program here, whole and ready to be started. Raises MatchLostError, TransportLostError."""
        held = self._held.get(_key(seat))
        content = held.content if held is not None else (await self._pack(seat)).content
        found = await ask(self.agent.find.remote(content, seat.runtime), self.cut, FETCH_S)
        if "missing" in found:
            packed = await self._pack(seat)
            content = packed.content
            if problem := await ask(self.agent.add.remote(packed.content, packed.reference), self.cut, FETCH_S):
                raise self._refuse(seat, problem)
            found = await ask(self.agent.find.remote(content, seat.runtime), self.cut, FETCH_S)
        if "program" not in found:
            raise self._refuse(seat, found.get("refused", "its files do not stay as they were sent"))
        due_s = asyncio.get_running_loop().time() + LOOK_AGAIN_S
        self._held[_key(seat)] = _Held(read_program(found["program"]), content, due_s)

    async def _pack(self, seat: SeatSpec) -> PackedVersion:
        try:
            packed = await self._archives.get(seat.directory)
        except (BotDirectoryError, BotArchiveError, OSError) as error:
            raise self._refuse(seat, str(error)) from error
        is_stored = _HASH.fullmatch(seat.version) and seat.directory.endswith(f"/{seat.version}")
        if is_stored and packed.content != seat.version:
            raise self._refuse(seat, "the stored files were changed; add the bot again")
        return packed

    def _refuse(self, seat: SeatSpec, why: str) -> MatchLostError:
        message = Text("{name}: bot {bot} cannot play there: {why}", name=self.name, bot=seat.name, why=why)
        return MatchLostError(message, HostCause.HOSTING_FAILED)

    def _localize(self, seat: SeatSpec) -> SeatSpec:
        held = self._held.get(_key(seat))
        if held is None:
            return seat
        program = held.program
        return replace(
            seat,
            directory=program.directory,
            command=program.command,
            trees=program.trees,
            environment=program.environment,
        )

    def _doubt(self, seats: Iterable[SeatSpec]) -> None:
        """Have programs checked before they play again: they may be what could not be started here."""
        for seat in seats:
            if (held := self._held.get(_key(seat))) is not None:
                held.due_s = 0.0

    # How it does.

    def note_report(self, spec: MatchSpec, report: MatchReport) -> None:
        failed = [fault.seat for fault in report.result.faults if fault.cause is FaultCause.START_FAILED]
        self._doubt(spec.seats[number] for number in failed)
        kind = spec.game, str(spec.options), tuple(sorted(seat.version for seat in spec.seats))
        slow = self._judge.slow.judge(kind, report.duration_us / 1e6, report.decisions)
        self.tally.finished += 1
        self.tally.timed += slow is not None
        self.tally.slow += slow is True
        self._judge.look_at(self)

    def note_loss(self, spec: MatchSpec, cause: HostCause) -> None:
        if cause is HostCause.HOSTING_FAILED:
            self._doubt(spec.seats)
        self.count_loss()

    def count_loss(self) -> None:
        """Count a match as lost here, or as one all that were lost at once, which have one reason."""
        self.tally.void += 1
        self._judge.look_at(self)

    def give_up(self) -> None:
        """End whatever waits for it."""
        self.cut.set()
        for work in self._works.values():
            work.cancel()

    def to_json(self) -> dict[str, Any]:
        """Return what people are told of it, ready for JSON."""
        return {
            "id": self.id,
            "name": self.name,
            "state": self.state.value,
            "why": self.why,
            "cpus": self.cpus,
            "finished": self.tally.finished,
            "void": self.tally.void,
            "slow": self.tally.slow,
        }


def _hosted(spec: MatchSpec) -> list[SeatSpec]:
    """Return the seats whose programs are started."""
    return [seat for seat in spec.seats if seat.barred is None]


def _key(seat: SeatSpec) -> tuple[str, str]:
    return seat.directory, seat.runtime


@dataclass(frozen=True, slots=True)
class PackedVersion:
    """An archive that the machines of the cluster can fetch."""

    content: str
    """The content hash of the files."""
    reference: Any
    size_bytes: int


class Archives:
    """The archives of one coordinator."""

    def __init__(self, put: Callable[[bytes], Any]) -> None:
        """`put` keeps bytes where every machine of the cluster finds them, as long as what it returns is kept."""
        self._put = put
        self._packed: dict[str, PackedVersion] = {}
        self._turn = asyncio.Lock()

    async def get(self, directory: str) -> PackedVersion:
        """Return the archive of a directory. Raises BotFilesError, BotArchiveError."""
        async with self._turn:
            found = self._packed.pop(directory, None) or await self._pack(directory)
            self._packed[directory] = found
            while len(self._packed) > 1 and sum(one.size_bytes for one in self._packed.values()) > KEPT_BYTES:
                del self._packed[next(iter(self._packed))]
            return found

    async def _pack(self, directory: str) -> PackedVersion:
        content, archive = await asyncio.to_thread(_pack, directory)
        return PackedVersion(content, self._put(archive), len(archive))


def _pack(directory: str) -> tuple[str, bytes]:
    with tempfile.SpooledTemporaryFile(_SPOOL_BYTES) as file:
        archive = pack(Path(directory), file, LIMITS)  # type: ignore[arg-type]
        return archive.content_hash, file.read()


class NodeJudge:
    """Looks at a machine at the numbers of matches that `outliers` names; the last one that plays is never drained."""

    def __init__(
        self, nodes: Callable[[], Iterable[ClusterNode]], on_drained: Callable[[ClusterNode, str], None]
    ) -> None:
        """`nodes` returns all machines; call `on_drained` with one that gets no matches any more, and why."""
        self._nodes = nodes
        self._on_drained = on_drained
        self.slow = SlowMatches()

    def look_at(self, node: ClusterNode) -> None:
        """Drain a machine if it is time to look at it and it does far worse than the others."""
        tally = node.tally
        playing = {one.id: one for one in self._nodes() if one.state is NodeState.READY}
        if node.id not in playing or len(playing) < 2:
            return
        ended = tally.finished + tally.void
        tallies = {key: one.tally for key, one in playing.items()}
        void = {key: BadMatchCounts(one.void, one.finished + one.void) for key, one in tallies.items()}
        slow = {key: BadMatchCounts(one.slow, one.timed) for key, one in tallies.items()}
        if is_time_to_look(ended) and node.id in far_worse(void):
            self._on_drained(
                node,
                Text(
                    "{count} of its {number} matches were void, far more than elsewhere", count=tally.void, number=ended
                ),
            )
        elif is_time_to_look(tally.timed) and node.id in far_worse(slow):
            self._on_drained(
                node,
                Text(
                    "{count} of its {number} matches were slow, far more than elsewhere",
                    count=tally.slow,
                    number=tally.timed,
                ),
            )
