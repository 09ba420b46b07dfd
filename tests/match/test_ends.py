"""How matches end, what the clock does, and what is wrong with an answer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena.match.decisions import (
    Answer,
    Decision,
    Malformed,
    Resignation,
    TimeSpent,
    explain_illegal,
    explain_late,
    find_fault_of_form,
    is_late,
)
from arena.match.result import FaultCause
from arena.match.time_control import TimeControl
from tests.match.script_match import act, asked, causes, plies_of, start
from tests.support.specs import installed_script_game


@pytest.fixture(autouse=True)
def _script_game() -> Iterator[None]:
    with installed_script_game():
        yield


class TestClock:
    def test_the_limit_of_a_decision_is_told(self) -> None:
        match = start("0:2 1:2", clock="100ms")
        assert match.decision is not None
        assert (match.decision.time_limit_us, match.decision.bank_us) == (100_000, 0)

    def test_a_bank_pays_for_decisions_and_gets_an_increment_for_each(self) -> None:
        match = start("0:2 0:2 1:2", clock="2+0.5")
        act(match, 0, took_us=700_000)
        assert match.decision is not None
        assert match.decision.bank_us == 1_800_000

    def test_one_answer_with_several_actions_is_one_charge_and_one_increment(self) -> None:
        match = start("0:2 0:2 0:1 0:2 1:2", clock="2+0.5")
        act(match, 0, 0, took_us=700_000)
        assert match.decision is not None
        assert match.decision.bank_us == 1_800_000

    def test_a_forced_decision_draws_no_increment(self) -> None:
        match = start("0:1 0:2 1:2", clock="2+0.5")
        assert match.decision is not None
        assert match.decision.bank_us == 2_000_000

    def test_a_bank_and_a_limit_give_the_smaller_one(self) -> None:
        match = start("0:2 0:2 1:2", clock="2+0/1s")
        assert match.decision is not None
        assert match.decision.time_limit_us == 1_000_000
        act(match, 0, took_us=1_000_000)
        act(match, 0, took_us=1_040_000)
        assert not match.is_out(0)
        match = start("0:2 0:2 0:2 1:2", clock="1.5+0/1s")
        act(match, 0, took_us=1_000_000)
        assert match.decision is not None
        assert match.decision.time_limit_us == 500_000

    def test_an_empty_bank_is_a_timeout(self) -> None:
        match = start("0:2 0:2 1:2", clock=TimeControl(bank_us=1_000_000, margin_us=0))
        act(match, 0, took_us=1_000_000)
        act(match, 0, took_us=2)
        assert causes(match) == [(0, FaultCause.TIMEOUT, 1)]


class TestForfeits:
    def test_with_one_seat_left_the_match_ends_and_it_wins(self) -> None:
        match = start("0:2 1:2 2:2 0:2", seats=3)
        act(match, 5)
        assert asked(match) == (1, 1)
        act(match, 5)
        result = match.result()
        assert result.ranks == (3, 2, 1)
        assert not result.by_rules
        assert result.forfeits == (0, 1)
        assert result.details == {}

    def test_the_caretaker_plays_a_forfeited_seat_on_and_its_rank_is_last(self) -> None:
        match = start("0:8 1:2 2:2 0:8", seats=3)
        act(match, 7)
        act(match, 9)
        act(match, 1)
        act(match, 0)
        result = match.result()
        assert result.by_rules
        assert result.details == {"scores": [7, 0, 1]}
        assert result.ranks == (1, 3, 2)

    def test_a_forfeited_seat_ranks_last_even_if_it_leads(self) -> None:
        match = start("0:8 1:2 2:3 0:2 1:2 2:2", seats=3)
        act(match, 7)
        act(match, 1)
        act(match, 2)
        act(match, 9)
        act(match, 0)
        act(match, 0)
        assert match.result().details == {"scores": [7, 1, 2]}
        assert match.result().ranks == (3, 2, 1)

    def test_unforfeited_seats_that_tie_stay_tied(self) -> None:
        match = start("0:2 1:2 2:2", seats=3)
        act(match, 9)
        act(match, 1)
        act(match, 1)
        assert match.result().ranks == (3, 1, 1)

    def test_seats_that_did_not_start_forfeit_together(self) -> None:
        match = start("0:2 1:2 2:2", seats=3, absent=(0, 1))
        assert match.result().ranks == (2, 2, 1)
        assert match.result().rated

    def test_a_bot_that_did_not_start_ranks_below_one_that_forfeits_at_the_first_ply(self) -> None:
        match = start("0:2 1:2 2:2", seats=3, absent=(2,))
        act(match, 9)
        assert match.result().ranks == (2, 1, 3)

    def test_if_every_seat_faulted_before_any_acted_the_match_is_not_rated(self) -> None:
        result = start("0:2 1:2", absent=(0, 1)).result()
        assert result.ranks == (1, 1)
        assert not result.rated

    def test_resigning_forfeits_and_is_no_fault(self) -> None:
        match = start("0:2 1:2")
        match.receive(0, Resignation("m1"), 0, 0)
        result = match.result()
        assert (result.ranks, result.resigned, result.forfeits, result.faults) == ((2, 1), (0,), (0,), ())
        assert result.rated

    def test_a_seat_may_resign_while_another_one_decides(self) -> None:
        match = start("0:2 1:2 2:2", seats=3)
        match.receive(2, Resignation("m1"), 0, 0)
        assert asked(match) == (0, 0)
        assert match.is_out(2)

    def test_resigning_from_another_match_is_a_breach(self) -> None:
        for seat in (0, 1):
            match = start("0:2 1:2")
            match.receive(seat, Resignation("m2"), 0, 0)
            assert causes(match) == [(seat, FaultCause.PROTOCOL, 0)]

    def test_a_seat_that_disconnects_while_another_one_decides_forfeits_at_once(self) -> None:
        match = start("0:2 1:2 2:2 1:2", seats=3)
        match.fail(1, FaultCause.DISCONNECTED, "Its stream ended.", {"signal": 11})
        act(match, 0)
        assert asked(match) == (2, 2)
        assert plies_of(match)[1] == (1, 0, "caretaker")

    def test_nothing_counts_after_the_end(self) -> None:
        match = start("0:2")
        act(match, 0)
        match.fail(0, FaultCause.DISCONNECTED, "Its stream ended.")
        match.receive(1, Malformed("noise"), 0, 0)
        match.expire(1, 1)
        assert match.result().faults == ()

    def test_the_result_exists_only_after_the_end(self) -> None:
        with pytest.raises(ValueError, match="not over"):
            start("0:2 1:2").result()


def decision(limit_us: int = 100_000) -> Decision:
    return Decision(0, 0, (0, 1), (), 0, limit_us, 0)


def test_the_margin_may_be_used_up_and_no_more() -> None:
    assert not is_late(decision(), TimeSpent(0, 110_000, 100_000), 10_000)
    assert is_late(decision(), TimeSpent(0, 110_001, 100_000), 10_000)
    assert not is_late(decision(0), TimeSpent(0, 999_000_000, 0), 0)


@pytest.mark.parametrize(
    ("elapsed_us", "took"),
    [
        (123_456, "It took 123.456 ms"),
        (123_457, "It took 123.456 ms (0.001 ms of waiting for this machine not counted)"),
        (623_456, "It took 123.456 ms (500 ms of waiting for this machine not counted)"),
    ],
)
def test_a_late_answer_is_told_its_time_and_what_was_not_counted(elapsed_us: int, took: str) -> None:
    spent = TimeSpent(elapsed_us, 123_456, 100_000)
    assert explain_late(decision(), spent, 10_000) == f"{took}; it had 100 ms and a margin of 10 ms."


@pytest.mark.parametrize(("elapsed_us", "seconds"), [(600_000_000, 600), (599_999_999, 599)])
def test_without_a_clock_the_silence_is_told_in_whole_seconds(elapsed_us: int, seconds: int) -> None:
    sentence = f"It did not answer for {seconds} s; even without a clock a decision has an end."
    assert explain_late(decision(0), TimeSpent(elapsed_us, elapsed_us, 0), 0) == sentence


@pytest.mark.parametrize("actions", [0, 65])
def test_an_answer_holds_one_to_sixty_four_actions(actions: int) -> None:
    _, why = find_fault_of_form(decision(), Answer("m1", 0, (0,) * actions), "m1")
    assert why == f"Its answer held {actions} actions; 1 to 64 are allowed."


def test_an_action_that_is_not_legal_is_told_beside_those_that_are() -> None:
    sentence = "It chose action -1, which does not exist; legal were 0 (ADD:0), 1 (ADD:1)."
    assert explain_illegal(start("0:2 1:2").playing, -1) == sentence
