"""A match as a state machine: who is asked what, how answers are judged and applied, and who ranks where."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.match.decisions import Answer, DecidedBy, Malformed, ProtocolViolation, Resignation
from arena.match.live import LiveLogEvent
from arena.match.match import MatchSpecError, rank_seats
from arena.match.result import FaultCause
from tests.match.script_match import act, asked, causes, plies_of, start
from tests.support.specs import installed_script_game, script_spec
from tests.support.texts import CHARACTERS


@pytest.fixture(autouse=True)
def _script_game() -> Iterator[None]:
    with installed_script_game():
        yield


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
        assert [entry.decide for entry in match.entries] == [-1, -1, 2, -1]

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
        assert [event.ply for event in match.take_unseen_events(0)] == [0]
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
    @pytest.mark.hostile("any-wrong-answer")
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

    @pytest.mark.parametrize(
        ("script", "actions", "why"),
        [
            ("0:2 1:2", (2,), "It chose action 2 (ADD:2); legal were 0 (ADD:0), 1 (ADD:1)."),
            (
                "0:2 1:2",
                (2, 0),
                (
                    "Of the 2 actions of its answer, number 1 is not legal: It chose action 2 (ADD:2); legal were "
                    "0 (ADD:0), 1 (ADD:1)."
                ),
            ),
            (
                "0:2 0:3 0:2 1:2",
                (1, 2, 9),
                (
                    "Of the 3 actions of its answer, number 3 is not legal: It chose action 9, which does not exist; "
                    "legal were 0 (ADD:0), 1 (ADD:1)."
                ),
            ),
            (
                "0:3 0:1 0:1 0:2 1:2",
                (2, 7, 1),
                (
                    "Of the 3 actions of its answer, number 2 is not legal: Forced decisions, which are never part of "
                    "an answer, were played before it (2). It chose action 7 (ADD:7); legal were 0 (ADD:0), 1 (ADD:1)."
                ),
            ),
        ],
    )
    def test_an_illegal_action_is_told_with_its_number_in_the_answer_and_why(
        self, script: str, actions: tuple[int, ...], why: str
    ) -> None:
        match = start(script)
        act(match, *actions)
        (fault,) = match.faults_of(0)
        assert fault.explanation == why

    def test_the_whole_answer_is_evidence_of_an_illegal_action_in_a_sequence(self) -> None:
        match = start("0:2 0:3 1:2")
        act(match, 1, 3, 99)
        (fault,) = match.faults_of(0)
        assert fault.evidence["answer"] == "1 (ADD:1), 3 (ADD:3), 99, which does not exist"
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

    @given(
        st.lists(st.integers(-(2**31), 2**31 - 1), max_size=70), st.integers(-(2**31), 2**31 - 1), st.text(CHARACTERS)
    )
    def test_no_answer_raises(self, actions: list[int], ply: int, text: str) -> None:
        match = start("0:2 0:3 1:2 0:2")
        match.receive(0, Answer(text, ply, actions, text), 0, 0)
        match.receive(0, Answer("m1", 0, actions, text), 0, 0)
        assert match.is_over or match.decision is not None


def test_a_match_is_rated_and_played_by_bots_that_are_used_again_unless_it_is_ordered_otherwise() -> None:
    spec = script_spec("0:3")
    assert (spec.is_rated, spec.uses_fresh_bots, spec.checks_leaks, spec.keeps_logs) == (True, False, False, False)
    assert spec.block == ""
    assert not spec.has_remote


def test_a_seat_is_hosted_without_a_sandbox_in_half_a_gigabyte_unless_it_is_ordered_otherwise() -> None:
    (seat,) = script_spec("0:3", 1).seats
    assert (seat.is_remote, seat.is_deterministic, seat.sandbox, seat.memory_mb) == (False, False, "none", 512)
    assert seat.protocol == "protobuf"


def test_a_log_is_whole_unless_it_says_otherwise() -> None:
    assert LiveLogEvent(1, 0, 0, b"words").cut_bytes == 0


def test_without_forfeits_the_games_ranks_stand() -> None:
    assert rank_seats(3, (2, 1, 2), {}) == (2, 1, 2)


def test_forfeited_seats_come_last_the_earlier_the_lower_equal_at_the_same_instant() -> None:
    assert rank_seats(5, (1, 2, 3, 4, 5), {0: 4, 1: 9, 2: 4}) == (4, 3, 4, 1, 2)


def test_without_an_outcome_the_seats_left_are_equal() -> None:
    assert rank_seats(3, None, {1: 0}) == (1, 3, 1)


@st.composite
def endings(draw: st.DrawFn) -> tuple[int, list[int], dict[int, int]]:
    seats = draw(st.integers(1, 6))
    scores = draw(st.lists(st.integers(0, 3), min_size=seats, max_size=seats))
    ranks = [1 + sum(other > score for other in scores) for score in scores]
    return seats, ranks, draw(st.dictionaries(st.integers(0, seats - 1), st.integers(-1, 3)))


@given(endings())
def test_a_rank_is_one_more_than_the_number_of_better_seats(ending: tuple[int, list[int], dict[int, int]]) -> None:
    seats, game_ranks, forfeits = ending
    ranks = rank_seats(seats, game_ranks, forfeits)
    assert all(rank == 1 + sum(other < rank for other in ranks) for rank in ranks)
    assert all(ranks[stays] < ranks[left] for left in forfeits for stays in range(seats) if stays not in forfeits)
