"""The bots of the guides, word for word, as processes, by the commands and the clocks of docs/write-a-bot.md.

That of the guide for C++ is built, tested and handed in by tests/e2e/test_submit_a_bot.py.
"""

import re
import shlex
from pathlib import Path

import pytest

from tests.support.own_games import OURS
from tests.support.patience import ANY_START
from tests.support.places import Place

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "write-a-bot.md"
MANIFEST = re.compile(r"```toml\n(schema = 1\n.*?)```", re.DOTALL)
BOT = re.compile(r"```python\n([^`]*?class (\w+)\(Bot\).*?)```", re.DOTALL)
NODE_BOT = re.compile(r"```js\n(.*?)```", re.DOTALL)
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
def test_the_bots_of_the_guide_play_every_game_by_the_clocks_of_the_guide_without_a_fault(place: Place) -> None:
    for name, source in bots_of_the_guide().items():
        bot = place.directory / name.lower()
        bot.mkdir()
        (bot / "main.py").write_text(source, encoding="utf-8")
        manifest = MANIFEST.findall(GUIDE.read_text(encoding="utf-8"))[0].replace("my-bot", bot.name)
        (bot / "bot.toml").write_text(manifest, encoding="utf-8")
        place.ok("bot", "add", bot)
    play(place, ",".join(bots_of_the_guide()).lower())


@pytest.mark.needs("node")
def test_the_first_bot_of_the_guide_for_node_plays_every_game_by_the_clocks_of_the_guide(place: Place) -> None:
    text = GUIDE.with_name("write-a-bot-in-node.md").read_text(encoding="utf-8")
    (sample,) = NODE_BOT.findall(text)
    bot = place.directory / "my-bot"
    place.ok("bot", "new", bot, "--language", "node", "--game", "foreign_king")
    (bot / "main.mjs").write_text(sample, encoding="utf-8")
    (bot / "bot.toml").write_text(MANIFEST.findall(text)[0], encoding="utf-8")
    place.ok("bot", "add", bot)
    place.ok("bot", "add", "greedy")
    play(place, "my-bot,greedy")


def play(place: Place, bots: str) -> None:
    """Play a game by each clock, the others by one. How long a busy machine takes to start a process is not asked."""
    first, *others = OURS
    for words in (*commands_of_the_guide(first), *(commands_of_the_guide(game)[0] for game in others)):
        words[words.index("--bots") + 1] = bots
        match = place.ok(*words, *ANY_START, "--json").json
        assert match["faults"] == [], words


def test_the_guide_has_bots_and_clocks() -> None:
    assert set(bots_of_the_guide()) == {"RandomBot", "OnePly"}
    assert len(commands_of_the_guide("foreign_king")) > 1
