import asyncio
import os
import signal
import ssl
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from arena.model.people import PlayLimits
from arena.service.addresses import parse_address
from arena.service.errors import SettingsError
from arena.service.home import make_home
from arena.service.lifecycle.web import WebOptions, WebProcessSupervisor, open_web, wait_for_web
from arena.service.logs import get_logger
from arena.service.settings import load_settings
from arena.service.supervision import Health
from arena.web.__main__ import _parse, _people
from tests.support.patience import PATIENCE_S, until
from tests.support.places import CHOICES, Place, plan, serving, wait_for_counts, write_quick_bot
from tests.support.processes import wait_until

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
