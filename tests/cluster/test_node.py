"""What a machine may play, and when it is drained: if it does far worse than the others, and hardly ever by chance."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import replace
from math import comb
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.executor.ray import node as node_module
from arena.executor.ray.node import LOOK_AGAIN_S, Archives, ClusterNode, NodeJudge, NodeState, NodeTally
from arena.executor.ray.outliers import (
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
from arena.match.result import Fault, FaultCause, HostCause
from arena.match.spec import MatchSpec
from tests.support.patience import until
from tests.support.specs import script_spec, seat_spec
from tests.support.texts import CHARACTERS

PROGRAM = {"directory": "/there", "command": ["/python", "/there/main.py"], "trees": None, "environment": {"A": "1"}}


class Agent:
    """A machine that notes what it is asked, and has what it was sent."""

    def __init__(self, **problems: str) -> None:
        self.problems = problems
        self.asked: list[str] = []
        self.has: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        answer: Callable[..., Any] = getattr(type(self), f"answer_{name}")

        async def call(*arguments: Any) -> Any:
            self.asked.append(name)
            return answer(self, *arguments)

        return SimpleNamespace(remote=lambda *arguments: asyncio.ensure_future(call(*arguments)))

    def answer_find(self, content: str, _: str) -> Any:
        if "find" in self.problems:
            return {"refused": self.problems["find"]}
        return {"program": PROGRAM} if content in self.has else {"missing": True}

    def answer_add(self, content: str, archive: bytes) -> str:
        assert archive
        self.has.add(content)
        return self.problems.get("add", "")

    def answer_try_levels(self, levels: list[str]) -> dict[str, str]:
        return {level: self.problems.get("level", "") for level in levels}


def node_with(agent: Agent, said: list[str] | None = None) -> ClusterNode:
    known: list[str] = [] if said is None else said
    judge = SimpleNamespace(slow=SlowMatches(), look_at=lambda _: None)
    node = ClusterNode("n1", "one", 1, Archives(lambda data: data), judge, known.append)
    node.agent, node.state = agent, NodeState.READY
    return node


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "main.py").write_text("print()\n", encoding="utf-8")
    return tmp_path / "bot"


def match(bot: Path, **changes: Any) -> MatchSpec:
    seat = replace(seat_spec(0, "python", "main.py", directory=str(bot)), **changes)
    return script_spec("0:3", seats=(seat, seat))


async def test_files_are_fetched_once_and_the_match_names_them_as_they_lie_there(bot: Path) -> None:
    agent, said = Agent(), list[str]()
    node, spec = node_with(agent, said), match(bot)
    assert not node.takes(spec)
    await until(lambda: node.takes(spec))
    assert agent.asked == ["find", "add", "find"]
    assert said == [""]
    seat = node.localize(spec).seats[1]
    assert (seat.directory, seat.command, seat.environment) == ("/there", ("/python", "/there/main.py"), {"A": "1"})
    assert node.takes(spec)
    assert node.refusal(spec) is None
    assert len(agent.asked) == 3


async def test_a_machine_that_has_a_version_gets_nothing_sent(bot: Path) -> None:
    first, second = Agent(), Agent()
    second.has = first.has
    for node in map(node_with, (first, second)):
        assert not node.takes(match(bot))
        await until(lambda: not node._works)  # noqa: B023 - it is awaited in this turn
        assert node.takes(match(bot))
    assert second.asked == ["find"]


def report(*faults: Fault) -> Any:
    return SimpleNamespace(duration_us=1, decisions=1, result=SimpleNamespace(faults=faults))


@pytest.mark.host_fault("version-gone-at-a-node")
@pytest.mark.parametrize(
    "doubt",
    [
        lambda node, spec: node.note_loss(spec, HostCause.HOSTING_FAILED),
        lambda node, spec: node.note_report(spec, report(Fault(1, FaultCause.START_FAILED, 0, "It ended."))),
    ],
)
async def test_files_that_may_be_why_nothing_started_are_looked_at_and_fetched_anew_if_they_are_gone(
    doubt: Callable[[ClusterNode, MatchSpec], None], bot: Path
) -> None:
    agent = Agent()
    node, spec = node_with(agent), match(bot)
    await until(lambda: node.takes(spec))
    doubt(node, spec)
    assert not node.takes(spec)
    await until(lambda: node.takes(spec))
    assert agent.asked == ["find", "add", "find", "find"]
    agent.has.clear()
    doubt(node, spec)
    await until(lambda: node.takes(spec))
    assert agent.asked[4:] == ["find", "add", "find"]


async def test_files_are_looked_at_again_now_and_then_but_not_after_each_match(bot: Path) -> None:
    agent = Agent()
    node, spec = node_with(agent), match(bot)
    await until(lambda: node.takes(spec))
    node.note_report(spec, report(Fault(0, FaultCause.TIMEOUT, 1, "It was late.")))
    node.note_loss(spec, HostCause.REFEREE_LAG)
    assert node.takes(spec)
    for held in node._held.values():
        held.due_s -= LOOK_AGAIN_S
    assert not node.takes(spec)
    await until(lambda: node.takes(spec))
    assert agent.asked == ["find", "add", "find", "find"]


@pytest.mark.parametrize(
    ("problems", "changes", "said", "cause"),
    [
        ({"find": "its runtime is another one"}, {}, "its runtime is another one", HostCause.HOSTING_FAILED),
        ({"add": "no room is left"}, {}, "no room is left", HostCause.HOSTING_FAILED),
        ({"level": "bwrap is missing"}, {"sandbox": "standard"}, "bwrap is missing", HostCause.SANDBOX_FAILED),
        ({}, {"directory": "/no/such/place"}, "one: bot bot0 cannot play there", HostCause.HOSTING_FAILED),
    ],
)
async def test_what_cannot_be_played_is_refused_for_good_with_the_reason(
    problems: dict[str, str], changes: dict[str, Any], said: str, cause: HostCause, bot: Path
) -> None:
    agent = Agent(**problems)
    node, spec = node_with(agent), match(bot, **changes)
    assert not node.takes(spec)
    await until(lambda: node.refusal(spec) is not None and not node._works)
    refusal = node.refusal(spec)
    assert refusal is not None
    assert said in str(refusal)
    assert refusal.cause is cause
    asked = len(agent.asked)
    assert not node.takes(spec)
    await asyncio.sleep(0)
    assert len(agent.asked) == asked


async def test_files_that_are_not_the_version_that_was_added_are_not_sent(bot: Path) -> None:
    stored = bot.rename(bot.with_name("a" * 64))
    agent = Agent()
    node, spec = node_with(agent), match(stored, version="a" * 64)
    assert not node.takes(spec)
    await until(lambda: node.refusal(spec) is not None)
    assert "the stored files were changed" in str(node.refusal(spec))
    assert agent.asked == []


async def test_a_seat_that_is_barred_needs_nothing(bot: Path) -> None:
    node = node_with(Agent())
    assert node.takes(match(bot, barred={"worker": "fell"}))


async def test_archives_are_packed_once_and_those_used_longest_ago_are_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put: list[bytes] = []
    archives = Archives(lambda data: put.append(data) or len(put))  # type: ignore[func-returns-value]
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "main.py").write_text(name, encoding="utf-8")
    first = await archives.get(str(tmp_path / "a"))
    assert await archives.get(str(tmp_path / "a")) is first
    monkeypatch.setattr(node_module, "KEPT_BYTES", 2 * first.size_bytes)
    for name in ("b", "a", "c"):
        await archives.get(str(tmp_path / name))
    assert len(put) == 3
    assert await archives.get(str(tmp_path / "a")) is first
    await archives.get(str(tmp_path / "b"))
    assert len(put) == 4


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
