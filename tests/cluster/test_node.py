"""What a machine needs before it plays a match: its bots' files, whole, and the level of their sandbox."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arena.executor.ray import archives as archives_module
from arena.executor.ray.archives import Archives
from arena.executor.ray.draining import SlowMatches
from arena.executor.ray.node import LOOK_AGAIN_S, ClusterNode, NodeState
from arena.match.result import Fault, FaultCause, HostCause
from arena.match.spec import MatchSpec
from tests.support.patience import until
from tests.support.specs import script_spec, seat_spec

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
    monkeypatch.setattr(archives_module, "KEPT_BYTES", 2 * first.size_bytes)
    for name in ("b", "a", "c"):
        await archives.get(str(tmp_path / name))
    assert len(put) == 3
    assert await archives.get(str(tmp_path / "a")) is first
    await archives.get(str(tmp_path / "b"))
    assert len(put) == 4
