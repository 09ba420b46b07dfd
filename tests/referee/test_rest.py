"""When the bots of a match are told to rest."""

import pytest

from arena.referee.rest import Rests


class Bot:
    """Notes what it is told."""

    def __init__(self, *, is_restless: bool = False) -> None:
        self.is_restless = is_restless
        self.is_asleep = False
        self.told: list[str] = []

    async def rouse(self) -> None:
        self.told.append("rouse")
        self.is_asleep = False

    def begin(self, now: float) -> None:
        self.told.append(f"begin {now:g}")

    def end(self, now: float) -> None:
        self.told.append(f"end {now:g}")

    async def lie_down(self) -> None:
        self.told.append("lie down")
        self.is_asleep = True


async def play(rests: Rests) -> None:
    rests.open(1.0)
    for seat in (0, 1, 2):
        await rests.rouse(seat)
        rests.begin(seat, 2.0)
        await rests.end(seat, 3.0)
    rests.close(4.0)


@pytest.mark.hostile("compute-after-its-answer")
async def test_a_bot_is_asked_and_rests_and_one_that_computes_sleeps_at_once() -> None:
    calm, restless = Bot(), Bot(is_restless=True)
    rests = Rests([calm, restless, None])
    await play(rests)
    assert calm.told == ["begin 2", "end 3", "end 4"]
    assert restless.told == ["begin 2", "end 3", "lie down", "end 4"]
    await rests.rouse(1)
    assert restless.told[-1] == "rouse"


@pytest.mark.parametrize("is_restless", [True, False])
async def test_who_may_ponder_rests_when_the_match_is_over(is_restless: bool) -> None:
    bot = Bot(is_restless=is_restless)
    await play(Rests([bot, None, None], may_ponder=True))
    assert bot.told == ["begin 1", "end 4"]
