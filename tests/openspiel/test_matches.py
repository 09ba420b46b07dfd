"""Whole matches of OpenSpiel's games from the command line: bots as processes, recorded, and played again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.patience import ANY_START, ANY_TIME
from tests.support.places import Place

ROOT = Path(__file__).resolve().parents[2]
BOTS = ("random", "greedy", "search")


class Arena(Place):
    """A directory with a database and the sample bots."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self.ok("bot", "add", *(ROOT / "bots" / bot for bot in BOTS))

    def play(self, game: str, bots: str, *words: str) -> Any:
        """Play a match to its end by the rules; what is told of it."""
        told = self.ok("match", "run", "--game", game, "--bots", bots, "--seed", "1", "--json", *words).json
        assert told["by_rules"]
        assert {seat["ended"] for seat in told["seats"]} == {"played"}
        assert told["pool"]["game"] == game
        return told


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Arena:
    return Arena(tmp_path_factory.mktemp("openspiel"))


@pytest.mark.parametrize(
    ("game", "bots", "time"),
    [
        ("openspiel_chess", "random,greedy", ANY_TIME),
        ("openspiel_tic_tac_toe", "search,greedy", ("--time", "200ms", *ANY_START)),
        ("openspiel_phantom_ttt", "random,random", ANY_TIME),
        ("openspiel_hearts", "random,random,random,random", ANY_TIME),
    ],
)
def test_the_samples_play_a_match_that_is_recorded_and_comes_out_the_same_again(
    arena: Arena, game: str, bots: str, time: tuple[str, ...]
) -> None:
    match = arena.play(game, bots, *time)
    assert "1 verified" in arena.ok("replay", "verify", match["match_id"]).out


def test_a_file_of_a_match_shows_the_board_and_the_words_of_its_moves(arena: Arena) -> None:
    match = arena.play("openspiel_hex:board_size=5", "random,random", *ANY_TIME)
    assert "1 verified" in arena.ok("replay", "verify", match["match_id"]).out
    target = arena.directory / "hex.html"
    arena.ok("replay", "html", match["match_id"], "--output", target)
    assert target.stat().st_size > 10_000


@pytest.mark.needs("node")
def test_a_bot_in_another_language_is_told_of_the_game_when_the_match_starts(arena: Arena) -> None:
    arena.ok("bot", "add", ROOT / "bots" / "node")  # it looks the names of its actions up
    arena.play("openspiel_connect_four", "node,random", *ANY_TIME)


def test_the_bot_of_the_guide_plays(arena: Arena) -> None:
    guide = (ROOT / "docs/openspiel.md").read_text(encoding="utf-8")
    directory = arena.directory / "mobile"
    directory.mkdir()
    (directory / "main.py").write_text(guide.partition("```python\n")[2].partition("```")[0], encoding="utf-8")
    (directory / "bot.toml").write_text(
        'schema = 1\nname = "mobile"\ncommand = ["python", "main.py"]\nruntime = "arena"\n'
        'games = ["openspiel_chess", "openspiel_othello"]\n',
        encoding="utf-8",
    )
    arena.ok("bot", "add", directory)
    arena.play("openspiel_othello", "mobile,random", *ANY_TIME)


@pytest.mark.parametrize(
    ("game", "why"),
    [
        ("openspiel_goofspiel", "cannot be played in the arena: its seats act at the same time"),
        ("openspiel_go:board_size=99", "OpenSpiel refuses openspiel_go:board_size=99"),
    ],
)
def test_a_game_that_cannot_be_played_is_refused_in_a_line(arena: Arena, game: str, why: str) -> None:
    for words in (("game", "show", game), ("match", "run", "--game", game, "--bots", "random,random")):
        done = arena.here(*words)
        assert done.code == 2
        assert f"arena: {game}" in done.err or f"arena: OpenSpiel refuses {game}" in done.err
        assert why in done.err
