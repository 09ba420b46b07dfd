"""The state machine of a match: who is asked what, what an answer does, who forfeits, who wins."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.match.decisions import DecidedBy
from arena.match.match import Match, MatchSpecError
from arena.match.messages import Answer, Malformed, ProtocolViolation, Resignation
from arena.match.result import Fault, FaultCause
from arena.match.time_control import TimeControl
from tests.support.specs import installed_script_game, script_spec


@pytest.fixture(autouse=True)
def _script_game() -> Iterator[None]:
    with installed_script_game():
        yield


def start(script: str, seats: int = 2, *, absent: Sequence[int] = (), **changes: Any) -> Match:
    match = Match(script_spec(script, seats, **changes))
    match.begin([Fault(seat, FaultCause.START_FAILED, 0, "It did not start.") for seat in absent])
    return match


def act(match: Match, *actions: int, took_us: int = 0, **changes: Any) -> None:
    """The seat that is asked answers."""
    decision = match.decision
    assert decision is not None
    answer = Answer(**{"match_id": "m1", "ply": decision.ply, "actions": actions, **changes})
    match.receive(decision.seat, answer, took_us, took_us)


def asked(match: Match) -> tuple[int, int]:
    """Seat and ply of the pending decision."""
    assert match.decision is not None
    return match.decision.seat, match.decision.ply


def causes(match: Match) -> list[tuple[int, FaultCause, int]]:
    return [(fault.seat, fault.cause, fault.ply) for fault in match.result().faults]


def plies_of(match: Match) -> list[tuple[int, int, str]]:
    return [(entry.seat, entry.action, entry.by.value) for entry in match.entries]


class TestTurns:
    def test_seats_are_asked_in_turn_until_the_rules_end_the_game(self) -> None:
        match = start("0:2 1:3 0:2")
        assert asked(match) == (0, 0)
        act(match, 1)
        assert asked(match) == (1, 1)
        act(match, 2)
        act(match, 0)
        result = match.result()
        assert result.ranks == (2, 1)
        assert result.by_rules
        assert result.rated
        assert result.details == {"scores": [1, 2]}

    def test_a_forced_decision_is_played_takes_a_ply_and_is_never_sent(self) -> None:
        match = start("0:1 1:1 0:2 1:1")
        assert asked(match) == (0, 2)
        act(match, 1)
        assert match.is_over
        assert plies_of(match) == [(0, 0, "forced"), (1, 0, "forced"), (0, 1, "bot"), (1, 0, "forced")]

    def test_the_opening_is_played_before_anybody_is_asked(self) -> None:
        match = start("0:3 1:1 0:2 1:2", opening=(2, 0, 1))
        assert asked(match) == (1, 3)
        assert [entry.by for entry in match.entries] == [DecidedBy.OPENING] * 3

    def test_an_opening_that_is_not_legal_cannot_be_played(self) -> None:
        with pytest.raises(MatchSpecError, match="opening breaks at ply 1"):
            start("0:2 1:2", opening=(0, 2))

    def test_an_opening_may_play_the_whole_game(self) -> None:
        match = start("0:2 1:2", opening=(0, 1))
        assert match.result().ranks == (2, 1)

    @pytest.mark.parametrize(
        ("changes", "problem"),
        [
            ({"rules_version": "0"}, "rules version 0"),
            ({"options": {"board": "big"}}, "script has no option"),
            ({"game": "checkers"}, "no game 'checkers'"),
        ],
    )
    def test_a_match_that_cannot_be_played_is_refused(self, changes: dict[str, Any], problem: str) -> None:
        with pytest.raises(MatchSpecError, match=problem):
            start("0:2", **changes)

    def test_a_decision_tells_what_happened_since_its_seat_last_heard(self) -> None:
        match = start("0:2 1:2 0:1 1:2 0:2", opening=(1,))
        assert [event.ply for event in match.hear(0)] == [0]
        assert asked(match) == (1, 1)
        assert match.decision is not None
        assert [event.ply for event in match.decision.events] == [0]
        act(match, 0)
        assert [event.ply for event in match.decision.events] == [1, 2]
        act(match, 0)
        assert [(event.ply, event.forced) for event in match.decision.events] == [(1, False), (2, True), (3, False)]

    def test_a_decision_shows_the_chance_that_its_seat_may_see(self) -> None:
        match = start("0:2d 1:2")
        act(match, 0)
        assert match.decision is not None
        (reveal,) = match.decision.events[0].reveals
        assert reveal.kind == "d6"


class TestSeveralActions:
    def test_they_are_applied_in_order_while_the_same_seat_decides(self) -> None:
        match = start("0:2 0:3 0:2 1:2")
        act(match, 1, 2, 0)
        assert plies_of(match) == [(0, 1, "bot"), (0, 2, "bot"), (0, 0, "bot")]
        assert asked(match) == (1, 3)

    def test_the_next_decision_asks_for_what_was_not_answered(self) -> None:
        match = start("0:2 0:3 0:2 1:2")
        act(match, 1, 2)
        assert asked(match) == (0, 2)

    def test_own_forced_decisions_inside_are_played_by_the_referee(self) -> None:
        match = start("0:2 0:1 0:1 0:3 1:2")
        act(match, 1, 2)
        assert plies_of(match) == [(0, 1, "bot"), (0, 0, "forced"), (0, 0, "forced"), (0, 2, "bot")]

    @pytest.mark.parametrize("script", ["0:2 1:2 0:4 1:2", "0:2 1:1 0:4 1:2", "0:2d 0:4 1:2", "0:2 0:1d 0:4 1:2"])
    def test_another_seat_forced_or_not_and_chance_stop_them_without_fault(self, script: str) -> None:
        match = start(script)
        act(match, 1, 3, 2)
        assert [entry.action for entry in match.entries if entry.by is DecidedBy.BOT] == [1]
        assert not match.is_out(0)

    def test_the_end_of_the_game_stops_them(self) -> None:
        match = start("1:2 0:2")
        act(match, 0)
        act(match, 1, 1, 1)
        assert match.result().ranks == (1, 2)
        assert not match.result().faults

    def test_what_was_dropped_is_counted_in_the_next_decision_of_that_seat_and_only_there(self) -> None:
        match = start("0:2 1:2 0:2 1:2 0:2")
        act(match, 0, 1, 1)
        assert match.decision is not None
        assert match.decision.dropped == 0
        act(match, 0)
        assert match.decision.dropped == 2
        act(match, 0)
        act(match, 0)
        assert match.decision.dropped == 0

    def test_an_illegal_id_inside_the_applied_part_is_a_fault_and_those_before_stay_applied(self) -> None:
        match = start("0:2 0:2 0:2 1:2 0:2", seats=3)
        act(match, 1, 7, 1)
        assert match.is_out(0)
        assert plies_of(match) == [(0, 1, "bot"), (0, 0, "caretaker"), (0, 0, "caretaker")]

    def test_an_illegal_id_behind_the_applied_part_is_dropped(self) -> None:
        match = start("0:2 1:2 0:2")
        act(match, 1, 99)
        assert not match.is_out(0)

    def test_only_the_first_action_of_an_answer_carries_the_time_and_the_note(self) -> None:
        match = start("0:2 0:2 1:2")
        act(match, 1, 1, took_us=5, note="both")
        first, second = match.entries
        assert (first.decide, first.elapsed_us, first.note) == (0, 5, "both")
        assert (second.decide, second.elapsed_us, second.note) == (0, 0, "")


class TestJudgement:
    @pytest.mark.parametrize(
        ("answer", "cause"),
        [
            ({"actions": ()}, FaultCause.MALFORMED),
            ({"actions": (0,) * 65}, FaultCause.MALFORMED),
            ({"note": "x" * 1001}, FaultCause.MALFORMED),
            ({"match_id": "m2"}, FaultCause.PROTOCOL),
            ({"ply": 1}, FaultCause.PROTOCOL),
            ({"actions": (2,)}, FaultCause.ILLEGAL_ACTION),
            ({"actions": (-1,)}, FaultCause.ILLEGAL_ACTION),
            ({"actions": (2**31 - 1,)}, FaultCause.ILLEGAL_ACTION),
        ],
    )
    def test_a_wrong_answer_is_a_fault_with_its_cause(self, answer: dict[str, Any], cause: FaultCause) -> None:
        match = start("0:2 1:2")
        match.receive(0, Answer(**{"match_id": "m1", "ply": 0, "actions": (0,), **answer}), 0, 0)
        assert causes(match) == [(0, cause, 0)]
        assert match.result().ranks == (2, 1)

    def test_sixty_four_actions_and_a_thousand_characters_are_allowed(self) -> None:
        match = start("0:2 " * 64 + "1:2")
        act(match, *([1] * 64), note="x" * 1000)
        assert asked(match) == (1, 64)

    def test_a_late_answer_is_a_timeout_whatever_it_says(self) -> None:
        for message in (Answer("m2", 9, ()), Malformed("noise"), ProtocolViolation("a second Join"), Resignation("m1")):
            match = start("0:2 1:2", clock="100ms")
            match.receive(0, message, 150_001, 150_001)
            assert causes(match) == [(0, FaultCause.TIMEOUT, 0)]

    def test_lateness_inside_the_margin_is_no_fault(self) -> None:
        match = start("0:2 1:2", clock="100ms")
        act(match, 0, took_us=150_000)
        assert not match.is_out(0)

    def test_the_charge_decides_not_the_time_that_passed(self) -> None:
        match = start("0:2 1:2", clock="100ms")
        match.receive(0, Answer("m1", 0, (0,)), 900_000, 100_000)
        assert not match.is_out(0)

    def test_silence_is_a_timeout_also_without_a_clock(self) -> None:
        for clock in ("100ms", "none"):
            match = start("0:2 1:2", clock=clock)
            match.expire(150_001, 150_001)
            assert causes(match) == [(0, FaultCause.TIMEOUT, 0)]

    @pytest.mark.parametrize("message", [Answer("m1", 0, (0,)), ProtocolViolation("a second Join")])
    def test_a_message_nobody_asked_for_is_a_breach_of_protocol(self, message: Answer | ProtocolViolation) -> None:
        match = start("0:2 1:2 2:2", seats=3)
        match.receive(1, message, 0, 0)
        assert match.is_out(1)
        assert asked(match) == (0, 0)
        assert match.faults_of(1)[0].cause is FaultCause.PROTOCOL

    def test_a_second_answer_is_a_breach_also_when_its_seat_decides_again(self) -> None:
        match = start("0:2 0:2 1:2")
        act(match, 0)
        act(match, 0, ply=0)
        assert causes(match) == [(0, FaultCause.PROTOCOL, 1)]

    def test_what_a_forfeited_seat_says_is_not_heard(self) -> None:
        match = start("0:2 1:2 2:2", seats=3)
        match.receive(1, Malformed("noise"), 0, 0)
        match.receive(1, Malformed("noise"), 0, 0)
        assert len(match.faults_of(1)) == 1

    def test_the_evidence_holds_the_times(self) -> None:
        match = start("0:2 1:2", clock="100ms")
        match.expire(150_001, 150_001)
        assert match.faults_of(0)[0].evidence == {"elapsed_us": 150_001, "charged_us": 150_001, "limit_us": 100_000}

    def test_evidence_can_be_added_after_the_end(self) -> None:
        match = start("0:2 1:2")
        match.fail(0, FaultCause.DISCONNECTED, "Its stream ended.")
        match.add_evidence(0, {"signal": 9})
        assert match.result().faults[0].evidence == {"signal": 9}

    @given(st.lists(st.integers(-(2**31), 2**31 - 1), max_size=70), st.integers(-(2**31), 2**31 - 1), st.text())
    def test_no_answer_raises(self, actions: list[int], ply: int, text: str) -> None:
        match = start("0:2 0:3 1:2 0:2")
        match.receive(0, Answer(text, ply, actions, text), 0, 0)
        match.receive(0, Answer("m1", 0, actions, text), 0, 0)
        assert match.is_over or match.decision is not None


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
