"""Gymnasium's own check, and what a seat to learn in promises besides."""

from __future__ import annotations

import copy
import io
import math
import pickle
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from game_connect_four import GAME as CONNECT_FOUR
from gymnasium.utils.env_checker import check_env

from arena.adapters.gymnasium import ID, SeatEnv, Version
from arena.adapters.library import AdapterError, OpponentError
from arena.cli.app import run
from bots.kit import Decision
from engine.core import EngineError
from tests.adapters.beside import DrawingBot, first, raising, write_bot
from tests.support.nim import Nim
from tests.support.processes import outliving_processes

PATIENT = "300s"
NAME = f"arena.adapters.gymnasium:{ID}"


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    mark = f"KMA_TEST_MARK={tmp_path}"
    monkeypatch.setenv(*mark.split("=", 1))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    yield
    assert outliving_processes(mark) == {}


def play(env: Any, seed: int | None = None) -> tuple[float, dict[str, Any], list[int]]:
    """Play at random to the end; return the reward, the last info and the plies of the choices."""
    observation, info = env.reset(seed=seed)
    if seed is not None:
        env.action_space.seed(seed)
    plies = [info["ply"]]
    while True:
        action = env.action_space.sample(observation["action_mask"])
        observation, reward, terminated, truncated, info = env.step(action)
        assert not truncated
        if terminated:
            return reward, info, plies
        assert reward == 0
        plies.append(info["ply"])


@pytest.mark.parametrize(
    "arguments",
    [
        {"opponents": first, "seat": None, "opening_plies": 6},
        {
            "game": "rex_romanorum",
            "seats": 3,
            "options": {"round_limit": 1},
            "opponents": ["random", DrawingBot()],
            "time": PATIENT,
        },
        {"game": CONNECT_FOUR, "seats": 2, "opponents": first},
    ],
    ids=["here", "beside a program", "connect four"],
)
def test_it_passes_the_check(arguments: Mapping[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    env = gymnasium.make(NAME, **arguments)
    try:
        check_env(env.unwrapped)  # in every mode of rendering, too
    finally:
        env.close()
    assert env.spec is not None
    assert "Foreign King" in capsys.readouterr().out or arguments.get("game")


def test_what_standard_output_cannot_show_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="strict")
    monkeypatch.setattr(sys, "stdout", stream)
    env = SeatEnv("foreign_king", opponents=first, render_mode="human")
    env.reset(seed=3)
    stream.flush()
    assert stream.buffer.getvalue().decode("ascii").count(" . ") > 1
    assert (sys.stdout, stream.errors) == (stream, "strict")


def test_the_reward_is_by_rank_and_seeds_repeat() -> None:
    env = SeatEnv("foreign_king", 4, {"max_rounds": 6}, opponents=[first, DrawingBot(), first], seat=None)
    found = [play(env, seed) for seed in range(8)]
    for reward, info, plies in found:
        assert plies == sorted(set(plies))
        assert (reward == 1) == (info["ranks"][info["seat"]] == 1 and info["ranks"].count(1) == 1)
    assert [play(env, seed) for seed in range(8)] == found
    assert len({info["seat"] for _, info, _ in found}) > 1
    assert play(env) != play(env), "without a seed each is another one"


def test_an_illegal_action_forfeits_and_the_next_playing_begins() -> None:
    env = SeatEnv("foreign_king", opponents=first)
    observation, _ = env.reset(seed=3)
    illegal = int(np.flatnonzero(observation["action_mask"] == 0)[0])
    after, reward, terminated, truncated, info = env.step(illegal)
    assert (reward, terminated, truncated) == (-1, True, False)
    assert info["illegal"] == env._setting.game.actions.names[illegal]
    assert not after["action_mask"].any()
    with pytest.raises(AdapterError, match=r"there is no playing under way; call reset\(\) first"):
        env.step(illegal)
    assert play(env)[1]["ranks"]


def test_a_program_that_never_answers_is_told_in_the_info_and_the_playing_goes_on(tmp_path: Path) -> None:
    bot = write_bot(tmp_path / "mute", "time.sleep(3600)")
    env = SeatEnv("foreign_king", 3, {"max_rounds": 6}, opponents=[bot, first], time="200ms")
    _, info, _ = play(env, 1)
    env.close()
    (fault,) = info["faults"]
    assert (fault["seat"], fault["cause"]) == (1, "TIMEOUT")
    assert "200" in fault["explanation"]


def test_a_version_of_a_database_sits_down(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    db = str(tmp_path / "arena.db")
    bot = write_bot(tmp_path / "mine", "return decision.legal_actions[0]")
    assert run(["bot", "add", str(bot), "--db", db]) == 0
    capsys.readouterr()
    env = SeatEnv("foreign_king", 2, {"max_rounds": 4}, opponents=[Version(db, "mine")], time=PATIENT)
    reward, info, _ = play(env, 2)
    env.close()
    assert not info["faults"]
    assert reward in (-1, 0, 1)


def test_a_function_that_raises_ends_the_playing_by_its_name() -> None:
    env = SeatEnv("foreign_king", 3, opponents=[first, raising(at=2)])
    with pytest.raises(OpponentError, match="stumbling in seat 2 raised RuntimeError: I do not know this position"):
        play(env, 1)
    with pytest.raises(AdapterError, match="no playing under way"):
        env.step(0)
    assert play(env, 1)[1]["ranks"]


def test_a_playing_that_ends_before_the_first_choice_is_the_fault_of_who_ended_it() -> None:
    def lying(decision: Decision) -> int:
        return 9999

    env = SeatEnv("foreign_king", 2, opponents=lying, seat=1)
    with pytest.raises(OpponentError, match="seat 0 was out before the first choice: "):
        env.reset()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"seats": 5}, "foreign_king is played by 2 to 4 seats, not 5"),
        ({"game": "go"}, "there is no game 'go'"),
        ({"game": Nim("nim", "Nim", is_lucky=False)}, "nim gives no feature planes"),
        ({"opponents": ["greedy"]}, "1 opponents for 2 other seats; name one for each, or one for all"),
        ({"seat": 3, "opponents": first}, "seat is from 0 to 2, or None for another one in each playing, not 3"),
        ({"time": "fast"}, "time: 'fast' is no time control; write 50ms, 2s, 60+1, 60+1/5s or none"),
        ({"time": 3}, "time: "),
        ({"sandbox": 5, "opponents": first}, "sandbox is a level such as 'standard', or None, not 5"),
        ({"opponents": Version(None, "x")}, "db of a Version is a text, not None; write Version('arena.db', 'mine')"),  # type: ignore[arg-type]
        ({"opponents": Version("a.db", 5)}, "bot of a Version is a text, not 5; write Version('arena.db', 'mine')"),  # type: ignore[arg-type]
        ({"patience_s": math.nan, "opponents": first}, "patience_s is a number of seconds above 0, not nan"),
        ({"sandbox": "tight"}, "sandbox level 'tight'; there are"),
        ({"patience_s": 0, "opponents": first}, "patience_s is a number of seconds above 0, not 0"),
        ({"render_mode": "gif", "opponents": first}, "render_mode is one of human, ansi or None, not 'gif'"),
    ],
)
def test_a_wrong_argument_is_told_in_one_line(arguments: Mapping[str, Any], told: str) -> None:
    with pytest.raises((AdapterError, EngineError)) as raised:
        SeatEnv(**arguments)
    assert str(raised.value).startswith(told)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("action", "told"),
    [("place", "an action is a whole number, not 'place'"), (100_000, "no action has the id 100000; ids are 0 to ")],
)
def test_what_is_no_action_is_told_and_the_playing_goes_on(action: Any, told: str) -> None:
    env = SeatEnv("foreign_king", opponents=first)
    observation, _ = env.reset(seed=1)
    with pytest.raises(AdapterError) as raised:
        env.step(action)
    assert str(raised.value).startswith(told)
    assert not env.step(int(np.flatnonzero(observation["action_mask"])[0]))[2]


@pytest.mark.parametrize("patience_s", [math.inf, 1e30, 10**400])
def test_a_patience_without_end_is_as_long_as_can_be_waited(patience_s: float) -> None:
    env = SeatEnv("foreign_king", opponents=first, patience_s=patience_s)
    assert play(env, 1)[1]["ranks"]


def test_a_copy_is_refused_as_bots_sit_at_one_table() -> None:
    env = SeatEnv("foreign_king", opponents=first)
    for make in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(AdapterError, match=r"cannot be copied or pickled; make another: SeatEnv\(\.\.\.\)"):
            make(env)
    assert play(env, 1)[1]["ranks"]


def test_a_closed_environment_says_so_at_once() -> None:
    env = SeatEnv(opponents=first)
    env.reset(seed=1)
    env.close()
    env.close()
    for call in (env.reset, lambda: env.step(0)):
        with pytest.raises(AdapterError, match="this environment was closed; make another"):
            call()
