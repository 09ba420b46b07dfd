"""What a bot uses while nobody asks it, with a process and a clock that only the test moves."""

import asyncio
from typing import Any

import pytest

from arena.hosting.errors import HostingError
from arena.hosting.launcher.messages import FreezeOutcome
from arena.match.result import FaultCause
from arena.referee.inbox import Offence
from arena.worker.bot_freezer import FREE_US, MOST_ASLEEP_US, BotFreezer

WHOLE = FreezeOutcome(is_whole=True)


class Bot:
    """Stands for its process, its stream and its meter."""

    def __init__(self) -> None:
        self.pid = 1
        self.cpu_us = self.begun_us = 0
        self.at = 0.0
        self.is_frozen = self.is_killed = False
        self.answer = self.freeze_outcome = WHOLE
        self.exited: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.offences: list[Offence] = []
        self.times_frozen = 0

    def idle_us(self) -> int:
        return self.cpu_us

    settled_us = total_us = idle_us

    def now(self) -> float:
        return self.at

    async def freeze(self) -> FreezeOutcome:
        self.times_frozen += 1
        self.is_frozen, self.freeze_outcome = True, self.answer
        return self.freeze_outcome

    async def thaw(self) -> FreezeOutcome:
        self.is_frozen, self.freeze_outcome = False, self.answer
        return self.freeze_outcome

    def kill(self) -> None:
        self.is_killed = True

    def offend(self, offence: Offence) -> None:
        self.offences.append(offence)

    def freezer(self) -> BotFreezer:
        stand_in: Any = self
        return BotFreezer(stand_in, stand_in, stand_in, self.at)

    def decide(self, freezer: BotFreezer, wall_s: float, cpu_s: float) -> None:
        """Be asked, and answer after that time having computed for that time."""
        self.begun_us = self.cpu_us
        freezer.begin(self.at)
        self.pass_time(wall_s, cpu_s)
        freezer.end(self.at)

    def pass_time(self, wall_s: float, cpu_s: float = 0.0) -> None:
        self.at += wall_s
        self.cpu_us += round(cpu_s * 1_000_000)


async def test_a_bot_that_computes_only_while_it_is_asked_is_left_alone() -> None:
    bot = Bot()
    freezer = bot.freezer()
    for length_s in (0.0005, 0.001, 0.01, 2.0):
        for _ in range(1000):
            bot.decide(freezer, length_s, length_s)
            bot.pass_time(length_s, 0.0001)  # it tidies up
            assert not freezer.must_freeze(bot.at)
    assert not freezer.is_restless


@pytest.mark.hostile("compute-in-short-gaps")
@pytest.mark.parametrize("gap_s", [0.001, 0.005, 0.02, 1.0])
async def test_a_bot_that_computes_in_others_time_is_found_however_short_their_decisions_are(gap_s: float) -> None:
    bot = Bot()
    freezer = bot.freezer()
    for _ in range(round(0.2 / gap_s) + 1):
        bot.decide(freezer, 0.0005, 0.0005)
        bot.pass_time(gap_s, gap_s)
    bot.decide(freezer, 0.0005, 0.0005)
    assert freezer.is_restless
    await freezer.freeze()
    assert bot.is_frozen


@pytest.mark.hostile("save-up-time-by-waiting")
async def test_what_a_longer_decision_computed_less_than_it_lasted_is_no_credit() -> None:
    bot = Bot()
    freezer = bot.freezer()
    for _ in range(10):
        bot.decide(freezer, 0.02, 0.0)
        bot.pass_time(0.02, 0.02)
    assert freezer.must_freeze(bot.at)


async def test_little_is_free_and_calms_down_again() -> None:
    bot = Bot()
    freezer = bot.freezer()
    bot.pass_time(0.1, FREE_US / 1_000_000)
    assert not freezer.must_freeze(bot.at)
    bot.pass_time(0.001, 0.01)
    assert freezer.must_freeze(bot.at)
    assert freezer.is_restless
    bot.pass_time(10.0)
    assert not freezer.must_freeze(bot.at)
    assert not freezer.is_restless


@pytest.mark.hostile("compute-while-asleep")
async def test_who_computes_while_it_sleeps_is_expelled_once() -> None:
    bot = Bot()
    freezer = bot.freezer()
    await freezer.freeze()
    bot.pass_time(1.0, MOST_ASLEEP_US / 1_000_000)
    assert not freezer.must_freeze(bot.at)
    assert not bot.offences
    bot.pass_time(1.0, 0.001)
    assert not freezer.must_freeze(bot.at)
    (offence,) = bot.offences
    assert offence.cause is FaultCause.RESOURCE
    assert offence.evidence == {"asleep_cpu_us": MOST_ASLEEP_US + 1000, "asleep_s": 2.0}
    assert bot.is_killed
    assert not freezer.must_freeze(bot.at)


async def test_where_some_of_it_may_have_escaped_it_is_put_to_sleep_again() -> None:
    bot = Bot()
    bot.answer = FreezeOutcome()
    freezer = bot.freezer()
    await freezer.freeze()
    bot.pass_time(1.0, 1.0)
    assert freezer.must_freeze(bot.at)
    await freezer.freeze()
    assert (bot.times_frozen, bot.offences) == (2, [])
    assert not freezer.must_freeze(bot.at)


@pytest.mark.hostile("prevent-its-sleep")
async def test_who_prevents_its_sleep_is_expelled_and_a_host_that_cannot_is_left_alone() -> None:
    bot = Bot()
    bot.answer = FreezeOutcome("It killed it.", is_own=True)
    await bot.freezer().freeze()
    assert [offence.explanation for offence in bot.offences] == ["It killed it."]
    other = Bot()
    other.answer = FreezeOutcome("Its namespaces cannot be entered.")
    freezer = other.freezer()
    await freezer.freeze()
    assert (other.offences, other.is_frozen) == ([], False)
    other.pass_time(1.0, 1.0)
    assert not freezer.must_freeze(other.at)


@pytest.mark.host_fault("bot-that-cannot-be-woken")
async def test_a_bot_that_cannot_be_woken_is_the_hosts_fault() -> None:
    bot = Bot()
    freezer = bot.freezer()
    await freezer.freeze()
    bot.answer = FreezeOutcome("Its namespaces cannot be entered.")
    with pytest.raises(HostingError, match="could not be woken"):
        await freezer.thaw()
