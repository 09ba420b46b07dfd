"""The sample bot in JavaScript, what `arena bot new` makes, and the bot of the guide, in the sandbox of an arena."""

from __future__ import annotations

import re
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from statistics import fmean

import pytest
import pytest_asyncio

from arena.hosting.sample_bots import sample_directory, write_new_bot
from engine import registry
from tests.support.builds import HostedBots, open_hosted_bots

pytestmark = pytest.mark.needs("node", "sandbox")

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = sample_directory("node")
GOAL = 0.7


def write_the_least(directory: Path) -> Path:
    """The bot of the guide, word for word, beside the kit."""
    guide = (ROOT / "docs" / "write-a-bot-in-node.md").read_text(encoding="utf-8")
    shutil.copytree(SAMPLE / "kit", directory / "kit")
    for name, language in (("main.mjs", "js"), ("bot.toml", "toml")):
        (block,) = re.findall(rf"```{language}\n(.*?)```", guide, re.DOTALL)
        (directory / name).write_text(block, encoding="utf-8")
    return directory


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hosted_bots(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[HostedBots]:
    """All bots of these tests, which stay warm."""
    directory = tmp_path_factory.mktemp("bots")
    bots = {name: write_new_bot(directory / name, "node", name, name).directory for name in registry.single_names()}
    async with open_hosted_bots(
        "standard", {"node": SAMPLE, "least": write_the_least(directory / "least"), **bots}
    ) as hosted_bots:
        yield hosted_bots


# The seeds are fixed and the bots draw from them alone: the same matches every time, so nothing is left to chance.
@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("game", registry.single_names())
async def test_the_sample_plays_well_and_without_faults_in_every_number_of_seats(
    hosted_bots: HostedBots, game: str
) -> None:
    results = [await hosted_bots.play("node", game, seats, 1) for seats in registry.get(game).seats]
    assert [result.faults for result in results] == [()] * len(results)
    assert fmean(result.mean for result in results) >= GOAL


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("game", registry.single_names())
async def test_a_new_bot_plays_without_faults(hosted_bots: HostedBots, game: str) -> None:
    result = await hosted_bots.play(game, game, registry.get(game).seats[-1], 1)
    assert result.faults == ()


@pytest.mark.asyncio(loop_scope="module")
async def test_the_least_bot_of_the_guide_plays_without_faults_and_equal_matches_equally(
    hosted_bots: HostedBots,
) -> None:
    results = [await hosted_bots.play("least", "foreign_king", 2, 1) for _ in range(2)]
    assert results[0].faults == ()
    assert results[0] == results[1]
