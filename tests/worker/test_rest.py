"""What a bot uses while nobody asks it, with a process and a clock that only the test moves."""

import asyncio
from typing import Any

import pytest

from arena.hosting.errors import HostingError
from arena.hosting.launcher.reports import Slept
from arena.match.result import FaultCause
from arena.referee.inbox import Offence
from arena.worker.rest import FREE_US, MOST_ASLEEP_US, BotRest

WHOLE = Slept(is_whole=True)


class Bot:
    """Stands for its process, its stream and its meter."""

    def __init__(self) -> None:
        self.pid = 1
        self.cpu_us = self.begun_us = 0
        self.at = 0.0
        self.is_asleep = self.is_killed = False
        self.answer = self.slept = WHOLE
        self.exited: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.offences: list[Offence] = []
        self.naps = 0

    def idle_us(self) -> int:
        return self.cpu_us

    settled_us = total_us = idle_us

    def now(self) -> float:
        return self.at

    async def sleep(self) -> Slept:
        self.naps += 1
        self.is_asleep, self.slept = True, self.answer
        return self.slept

    async def wake(self) -> Slept:
        self.is_asleep, self.slept = False, self.answer
        return self.slept

    def kill(self) -> None:
        self.is_killed = True

    def offend(self, offence: Offence) -> None:
        self.offences.append(offence)

    def rest(self) -> BotRest:
        stand_in: Any = self
        return BotRest(stand_in, stand_in, stand_in, self.at)

    def decide(self, rest: BotRest, wall_s: float, cpu_s: float) -> None:
        """Be asked, and answer after that time having computed for that time."""
        self.begun_us = self.cpu_us
        rest.begin(self.at)
        self.pass_time(wall_s, cpu_s)
        rest.end(self.at)

    def pass_time(self, wall_s: float, cpu_s: float = 0.0) -> None:
        self.at += wall_s
        self.cpu_us += round(cpu_s * 1_000_000)


async def test_a_bot_that_computes_only_while_it_is_asked_is_left_alone() -> None:
    bot = Bot()
    rest = bot.rest()
    for length_s in (0.0005, 0.001, 0.01, 2.0):
        for _ in range(1000):
            bot.decide(rest, length_s, length_s)
            bot.pass_time(length_s, 0.0001)  # it tidies up
            assert not rest.must_lie_down(bot.at)
    assert not rest.is_restless


@pytest.mark.hostile("compute-in-short-gaps")
@pytest.mark.parametrize("gap_s", [0.001, 0.005, 0.02, 1.0])
async def test_a_bot_that_computes_in_others_time_is_found_however_short_their_decisions_are(gap_s: float) -> None:
    bot = Bot()
    rest = bot.rest()
    for _ in range(round(0.2 / gap_s) + 1):
        bot.decide(rest, 0.0005, 0.0005)
        bot.pass_time(gap_s, gap_s)
    bot.decide(rest, 0.0005, 0.0005)
    assert rest.is_restless
    await rest.lie_down()
    assert bot.is_asleep


@pytest.mark.hostile("save-up-time-by-waiting")
async def test_what_a_longer_decision_computed_less_than_it_lasted_is_no_credit() -> None:
    bot = Bot()
    rest = bot.rest()
    for _ in range(10):
        bot.decide(rest, 0.02, 0.0)
        bot.pass_time(0.02, 0.02)
    assert rest.must_lie_down(bot.at)


async def test_little_is_free_and_calms_down_again() -> None:
    bot = Bot()
    rest = bot.rest()
    bot.pass_time(0.1, FREE_US / 1_000_000)
    assert not rest.must_lie_down(bot.at)
    bot.pass_time(0.001, 0.01)
    assert rest.must_lie_down(bot.at)
    assert rest.is_restless
    bot.pass_time(10.0)
    assert not rest.must_lie_down(bot.at)
    assert not rest.is_restless


@pytest.mark.hostile("compute-while-asleep")
async def test_who_computes_while_it_sleeps_is_expelled_once() -> None:
    bot = Bot()
    rest = bot.rest()
    await rest.lie_down()
    bot.pass_time(1.0, MOST_ASLEEP_US / 1_000_000)
    assert not rest.must_lie_down(bot.at)
    assert not bot.offences
    bot.pass_time(1.0, 0.001)
    assert not rest.must_lie_down(bot.at)
    (offence,) = bot.offences
    assert offence.cause is FaultCause.RESOURCE
    assert offence.evidence == {"asleep_cpu_us": MOST_ASLEEP_US + 1000, "asleep_s": 2.0}
    assert bot.is_killed
    assert not rest.must_lie_down(bot.at)


async def test_where_some_of_it_may_have_escaped_it_is_put_to_sleep_again() -> None:
    bot = Bot()
    bot.answer = Slept()
    rest = bot.rest()
    await rest.lie_down()
    bot.pass_time(1.0, 1.0)
    assert rest.must_lie_down(bot.at)
    await rest.lie_down()
    assert (bot.naps, bot.offences) == (2, [])
    assert not rest.must_lie_down(bot.at)


@pytest.mark.hostile("prevent-its-sleep")
async def test_who_prevents_its_sleep_is_expelled_and_a_host_that_cannot_is_left_alone() -> None:
    bot = Bot()
    bot.answer = Slept("It killed it.", is_own=True)
    await bot.rest().lie_down()
    assert [offence.explanation for offence in bot.offences] == ["It killed it."]
    other = Bot()
    other.answer = Slept("Its namespaces cannot be entered.")
    rest = other.rest()
    await rest.lie_down()
    assert (other.offences, other.is_asleep) == ([], False)
    other.pass_time(1.0, 1.0)
    assert not rest.must_lie_down(other.at)


@pytest.mark.host_fault("bot-that-cannot-be-woken")
async def test_a_bot_that_cannot_be_woken_is_the_hosts_fault() -> None:
    bot = Bot()
    rest = bot.rest()
    await rest.lie_down()
    bot.answer = Slept("Its namespaces cannot be entered.")
    with pytest.raises(HostingError, match="could not be woken"):
        await rest.rouse()
