"""A machine is drained when it does far worse than the others, and hardly ever by chance."""

from __future__ import annotations

import random
from math import comb
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.executor.ray.draining import (
    ALPHA,
    FEWEST,
    FEWEST_OF_KIND,
    LEAST_EXTRA_S,
    TIMES_WORSE,
    BadMatchCounts,
    SlowMatches,
    far_worse,
    is_far_worse,
    is_time_to_look,
    tail,
)
from arena.executor.ray.judging import NodeJudge
from arena.executor.ray.node import NodeState, NodeTally
from tests.support.texts import CHARACTERS


@st.composite
def counts(draw: st.DrawFn) -> BadMatchCounts:
    total = draw(st.integers(0, 400))
    return BadMatchCounts(draw(st.integers(0, total)), total)


@settings(max_examples=30)
@given(st.data())
def test_the_tail_is_that_of_drawing_without_putting_back(data: st.DataObject) -> None:
    total = data.draw(st.integers(1, 40))
    all_bad, drawn = data.draw(st.integers(0, total)), data.draw(st.integers(0, total))
    bad = data.draw(st.integers(0, drawn))
    ways = sum(comb(all_bad, k) * comb(total - all_bad, drawn - k) for k in range(bad, drawn + 1))
    assert tail(bad, drawn, all_bad, total) == pytest.approx(ways / comb(total, drawn))


@given(counts(), counts(), st.integers(1, 50))
def test_a_machine_that_is_far_worse_has_played_enough_and_is_several_times_as_bad(
    one: BadMatchCounts, others: BadMatchCounts, machines: int
) -> None:
    if is_far_worse(one, others, machines):
        assert min(one.all, others.all) >= FEWEST
        assert one.bad / one.all >= TIMES_WORSE * others.bad / others.all
        assert is_far_worse(BadMatchCounts(min(one.bad + 1, one.all), one.all), others, machines)
        assert not is_far_worse(others, one, machines)


@settings(max_examples=30)
@given(st.dictionaries(st.text(CHARACTERS), counts(), max_size=6))
def test_never_are_all_far_worse(machines: dict[str, BadMatchCounts]) -> None:
    assert len(far_worse(machines)) < max(2, len(machines))


def test_machines_that_are_alike_are_left_alone() -> None:
    """So many runs of alike machines would show it if a machine were told to be worse more often than ALPHA says."""
    chance, drained, runs = random.Random(1), 0, 400
    for _ in range(runs):
        bad = [0] * 4
        for seen in range(1, 321):
            bad = [one + (chance.random() < 0.05) for one in bad]
            if is_time_to_look(seen) and far_worse({str(i): BadMatchCounts(one, seen) for i, one in enumerate(bad)}):
                drained += 1
                break
    assert drained <= 3 + runs * ALPHA


def test_one_that_loses_every_other_match_is_found_by_its_first_looks() -> None:
    others = BadMatchCounts(1, 60)
    assert is_far_worse(BadMatchCounts(10, 20), others, 4)
    assert not is_far_worse(BadMatchCounts(2, 20), others, 4)
    assert not is_far_worse(BadMatchCounts(10, 19), others, 4)


def test_a_machine_is_looked_at_when_it_has_twice_as_many_as_before() -> None:
    assert [n for n in range(400) if is_time_to_look(n)] == [20, 40, 80, 160, 320]


@given(st.floats(LEAST_EXTRA_S, 1000), st.integers(1, 500), st.floats(1.1, 1.9), st.floats(2.1, 50))
def test_a_match_is_slow_only_for_its_kind(seconds: float, decisions: int, less: float, more: float) -> None:
    slow = SlowMatches()
    for _ in range(FEWEST_OF_KIND):
        assert slow.judge("a kind", seconds, decisions) is None
    assert slow.judge("a kind", seconds * less, decisions) is False
    assert slow.judge("a kind", seconds * more, decisions) is True
    assert slow.judge("another", seconds * more, decisions) is None


@given(st.floats(0, LEAST_EXTRA_S / 2), st.floats(0, LEAST_EXTRA_S))
def test_nothing_is_slow_that_took_hardly_longer_in_all(seconds: float, later: float) -> None:
    slow = SlowMatches()
    for _ in range(FEWEST_OF_KIND):
        slow.judge("a kind", seconds, 1)
    assert slow.judge("a kind", later, 1) is False


class TestJudge:
    """Nodes with tallies, and what is said of them."""

    def setup_method(self) -> None:
        self.drained: list[tuple[str, str]] = []

    def look(self, *nodes: Any) -> None:
        judge = NodeJudge(lambda: nodes, lambda node, why: self.drained.append((node.id, why)))
        for node in nodes:
            judge.look_at(node)

    def test_the_worse_one_is_drained_and_the_reason_counts(self) -> None:
        self.look(
            node("good", NodeTally(80, 0, 0, 80)),
            node("bad", NodeTally(10, 10)),
            node("slow", NodeTally(40, 0, 30, 40)),
        )
        assert self.drained == [
            ("bad", "10 of its 20 matches were void, far more than elsewhere"),
            ("slow", "30 of its 40 matches were slow, far more than elsewhere"),
        ]

    def test_the_last_one_that_plays_is_not(self) -> None:
        self.look(node("good", NodeTally(80, 0), NodeState.LOST), node("bad", NodeTally(10, 10)))
        assert self.drained == []


def node(name: str, tally: NodeTally, state: NodeState = NodeState.READY) -> SimpleNamespace:
    return SimpleNamespace(id=name, tally=tally, state=state)
