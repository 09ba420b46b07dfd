"""The page for competitors, word for word, for each language: six commands lead from nothing to a ranked version."""

import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.needs import NEEDS
from tests.support.patience import ANY_TIME
from tests.support.places import DOCS, QUICK_BOT, Place, Served, commands, serving, typed
from tests.support.processes import wait_until

pytestmark = pytest.mark.needs("sandbox")  # without one no owner's bot is taken
COMMANDS = 6
CPP_SAMPLE = re.compile(r"```cpp\n([^`]*int main.*?)```", re.DOTALL)


@dataclass(frozen=True)
class Club:
    """A service with a ladder, on which the sample that draws lots waits for rivals."""

    organiser: Place
    served: Served


@pytest.fixture(scope="module")
def club() -> Iterator[Club]:
    with tempfile.TemporaryDirectory(prefix="kma") as directory:
        organiser = Place(Path(directory))
        with serving(organiser, "--tls-self-signed", "--workers", "1", address="127.0.0.1:0") as served:
            organiser.ok("bot", "add", "random")
            pace = ("--matches-per-day", "40000")  # so that nobody waits for the pace of the ladder
            organiser.ok("ladder", "open", "king2", "--game", "foreign_king", "--seats", "2", *pace, *ANY_TIME)
            yield Club(organiser, served)


@pytest.fixture
def reader(tmp_path: Path) -> Place:
    """An empty directory in which somebody sits who has never been here."""
    made = Place(tmp_path)
    made.environment |= {"PYTHONSAFEPATH": "1", "XDG_CONFIG_HOME": str(tmp_path / "config")}
    return made


LANGUAGES = [
    pytest.param(name, marks=[pytest.mark.needs(name)] if name in NEEDS else [])
    for name in ("python", "node", "cpp", "c", "perl")
]
"""Each kit, and of those that speak lines one that is built and one that is interpreted."""


def improve(bot: Path, language: str) -> None:
    """Change the template as a reader may: in C++ to the bot of its guide, in Python to one that answers at once."""
    if language == "cpp":
        (sample,) = CPP_SAMPLE.findall((DOCS / "write-a-bot-in-cpp.md").read_text(encoding="utf-8"))
        (bot / "main.cpp").write_text(sample, encoding="utf-8")
    elif language == "python":
        (bot / "main.py").write_text(QUICK_BOT, encoding="utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
def test_six_commands_lead_from_nothing_to_a_ranked_version(language: str, club: Club, reader: Place) -> None:
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
    assert "wrote my-bot" in reader.ok(*new).out
    improve(reader.directory / "my-bot", language)
    reader.ok(*test)
    assert f"as {owner} (competitor)" in reader.ok(*login).out
    assert "admitted: " in reader.ok(*submit).err
    assert "promoted" in reader.ok(*log).out
    wait_until(lambda: f"{owner}/my-bot" in reader.ok(*table).out)
    club.organiser.ok("bot", "disable", f"{owner}/my-bot")  # the next reader's first matches come sooner without it
