"""Fair queueing: shares go by weight, nobody starves, who was idle saves nothing up, a head start is repaid."""

import heapq
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from itertools import count

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.service.scheduler.queue import Charge, FairQueue

KEYS = ("ladder", "tournament", "comparison", "admission")
WEIGHTS = st.fixed_dictionaries({key: st.floats(0.2, 8) for key in KEYS})
COSTS = st.fixed_dictionaries({key: st.lists(st.floats(0.3, 5), min_size=1, max_size=4) for key in KEYS})
SLOTS = st.integers(1, 3)
EXAMPLES = settings(max_examples=20)


@dataclass
class Simulation:
    """Slots that are never left empty, and what each key used of them."""

    queue: FairQueue[str]
    costs: Mapping[str, list[float]]
    slots: int = 1
    used: Counter[str] = field(default_factory=Counter)
    order: list[str] = field(default_factory=list)
    now: float = 0.0

    def __post_init__(self) -> None:
        self._numbers = count()
        self._turns: Counter[str] = Counter()
        self._running: list[tuple[float, int, Charge[str], float]] = []

    def run(self, until: float, waiting: Callable[[float], Collection[str]]) -> None:
        """Serve whoever waits, which may depend on the time, until so much of the slots was used."""
        while self.now < until:
            while len(self._running) < self.slots:
                key = self.queue.choose(waiting(self.now))
                cost = self.costs[key][self._turns[key] % len(self.costs[key])]
                self._turns[key] += 1
                self.order.append(key)
                heapq.heappush(self._running, (self.now + cost, next(self._numbers), self.queue.begin(key), cost))
            self.now, _, charge, cost = heapq.heappop(self._running)
            self.queue.end(charge, cost)
            self.used[charge.key] += cost  # type: ignore[assignment]


def queue(weights: Mapping[str, float], head_start: float = 0.0) -> FairQueue[str]:
    made: FairQueue[str] = FairQueue()
    for key, weight in weights.items():
        made.add(key, weight, head_start if key == "admission" else 0.0)
    return made


def slack(weights: Mapping[str, float], costs: Mapping[str, list[float]], slots: int) -> float:
    """By how much two keys may differ for each unit of weight: what begins or is estimated wrongly at once."""
    return sum((slots + 1) * 2 * max(1.0, *costs[key]) / weights[key] for key in weights)


@EXAMPLES
@given(WEIGHTS, COSTS, SLOTS)
def test_those_who_always_wait_are_served_by_their_weights(
    weights: dict[str, float], costs: dict[str, list[float]], slots: int
) -> None:
    simulation = Simulation(queue(weights), costs, slots)
    simulation.run(150, lambda _: KEYS)
    served = [simulation.used[key] / weights[key] for key in KEYS]
    assert max(served) - min(served) <= slack(weights, costs, slots)


@EXAMPLES
@given(WEIGHTS, COSTS, SLOTS)
def test_nobody_starves_also_when_admissions_never_end(
    weights: dict[str, float], costs: dict[str, list[float]], slots: int
) -> None:
    head_start = 30.0
    simulation = Simulation(queue(weights, head_start), costs, slots)
    simulation.run(200, lambda _: KEYS)
    least = min(simulation.used[key] / weights[key] for key in KEYS)
    ahead = simulation.used["admission"] / weights["admission"] - least
    assert ahead <= head_start / weights["admission"] + slack(weights, costs, slots)
    assert set(simulation.order) == set(KEYS)


@EXAMPLES
@given(WEIGHTS, COSTS, SLOTS, st.floats(50, 100))
def test_who_was_idle_saved_nothing_up(
    weights: dict[str, float], costs: dict[str, list[float]], slots: int, idle_s: float
) -> None:
    simulation = Simulation(queue(weights), costs, slots)
    others = [key for key in KEYS if key != "ladder"]
    simulation.run(idle_s, lambda _: others)
    before = Counter(simulation.used)
    simulation.run(idle_s + 100, lambda _: KEYS)
    served = {key: (simulation.used[key] - before[key]) / weights[key] for key in KEYS}
    assert served["ladder"] - min(served.values()) <= slack(weights, costs, slots)


@EXAMPLES
@given(WEIGHTS, COSTS)
def test_an_admission_comes_first_while_it_is_within_its_head_start(
    weights: dict[str, float], costs: dict[str, list[float]]
) -> None:
    simulation = Simulation(queue(weights, head_start=1000.0), costs)
    others = [key for key in KEYS if key != "admission"]
    simulation.run(100, lambda _: others)
    simulation.order.clear()
    simulation.run(simulation.now + 50, lambda _: KEYS)
    assert set(simulation.order) == {"admission"}


@EXAMPLES
@given(WEIGHTS, COSTS)
def test_a_head_start_is_not_granted_again_to_who_rests_for_a_moment(
    weights: dict[str, float], costs: dict[str, list[float]]
) -> None:
    head_start = 20.0
    simulation = Simulation(queue(weights, head_start), costs)
    others = [key for key in KEYS if key != "admission"]
    simulation.run(250, lambda now: KEYS if int(now / 5) % 2 else others)
    least = min(simulation.used[key] / weights[key] for key in others)
    ahead = simulation.used["admission"] / weights["admission"] - least
    assert ahead <= head_start / weights["admission"] + slack(weights, costs, 1)


def test_what_was_estimated_wrongly_is_put_right() -> None:
    made = queue({"ladder": 1.0, "tournament": 1.0})
    simulation = Simulation(made, {"ladder": [0.1], "tournament": [2.0]})
    simulation.run(100, lambda _: ("ladder", "tournament"))
    assert abs(simulation.used["ladder"] - simulation.used["tournament"]) <= 3
    assert made.mean_cost("ladder") == 0.1
    assert made.mean_cost("tournament") == 2.0


def test_what_is_not_typical_is_paid_but_not_expected_again() -> None:
    made = queue({"ladder": 1.0})
    made.end(made.begin("ladder"), 1.0)
    made.end(made.begin("ladder"), 500.0, is_typical=False)
    assert made.mean_cost("ladder") == 1.0


def test_a_key_that_was_removed_is_not_missed() -> None:
    made = queue({"ladder": 1.0})
    charge = made.begin("ladder")
    made.remove("ladder")
    made.end(charge, 3.0)
    assert made.choose(["ladder"]) == "ladder"
