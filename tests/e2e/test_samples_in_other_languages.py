"""The bots of the guides for JavaScript and C++, word for word, as processes, by the clocks of the guide."""

import re
from pathlib import Path

import pytest

from engine import registry
from tests.e2e.test_samples_of_the_guide import CLOCK, GUIDE, MANIFEST
from tests.support.patience import ANY_START
from tests.support.places import Place

SAMPLES = {
    "node": ("write-a-bot-in-node.md", "main.mjs", re.compile(r"```js\n(.*?)```", re.DOTALL)),
    "cpp": ("write-a-bot-in-cpp.md", "main.cpp", re.compile(r"```cpp\n([^`]*int main.*?)```", re.DOTALL)),
}


@pytest.mark.parametrize("language", [pytest.param(name, marks=pytest.mark.needs(name)) for name in SAMPLES])
def test_the_first_bot_of_each_guide_plays_every_game_by_the_clock_without_a_fault(place: Place, language: str) -> None:
    page, file, pattern = SAMPLES[language]
    text = (GUIDE.parent / page).read_text(encoding="utf-8")
    (sample,) = pattern.findall(text)
    bot: Path = place.directory / "fox"
    place.ok("bot", "new", bot, "--language", language, "--game", "foreign_king")
    (bot / file).write_text(sample, encoding="utf-8")
    games = ["foreign_king"]
    if manifest := MANIFEST.findall(text):
        (bot / "bot.toml").write_text(manifest[0].replace("my-bot", "fox"), encoding="utf-8")
        games = list(registry.names())
    place.ok("bot", "add", bot)
    place.ok("bot", "add", "random")
    clock = CLOCK.findall(GUIDE.read_text(encoding="utf-8"))[0].split()
    for game in games:
        command = ["match", "run", "--game", game, "--bots", "fox,random", "--seed", "1", *ANY_START, "--json"]
        for line in (command, [*command, *clock]):
            assert place.ok(*line).json["faults"] == [], line
