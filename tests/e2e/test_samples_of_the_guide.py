"""The Python bots of docs/write-a-bot.md, word for word, as processes, by the commands and the clock there."""

import re
import shlex
from pathlib import Path

import pytest

from engine import registry
from tests.support.patience import ANY_START
from tests.support.places import Place

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "write-a-bot.md"
MANIFEST = re.compile(r"```toml\n(schema = 1\n.*?)```", re.DOTALL)
BOT = re.compile(r"```python\n([^`]*?class (\w+)\(Bot\).*?)```", re.DOTALL)
RUN = re.compile(r"^arena (match run .*)$", re.MULTILINE)
CLOCK = re.compile(r"^arena .*(--time \S+)", re.MULTILINE)


def bots_of_the_guide() -> dict[str, str]:
    """The source of each bot in the guide by the name of its class."""
    return {name: source for source, name in BOT.findall(GUIDE.read_text(encoding="utf-8"))}


def commands_of_the_guide(game: str) -> list[list[str]]:
    """The words of the first command there that plays a match, for any game: as it is, and by the clock of another."""
    text = GUIDE.read_text(encoding="utf-8")
    words = shlex.split(RUN.findall(text)[0])
    words[words.index("--game") + 1] = game
    clocks = [shlex.split(clock) for clock in dict.fromkeys(CLOCK.findall(text))]
    return [words, *([*words, *clock] for clock in clocks)]


@pytest.mark.needs("minutes")
@pytest.mark.parametrize("name", bots_of_the_guide())
def test_a_bot_of_the_guide_plays_every_game_by_the_clock_of_the_guide_without_a_fault(place: Place, name: str) -> None:
    bot = place.directory / "my-bot"
    bot.mkdir()
    (bot / "main.py").write_text(bots_of_the_guide()[name], encoding="utf-8")
    (bot / "bot.toml").write_text(MANIFEST.findall(GUIDE.read_text(encoding="utf-8"))[0], encoding="utf-8")
    place.ok("bot", "add", bot)
    place.ok("bot", "add", "greedy")
    # How long a busy machine takes to start a process is not what is asked; a decision has the time of the guide.
    for words in (words for game in registry.names() for words in commands_of_the_guide(game)):
        match = place.ok(*words, *ANY_START, "--json").json
        assert match["faults"] == [], words


def test_the_guide_has_bots_and_clocks() -> None:
    assert set(bots_of_the_guide()) == {"RandomBot", "OnePly"}
    assert len(commands_of_the_guide("foreign_king")) > 1
