"""@NAME@ plays @GAME@: it takes the action after which it stands best.

It knows nothing of the game but its rules and the evaluation that the arena's engine gives, so it plays every game of
the arena, and beats one that draws lots. Where to go on from here is marked NEXT. After every change,

    arena bot test DIRECTORY

plays it against the samples. `arena game rules @GAME@` tells the rules,
docs/write-a-bot.md what else there is.
"""

from __future__ import annotations

from random import Random

from bots.kit import Bot, Decision, Match, run
from engine.abilities import Playable
from engine.chance import SeededChance
from engine.core import State

MOST_ACTIONS = 40
"""So many actions are looked at in one decision; if there are more, these are drawn."""
WORLDS = 3
"""Under so many draws of dice and hidden cards each action is looked at, where the game has such."""
LONGEST_TURN = 200
"""A turn that takes more decisions is valued where it stands then."""


class MyBot(Bot):
    """Takes the action with the best value on average. NEXT: give it a better name."""

    def prepare(self) -> None:
        """Called once, before a clock runs; the rules are loaded by then. NEXT: load here what takes long."""

    def match_started(self, match: Match) -> None:
        """Forget the last match; one process plays many. NEXT: what you learn during a match begins here."""

    def decide(self, decision: Decision) -> int:
        """Return the id of one of `decision.legal_actions`.

        NEXT: `decision.observation` holds what this seat sees, and `decision.names` what its actions are called: with
        these you can write rules of your own. What they mean tells `arena game rules @GAME@`.
        """
        random = decision.match.random  # the only randomness to use: with it, a match can be played again
        playable = decision.match.rules.playable
        if playable is None:  # the game gives no evaluation. NEXT: write one
            return random.choice(decision.legal_actions)
        worlds = [(decision.state(), random.getrandbits(53)) for _ in range(self._worlds(decision))]
        values: dict[int, float] = {}
        for action in random.sample(decision.legal_actions, min(MOST_ACTIONS, len(decision.legal_actions))):
            if values and is_late(decision):
                break
            values[action] = sum(value_after(playable, state, action, seed) for state, seed in worlds)
        return max(values, key=values.__getitem__)

    def _worlds(self, decision: Decision) -> int:
        """Return how many draws are worth looking at: one, if nothing is hidden or left to chance."""
        rules = decision.match.rules
        return WORLDS if rules.has_chance or rules.has_hidden_information else 1


def is_late(decision: Decision) -> bool:
    """Return whether half of the time for this decision is used. NEXT: spend the time where it is worth most."""
    left = decision.seconds_left()
    return left is not None and left < decision.time_limit_us / 1e6 / 2


def value_after(playable: Playable, state: State, action: int, seed: int) -> float:
    """Return how good it is for the seat that decides to play `action`, from 0 (lost) to 1 (won).

    The rest of its turn is played by the game's own quick choice. NEXT: look further, at what the others will answer:
    bots/algorithms/search.py of the arena shows how, for any game.
    """
    seat, random = state.seat(), Random(seed)
    assert seat is not None
    child = state.clone(SeededChance(seed))  # the state itself stays as it is, for the next action
    child.apply_unchecked(action)
    for _ in range(LONGEST_TURN):
        if child.seat() != seat:
            break
        child.apply_unchecked(playable.quick_action(child, random))
    return playable.evaluate(child, seat)


if __name__ == "__main__":
    run(MyBot())
