"""When the bots of a match are frozen and thawed."""

import pytest

from arena.referee.play import SeatFreezers


class FreezableBot:
    """Notes what it is told."""

    def __init__(self, *, is_restless: bool = False) -> None:
        self.is_restless = is_restless
        self.is_frozen = False
        self.told: list[str] = []

    async def thaw(self) -> None:
        self.told.append("thaw")
        self.is_frozen = False

    def begin(self, now: float) -> None:
        self.told.append(f"begin {now:g}")

    def end(self, now: float) -> None:
        self.told.append(f"end {now:g}")

    async def freeze(self) -> None:
        self.told.append("freeze")
        self.is_frozen = True


async def go_round(freezers: SeatFreezers) -> None:
    freezers.open(1.0)
    for seat in (0, 1, 2):
        await freezers.thaw(seat)
        freezers.begin(seat, 2.0)
        await freezers.end(seat, 3.0)
    freezers.close(4.0)


@pytest.mark.hostile("compute-after-its-answer")
async def test_one_that_goes_on_computing_is_frozen_as_soon_as_it_has_answered() -> None:
    calm, restless = FreezableBot(), FreezableBot(is_restless=True)
    freezers = SeatFreezers([calm, restless, None])
    await go_round(freezers)
    assert calm.told == ["begin 2", "end 3", "end 4"]
    assert restless.told == ["begin 2", "end 3", "freeze", "end 4"]
    await freezers.thaw(1)
    assert restless.told[-1] == "thaw"


@pytest.mark.parametrize("is_restless", [True, False])
async def test_who_may_ponder_is_asked_until_the_match_is_over(is_restless: bool) -> None:
    bot = FreezableBot(is_restless=is_restless)
    await go_round(SeatFreezers([bot, None, None], may_ponder=True))
    assert bot.told == ["begin 1", "end 4"]
