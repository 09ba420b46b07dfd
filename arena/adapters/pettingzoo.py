"""A game as an AEC environment of PettingZoo, with action masks.

    from arena.adapters.pettingzoo import env
    zoo = env("foreign_king", seats=3)
    zoo.reset(seed=1)
    for agent in zoo.agent_iter():
        observation, reward, termination, truncation, info = zoo.last()
        done = termination or truncation
        zoo.step(None if done else zoo.action_space(agent).sample(observation["action_mask"]))

The agents are `seat_0`, `seat_1` and so on. Dice, cards and forced actions are played within a step, so that an agent
always has a choice. Rewards come with the end alone (`arena.adapters.setting.utilities`). An illegal action ends the
playing as PettingZoo's TerminateIllegalWrapper has it: -1 for who did it, 0 for the others.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from arena.adapters.features import Looking, Seen
from arena.adapters.library import AdapterError, load
from arena.adapters.setting import GameSetting, random_of, setting_of, utilities
from arena.i18n.sanitize import encodable
from engine.core import Game, State
from engine.playout import play_forced

_zoo = load("pettingzoo")
_wrappers = load("pettingzoo.utils").wrappers

ILLEGAL_REWARD = -1.0
RENDER_MODES = ("human", "ansi")


def env(
    game: str | Game = "foreign_king",
    seats: int | None = None,
    options: Mapping[str, Any] | None = None,
    *,
    seed: int | None = None,
    opening_plies: int = 0,
    render_mode: str | None = None,
) -> Any:
    """Return an environment in PettingZoo's wrappers, which check the order of calls and end at an illegal action.

    `seats` is by default the only number that the game permits, or else 3. `seed` is that of all playings until `reset`
    is given another; `opening_plies` random actions begin each. Raises AdapterError, AbilityError for a game without
    feature planes, and the errors of the engine for what is not played.
    """
    wrapped = RawEnv(setting_of(game, seats, options, opening_plies), seed, render_mode)
    illegal = _wrappers.TerminateIllegalWrapper(wrapped, illegal_reward=ILLEGAL_REWARD)
    return _wrappers.OrderEnforcingWrapper(_wrappers.AssertOutOfBoundsWrapper(illegal))


class RawEnv(_zoo.AECEnv):  # type: ignore[misc, name-defined]
    """The environment itself. `step` raises IllegalActionError for an illegal action.

    What is asked before `reset`, of an agent that there is not, or with what is no action id, raises AdapterError.
    """

    agent_selection: str

    def __init__(self, setting: GameSetting, seed: int | None = None, render_mode: str | None = None) -> None:
        super().__init__()
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise AdapterError(f"render_mode is one of {', '.join(RENDER_MODES)} or None, not {render_mode!r}")
        self.render_mode = render_mode
        self.metadata = {
            "name": f"arena_{setting.game.name}_v0",
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
        }
        self._setting, self._looking = setting, Looking(setting)
        self._random = random_of(seed)
        self._playing: State | None = None
        self.possible_agents = [f"seat_{seat}" for seat in range(setting.seats)]
        self.agents: list[str] = []
        self.observation_spaces = {agent: self._looking.observation_space() for agent in self.possible_agents}
        self.action_spaces = {agent: self._looking.action_space() for agent in self.possible_agents}

    def observation_space(self, agent: str) -> Any:
        """Return the space of an agent's observations, always the same object."""
        return self.observation_spaces[self._known(agent)]

    def action_space(self, agent: str) -> Any:
        """Return the space of an agent's actions, always the same object."""
        return self.action_spaces[self._known(agent)]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new playing. With a seed, it and those after it depend on that alone; `options` is not looked at."""
        del options
        if seed is not None:
            self._random = random_of(seed)
        self._playing = self._setting.start(self._random)
        play_forced(self._state)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._go_on()

    def step(self, action: Any) -> None:
        """Play an action of the agent whose turn it is, and what is forced after it."""
        state, agent = self._state, self.agent_selection
        if not self.agents:
            raise AdapterError("the playing is over, and every agent has left; call reset() first")
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        state.apply(self._setting.read_action(action))
        play_forced(state)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._go_on()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def _go_on(self) -> None:
        """Find whose turn it is, or end the playing with its rewards."""
        seat = self._state.seat()
        if seat is not None:
            self.agent_selection = self.possible_agents[seat]
            return
        outcome = self._state.outcome()
        assert outcome is not None, "a game that is over has an outcome"
        self.rewards = dict(zip(self.possible_agents, utilities(outcome.ranks), strict=True))
        self.terminations = dict.fromkeys(self.agents, True)
        for agent, rank in zip(self.possible_agents, outcome.ranks, strict=True):
            self.infos[agent] = {"rank": rank}

    def observe(self, agent: str) -> Seen:
        """Return what an agent sees. Nothing is legal for one whose turn it is not."""
        state, seat = self._state, self.possible_agents.index(self._known(agent))
        legal = state.legal_actions() if state.seat() == seat else ()
        return self._looking.look(state, seat, legal)

    def last(self, observe: bool = True) -> Any:
        """Return what the agent whose turn it is sees, its reward, whether it is out, and its info."""
        if not (self._state and self.agents):
            raise AdapterError("the playing is over, and every agent has left; call reset() first")
        return super().last(observe)

    @property
    def _state(self) -> State:
        """Return the position; raise AdapterError before the first playing."""
        if self._playing is None:
            raise AdapterError("there is no playing under way; call reset() first")
        return self._playing

    def _known(self, agent: Any) -> str:
        if agent not in self.possible_agents:
            raise AdapterError(f"there is no agent {agent!r:.60}; there are {', '.join(self.possible_agents)}")
        return str(agent)

    def render(self) -> str | None:
        """Return the position as text in mode `ansi`; write it to the standard output in mode `human`."""
        if self.render_mode is None:
            return None
        text = self._setting.game.shown.text(self._state, None, "en")
        if self.render_mode == "ansi":
            return text
        sys.stdout.write(encodable(text, sys.stdout))
        return None

    def close(self) -> None:
        """Do nothing: the environment holds nothing open."""
