"""The service's logs: JSON for programs in a file of its user's own, lines for people on stderr."""

import asyncio
import json
import logging
import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from arena.match.result import HostCause, MatchLostError
from arena.service import logs
from arena.service.logs import FILE_NAME, DroppingQueueHandler, get_logger, logging_to
from arena.service.metrics import Metrics
from arena.service.scheduler.observers import MatchObserver
from arena.service.scheduler.queue import MatchPurpose, QueuedMatch
from arena.service.scheduler.slots import Slots
from tests.service.scheduler.executors import HeldExecutor, order, settle
from tests.support.patience import PATIENCE_S
from tests.tournament.scripted_executor import report_of


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
