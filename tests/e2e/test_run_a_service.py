"""The page for organisers, word for word: its ten commands give a service on which the bots of two owners play."""

import re
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.places import QUICK_BOT, Place, commands
from tests.support.places import typed as typed_words
from tests.support.processes import wait_until

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.needs("sandbox")  # without one no owner's bot is taken
ADDRESS = "127.0.0.1:7733"
COMMANDS = 10
HOME = "my-arena"
"""The home of the page; what browsers find there is shown by tests/web."""


@pytest.fixture
def desk() -> Iterator[Place]:
    """The directory where an organiser sits, with two quick bots; short, because a socket's path must be."""
    with tempfile.TemporaryDirectory(prefix="kma") as directory:
        made = Place(Path(directory))
        made.environment |= {
            "ARENA_SERVE_ADDRESS": "127.0.0.1:0",
            "ARENA_ADMIN_ADDRESS": "127.0.0.1:0",
            "ARENA_WORKERS": "1",  # each would start all bots
            "ARENA_MATCHES_PER_DAY": "240",  # ten may be played at once: only the first one is waited for
            "PYTHONSAFEPATH": "1",  # as for the installed program: no package is found in the directory one is in
            "XDG_CONFIG_HOME": str(made.directory / "config"),
        }
        (made.directory / HOME).mkdir(mode=0o700)
        (made.directory / HOME / "settings.toml").write_text('[service]\nweb_address = ""\n', encoding="utf-8")
        for name in ("greedy", "random"):
            copied = shutil.copytree(ROOT / "bots" / name, made.directory / "bots" / name)
            (copied / "main.py").write_text(QUICK_BOT, encoding="utf-8")
            manifest = (copied / "bot.toml").read_text(encoding="utf-8")
            few = manifest.replace('games = ["*"]', 'games = ["foreign_king"]').replace("deterministic = true", "")
            (copied / "bot.toml").write_text(few, encoding="utf-8")
        yield made
        made.wait_until_nothing_runs()


def typed(desk: Place, line: str) -> list[str]:
    """What a shell makes of the line, with the address of this service for that of the page."""
    return typed_words(line, {ADDRESS: desk.environment["ARENA_SERVE_ADDRESS"]})


@contextmanager
def in_the_background(desk: Place, line: str) -> Iterator[re.Match[str]]:
    """The service as `line &` starts it, as soon as it is ready."""
    assert line.endswith(" &")
    with desk.on_terminal(*typed(desk, line.removesuffix(" &"))) as terminal:
        ready = terminal.wait_for(r"ready home=\S+ .*owners=(\S+) .*fingerprint=([0-9A-F:]{95})")
        desk.environment["ARENA_SERVE_ADDRESS"] = ready[1]
        yield ready
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.end() == 0


def test_ten_commands_make_a_service_on_which_the_bots_of_two_owners_play(desk: Place) -> None:
    lines = commands("run-a-service.md", "In ten commands")
    assert len(lines) == COMMANDS
    serve, ladder, *invitations, ada_in, bob_in, bob_submits, ada_submits, table, log = lines
    with in_the_background(desk, serve) as ready:
        assert "king2" in desk.ok(*typed(desk, ladder)).out
        codes = [desk.ok(*typed(desk, line)).out.strip() for line in invitations]
        for line in (ada_in, bob_in):
            filled = line.replace("CODE_OF_ADA", codes[0]).replace("CODE_OF_BOB", codes[1])
            assert "(competitor)" in desk.ok(*typed(desk, filled.replace("FINGERPRINT", ready[2]))).out
        assert "submitted bob/random version 1" in desk.ok(*typed(desk, bob_submits)).err
        shown = desk.ok(*typed(desk, ada_submits)).err
        assert "submitted ada/greedy version 1" in shown
        assert "admitted: " in shown
        wait_until(lambda: is_listed(desk, table))
        assert "my first bot" in desk.ok(*typed(desk, log)).out


def is_listed(desk: Place, table: str) -> bool:
    """Whether the leaderboard holds both bots."""
    shown = desk.ok(*typed(desk, table)).out
    return "ada/greedy" in shown and "bob/random" in shown
