"""What is handed in at a service under load: drawn submissions of every kind, and what must come of each."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.submission_clients import (
    MALFORMED,
    Client,
    Result,
    Source,
    cut_off,
    hand_in,
    killed,
    result_of,
    write_source,
)

GOOD, AGAIN, TWINS, CUT, KILLED, ABANDONED, UNRUNNABLE, WRONG = (
    "new", "the same again", "the same at once", "cut off, resumed", "killed, resumed", "cut off for good",
    "unknown runtime", "malformed",
)  # fmt: skip
WEIGHTS = {GOOD: 38, AGAIN: 10, TWINS: 5, CUT: 14, KILLED: 4, ABANDONED: 2, UNRUNNABLE: 3, WRONG: 24}


@dataclass(frozen=True, slots=True)
class Order:
    """One submission that is to be made."""

    kind: str
    owner: str
    source: Source
    how: str = ""
    closes: bool = False


SETTLED = 60
"""What so many others followed is over: handed in again before, it would take the place of the first, rightly."""


@dataclass(frozen=True, slots=True)
class Made:
    """One submission that was made."""

    order: Order
    result: Result
    seconds: float


def draw(rng: random.Random, count: int, owners: Sequence[str], sources: Path) -> list[Order]:
    """Draw so many submissions."""
    orders: list[Order] = []
    abandoned: Counter[str] = Counter()
    while len(orders) < count:
        (kind,) = rng.choices(list(WEIGHTS), list(WEIGHTS.values()))
        owner, number = rng.choice(owners), len(orders)
        if kind == ABANDONED and abandoned[owner]:
            continue  # more of them would use up what the owner may leave unfinished
        if kind == AGAIN:
            over = [order for order in orders[:-SETTLED] if order.kind in (GOOD, AGAIN, TWINS, CUT)]
            if not over:
                continue
            earlier = rng.choice(over)
            again = rng.random() < 0.5
            orders.append(Order(AGAIN, earlier.owner if again else owner, earlier.source))
            continue
        more = 'runtime = "quantum"\n' if kind == UNRUNNABLE else ""
        source = write_source(sources / str(number), f"fox{number % 7}", rng.randrange(1 << 30), more)
        how = rng.choice(list(MALFORMED)) if kind == WRONG else ""
        abandoned[owner] += kind == ABANDONED
        order = Order(kind, owner, source, how, closes=rng.random() < 0.5)
        orders += [order, order] if kind == TWINS else [order]
    return orders[:count]


def make(client: Client, order: Order) -> Made:
    """Make one submission."""
    begun = time.perf_counter()
    if order.kind == WRONG:
        send = MALFORMED[order.how][1](order.source)
        result = result_of(lambda: send(client))
    elif order.kind in (CUT, ABANDONED):
        result = result_of(lambda: cut_off(client, order.source, closes=order.closes))
    elif order.kind == KILLED:
        killed(client, order.source)
        result = Result()
    else:
        result = Result()
    if not result.reason and order.kind not in (WRONG, ABANDONED):
        result = result_of(lambda: hand_in(client, order.source))
    return Made(order, result, time.perf_counter() - begun)


def expected_reasons(order: Order) -> set[str]:
    """The reasons for which it may be refused; an empty one stands for being accepted."""
    if order.kind == WRONG:
        return {MALFORMED[order.how][0]}
    if order.kind == UNRUNNABLE:
        return {"BOT_DIRECTORY"}
    if order.kind in (TWINS, AGAIN):
        return {"", "UPLOAD_SUPERSEDED"}  # the same archive of the same owner, handed in by another client meanwhile
    return {""}
