"""What the evaluation and the habits weigh, by name; weights.json has the numbers, and tells how they were found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.kit.game_folder import read_json

NAMES: Final[tuple[str, ...]] = (
    *("width", "width_per_harvest", "width_per_gold", "richest_power"),
    *("harvests_a_round", "rounds_counted", "production", "title_gold", "gold", "foot", "archer", "knight", "castle"),
    "church",
    *("risk", "conquest", "lost_army", "lost_figures", "region"),
    *("chapter", "half_a_title", "bought", "certain", "steepness", "missing"),
    *("habit_vote", "habit_surprise", "habit_fear", "habit_bribery", "habit_building", "habit_even", "habit_fight"),
    *("habit_loss", "habit_crown", "habit_reserve", "habit_odds", "habit_offer", "habit_fortune", "habit_caprice"),
)


class Weights:
    """The weights of one evaluation and its habits; gold is the unit, unless said otherwise."""

    def __init__(self, values: Sequence[float]) -> None:
        """Take the values in the order of `NAMES`. Raises ValueError if they are not as many."""
        if len(values) != len(NAMES):
            raise ValueError(f"there are {len(NAMES)} weights, not {len(values)}")
        value = [float(weight) for weight in values]
        self.width: float = value[0]
        """How far apart fortunes lie whose order is three to one, without harvests to come."""
        self.width_per_harvest: float = value[1]
        self.width_per_gold: float = value[2]
        self.richest_power: float = value[3]
        """The power of a fortune that is the chance to be the richest."""
        self.harvests_a_round: float = value[4]
        self.rounds_counted: float = value[5]
        self.production: float = value[6]
        """The worth of a harvest, in parts of what it brings."""
        self.title_gold: float = value[7]
        """The worth of a title, in parts of what it counts for and brings. The next six are what a thing does beyond
        what it counts for in the end, for each harvest to come."""
        self.gold: float = value[8]
        self.foot: float = value[9]
        self.archer: float = value[10]
        self.knight: float = value[11]
        self.castle: float = value[12]
        self.church: float = value[13]
        self.risk: float = value[14]
        """How likely an army that can attack does."""
        self.conquest: float = value[15]
        """What an attacker may win, in parts of what the owner may lose."""
        self.lost_army: float = value[16]
        self.lost_figures: float = value[17]
        self.region: float = value[18]
        """The worth of a region in danger, in parts of its yield and its price."""
        self.chapter: float = value[19]
        """What all churches of a diocese are worth, in votes, while somebody else is bishop."""
        self.half_a_title: float = value[20]
        """What a region that a title needs is worth, in votes, without its partner."""
        self.bought: float = value[21]
        """How likely an elector who does not stand himself votes at all."""
        self.certain: float = value[22]
        """Votes more for whoever has enough in his own hands in a royal election under way."""
        self.steepness: float = value[23]
        self.missing: float = value[24]
        """A seat that holds this much less than the votes it needs is king half of the time."""
        self.habit_vote: float = value[25]
        """What a title is worth beyond its yield to whoever plans a turn; all that follow are of habits."""
        self.habit_surprise: float = value[26]
        """What is left of an attack that is prepared a turn ahead."""
        self.habit_fear: float = value[27]
        self.habit_bribery: float = value[28]
        """What an election with one vote too few is worth, in parts of the gold at hand."""
        self.habit_building: float = value[29]
        self.habit_even: float = value[30]
        """How likely an election is won with as many votes as all others together."""
        self.habit_fight: float = value[31]
        self.habit_loss: float = value[32]
        self.habit_crown: float = value[33]
        """How often a seat that is not the richest takes the crown it can have."""
        self.habit_reserve: float = value[34]
        """Gold kept back when figures are bought."""
        self.habit_odds: float = value[35]
        """How much stronger an attack must be than the garrison; strength is hits times figures."""
        self.habit_offer: float = value[36]
        """The part of the gold that is offered for the vote that crowns, beyond a little."""
        self.habit_fortune: float = value[37]
        """For this much a vote that crowns is for sale where more than two play."""
        self.habit_caprice: float = value[38]
        """By how much the worth of a turn varies, in parts of it."""


FOUND: Final[tuple[float, ...]] = tuple(read_json(__name__, "weights.json")["weights"][name] for name in NAMES)
"""The weights that were found by `python -m bots.training`."""
