"""What a service tells of itself: metrics as Prometheus reads them, health, and logs for programs and people."""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import re
import resource
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.match.result import Fault, FaultCause, HostCause, MatchLostError
from arena.match.spec import MatchSpec
from arena.model.errors import ClientError
from arena.model.ladders import LadderRequest
from arena.model.tournament_requests import ChallengeRequest, TournamentRequest
from arena.rpc.channel import Endpoint
from arena.rpc.login import open_line
from arena.rpc.remote_arena import RemoteArena
from arena.rpc.upload import submit
from arena.service import logs
from arena.service.addresses import Address, explain, parse_address
from arena.service.home import make_home
from arena.service.lifecycle.listeners import AdminListener, open_owners
from arena.service.logs import FILE_NAME, DroppingQueueHandler, get_logger, logging_to
from arena.service.metrics import Metrics
from arena.service.scheduler.executor_supervisor import ExecutorHost
from arena.service.scheduler.observers import MatchObserver, export_slots
from arena.service.scheduler.queue import MatchPurpose, QueuedMatch
from arena.service.scheduler.slots import Slots
from arena.service.settings import load_settings
from arena.service.startup_errors import ListenError, SettingsError
from arena.service.task_supervision import Health
from ratings.store.database import open_database
from ratings.values.pools import RatingMethod
from tests.cli.support import write_bot
from tests.service.scheduler.executors import HeldExecutor, order, settle
from tests.support.patience import PATIENCE_S, until
from tests.support.specs import king_spec, scripted
from tests.support.texts import CHARACTERS
from tests.tournament.scripted_executor import report_of

SAMPLE = re.compile(r'([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\.)*",?)*)\})? (\S+)')
PAIR = re.compile(r'[a-z_]+="((?:[^"\\\n]|\\.)*)"')
MATCHES = 5


def samples(metrics: Metrics) -> dict[tuple[str, tuple[str, ...]], float]:
    """Every sample by its name and the values of its labels, read as the format's specification says."""
    found = {}
    for line in metrics.render().split("\n"):
        if line and not line.startswith("#"):
            match = SAMPLE.fullmatch(line)
            assert match, line
            values = tuple(
                re.sub(r"\\(.)", lambda one: {"n": "\n"}.get(one[1], one[1]), text)
                for text in PAIR.findall(match[2] or "")
            )
            found[match[1], values] = float(match[3])
    return found


@given(st.lists(st.tuples(st.text(CHARACTERS, max_size=5), st.floats(0, 1e6)), max_size=10))
def test_a_counter_is_the_sum_of_what_was_added_for_each_label(added: list[tuple[str, float]]) -> None:
    metrics = Metrics()
    counter = metrics.counter("faults_total", "Faults.", ("owner",))
    for owner, amount in added:
        counter.add(amount, owner)
    sums: dict[str, float] = {}
    for owner, amount in added:
        sums[owner] = sums.get(owner, 0.0) + amount
    assert samples(metrics) == {("faults_total", (owner,)): total for owner, total in sums.items()}


@given(st.lists(st.floats(0, 20), max_size=20))
def test_the_buckets_of_a_histogram_hold_what_is_not_larger_than_their_bound(figures: list[float]) -> None:
    metrics = Metrics()
    histogram = metrics.histogram("seconds", "Durations.", buckets=(1, 10))
    for figure in figures:
        histogram.observe(figure)
    found = samples(metrics)
    if not figures:
        assert found == {}
        return
    assert found["seconds_bucket", ("1",)] == sum(figure <= 1 for figure in figures)
    assert found["seconds_bucket", ("10",)] == sum(figure <= 10 for figure in figures)
    assert found["seconds_bucket", ("+Inf",)] == found["seconds_count", ()] == len(figures)
    assert found["seconds_sum", ()] == pytest.approx(sum(figures))


def test_gauges_are_filled_just_before_they_are_read() -> None:
    metrics = Metrics()
    gauge = metrics.gauge("busy", "Busy slots.", ("activity",))
    metrics.before_export(lambda: gauge.set(3, "ladder"))
    assert samples(metrics) == {("busy", ("ladder",)): 3}
    gauge.clear()
    assert "busy" in metrics.render()


def test_a_name_is_one_metric_of_one_kind() -> None:
    metrics = Metrics()
    assert metrics.counter("a_total", "A.") is metrics.counter("a_total", "A.")
    with pytest.raises(ValueError, match="Counter already"):
        metrics.gauge("a_total", "A.")
    with pytest.raises(ValueError, match="labels"):
        metrics.counter("a_total", "A.").add(1, "too many")


def test_threads_lose_no_count() -> None:
    counter = Metrics().counter("a_total", "A.", ("who",))

    def add_many() -> None:
        for _ in range(2000):
            counter.add(1, "x")

    threads = [threading.Thread(target=add_many) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counter.lines()[-1] == 'a_total{who="x"} 8000'


@asynccontextmanager
async def listening(metrics: Metrics, health: Health) -> AsyncIterator[Address]:
    listener = AdminListener(metrics, health)
    address = await listener.start(parse_address("127.0.0.1:0"))
    try:
        yield address
    finally:
        await listener.stop()


async def ask(address: Address, request: bytes) -> bytes:
    reader, writer = await asyncio.open_connection(address.host, address.port)
    writer.write(request)
    writer.write_eof()
    answer = await reader.read()
    writer.close()
    return answer


async def get(address: Address, path: str) -> tuple[int, str]:
    head, _, body = (await ask(address, f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())).partition(b"\r\n\r\n")
    assert f"Content-Length: {len(body)}".encode() in head
    return int(head.split()[1]), body.decode()


async def test_metrics_and_health_are_told_as_they_are_at_that_moment() -> None:
    metrics, health = Metrics(), Health()
    async with listening(metrics, health) as address:
        assert await get(address, "/health") == (200, '{\n  "healthy": true,\n  "problems": {}\n}\n')
        health.report("host", "no worker starts")
        status, body = await get(address, "/health")
        assert (status, json.loads(body)["problems"]) == (503, {"host": "no worker starts"})
        health.clear("host")
        assert (await get(address, "/health?verbose"))[0] == 200
        metrics.counter("a_total", "A.").add(3)
        assert "a_total 3\n" in (await get(address, "/metrics"))[1]


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", b"404"),
        (b"POST /health HTTP/1.1\r\n\r\n", b"405"),
        (b"\xff\xfe\r\n\r\n", b"405"),
        (b"GET\r\n\r\n", b"404"),
    ],
)
async def test_whoever_asks_for_something_else_is_told_what_there_is(request_: bytes, status: bytes) -> None:
    async with listening(Metrics(), Health()) as address:
        assert (await ask(address, request_)).split()[1] == status


@pytest.mark.parametrize("request_", [b"", b"GET /health", b"x" * 20_000])
async def test_whoever_asks_nothing_whole_gets_nothing_and_does_no_harm(request_: bytes) -> None:
    async with listening(Metrics(), Health()) as address:
        with suppress(ConnectionError):  # what was sent too much is thrown away with the connection
            assert await ask(address, request_) == b""
        assert (await get(address, "/health"))[0] == 200


async def test_an_address_in_use_or_of_another_machine_is_one_line_with_the_flag() -> None:
    async with listening(Metrics(), Health()) as taken:
        for address, why in (
            (taken, "is in use; stop what listens there"),
            (Address("192.0.2.1", 80), "192.0.2.1 is no address of this machine"),
            (Address("no.such.host.invalid", 80), "no.such.host.invalid is the name of no machine"),
        ):
            with pytest.raises(ListenError, match=why) as caught:
                await AdminListener(Metrics(), Health()).start(address)
            assert "--admin-address" in str(caught.value)
            assert "\n" not in str(caught.value)


def test_a_port_for_which_a_user_has_no_right_is_told_with_the_remedy() -> None:
    why = explain(Address("127.0.0.1", 443), PermissionError(errno.EACCES, "Permission denied"), "--address")
    assert why == (
        "127.0.0.1:443 needs more rights than this user has, like all ports below 1024; choose another port with "
        "--address, or let a proxy listen there"
    )


@pytest.mark.parametrize(
    ("text", "is_loopback"),
    [("127.0.0.1:80", True), ("[::1]:80", True), ("localhost:0", True), ("0.0.0.0:1", False), ("arena.org:9", False)],
)
def test_addresses_are_read_as_they_are_written(text: str, is_loopback: bool) -> None:
    address = parse_address(text)
    assert str(address) == text
    assert address.is_loopback == is_loopback


@pytest.mark.parametrize("text", ["", "host", "host:", ":80", "host:99999", "::1:80", "a b:1", "http://a:1"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no address"):
        parse_address(text)


def value(text: str, sample: str) -> float:
    found = re.search(rf"^{re.escape(sample)} (\S+)$", text, re.MULTILINE)
    assert found, f"no {sample} in:\n{text}"
    return float(found[1])


def match(number: int) -> MatchSpec:
    """A match with the bot of an owner, besides the operator's."""
    return king_spec(f"m{number}", [scripted(), replace(scripted(), name="ada/fox"), scripted()], chance_seed=number)


class Warm(HeldExecutor):
    """Keeps two processes for later matches, in which the bot in the second seat goes astray."""

    def count_warm_bots(self) -> int:
        return 2

    def end_one(self) -> None:
        """End the match that began first."""
        match_id, ending = next(iter(self.playing.items()))
        report = report_of(king_spec(match_id, [scripted()] * 3))
        fault = Fault(1, FaultCause.ILLEGAL_ACTION, 5, "it chose 7", {})
        ending.set_result(replace(report, result=replace(report.result, faults=(fault,))))


async def test_slots_queue_decisions_faults_lag_and_warm_processes_are_told() -> None:
    metrics, executor = Metrics(), Warm(1)
    slots = Slots(1, dict.fromkeys(MatchPurpose, 1.0), observer=MatchObserver(metrics, get_logger("test")))
    host = ExecutorHost(slots, lambda: executor, Health(), get_logger("test"))
    export_slots(metrics, slots, host.count_warm_bots)
    running = asyncio.create_task(host.run())
    try:
        view = slots.view(MatchPurpose.LADDER, "spring")
        playing = [asyncio.ensure_future(view.run(match(number))) for number in range(MATCHES)]
        await until(lambda: bool(executor.playing))
        executor.end_one()
        await playing[0]
        meanwhile = metrics.render()
        while not all(one.done() for one in playing):
            await until(lambda: bool(executor.playing))
            executor.end_one()
            await settle()
        reports = [one.result() for one in playing]
        afterwards = metrics.render()
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    busy, queue = 'arena_slots_busy{activity="ladder"}', 'arena_queue_matches{activity="ladder"}'
    assert value(meanwhile, busy) in (1, 2)
    assert value(meanwhile, busy) + value(meanwhile, queue) == MATCHES - 1
    assert value(afterwards, busy) == value(afterwards, queue) == 0
    assert value(afterwards, "arena_slots") == 1
    assert value(afterwards, "arena_decisions_total") == sum(report.decisions for report in reports) > MATCHES
    assert value(afterwards, 'arena_faults_total{cause="ILLEGAL_ACTION",owner="ada"}') == MATCHES
    assert value(afterwards, "arena_referee_lag_seconds_count") == MATCHES
    assert value(afterwards, 'arena_match_seconds_count{activity="ladder"}') == MATCHES
    assert value(afterwards, "arena_warm_processes") == 2


@asynccontextmanager
async def opened(
    directory: Path, metrics: Metrics, rating_method: str = "trueskill", **limits: int
) -> AsyncIterator[Endpoint]:
    """The owners' services of a new home with such settings, and where the organiser reaches them."""
    home = make_home(directory / "home", "")
    flags = {"service.address": "", "service.admin_address": "", "service.rating_method": rating_method}
    flags |= {f"limits.{name}": str(limit) for name, limit in limits.items()}
    settings, database = load_settings(home.settings_file, flags, {}).values, open_database(home.database)
    open_ = await open_owners(home, settings, database, metrics, lambda: None)
    try:
        yield Endpoint(f"unix:{open_.addresses.socket}")
    finally:
        await open_.server.stop()
        database.close()


async def test_an_upload_and_the_calls_for_it_are_told(tmp_path: Path) -> None:
    metrics = Metrics()

    def hand_in(endpoint: Endpoint) -> None:
        with open_line(endpoint) as line:
            submit(RemoteArena(line), write_bot(tmp_path / "fox", "fox"), "", lambda _sent, _total: None)

    async with opened(tmp_path, metrics) as endpoint:
        await asyncio.to_thread(hand_in, endpoint)
        text = metrics.render()
    assert value(text, 'arena_upload_seconds_count{outcome="OK"}') == 1
    assert value(text, 'arena_rpc_seconds_count{method="SubmitVersion",code="OK"}') == 1


async def test_the_settings_say_how_many_matches_a_challenge_may_have(tmp_path: Path) -> None:
    order = ChallengeRequest(
        bot="fox", opponents=("elk",), game="foreign_king", seats=2, blocks=3, time="50ms", start_limit="10s"
    )

    def ask(endpoint: Endpoint) -> None:
        with open_line(endpoint) as line:
            arena = RemoteArena(line)
            for name in ("fox", "elk"):
                submit(arena, write_bot(tmp_path / name, name), "", lambda _sent, _total: None)
            arena.tournaments.challenge_bot(order)

    async with opened(tmp_path, Metrics(), challenge_matches=5) as endpoint:
        with pytest.raises(ClientError, match="these are 6 matches, and a challenge has 5 at most"):
            await asyncio.to_thread(ask, endpoint)


@pytest.mark.needs("openskill")
async def test_the_settings_say_what_rates_pools_that_name_no_method(tmp_path: Path) -> None:
    order = TournamentRequest(
        format="ladder",
        settings={"waves": 0, "retire_after": 0},
        game="foreign_king",
        seats=2,
        bots=(),
        time="1s",
        start_limit="10s",
    )

    def ask(endpoint: Endpoint) -> list[RatingMethod]:
        with open_line(endpoint) as line:
            seasons = RemoteArena(line).seasons
            wanted = {"one": order, "two": replace(order, rating_method="trueskill")}
            return [seasons.open_ladder(LadderRequest(*one)).pool.rating_method for one in wanted.items()]

    async with opened(tmp_path, Metrics(), "openskill") as endpoint:
        assert await asyncio.to_thread(ask, endpoint) == [RatingMethod.OPENSKILL, RatingMethod.TRUESKILL]


async def test_a_service_does_not_start_without_the_package_of_its_rating_method(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "openskill.models", None)
    with pytest.raises(SettingsError, match=r"service\.rating_method: openskill is not installed; install it"):
        async with opened(tmp_path, Metrics(), "openskill"):
            pass


def test_lines_are_json_with_their_keys_and_only_what_matters_is_for_people(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with logging_to(tmp_path):
        get_logger("match").debug("fault", match="m1", seat=2, ply=5, version="abc")
        get_logger("service").warning("match lost", why="its worker ended")
        logging.getLogger("grpc").warning("a library speaks")
        try:
            raise RuntimeError("broken")
        except RuntimeError as error:
            get_logger("service").error("activity failed", exc_info=error)
    lines = [json.loads(line) for line in (tmp_path / FILE_NAME).read_text(encoding="utf-8").splitlines()]
    assert [line["event"] for line in lines] == ["fault", "match lost", "a library speaks", "activity failed"]
    assert lines[0] | {"match": "m1", "seat": 2, "ply": 5, "version": "abc", "level": "debug"} == lines[0]
    assert "RuntimeError: broken" in lines[3]["exception"]
    assert all("timestamp" in line for line in lines)
    shown = capsys.readouterr().err
    assert "match lost" in shown
    assert "m1" not in shown
    assert "Traceback" not in shown
    assert (tmp_path / FILE_NAME).stat().st_mode & 0o777 == 0o600


@pytest.mark.hostile("steer-the-terminal-by-a-log")
def test_what_others_named_cannot_steer_the_organisers_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with logging_to(tmp_path):
        get_logger("remote").info("refused \x1b[2J", bot="\x1b]0;owned\x07", why="\u202egnp.exe", games=["\x9b31m"])
        logging.getLogger("grpc").warning("\x1b[31mred")
    shown = capsys.readouterr().err
    assert "owned" in shown
    assert not [char for char in shown if not char.isprintable() and char != "\n"]


@pytest.mark.host_fault("terminal-stuck")
def test_a_terminal_that_is_stuck_stops_nobody() -> None:
    reached, go_on = threading.Event(), threading.Event()

    class Stuck(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:  # noqa: ARG002
            reached.set()
            go_on.wait(PATIENCE_S)

    handler = DroppingQueueHandler(Stuck(), most_waiting=5)
    record = logging.makeLogRecord({"msg": "line"})
    for _ in range(100):
        handler.handle(record)
    assert reached.wait(PATIENCE_S)
    go_on.set()
    handler.close()


def test_a_full_file_makes_room_for_the_next_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "LARGEST_BYTES", 1000)
    with logging_to(tmp_path):
        for number in range(200):
            get_logger("match").debug("match finished", match=f"m{number}")
    files = sorted(tmp_path.iterdir())
    assert len(files) == 1 + logs.KEPT_FILES
    assert all(file.stat().st_size <= 1000 for file in files)
    assert "m199" in (tmp_path / FILE_NAME).read_text(encoding="utf-8")


@contextmanager
def files_that_end_at(size: int) -> Iterator[None]:
    """Have no file of this process grow beyond that, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.host_fault("disk-full-under-a-service")
def test_lines_that_the_disk_has_no_room_for_are_counted_and_nothing_is_spilt_over_the_terminal(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with logging_to(tmp_path):
        log = get_logger("service")
        log.debug("first", text="a" * 190_000)
        with files_that_end_at(200_000):
            log.debug("torn", text="b" * 20_000)
            log.warning("seen by people all the same")
            log.debug("lost")
        log.debug("room again")
    told = capfd.readouterr().err
    assert "Traceback" not in told
    assert "seen by people all the same" in told
    assert told.count("the log cannot be written") == 1
    first, torn, *rest = (tmp_path / FILE_NAME).read_text(encoding="utf-8").splitlines()
    assert json.loads(first)["event"] == "first"
    assert torn.endswith("b")
    assert [json.loads(line)["event"] for line in rest] == [
        "3 lines could not be written: File too large",
        "room again",
    ]


async def test_every_end_of_a_match_is_counted_and_logged_with_what_it_is_about(tmp_path: Path) -> None:
    metrics = Metrics()
    with logging_to(tmp_path):
        executor = HeldExecutor(40)
        slots = Slots(40, dict.fromkeys(MatchPurpose, 1.0), observer=MatchObserver(metrics, get_logger("match")))
        slots.use(executor)
        specs = [replace(order(f"m{number}", "ada/fox", "house"), chance_seed=number) for number in range(30)]
        reports = [report_of(spec) for spec in specs]
        faults = sum(len(report.result.faults) for report in reports)
        assert faults
        view = slots.view(MatchPurpose.LADDER, "spring")
        tasks = [asyncio.ensure_future(view.run(spec)) for spec in [*specs, order("lost")]]
        await settle()
        for spec in specs:
            await executor.finish(spec.match_id)
        await executor.fail("lost", MatchLostError("its worker ended", HostCause.WORKER_DIED))
        await asyncio.wait(tasks)
        assert isinstance(tasks[-1].exception(), MatchLostError)
    text = metrics.render()
    assert 'arena_matches_total{activity="ladder"} 30' in text
    assert f'arena_faults_total{{cause="TIMEOUT",owner="ada"}} {faults}' in text
    assert 'arena_lost_matches_total{cause="WORKER_DIED"} 1' in text
    assert f"arena_decisions_total {sum(report.decisions for report in reports)}" in text
    lines = [json.loads(line) for line in (tmp_path / FILE_NAME).read_text(encoding="utf-8").splitlines()]
    told = [line for line in lines if line["event"] == "fault"]
    assert len(told) == faults
    assert {"match", "attempt", "seat", "ply", "version"} <= set(told[0])
    assert sum(line["event"] == "match lost" for line in lines) == 1


def test_a_job_knows_the_owners_of_its_bots() -> None:
    job = QueuedMatch.__new__(QueuedMatch)
    job.spec = order("m1", "ada/fox", "house", "bob/cat")
    assert job.owners == {"ada", "bob"}
