import asyncio
import os
import signal
import ssl
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from arena.service.addresses import parse_address
from arena.service.errors import SettingsError
from arena.service.health import Health
from arena.service.home import make_home
from arena.service.life.web import open_web, wait_for_web
from arena.service.logs import get_logger
from arena.service.settings.reading import load_settings
from arena.service.web.keeper import WebKeeper, WebOptions
from tests.support.patience import PATIENCE_S
from tests.support.places import CHOICES, Place, write_quick_bot
from tests.support.processes import wait_until
from tests.support.serving import plan, serving, wait_for_counts


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


@pytest.mark.host_fault("pages-killed")
def test_a_killed_process_of_pages_comes_again_at_its_address_and_no_match_is_disturbed(field: Place) -> None:
    with serving(field, "--workers", "1", web="127.0.0.1:0") as served:
        plan(field, blocks=1)
        address = served.addresses["web"]
        assert address.startswith("http://127.0.0.1:")
        assert "Kingmaker Arena" in read_page(address)
        killed = web_process(field)
        os.kill(killed, signal.SIGKILL)
        assert "Kingmaker Arena" in read_page(address)
        assert web_process(field) != killed
        wait_for_counts(field, {"finished": 3})
        wait_until(lambda: bool(served.health["healthy"]))  # a page may be read before its process has said it is ready
        assert served.stop() == 0


def test_pages_beyond_this_machine_are_https_and_end_with_a_killed_service(field: Place) -> None:
    with serving(field, "--tls-self-signed", web="0.0.0.0:0") as served:
        address = served.addresses["web"]
        assert address.startswith("https://0.0.0.0:")
        assert "Kingmaker Arena" in read_page(address.replace("0.0.0.0", "127.0.0.1"))
        os.kill(served.pid, signal.SIGKILL)  # and nothing is left behind, which `serving` looks at


def test_without_a_certificate_pages_are_for_this_machine_alone(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home", "")
    settings = load_settings(home.settings_file, {"service.web_address": "0.0.0.0:0"}, {}).values
    with pytest.raises(SettingsError, match=r"service\.web_address 0\.0\.0\.0:0 can be reached from other machines"):
        open_web(home, settings, Health())


async def test_nobody_waits_for_pages_whose_process_fails_at_its_start(tmp_path: Path) -> None:
    address = parse_address("127.0.0.1:0")
    nowhere = WebOptions(
        str(tmp_path / "no.db"), tmp_path / "no.sock", address, tmp_path / "no.pem", tmp_path / "no.key"
    )
    keeper = WebKeeper(nowhere, health=Health(), log=get_logger("web"))
    running = asyncio.create_task(keeper.run())
    assert await wait_for_web(keeper) == ""
    running.cancel()
    await asyncio.wait({running})
