"""The life of a service: what `arena serve --check` finds, its pages, and its end whenever it is told to."""

from __future__ import annotations

import asyncio
import os
import signal
import ssl
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from arena.executor.local import LocalExecutor
from arena.executor.ray.executor import RayExecutor
from arena.hosting.procfs.machine import count_cores
from arena.model.human_play import PlayLimits
from arena.service.addresses import parse_address
from arena.service.home import make_home
from arena.service.lifecycle.checking import WARNED_BEFORE, check, check_certificate
from arena.service.lifecycle.process import EXIT_AT_ONCE, ExecutorFactory, stop_signals
from arena.service.lifecycle.web import WebOptions, WebProcessSupervisor, open_web, wait_for_web
from arena.service.logs import get_logger
from arena.service.server.self_signed import LIFETIME, make_certificate
from arena.service.settings import ServiceSection, load_settings
from arena.service.startup_errors import SettingsError
from arena.service.task_supervision import Health
from arena.web.__main__ import _parse, _people
from tests.support.patience import PATIENCE_S, until
from tests.support.places import CHOICES, Place, plan, serving, wait_for_counts, write_quick_bot
from tests.support.processes import wait_until


def test_a_check_tells_that_bots_of_owners_could_not_run(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home", "")
    checked = check(home, load_settings(home.settings_file, {"service.sandbox": "none"}, {}))
    assert checked.problems == ()
    (note,) = checked.notes
    assert note.startswith("bots of owners would wait: ")
    assert "leave out `--sandbox none`" in note


def test_a_check_tells_of_a_certificate_before_it_expires(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home", "")
    make_certificate(home.tls, [])
    end = datetime.now(UTC) + LIFETIME
    assert check_certificate(home, "", end - WARNED_BEFORE - timedelta(days=1)) == ([], [])
    problems, (note,) = check_certificate(home, "", end - WARNED_BEFORE)
    assert problems == []
    assert "expires in 59 days; remove " in note
    (problem,), notes = check_certificate(home, "", end)
    assert notes == []
    assert "has expired" in problem


def test_a_check_tells_of_a_certificate_that_is_none(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home", "")
    (tmp_path / "cert.pem").write_text("nothing of the kind")
    (problem,) = check(
        home, load_settings(home.settings_file, {"service.tls_certificate": str(tmp_path / "cert.pem")}, {})
    ).problems
    assert "is no certificate in PEM" in problem


def test_a_check_tells_that_remote_bots_need_a_certificate(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home", "")
    settings = load_settings(home.settings_file, {"service.play_address": "127.0.0.1:7735"}, {})
    assert any(note.startswith("remote bots need a certificate") for note in check(home, settings).notes)
    make_certificate(home.tls, [])
    assert not any("remote bots" in note for note in check(home, settings).notes)


def test_a_check_tells_that_the_package_of_the_rating_method_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "openskill.models", None)
    home = make_home(tmp_path / "home", "")
    settings = load_settings(home.settings_file, {"service.rating_method": "openskill"}, {})
    (problem,) = check(home, settings).problems
    assert problem == (
        "service.rating_method: openskill is not installed; install it with: pip install 'kingmaker-arena[openskill]'"
    )
    assert check(home, load_settings(home.settings_file, {}, {})).problems == ()


@pytest.fixture
def section(tmp_path: Path) -> ServiceSection:
    return load_settings(tmp_path / "settings.toml", {}, {}).values.service


async def test_by_default_matches_are_played_here_one_for_each_core(section: ServiceSection) -> None:
    maker = ExecutorFactory(section)
    assert maker.slots() == count_cores()
    made = maker.make()
    assert isinstance(made, LocalExecutor)
    assert made.slots() == count_cores()
    assert ExecutorFactory(section.model_copy(update={"workers": 3})).slots() == 3
    assert ExecutorFactory(section.model_copy(update={"workers": 3})).most() == 3


async def test_a_cluster_plays_as_many_as_it_says(section: ServiceSection, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    cluster = section.model_copy(update={"executor": "ray", "ray_address": "head:6379", "workers": 5})
    maker = ExecutorFactory(cluster, said.append)
    assert maker.slots() == 1  # until it has told
    assert maker.most() == 5
    made = maker.make()
    assert isinstance(made, RayExecutor)
    assert (made._options.address, made._options.workers) == ("head:6379", 5)
    monkeypatch.setattr(made, "slots", lambda: 7)
    assert maker.slots() == 7
    made._options.report("machine a was lost")
    assert said == ["machine a was lost"]


async def test_without_an_address_ray_finds_its_head(section: ServiceSection) -> None:
    made = ExecutorFactory(section.model_copy(update={"executor": "ray"})).make()
    assert isinstance(made, RayExecutor)
    assert made._options.address == ""


def to_nobody(sentence: str) -> None:
    raise OSError(5, f"the terminal is gone, so it does not show: {sentence}")


async def test_a_signal_stops_a_service_whose_terminal_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    ends: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    monkeypatch.setattr(os, "_exit", ends.set_result)
    with stop_signals(to_nobody) as wanted:
        os.kill(os.getpid(), signal.SIGTERM)
        async with asyncio.timeout(PATIENCE_S):
            await wanted.wait()
        os.kill(os.getpid(), signal.SIGTERM)
        async with asyncio.timeout(PATIENCE_S):
            assert await ends == EXIT_AT_ONCE


@pytest.fixture
def hangup() -> Iterator[None]:
    """Be told of SIGHUP even where the tests run under nohup, and leave it as it was."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("hangup")
async def test_a_closed_terminal_stops_a_service_in_good_order_however_often_it_tells_so() -> None:
    said: list[str] = []
    with stop_signals(said.append) as wanted:
        os.kill(os.getpid(), signal.SIGHUP)
        async with asyncio.timeout(PATIENCE_S):
            await wanted.wait()
        os.kill(os.getpid(), signal.SIGHUP)
        await asyncio.sleep(0)
    assert len(said) == 1


@pytest.mark.usefixtures("hangup")
async def test_a_service_under_nohup_goes_on_when_the_terminal_is_closed() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with stop_signals(to_nobody) as wanted:
        os.kill(os.getpid(), signal.SIGHUP)
        await asyncio.sleep(0)
    assert not wanted.is_set()


STAND_IN = """
import struct, sys
port = int(sys.argv[sys.argv.index("--port") + 1]) or 7777
text = ('{"event": "ready", "port": %d}' % port).encode()
sys.stdout.buffer.write(struct.pack(">II", len(text), 0) + text)
sys.stdout.buffer.flush()
sys.stdin.read()
"""
"""Says that it serves pages, and ends in order."""


@pytest.fixture
def field(tmp_path: Path) -> Place:
    """A place with three bots."""
    place = Place(tmp_path)
    for choice in CHOICES:
        place.ok("bot", "add", write_quick_bot(tmp_path / "sources" / choice, choice))
    return place


def read_page(address: str) -> str:
    """A page, as soon as it is served."""
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            with urllib.request.urlopen(address, timeout=PATIENCE_S, context=trusting) as answer:
                return str(answer.read().decode())
        except (urllib.error.URLError, ConnectionError):
            assert time.monotonic() < deadline
            time.sleep(0.05)


def web_process(place: Place) -> int:
    (found,) = [pid for pid, line in place.processes().items() if " arena.web " in line]
    return found


@pytest.mark.needs("minutes")
@pytest.mark.host_fault("pages-killed")
def test_killed_pages_come_again_at_their_address_disturb_no_match_and_end_with_a_killed_service(field: Place) -> None:
    """Beyond this machine they are https."""
    with serving(field, "--workers", "1", "--tls-self-signed", web="0.0.0.0:0") as served:
        plan(field, blocks=1)
        address = served.addresses["web"]
        assert address.startswith("https://0.0.0.0:")
        here = address.replace("0.0.0.0", "127.0.0.1")
        assert "Kingmaker Arena" in read_page(here)
        killed = web_process(field)
        os.kill(killed, signal.SIGKILL)
        assert "Kingmaker Arena" in read_page(here)
        assert web_process(field) != killed
        wait_for_counts(field, {"finished": 3})
        wait_until(lambda: bool(served.health["healthy"]))  # a page may be read before its process has said it is ready
        os.kill(served.pid, signal.SIGKILL)  # and nothing is left behind, which `serving` looks at


def test_without_a_certificate_pages_are_for_this_machine_alone(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home", "")
    settings = load_settings(home.settings_file, {"service.web_address": "0.0.0.0:0"}, {}).values
    with pytest.raises(SettingsError, match=r"service\.web_address 0\.0\.0\.0:0 can be reached from other machines"):
        open_web(home, settings, Health())


@pytest.fixture
def supervisor(tmp_path: Path) -> WebProcessSupervisor:
    """Keeps pages that cannot be served: there is no database."""
    nowhere = WebOptions(
        str(tmp_path / "no.db"),
        tmp_path / "no.sock",
        parse_address("127.0.0.1:0"),
        tmp_path / "no.pem",
        tmp_path / "no.key",
    )
    return WebProcessSupervisor(nowhere, health=Health(), log=get_logger("web"))


async def end(running: asyncio.Task[None]) -> None:
    running.cancel()
    await asyncio.wait({running})


@pytest.mark.needs("minutes")
async def test_nobody_waits_for_pages_that_have_no_database(supervisor: WebProcessSupervisor) -> None:
    running = asyncio.create_task(supervisor.run())
    assert await wait_for_web(supervisor) == ""
    await end(running)


async def test_nobody_waits_for_pages_whose_process_fails_at_its_start(
    supervisor: WebProcessSupervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor._child, "_command", lambda: [sys.executable, "-S", "-c", "raise SystemExit('no')"])
    running = asyncio.create_task(supervisor.run())
    assert await wait_for_web(supervisor) == ""
    await end(running)


async def test_a_process_of_pages_that_was_killed_is_started_again_for_the_same_port(
    supervisor: WebProcessSupervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[Sequence[str]] = []

    def command() -> Sequence[str]:
        program, _, _, module, *words = WebProcessSupervisor._command(supervisor)
        assert module == "arena.web"
        begun.append(words)
        return [program, "-S", "-c", STAND_IN, *words]

    monkeypatch.setattr(supervisor._child, "_command", command)
    running = asyncio.create_task(supervisor.run())
    assert await wait_for_web(supervisor) == "https://127.0.0.1:7777"
    supervisor._child.kill()
    await until(lambda: len(begun) == 2)
    await end(running)
    assert [words[words.index("--port") + 1] for words in begun] == ["0", "7777"]


def test_the_process_is_told_all_that_it_is_to_serve(supervisor: WebProcessSupervisor) -> None:
    people = PlayLimits(most=6, idle_s=60, per_visitor=2, per_hour=9, rated=True)
    options = replace(supervisor._options, people=people, names=("arena.example",))
    told = _parse(options.words(8000))
    assert (told.db, told.service) == (options.database, f"unix:{options.service}")
    assert (told.host, told.port, told.name) == ("127.0.0.1", 8000, ["arena.example"])
    assert (told.certificate, told.key) == (options.certificate, options.key)
    assert _people(told) == PlayLimits(most=6, idle_s=60, per_visitor=2, per_hour=9, rated=True)
    plain = replace(options, certificate=None, people=None)
    assert (plain.scheme, _people(_parse(plain.words(0))).most, _parse(plain.words(0)).certificate) == ("http", 0, None)
