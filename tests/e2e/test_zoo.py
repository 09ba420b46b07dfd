"""The zoo of hostile bots, in real processes: what each does, whose fault it is, and that nobody beside it notices."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from arena.hosting.sandbox.limits import REDUCED, STANDARD, WRAPPED_LEVELS, SandboxLimits
from arena.hosting.sandbox.probe import probe
from arena.match.replay import load
from arena.match.spec import NO_SANDBOX
from arena.match.time_control import TimeControl
from arena.match.verify import verify
from arena.match.worker_report import MatchReport
from arena.worker.match_host import MatchHost
from tests.support.keeper import (
    AT_START,
    AT_START_BY_DESCRIPTORS,
    BOMB,
    BY_LINES,
    BY_SOCKET,
    FLOODS,
    FLOODS_AT_START,
    GREEDY,
    REFUSED_DEEDS,
    TOO_LATE,
    TOO_LATE_TO_START,
    UNNOTICED,
    WRONG_BY_DESCRIPTORS,
    WRONG_MESSAGES,
    WRONG_STREAMS,
    Case,
    F,
    bots_fault,
    check_case,
    copy_zoo,
    harmless,
    named,
    zoo_seat,
)
from tests.support.patience import PATIENT, any_start, patient_autopsies, patient_endings, patient_starts
from tests.support.processes import marked_processes
from tests.support.specs import installed_script_game, script_spec
from tests.support.zoo.deeds import DONE, own_namespace

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.needs("sandbox")]

IMPATIENT = any_start("300ms")
FORGIVING = replace(IMPATIENT, margin_us=PATIENT.decision_limit_us)
SHORT_START = replace(PATIENT, start_limit_us=2_000_000)


@pytest.fixture(scope="module")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_zoo(tmp_path_factory.mktemp("zoo"))


@pytest.fixture(scope="module")
def mark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Stands in the environment of every process that these tests start; none outlives them."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch, installed_script_game(), patient_endings(), patient_starts():
        patch.setenv("HOME", str(home))
        yield f"HOME={home}"
        assert marked_processes(f"HOME={home}") == {}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def host(mark: str) -> AsyncIterator[MatchHost]:
    async with MatchHost() as host:
        yield host
    assert marked_processes(mark) == {}


class Cage:
    """Plays the bots of the zoo at one level of confinement."""

    def __init__(self, host: MatchHost, zoo: Path, level: str) -> None:
        self._host, self._zoo, self._level = host, zoo, level

    async def play_one(
        self, behaviour: str, aims: Mapping[str, str], memory_mb: int = 512, by: str = ""
    ) -> MatchReport:
        """A match of one of the zoo, which has aims, and an honest bot that must not notice, by one of its links."""
        aims = {**aims, "host": own_namespace()}
        deviant = zoo_seat(self._zoo, behaviour, level=self._level, memory_mb=memory_mb, aims=aims)
        seats = deviant, zoo_seat(self._zoo, level=self._level, by=by)
        report = await self._host.play(script_spec("0:3 1:3 0:3 1:3", seats=seats, clock=PATIENT))
        assert report.result.ranks[1] == 1
        assert not [fault for fault in report.result.faults if fault.seat == 1]
        return report

    async def outcome(self, behaviour: str, by: str = "", **aims: str) -> dict[str, str]:
        """What a bot says that it could do, without a fault."""
        report = await self.play_one(behaviour, aims, by=by)
        assert report.result.faults == ()
        outcome: dict[str, str] = json.loads(load(report.replay)["entries"][0]["note"])
        return outcome

    async def check_use_beside(self, behaviour: str) -> None:
        """A bot that takes what the kernel counts by users is refused more at last, and an honest one has its own."""
        names = behaviour, "use-what-is-counted-by-user"
        aims = {"host": own_namespace(), "beside": behaviour}  # so that neither is a warm one that has done its deed
        seats = tuple(zoo_seat(self._zoo, name, level=self._level, aims=aims) for name in names)
        report = await self._host.play(script_spec("0:3 1:3 0:3 1:3", seats=seats, clock=PATIENT))
        assert report.result.faults == ()
        taken, used = (json.loads(entry["note"]) for entry in load(report.replay)["entries"][:2])
        assert taken["refused"] not in ("", DONE), taken
        assert set(used.values()) == {DONE}, used

    async def play(
        self, cases: Sequence[Case], script: str = "", clock: TimeControl = PATIENT, with_honest: bool = True
    ) -> MatchReport:
        """One match of them all, in order, and of an honest bot in the last seat."""
        seats = [zoo_seat(self._zoo, case.behaviour, level=self._level, by=case.by) for case in cases]
        if with_honest:
            seats.append(zoo_seat(self._zoo, level=self._level))
        script = script or " ".join(f"{seat}:3" for seat in range(len(seats)))
        spec = script_spec(script, len(seats), seats=tuple(seats), clock=clock)
        report = await self._host.play(spec)
        assert verify(report.replay) == []
        return report

    async def check(self, cases: Sequence[Case], **changes: Any) -> None:
        """Everybody gets what it deserves, and the honest bot wins."""
        report = await self.play(cases, **changes)
        for seat, case in enumerate(cases):
            check_case(case, [fault for fault in report.result.faults if fault.seat == seat])
        assert report.result.ranks[-1] == 1
        assert not [fault for fault in report.result.faults if fault.seat == len(cases)]


@contextmanager
def victim(secret: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process of this user, with a secret in its environment."""
    command = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(3600)"]
    with subprocess.Popen(command, env={"SECRET": secret}) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.fixture(scope="module")
def sandboxed(host: MatchHost, zoo: Path) -> Cage:
    return Cage(host, zoo, STANDARD)


@pytest.fixture(scope="module", params=[NO_SANDBOX, STANDARD])
def cage(host: MatchHost, zoo: Path, request: pytest.FixtureRequest) -> Cage:
    """With a sandbox and without one; for what the host finds otherwise then."""
    return Cage(host, zoo, request.param)


@pytest.fixture(scope="module")
def strongest(host: MatchHost, zoo: Path) -> Cage:
    """The strongest level that works; for what takes long and is the same at every level."""
    level = next(level for level in WRAPPED_LEVELS if probe(level).works)
    return Cage(host, zoo, level)


@pytest.mark.hostile(*named(AT_START))
async def test_a_bot_that_does_not_start_loses_and_it_is_told_why(cage: Cage) -> None:
    await cage.check(AT_START)


@pytest.mark.hostile(*named(TOO_LATE_TO_START))
async def test_a_bot_that_never_joins_loses(sandboxed: Cage) -> None:
    await sandboxed.play([], "0:3")  # the honest bot is warm then, and needs no time to start
    await sandboxed.check(TOO_LATE_TO_START, clock=SHORT_START)


@pytest.mark.hostile(*named(WRONG_MESSAGES))
async def test_what_a_bot_says_wrong_costs_it_the_match_and_nobody_else(cage: Cage) -> None:
    with patient_autopsies():  # each of these ends with its stream
        await cage.check(WRONG_MESSAGES)


@pytest.mark.hostile(*named(WRONG_STREAMS))
async def test_what_a_bot_does_to_its_stream_costs_it_the_match_and_nobody_else(sandboxed: Cage) -> None:
    await sandboxed.check(WRONG_STREAMS)


@pytest.mark.hostile(*named(BY_SOCKET), *named(BY_LINES))
@pytest.mark.parametrize("cases", WRONG_BY_DESCRIPTORS, ids=["socket", "lines"])
async def test_what_a_bot_does_to_its_descriptors_costs_it_the_match_and_nobody_else(
    strongest: Cage, cases: Sequence[Case]
) -> None:
    with patient_autopsies():
        await strongest.check(cases)


@pytest.mark.hostile(*named(AT_START_BY_DESCRIPTORS))
async def test_a_bot_that_does_not_start_by_its_descriptors_loses(sandboxed: Cage) -> None:
    await sandboxed.check(AT_START_BY_DESCRIPTORS)


@pytest.mark.hostile("read-another-bots-descriptors")
@pytest.mark.parametrize("level", [REDUCED, STANDARD])
async def test_a_bot_gets_at_no_descriptor_of_another_one(host: MatchHost, zoo: Path, level: str) -> None:
    cage = Cage(host, zoo, level)
    for by in ("socket", "lines"):
        outcome = await cage.outcome("read-another-bots-descriptors", by=by, beside=by)  # not the one of before
        assert DONE not in outcome.values(), outcome


@pytest.mark.hostile("unasked-act")
async def test_an_answer_before_the_question_is_a_breach(sandboxed: Cage) -> None:
    await sandboxed.check([bots_fault("unasked-act", F.PROTOCOL, "It answered")], script="1:3 0:3 1:3 0:3")


@pytest.mark.hostile(*named(FLOODS_AT_START))
async def test_a_bot_that_floods_before_it_joins_is_disconnected_and_not_seated(strongest: Cage) -> None:
    await strongest.check(FLOODS_AT_START, clock=replace(PATIENT, start_limit_us=30_000_000))


@pytest.mark.hostile(BOMB)
async def test_a_bot_that_keeps_the_arena_busy_is_found_and_not_the_one_that_thinks(strongest: Cage) -> None:
    # However long it takes on a busy machine: the last one left has won.
    report = await strongest.play([harmless(BOMB), harmless("think-for-a-minute")], with_honest=False)
    (fault,) = report.result.faults
    assert fault.seat == 0
    assert fault.cause in {F.FLOOD, F.DISCONNECTED}  # on a busy machine gRPC ends it before it is found


@pytest.mark.hostile(*FLOODS)
async def test_among_many_who_flood_nobody_is_blamed_that_does_not(strongest: Cage) -> None:
    # One honest bot thinks meanwhile. What computes for its flood may be asleep before it is found.
    bots = [*map(harmless, [BOMB, *FLOODS, "think-for-a-second"])]
    thinker, honest = len(bots) - 1, len(bots)
    turns = [*range(thinker), honest, thinker, thinker, honest]
    report = await strongest.play(bots, " ".join(f"{seat}:3" for seat in turns))
    assert not {thinker, honest} & {fault.seat for fault in report.result.faults}
    assert {fault.cause for fault in report.result.faults} <= {F.FLOOD, F.DISCONNECTED}  # gRPC ends some by itself


@pytest.mark.hostile("open-and-close")
async def test_a_door_is_shut_behind_a_bot(strongest: Cage) -> None:
    await strongest.check([harmless("open-and-close")], script="0:3 " + "1:3 " * 100, clock=IMPATIENT)


@pytest.mark.hostile(*named(TOO_LATE))
async def test_silence_is_a_timeout(sandboxed: Cage) -> None:
    await sandboxed.check(TOO_LATE, clock=IMPATIENT)


async def test_lateness_inside_the_margin_is_no_fault(sandboxed: Cage) -> None:
    await sandboxed.check([harmless("late-inside-the-margin")], clock=FORGIVING, script="0:3")


@pytest.mark.hostile("stop-reading")
async def test_a_bot_that_does_not_read_for_five_seconds_is_gone(strongest: Cage) -> None:
    script = "0:3 1:3" + " " * 1_000_000  # MatchStarted tells the options, and is larger than all buffers
    await strongest.check([bots_fault("stop-reading", F.DISCONNECTED, "It did not read for 5 s.")], script=script)


@pytest.mark.hostile(*named(UNNOTICED))
async def test_noise_and_children_are_no_fault_and_do_not_outlive_the_bot(cage: Cage) -> None:
    await cage.check([*UNNOTICED, harmless("many-at-once")])


@pytest.mark.hostile("vanish-unasked")
async def test_a_bot_that_still_thinks_when_another_one_ends_the_match_is_not_blamed_in_the_next(
    strongest: Cage,
) -> None:
    thinker, other = harmless("think-for-a-second"), bots_fault("vanish-unasked", F.DISCONNECTED, "Its stream")
    report = await strongest.play([thinker, other], "0:3 1:3", with_honest=False)
    assert [fault.seat for fault in report.result.faults] == [1]
    await strongest.check([thinker], script="1:3 0:3 1:3 0:3")


@pytest.mark.hostile(*(behaviour for behaviour, _, _ in GREEDY))
@pytest.mark.parametrize(("behaviour", "memory_mb", "what"), GREEDY)
async def test_a_bot_that_takes_too_much_is_stopped_and_told_so(
    sandboxed: Cage, behaviour: str, memory_mb: int, what: str
) -> None:
    report = await sandboxed.play_one(behaviour, {}, memory_mb)
    check_case(bots_fault(behaviour, F.RESOURCE, "", exceeded=what), report.result.faults)


@pytest.mark.hostile(*REFUSED_DEEDS)
@pytest.mark.parametrize("deed", REFUSED_DEEDS)
async def test_a_bot_gets_nothing_from_the_kernel_that_weighs_on_others_or_speaks_to_them(
    sandboxed: Cage, deed: str
) -> None:
    outcome = await sandboxed.outcome(deed)
    assert DONE not in outcome.values(), outcome


@pytest.mark.hostile("use-up-timers")
async def test_timers_do_not_run_out_for_a_bot_beside_one_that_makes_as_many_as_it_can(sandboxed: Cage) -> None:
    await sandboxed.check_use_beside("use-up-timers")


@pytest.mark.needs("own_ids")
@pytest.mark.hostile("send-files-and-receive-none")
async def test_a_bot_can_send_files_beside_one_that_has_as_many_on_their_way_as_it_can(sandboxed: Cage) -> None:
    await sandboxed.check_use_beside("send-files-and-receive-none")


@pytest.mark.hostile("talk-by-counters")
async def test_a_bot_reads_no_counter_of_the_machine_that_another_bot_moves(sandboxed: Cage) -> None:
    counters = ("sys/fs/file-nr", "sys/fs/inode-nr", "sys/fs/aio-nr", "locks", "vmstat", "interrupts", "key-users")
    outcome = await sandboxed.outcome("talk-by-counters", counters=":".join(f"/proc/{name}" for name in counters))
    assert outcome == {}


@pytest.mark.hostile("fill-other-places")
async def test_a_bot_can_fill_only_its_own_directories(sandboxed: Cage) -> None:
    outcome = await sandboxed.outcome("fill-other-places")
    assert all(value for name, value in outcome.items() if name.startswith("refused"))
    assert sum(int(value) for name, value in outcome.items() if name.startswith("MB")) < SandboxLimits().disk_mb


@pytest.mark.hostile("open-many-files")
async def test_a_bot_can_open_only_so_many_files(sandboxed: Cage) -> None:
    outcome = await sandboxed.outcome("open-many-files")
    assert outcome["refused"]
    assert int(outcome["files"]) < 1000


@pytest.mark.hostile("read-processes", "trace-processes")
async def test_a_bot_sees_no_process_but_its_own_and_can_trace_none(sandboxed: Cage) -> None:
    secret = "S" + os.urandom(16).hex()
    with victim(secret):
        outcome = await sandboxed.outcome("read-processes", secret=secret)
    assert outcome["secret"] == "unseen"
    assert int(outcome["processes"]) < 10
    assert (await sandboxed.outcome("trace-processes"))["trace"] != DONE


@pytest.mark.hostile("kill-siblings")
async def test_a_bot_can_kill_nobody_else(sandboxed: Cage) -> None:
    with victim("") as process:
        outcome = await sandboxed.outcome("kill-siblings", victim=str(process.pid))
        assert process.poll() is None
    assert outcome["victim"] != DONE


@pytest.mark.hostile("read-files")
async def test_a_bot_reads_neither_the_database_nor_the_code_of_others_nor_changes_its_own(
    sandboxed: Cage, tmp_path: Path
) -> None:
    aims = {"database": tmp_path / "arena.db", "code": tmp_path / "versions" / "other" / "main.py"}
    for path in aims.values():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("secret", encoding="ascii")
    outcome = await sandboxed.outcome("read-files", **{name: str(path) for name, path in aims.items()})
    assert outcome.keys() == {"database", "code", "listing", "own code", "beside own code"}
    assert DONE not in outcome.values(), outcome


@pytest.mark.hostile("connect")
async def test_a_bot_reaches_no_network_not_even_this_machine(sandboxed: Cage) -> None:
    abstract = f"arena-zoo-{os.getpid()}"
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as unix:
        unix.bind("\0" + abstract)
        unix.listen()
        server.setblocking(False)
        outcome = await sandboxed.outcome("connect", port=str(server.getsockname()[1]), abstract=abstract)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert outcome.keys() == {"tcp", "udp", "abstract"}
    assert DONE not in outcome.values(), outcome


@pytest.mark.hostile("use-another-token")
async def test_a_bot_finds_no_token_but_its_own_and_a_made_up_one_is_worth_nothing(sandboxed: Cage) -> None:
    assert await sandboxed.outcome("use-another-token") == {"made up": "UNAUTHENTICATED", "found": "unseen"}
