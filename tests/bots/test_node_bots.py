"""The sample bot in JavaScript, and what `arena bot new` makes of its template, in the sandbox of an arena."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from arena.hosting.sample_bots import sample_directory
from engine import registry
from tests.support.hall import Hall, open_hall
from tests.support.node import need_node
from tests.support.sandboxes import need

SAMPLE = sample_directory("node")
GOAL = 0.7


def make_from_template(directory: Path, name: str, game: str) -> Path:
    """A bot as its author gets it."""
    shutil.copytree(SAMPLE / "template", directory)
    shutil.copytree(SAMPLE / "kit", directory / "kit")
    for path in directory.glob("*.*"):
        text = path.read_text(encoding="utf-8").replace("@NAME@", name).replace("@GAME@", game)
        path.write_text(text, encoding="utf-8")
    return directory


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hall(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Hall]:
    """All bots of these tests, which stay warm."""
    need_node()
    bots = {"node": SAMPLE}
    for name, game in (("fresh", "*"), ("king", "foreign_king")):
        bots[name] = make_from_template(tmp_path_factory.mktemp("bots") / name, name, game)
    async with open_hall(need("standard"), bots) as hall:
        yield hall


# The seeds are fixed and the bots draw from them alone: the same matches every time, so nothing is left to chance.
@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("game", registry.names())
async def test_the_sample_plays_well_and_without_faults_in_every_number_of_seats(hall: Hall, game: str) -> None:
    for seats in registry.get(game).seats:
        result = await hall.play("node", game, seats, 2)
        assert result.faults == ()
        assert result.mean >= GOAL


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("name", "game"), [("fresh", game) for game in registry.names()] + [("king", "foreign_king")])
async def test_a_bot_of_the_template_plays_without_faults(hall: Hall, name: str, game: str) -> None:
    result = await hall.play(name, game, registry.get(game).seats[-1], 2)
    assert result.faults == ()


@pytest.mark.asyncio(loop_scope="module")
async def test_equal_seeds_give_equal_matches(hall: Hall) -> None:
    results = [await hall.play("node", "foreign_king", 3, 2) for _ in range(2)]
    assert results[0] == results[1]
