"""PettingZoo's own tests, and what an environment of ours promises besides."""

from __future__ import annotations

import copy
import io
import pickle
import sys
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pytest
from game_connect_four import GAME as CONNECT_FOUR

from arena.adapters.library import AdapterError
from arena.adapters.pettingzoo import env
from engine.core import EngineError
from tests.support.nim import Nim

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of the environments that PettingZoo brings along as examples
    from pettingzoo.test import api_test, render_test, seed_test

# PettingZoo warns of every environment with action masks but of its own, which it knows by their names.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning"),
    # An empty board, and the end.
    pytest.mark.filterwarnings("ignore:Observation numpy array is all zeros:UserWarning"),
    pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros:UserWarning"),
]
GAMES: list[Mapping[str, Any]] = [
    {},
    {"seats": 2, "options": {"max_rounds": 4}},
    {"seats": 4, "opening_plies": 12},
    {"game": "rex_romanorum", "seats": 2, "options": {"round_limit": 3}},
    {"game": "rex_romanorum", "seats": 5, "options": {"variant": "short", "round_limit": 2}},
    {"game": CONNECT_FOUR, "seats": 2},
]
every_game = pytest.mark.parametrize(
    "game", GAMES, ids=["default", "short", "four", "rex", "short rex", "connect four"]
)


def choose(zoo: Any, agent: str, observation: Any, done: bool) -> Any:
    return None if done else zoo.action_space(agent).sample(observation["action_mask"])


def play(zoo: Any, seed: int, choose: Callable[..., Any] = choose) -> tuple[list[tuple[str, Any]], dict[str, float]]:
    """Play at random, and return who acted how, and what each agent got in all."""
    zoo.reset(seed=seed)
    for number, agent in enumerate(zoo.possible_agents):
        zoo.action_space(agent).seed(seed + number)
    acted, got = [], dict.fromkeys(zoo.possible_agents, 0.0)
    for agent in zoo.agent_iter():
        observation, reward, termination, truncation, _ = zoo.last()
        got[agent] += reward
        action = choose(zoo, agent, observation, termination or truncation)
        acted.append((agent, action))
        zoo.step(action)
    return acted, got


@every_game
def test_it_passes_the_test_of_the_interface(game: Mapping[str, Any]) -> None:
    api_test(env(**game), num_cycles=300)


@every_game
def test_it_passes_the_test_of_seeds(game: Mapping[str, Any]) -> None:
    seed_test(partial(env, **game), num_cycles=100)


def test_it_passes_the_test_of_rendering(capsys: pytest.CaptureFixture[str]) -> None:
    render_test(env)
    assert "The Foreign King" in capsys.readouterr().out


@pytest.mark.parametrize("encoding", ["ascii", "iso8859-1", "big5", "utf-8"])
def test_what_standard_output_cannot_show_is_replaced(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict")
    monkeypatch.setattr(sys, "stdout", stream)
    zoo = env("openspiel_dots_and_boxes", render_mode="human")
    zoo.reset(seed=1)
    zoo.render()
    stream.flush()
    drawn = stream.buffer.getvalue().decode(encoding)
    assert "┌" in drawn if encoding in ("utf-8", "big5") else "+" in drawn
    assert (sys.stdout, stream.errors) == (stream, "strict")


@every_game
def test_every_playing_ends_with_rewards_by_rank(game: Mapping[str, Any]) -> None:
    zoo = env(**game)
    for seed in range(3):
        acted, got = play(zoo, seed)
        assert sum(got.values()) == pytest.approx(0)
        assert {agent for agent, action in acted if action is None} == set(got), "each agent has left"


def test_one_seed_begins_a_series_that_can_be_repeated() -> None:
    def series(seed: int) -> list[Any]:
        zoo, firsts = env("rex_romanorum", 3, seed=seed), []
        for _ in range(3):
            zoo.reset()
            firsts.append(zoo.unwrapped._state.to_json()["pile"])
        return firsts

    assert series(5) == series(5) != series(6)
    assert len({tuple(pile) for pile in series(5)}) == 3


def test_an_agent_has_a_choice_wherever_it_is_asked_and_the_others_have_none() -> None:
    zoo = env("foreign_king", 3)
    zoo.reset(seed=2)
    for agent in zoo.agent_iter(60):
        observation, _, termination, _, _ = zoo.last()
        if not termination:
            assert observation["action_mask"].sum() > 1
            for other in set(zoo.agents) - {agent}:
                assert not zoo.observe(other)["action_mask"].any()
        zoo.step(choose(zoo, agent, observation, termination))


def test_what_is_hidden_is_in_no_observation() -> None:
    zoo = env("rex_romanorum", 2)
    zoo.reset(seed=4)
    state = zoo.unwrapped._state
    before = zoo.observe("seat_0")
    state.pile = list(reversed(state.pile))
    after = zoo.observe("seat_0")
    assert np.array_equal(before["observation"], after["observation"])


@pytest.mark.parametrize("which", ["illegal", "last"])
def test_an_illegal_action_ends_the_playing_for_who_did_it(which: str) -> None:
    zoo = env("foreign_king", 3)
    zoo.reset(seed=1)
    observation, *_ = zoo.last()
    mask = observation["action_mask"]
    illegal = int(np.flatnonzero(mask == 0)[0 if which == "illegal" else -1])
    zoo.step(illegal)
    assert zoo.rewards == {"seat_0": -1, "seat_1": 0, "seat_2": 0}
    assert all(zoo.terminations.values())
    zoo.unwrapped.reset(seed=1)
    with pytest.raises(EngineError, match="is not legal here"):
        zoo.unwrapped.step(illegal)


@pytest.mark.parametrize(
    ("action", "told"),
    [
        ("abc", "an action is a whole number, not 'abc'"),
        (1.5, "an action is a whole number, not 1.5"),
        (None, "an action is a whole number, not None"),
        (-1, "no action has the id -1; ids are 0 to "),
    ],
)
def test_what_is_no_action_is_told_and_the_playing_goes_on(action: Any, told: str) -> None:
    raw = env("foreign_king", 3).unwrapped
    raw.reset(seed=1)
    with pytest.raises(AdapterError) as raised:
        raw.step(action)
    assert str(raised.value).startswith(told)
    raw.step(np.int64(np.flatnonzero(raw.last()[0]["action_mask"])[0]))


def test_what_is_asked_before_the_first_playing_or_after_its_end_is_told() -> None:
    raw = env("foreign_king", 2, {"max_rounds": 2}, render_mode="ansi").unwrapped
    calls: list[Callable[[], Any]] = [lambda: raw.step(0), raw.last]
    for call in (*calls, lambda: raw.observe("seat_0"), raw.render):
        with pytest.raises(AdapterError, match=r"there is no playing under way; call reset\(\) first"):
            call()
    play(raw, 1)
    for call in calls:
        with pytest.raises(AdapterError, match=r"every agent has left; call reset\(\) first"):
            call()
    play(raw, 1)


def test_an_agent_that_there_is_not_is_told() -> None:
    raw = env("foreign_king", 2).unwrapped
    raw.reset(seed=1)
    for ask in (raw.observe, raw.observation_space, raw.action_space):
        with pytest.raises(AdapterError, match="there is no agent 'seat_2'; there are seat_0, seat_1"):
            ask("seat_2")


@pytest.mark.parametrize("again", [copy.deepcopy, lambda zoo: pickle.loads(pickle.dumps(zoo))], ids=["copy", "pickle"])
def test_a_copy_plays_on_by_itself(again: Callable[[Any], Any]) -> None:
    zoo = env("rex_romanorum", 2, {"round_limit": 3})
    zoo.reset(seed=3)
    other = again(zoo)
    agent = zoo.agent_selection
    before = zoo.observe(agent)["observation"]
    while other.agents:
        observation, _, termination, truncation, _ = other.last()
        other.step(choose(other, other.agent_selection, observation, termination or truncation))
    assert zoo.agent_selection == agent
    assert np.array_equal(zoo.observe(agent)["observation"], before)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"seats": 7}, "foreign_king is played by 2 to 4 seats, not 7"),
        ({"game": "chess"}, "there is no game 'chess'"),
        ({"options": {"max_rounds": 0}}, "option max_rounds takes 1 to 1000, not 0"),
        ({"render_mode": "rgb_array"}, "render_mode is one of human, ansi or None, not 'rgb_array'"),
        ({"game": Nim("nim", "Nim", is_lucky=False)}, "nim gives no feature planes"),
    ],
)
def test_a_wrong_argument_is_told_in_one_line(arguments: Mapping[str, Any], told: str) -> None:
    with pytest.raises((AdapterError, EngineError)) as raised:
        env(**arguments)
    assert str(raised.value).startswith(told)
    assert "\n" not in str(raised.value)
