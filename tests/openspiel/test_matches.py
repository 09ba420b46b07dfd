"""Whole matches of OpenSpiel's games from the command line: bots as processes, recorded, and played again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.patience import ANY_START, ANY_TIME, PATIENCE_S

ROOT = Path(__file__).resolve().parents[2]
BOTS = ("random", "greedy", "search")


class Arena:
    """A directory with a database and the sample bots."""

    def __init__(self, home: Path) -> None:
        self.home = home
        for bot in BOTS:
            self.run("bot", "add", str(ROOT / "bots" / bot))

    def call(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("ARENA_", "PYTHON"))}
        command = [str(Path(sys.executable).with_name("arena")), *words]
        return subprocess.run(command, cwd=self.home, env=clean, capture_output=True, text=True, timeout=PATIENCE_S)

    def run(self, *words: str) -> str:
        """Run a command that must succeed; what it prints."""
        done = self.call(*words)
        assert done.returncode == 0, done
        return done.stdout

    def play(self, game: str, bots: str, *words: str) -> dict[str, Any]:
        """Play a match; what is told of it."""
        found: dict[str, Any] = json.loads(
            self.run("match", "run", "--game", game, "--bots", bots, "--seed", "1", "--json", *words)
        )
        return found


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Arena:
    return Arena(tmp_path_factory.mktemp("openspiel"))


@pytest.mark.parametrize(
    ("game", "bots", "time"),
    [
        ("openspiel_chess", "random,greedy", ANY_TIME),
        ("openspiel_tic_tac_toe", "search,greedy", ("--time", "200ms", *ANY_START)),
        ("openspiel_backgammon", "random,random", ANY_TIME),
        ("openspiel_leduc_poker", "random,random", ANY_TIME),
        ("openspiel_phantom_ttt", "random,random", ANY_TIME),
        ("openspiel_hearts", "random,random,random,random", ANY_TIME),
        ("openspiel_go:board_size=5:komi=0.5", "random,random", ANY_TIME),
    ],
)
def test_the_samples_play_a_match_that_is_recorded_and_comes_out_the_same_again(
    arena: Arena, game: str, bots: str, time: tuple[str, ...]
) -> None:
    match = arena.play(game, bots, *time)
    assert match["by_rules"]
    assert {seat["ended"] for seat in match["seats"]} == {"played"}
    assert match["pool"]["game"] == game
    assert "1 verified" in arena.run("replay", "verify", match["match_id"])


def test_a_file_of_a_match_shows_the_board_and_the_words_of_its_moves(arena: Arena) -> None:
    match = arena.play("openspiel_hex:board_size=5", "random,random", *ANY_TIME)
    target = arena.home / "hex.html"
    arena.run("replay", "html", match["match_id"], "--output", str(target))
    assert target.stat().st_size > 10_000


@pytest.mark.needs("node")
def test_a_bot_in_another_language_is_told_of_the_game_when_the_match_starts(arena: Arena) -> None:
    arena.run("bot", "add", str(ROOT / "bots" / "node"))  # it looks the names of its actions up
    match = arena.play("openspiel_connect_four", "node,random", *ANY_TIME)
    assert match["by_rules"]
    assert {seat["ended"] for seat in match["seats"]} == {"played"}


def test_the_bot_of_the_guide_plays(arena: Arena) -> None:
    guide = (ROOT / "docs/openspiel.md").read_text(encoding="utf-8")
    directory = arena.home / "mobile"
    directory.mkdir()
    (directory / "main.py").write_text(guide.partition("```python\n")[2].partition("```")[0], encoding="utf-8")
    (directory / "bot.toml").write_text(
        'schema = 1\nname = "mobile"\ncommand = ["python", "main.py"]\nruntime = "arena"\n'
        'games = ["openspiel_chess", "openspiel_othello"]\n',
        encoding="utf-8",
    )
    arena.run("bot", "add", str(directory))
    match = arena.play("openspiel_othello", "mobile,random", *ANY_TIME)
    assert match["by_rules"]
    assert {seat["ended"] for seat in match["seats"]} == {"played"}


@pytest.mark.parametrize(
    ("game", "why"),
    [
        ("openspiel_goofspiel", "cannot be played in the arena: its seats act at the same time"),
        ("openspiel_go:board_size=99", "OpenSpiel refuses openspiel_go:board_size=99"),
    ],
)
def test_a_game_that_cannot_be_played_is_refused_in_a_line(arena: Arena, game: str, why: str) -> None:
    for words in (("game", "show", game), ("match", "run", "--game", game, "--bots", "random,random")):
        done = arena.call(*words)
        assert done.returncode == 2
        assert f"arena: {game}" in done.stderr or f"arena: OpenSpiel refuses {game}" in done.stderr
        assert why in done.stderr
