"""A tournament that is played until a question is answered, and no longer."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from arena.tournament.formats.adaptive import Adaptive, with_zone
from arena.tournament.formats.catalog import is_ready
from arena.tournament.formats.format import BlockState, CircularOrder, PlayedBlock, ScheduleError
from ratings.statistics.blocks import rotations
from tests.tournament.formats.simulation import SEED, Played, field_of, plan_wave


def play_by_strength(form: Adaptive, size: int, seed: int) -> Played:
    """The higher the number of a bot, the more it wins."""
    random = Random(seed)
    played, over = Played(form, field_of(size)), 0
    while True:
        if is_ready(form, len(played.waves), over):
            orders = plan_wave(form, played.entrants, played.waves, SEED)
            if not orders:
                return played
            played.waves.append(tuple(PlayedBlock(order) for order in orders))
        else:
            played.waves[over] = tuple(result(one.order, random) for one in played.waves[over])
            over += 1


def result(order: CircularOrder, random: Random) -> PlayedBlock:
    ranks, digests = [], []
    for sitting in rotations(order):
        scores = [int(name[3:]) + 2 * random.random() for name in sitting]
        ranks.append(tuple(1 + sum(other > score for other in scores) for score in scores))
        digests.append(f"{random.getrandbits(256):064x}")
    return PlayedBlock(order, BlockState.WHOLE, tuple(ranks), (frozenset(),) * len(order), tuple(digests))


@pytest.mark.parametrize("seats", [2, 3])
def test_it_ends_with_the_right_answer_and_fewer_matches_than_all(seats: int) -> None:
    form = Adaptive(seats, "top 2 known at 90%", 400)
    played = play_by_strength(form, 8, 3)
    answer = form.answer(played.situation)
    assert answer.is_known
    assert set(answer.leaders) == {"bot7", "bot6"}
    assert len(played.blocks) < 400
    assert {row.entrant for row in form.standings(played.situation)[:2]} == {"bot7", "bot6"}


def test_after_two_rings_eight_blocks_are_chosen_at_a_time() -> None:
    played = play_by_strength(Adaptive(2, "winner known at 99%", 51), 10, 5)
    sizes = [len(wave) for wave in played.waves]
    assert sizes[:2] == [10, 10]
    assert set(sizes[2:-1]) == {8}
    assert sizes[-1] <= 8
    assert sum(sizes) <= 51


def test_those_whose_order_matters_play_most() -> None:
    played = play_by_strength(Adaptive(2, "winner known at 99%", 300), 10, 5)
    blocks = played.blocks_by_entrant()
    assert blocks["bot9"] + blocks["bot8"] > 3 * (blocks["bot0"] + blocks["bot1"]) / 2


@pytest.mark.parametrize(
    ("form", "entrants", "message"),
    [
        (Adaptive(2, "top 3"), 8, "is no question; write for example: top 3 known at 95%"),
        (Adaptive(2, "top 3 known at 95%"), 3, "is known before the first match"),
        (Adaptive(2, "winner known at 95%", 3), 8, "3 blocks at most are too few for 8 bots"),
    ],
)
def test_a_question_without_an_answer_is_refused(form: Adaptive, entrants: int, message: str) -> None:
    with pytest.raises(ScheduleError, match=message):
        form.check(entrants)


def test_when_no_more_are_left_than_are_asked_for_it_is_answered() -> None:
    played = play_by_strength(Adaptive(2, "top 3 known at 95%", 8), 4, 3)
    played.entrants[1] = replace(played.entrants[1], withdrawn=len(played.waves))
    assert isinstance(played.form, Adaptive)
    answer = played.form.answer(played.situation)
    assert (answer.is_known, answer.leaders, answer.contenders) == (True, ("bot0", "bot2", "bot3"), ())


def test_a_question_gets_the_usual_zone_unless_it_or_the_option_names_one() -> None:
    assert with_zone("winner known at 95%", None) == "winner known at 95% within 10 Elo"
    assert with_zone("winner known at 95%", 2.5) == "winner known at 95% within 2.5 Elo"
    assert with_zone("winner known at 95%", 0) == "winner known at 95% within 0 Elo"
    assert with_zone("winner known at 95% within 5 Elo", None) == "winner known at 95% within 5 Elo"
    with pytest.raises(ScheduleError, match="leave out --within"):
        with_zone("winner known at 95% within 5 Elo", 5)
    with pytest.raises(ScheduleError, match="write for example"):
        with_zone("who wins?", None)
