"""The page for competitors, word for word, for each language: six commands lead from nothing to a ranked version."""

import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from arena.hosting.sample_bots import template_languages
from arena.hosting.sandbox.limits import STANDARD
from arena.hosting.sandbox.probe import probe
from tests.support.languages import need_language
from tests.support.pages import commands, typed
from tests.support.patience import ANY_TIME
from tests.support.places import Place
from tests.support.processes import wait_until
from tests.support.serving import Served, serving

COMMANDS = 6


@dataclass(frozen=True)
class Club:
    """A service with a ladder, on which the sample that draws lots waits for rivals."""

    organiser: Place
    served: Served


@pytest.fixture(scope="module")
def club() -> Iterator[Club]:
    if not probe(STANDARD).works:
        pytest.skip(f"an owner's bot needs a sandbox: {probe(STANDARD).problem}")
    with tempfile.TemporaryDirectory(prefix="kma") as directory:
        organiser = Place(Path(directory))
        with serving(organiser, "--tls-self-signed", address="127.0.0.1:0") as served:
            organiser.ok("bot", "add", "random")
            organiser.ok(
                "ladder",
                "open",
                "king2",
                "--game",
                "foreign_king",
                "--seats",
                "2",
                "--matches-per-day",
                "40000",
                *ANY_TIME,
            )
            yield Club(organiser, served)


@pytest.fixture
def reader(tmp_path: Path) -> Place:
    """An empty directory in which somebody sits who has never been here."""
    made = Place(tmp_path)
    made.environment |= {"PYTHONSAFEPATH": "1", "XDG_CONFIG_HOME": str(tmp_path / "config")}
    return made


@pytest.mark.parametrize("language", template_languages())
def test_six_commands_lead_from_nothing_to_a_ranked_version(language: str, club: Club, reader: Place) -> None:
    need_language(language)
    owner = f"reader-{language}"
    told = {
        "arena.example.org:7733": club.served.addresses["owners"],
        "kmi_CODE": club.organiser.ok("owner", "invite", owner).out.strip(),
        "FINGERPRINT": club.served.addresses["fingerprint"],
        "--language python": f"--language {language}",
    }
    lines = [typed(line, told) for line in commands("submit-a-bot.md", "In six commands")]
    assert len(lines) == COMMANDS
    new, test, login, submit, log, table = lines
    began = time.monotonic()
    assert "wrote my-bot" in reader.ok(*new).out
    reader.ok(*test)
    assert f"as {owner} (competitor)" in reader.ok(*login).out
    assert "admitted: " in reader.ok(*submit).err
    assert "promoted" in reader.ok(*log).out
    wait_until(lambda: f"{owner}/my-bot" in reader.ok(*table).out)
    took = time.monotonic() - began
    club.organiser.ok("bot", "disable", f"{owner}/my-bot")  # the next reader's first matches come sooner without it
    sys.stdout.write(f"{language}: a ranked version after {took:.0f} s of machine time\n")
