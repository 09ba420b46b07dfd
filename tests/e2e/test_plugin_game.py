"""A game as a package of its own, installed beside the arena's wheel into a fresh environment: nothing else changed."""

import json
import os
import re
import site
import subprocess
import sys
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.browsing import PHONE, Watched, chromium
from tests.support.patience import ANY_TIME, PATIENCE_S

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.needs("minutes")
PROJECTS = (ROOT, ROOT / "examples/game_connect_four")
NAME = "connect_four"
COMMANDS = """
import contextlib, io, json, sys
from arena.cli.app import run
for line in sys.stdin:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        code = run(json.loads(line))
    print(json.dumps([code, out.getvalue()]), flush=True)
"""
"""Runs commands one after another, each a line: most of the time of each would be that of its imports."""
BOARD = """at => {
  const viewer = document.querySelector("[data-viewer]").viewer;
  viewer.show(at);
  return viewer.board.picture.outerHTML;
}"""


def build_wheel(project: Path, target: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)]
    subprocess.run(command, cwd=project, check=True, capture_output=True)
    (wheel,) = target.glob("*.whl")
    return wheel


class Installation:
    """A fresh environment with both wheels, and a directory to work in."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.python = home / "environment/bin/python"
        venv.create(home / "environment")
        # The libraries of others are those of the tests; ours are the wheels', which come first.
        (self.site,) = (home / "environment/lib").glob("python*/site-packages")
        (self.site / "others.pth").write_text("\n".join(site.getsitepackages()) + "\n", encoding="utf-8")
        wheels = [str(build_wheel(project, home / f"wheel{index}")) for index, project in enumerate(PROJECTS)]
        install = [sys.executable, "-m", "pip", "--python", str(self.python), "install", "--no-index", "--no-deps"]
        subprocess.run([*install, "--no-compile", "--quiet", "--disable-pip-version-check", *wheels], check=True)

    @property
    def environment(self) -> dict[str, str]:
        """The variables of a user who has never heard of our tests."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("ARENA_", "PYTHON"))}
        return {**clean, "HOME": str(self.home)}

    @contextmanager
    def commands(self) -> Iterator[None]:
        """While this is open, `arena` runs commands, in one process."""
        words = [str(self.python), "-P", "-c", COMMANDS]
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        with subprocess.Popen(words, cwd=self.home, env=self.environment, text=True, **pipes) as self._running:
            yield

    def arena(self, *words: str) -> str:
        """Run a command that must succeed; what it prints."""
        asked, answers = self._running.stdin, self._running.stdout
        assert asked is not None
        assert answers is not None
        asked.write(json.dumps(words) + "\n")
        asked.flush()
        code, out = json.loads(answers.readline())
        assert code == 0, words
        return str(out)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    made = Installation(tmp_path_factory.mktemp("plugin"))
    with made.commands():
        yield made


@pytest.fixture(scope="module")
def played(installed: Installation) -> Installation:
    command = [str(installed.python.with_name("arena")), "demo", "--game", NAME, "--blocks", "1", "--time", "20ms"]
    command += ["--db", "demo.db"]
    subprocess.run(command, cwd=installed.home, env=installed.environment, check=True, timeout=PATIENCE_S)
    return installed


def test_it_runs_from_the_wheels(installed: Installation) -> None:
    program = "import engine, game_connect_four as game; print(engine.__file__); print(game.__file__)"
    run = subprocess.run(
        [installed.python, "-c", program], cwd=installed.home, capture_output=True, text=True, check=True
    )
    assert [Path(line).is_relative_to(installed.site) for line in run.stdout.split()] == [True, True]


def test_it_is_listed_beside_the_others(installed: Installation) -> None:
    names = {game["name"] for game in json.loads(installed.arena("game", "list", "--json"))}
    assert {NAME, "foreign_king", "rex_romanorum"} <= names
    assert "discs in a straight line" in installed.arena("game", "show", NAME)


@pytest.mark.parametrize("name", [NAME, "foreign_king"])
def test_its_rules_and_its_manual_are_where_it_is_installed(installed: Installation, name: str) -> None:
    told = json.loads(installed.arena("game", "show", name, "--json"))
    files = [Path(told[key]) for key in ("rules_file", "manual_file") if told[key]]
    assert files
    assert [file.is_file() and file.is_relative_to(installed.site) for file in files] == [True] * len(files)


def test_the_samples_play_it_rated(played: Installation) -> None:
    (table,) = json.loads(played.arena("leaderboard", "--db", "demo.db", "--json"))
    rows = table["rows"] if "rows" in table else table["table"]
    assert {row["bot"] for row in rows} >= {"random", "greedy", "search"}
    assert all(row["matches"] > 0 for row in rows)


def test_every_match_is_verified(played: Installation) -> None:
    verified = json.loads(played.arena("replay", "verify", "--all", "--db", "demo.db", "--json"))
    assert verified


def test_bots_in_every_language_are_made_and_played_without_the_checkout(installed: Installation) -> None:
    for language in sorted({path.parent.name for path in (ROOT / "bots").glob("*/template*")}):
        assert f"wrote {language}-bot" in installed.arena("bot", "new", f"{language}-bot", "--language", language)
        kit = ROOT / "bots" / language / "kit"
        assert (installed.home / f"{language}-bot" / "kit").is_dir() == kit.is_dir()
    installed.arena("bot", "add", "random", "python-bot", "--db", "own.db")
    words = ("--game", NAME, "--bots", "random,python-bot", "--db", "own.db", *ANY_TIME)
    assert "python-bot" in installed.arena("match", "run", *words)


@pytest.fixture
def address(played: Installation) -> Iterator[str]:
    """Where the pages of its database are, served by the environment in which it is installed."""
    words = (played.python.with_name("arena"), "web", "--db", "demo.db", "--address", "127.0.0.1:0")
    with subprocess.Popen(words, cwd=played.home, env=played.environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = re.search(r"http://\S+(?=/ )", process.stdout.readline())
        assert found
        yield found[0]
        process.terminate()


@pytest.mark.needs("browser")
def test_its_matches_are_stepped_through_in_a_browser(played: Installation, address: str) -> None:
    (match, *_) = json.loads(played.arena("match", "list", "--db", "demo.db", "--json"))
    with chromium() as browser:
        page = Watched(browser.new_page(viewport={"width": PHONE["width"], "height": PHONE["height"]}))
        page.page.goto(f"{address}/matches/{match['id']}?lang=it")
        page.page.wait_for_selector("[data-viewer][data-ready]")
        last = page.page.evaluate("document.querySelector('[data-viewer]').viewer.last")
        assert last == match["plies"]
        boards = {page.page.evaluate(BOARD, at) for at in range(last + 1)}
        assert len(boards) == last + 1  # every drop of a disc is seen
        page.page.keyboard.press("Home")
        page.page.keyboard.press("ArrowRight")
        assert page.page.evaluate("document.querySelector('[data-viewer]').viewer.index") == 1
        assert page.serious_findings() == []
        assert page.overflows() == 0
        page.page.goto(f"{address}/games/{NAME}")
        assert "discs in a straight line" in page.page.locator("main").inner_text()
        assert page.serious_findings() == []
        assert page.troubles == []


def test_it_is_drawn(played: Installation) -> None:
    (match, *_) = json.loads(played.arena("match", "list", "--db", "demo.db", "--json"))
    played.arena("replay", "show", match["id"], "--db", "demo.db", "--svg", "board.svg")
    assert "<svg" in (played.home / "board.svg").read_text(encoding="utf-8")
    assert "DROP_" in played.arena("replay", "show", match["id"], "--db", "demo.db")
