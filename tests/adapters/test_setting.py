"""What is played, by whom, and with which package: what is found and taken, and what is said of what is not."""

from __future__ import annotations

import importlib
import itertools
import subprocess
import sys
import tomllib
import types
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.adapters import library
from arena.adapters.batch import Batch
from arena.adapters.bot_host import BotUnavailableError, find_seat
from arena.adapters.features import features_of
from arena.adapters.library import AdapterError, LibraryError
from arena.adapters.opponents import FunctionBot, HostedProgram, Version, name_of, read_opponents
from arena.adapters.setting import random_of, setting_of, utilities
from arena.cli.app import run
from arena.hosting.sandbox.limits import SandboxPolicy
from bots.kit import Bot, Decision
from engine import registry
from engine.core import EngineError
from tests.adapters.beside import write_bot
from tests.support.sources import ROOT

REMEDY = "install it by `pip install 'kingmaker-arena[research]'`"


class FirstBot(Bot):
    def decide(self, decision: Decision) -> int:
        return decision.legal_actions[0]


def first(decision: Decision) -> int:
    return decision.legal_actions[0]


@given(st.lists(st.integers(0, 4), min_size=2, max_size=6))
def test_utilities_follow_the_ranks_and_add_up_to_nothing(scores: list[int]) -> None:
    ranks = [1 + sum(other > score for other in scores) for score in scores]
    found = utilities(ranks)
    assert sum(found) == pytest.approx(0)
    assert all(-1 <= value <= 1 for value in found)
    for (rank, value), (other_rank, other) in itertools.combinations(zip(ranks, found, strict=True), 2):
        assert (rank < other_rank) == (value > other)
        assert (rank == other_rank) == (value == other)


def test_utilities_of_some_ends() -> None:
    assert utilities((1, 2)) == (1, -1)
    assert utilities((2, 1, 3)) == (0, 1, -1)
    assert utilities((1, 1, 3)) == (0.5, 0.5, -1)
    assert utilities((1, 1, 1, 1)) == (0, 0, 0, 0)


def test_an_opening_never_is_the_whole_of_a_playing() -> None:
    setting = setting_of("foreign_king", 2, {"max_rounds": 1}, opening_plies=200)
    for seed in range(20):
        state = setting.start(Random(seed))
        assert state.seat() is not None
        assert len(state.legal_actions()) > 1


def test_an_opening_is_played_and_is_another_one_each_time() -> None:
    setting, random = setting_of("foreign_king", 3, {"max_rounds": 5}, opening_plies=9), Random(3)
    starts = [setting.start(random) for _ in range(4)]
    assert all(start != other for start, other in itertools.combinations(starts, 2))
    assert setting.start(Random(7)) == setting.start(Random(7))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((7, 3), "game is the name of a game, such as 'foreign_king', not 7"),
        (("foreign_kin", 3), "there is no game 'foreign_kin'; installed are:"),
        (("foreign_king", 9), "foreign_king is played by 2 to 4 seats, not 9"),
        (("foreign_king", "3"), "seats is a whole number, not '3'"),
        (("foreign_king", 3, ["max_rounds"]), "options is a dict of the game's options by name, not ['max_rounds']"),
        (("foreign_king", 3, {"rounds": 1}), "foreign_king has no option 'rounds'"),
        (("foreign_king", 3, {}, -1), "opening_plies is from 0 to 200, not -1"),
        (("foreign_king", 3, {}, 1.5), "opening_plies is a whole number, not 1.5"),
        (("rex_romanorum", 3, {}, 4), "rex_romanorum begins differently by its own chance; leave opening_plies at 0"),
    ],
)
def test_what_cannot_be_played_is_told_in_one_line(arguments: tuple[Any, ...], told: str) -> None:
    with pytest.raises((AdapterError, EngineError)) as raised:
        setting_of(*arguments)
    assert str(raised.value).startswith(told)
    assert "\n" not in str(raised.value)


def test_seats_may_be_left_out_where_the_game_permits_one_number(monkeypatch: pytest.MonkeyPatch) -> None:
    king = registry.get("foreign_king")
    assert setting_of(king, None).seats == 3
    with pytest.raises(EngineError, match="foreign_king is played by 2 to 4 seats, so the number must be given"):
        features_of(king)
    monkeypatch.setattr(type(king), "seats", range(2, 3))
    assert setting_of(king, None).seats == 2
    assert features_of(king).shape == Batch(king, 1).observations.shape[1:]
    with pytest.raises(EngineError, match="foreign_king is always played by 2 seats, not 3"):
        setting_of(king, 3)


def test_opponents_are_programs_or_bots_of_this_process(tmp_path: Path) -> None:
    own = FirstBot()
    found = read_opponents(["greedy", tmp_path, Version("arena.db", "mine@ab12"), own, first], 5)
    assert found[:3] == (HostedProgram("greedy"), HostedProgram(str(tmp_path)), HostedProgram("mine@ab12", "arena.db"))
    assert found[3] is own
    assert [name_of(bot) for bot in found[3:] if isinstance(bot, Bot)] == ["FirstBot", "first"]
    assert [program.to_json() for program in found if isinstance(program, HostedProgram)] == [
        {"bot": "greedy"},
        {"bot": str(tmp_path)},
        {"bot": "mine@ab12", "db": "arena.db"},
    ]


def test_one_opponent_alone_sits_in_all_other_seats() -> None:
    assert read_opponents("greedy", 3) == (HostedProgram("greedy"),) * 3
    bots = read_opponents(first, 2)
    assert [type(bot) for bot in bots] == [FunctionBot, FunctionBot]
    assert bots[0] is not bots[1]


@pytest.mark.parametrize(
    ("opponents", "told"),
    [
        (["greedy"], "1 opponents for 2 other seats; name one for each, or one for all"),
        (FirstBot(), "one Bot object cannot play two seats, as it knows of one match alone; make one for each"),
        (FirstBot, "FirstBot is a class; give an object of it: FirstBot()"),
        ([3, "greedy"], "3 is no opponent; give the name of a sample bot, the directory of one, Version(db, bot), a "),
        (5, "opponents is one bot or a list of them, not 5"),
    ],
)
def test_who_cannot_sit_down_is_told_in_one_line(opponents: Any, told: str) -> None:
    with pytest.raises(AdapterError) as raised:
        read_opponents(opponents, 2)
    assert str(raised.value).startswith(told)


@pytest.mark.parametrize("wrong", ["x", 1.5, [1]])
def test_a_seed_is_a_whole_number(wrong: Any) -> None:
    with pytest.raises(AdapterError, match="seed is a whole number, not"):
        random_of(wrong)
    assert random_of(np.int64(3)).random() == random_of(3).random()  # type: ignore[arg-type]


def test_the_extra_asks_for_the_versions_that_the_adapters_know() -> None:
    extra = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    for one in library.LIBRARIES.values():
        wanted = f"{one.distribution}>={one.least},<{one.below}" if one.below else f"{one.distribution}=={one.least}"
        assert wanted in extra["research"]


@pytest.mark.parametrize(
    ("module", "version", "is_known"),
    [
        ("pettingzoo", "1.26", True),
        ("pettingzoo", "1.27.3", True),
        ("pettingzoo", "1.25.9", False),
        ("pettingzoo", "2.0.0rc1", False),
        ("gymnasium", "1.10.0", True),
        ("gymnasium", "1.1.1", False),
        ("gymnasium", "unknown", False),
        ("pyspiel", "2.0.2", True),
        ("pyspiel", "2.0.3", False),
    ],
)
def test_a_version_is_known_if_the_adapter_was_made_for_it(module: str, version: str, is_known: bool) -> None:
    assert library.LIBRARIES[module].is_known(version) is is_known


def test_another_version_is_told_with_those_that_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "version", lambda _: "0.29.1")
    with pytest.raises(LibraryError) as told:
        library.load("gymnasium.spaces")
    assert str(told.value) == f"Gymnasium 0.29.1 is installed, and 1.2 to below 2 is needed; {REMEDY}"
    with pytest.raises(LibraryError) as told:
        library.load("pyspiel")
    assert str(told.value) == f"OpenSpiel 0.29.1 is installed, and 2.0.2 is needed; {REMEDY}"


def test_a_package_that_does_not_load_is_told_with_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> None:
        raise ImportError(f"no lib for {name}")

    monkeypatch.setattr(metadata, "version", lambda _: "2.0.2")
    monkeypatch.setattr(importlib, "import_module", fail)
    with pytest.raises(LibraryError) as told:
        library.load("pyspiel")
    assert str(told.value) == f"OpenSpiel 2.0.2 cannot be loaded (no lib for pyspiel); {REMEDY}"


def test_a_package_that_does_not_fit_another_is_told_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> None:
        raise ValueError(f"{name}: numpy.dtype size changed,\n  may indicate binary incompatibility")

    monkeypatch.setattr(metadata, "version", lambda _: "1.2")
    monkeypatch.setattr(importlib, "import_module", fail)
    with pytest.raises(LibraryError) as told:
        library.load("gymnasium")
    why = "gymnasium: numpy.dtype size changed, may indicate binary incompatibility"
    assert str(told.value) == f"Gymnasium 1.2 cannot be loaded ({why}); {REMEDY}"


@pytest.mark.parametrize("module", list(library.LIBRARIES))
def test_a_file_of_the_same_name_is_told_apart(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    known = library.LIBRARIES[module]
    other = types.ModuleType(module)
    other.__file__ = f"/home/ada/{module}.py"
    monkeypatch.setattr(metadata, "version", lambda _: known.least)
    monkeypatch.setitem(sys.modules, module, other)
    with pytest.raises(LibraryError) as told:
        library.load(module)
    assert str(told.value) == f"the module {module} in {other.__file__} is not {known.title}; rename it, or {REMEDY}"


def test_an_adapter_without_its_package_says_in_its_last_line_what_to_install() -> None:
    titles = {"pettingzoo": "PettingZoo", "gymnasium": "Gymnasium", "openspiel": "OpenSpiel"}
    # In a process of its own, in which no package has any metadata: so it is also where the packages are installed.
    program = (
        "import importlib, sys, traceback\n"
        "from importlib import metadata\n"
        "def version(name): raise metadata.PackageNotFoundError(name)\n"
        "metadata.version = version\n"
        "for adapter in sys.argv[1:]:\n"
        "    try:\n"
        "        importlib.import_module(f'arena.adapters.{adapter}')\n"
        "    except Exception as error:\n"
        "        print(traceback.format_exception(error)[-1], end='')\n"
    )
    words = [sys.executable, "-c", program, *titles]
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.splitlines() == [
        f"arena.adapters.library.LibraryError: {title} is not installed; {REMEDY}" for title in titles.values()
    ]


FIRST = "return decision.legal_actions[0]"


@pytest.fixture(autouse=True)
def _own_copies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


async def refusal(wanted: Mapping[str, str]) -> str:
    with pytest.raises(BotUnavailableError) as told:
        await find_seat(wanted, "foreign_king", SandboxPolicy(None))
    assert "\n" not in str(told.value)
    return str(told.value)


async def test_a_version_of_a_database_sits_down_and_another_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db = str(tmp_path / "arena.db")
    assert run(["bot", "add", str(write_bot(tmp_path / "mine", FIRST)), "--db", db]) == 0
    capsys.readouterr()
    found = await find_seat({"bot": "mine", "db": db}, "foreign_king", SandboxPolicy(None))
    assert found.name == "mine"
    assert (await refusal({"bot": "hers", "db": db})).startswith("hers: no bot 'hers'; there are: mine")
    other = await refusal({"bot": "mine@ffffffffff", "db": db})
    assert other.startswith("mine@ffffffffff: bot 'mine' has no version 'ffffffffff'")
    nowhere = await refusal({"bot": "mine", "db": str(tmp_path / "nowhere.db")})
    assert nowhere.startswith("mine: ")
    assert "nowhere.db" in nowhere


async def test_a_sample_or_a_directory_sits_down_and_what_is_neither_is_told(tmp_path: Path) -> None:
    found = await find_seat({"bot": "random"}, "foreign_king", SandboxPolicy(None))
    assert found.name == "random"
    missing = await refusal({"bot": "greedi"})
    assert missing.startswith("there is no sample bot and no directory 'greedi'; the samples are")
    (tmp_path / "empty").mkdir()
    assert "bot.toml" in await refusal({"bot": str(tmp_path / "empty")})
    other = write_bot(tmp_path / "other", FIRST, games='["chess"]')
    assert "other does not play foreign_king; its bot.toml names: chess" in await refusal({"bot": str(other)})
