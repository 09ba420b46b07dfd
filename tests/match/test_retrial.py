"""Retrials without processes: recorded matches of the scripted game, asked again."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from arena.match.decisions import Answer, Decision, Malformed, Message, Resignation
from arena.match.match import Match
from arena.match.replay import write_replay
from arena.match.result import Fault, FaultCause, LeakVerdict
from arena.match.retrial import Deviation, Retrial, Trial, compare
from arena.match.spec import MatchSpec
from tests.support.specs import installed_script_game, script_spec

ROUNDS = "0:3 1:3d 0:3 0:3 1:3 2:3 0:3 1:1 1:3"
Choose = Callable[[Decision], Message]


@pytest.fixture(autouse=True)
def _script_game() -> Iterator[None]:
    with installed_script_game():
        yield


def answer(decision: Decision, *actions: int, match_id: str = "m1") -> Answer:
    return Answer(match_id, decision.ply, actions or (decision.ply % len(decision.legal),))


def recorded(spec: MatchSpec, choices: dict[int, Choose] | None = None, absent: Sequence[Fault] = ()) -> dict[str, Any]:
    """The replay of a match in which every seat answers from its ply, or as `choices` say."""
    match = Match(spec)
    match.begin(absent)
    while (decision := match.decision) is not None:
        choose = (choices or {}).get(decision.seat, answer)
        match.receive(decision.seat, choose(decision), 1000 + decision.ply, 900 + decision.ply)
    return write_replay(match, 0, 0).document()


def retry(spec: MatchSpec, document: dict[str, Any], seat: int, choose: Choose = answer) -> Any:
    """What a process that answers so gives; and the questions it was asked."""
    retrial = Retrial(spec, document, seat)
    retrial.begin()
    asked = []
    while (decision := retrial.ask()) is not None:
        assert decision.seat == seat
        asked.append(decision)
        retrial.judge(choose(decision))
    return retrial.deviations, asked


def questions(spec: MatchSpec, seat: int, choices: dict[int, Choose] | None = None) -> list[Decision]:
    """The decisions that a seat was asked for in the match itself."""
    asked: list[Decision] = []

    def choose(decision: Decision) -> Message:
        asked.append(decision)
        return (choices or {}).get(seat, answer)(decision)

    recorded(spec, {**(choices or {}), seat: choose})
    return asked


@pytest.mark.parametrize("seat", [0, 1, 2])
@pytest.mark.parametrize("clock", ["none", "60+1/5s"])
def test_the_seat_is_asked_exactly_what_it_was_asked(seat: int, clock: str) -> None:
    spec = script_spec(ROUNDS, 3, clock=clock)
    deviations, asked = retry(spec, recorded(spec), seat)
    assert deviations == []
    assert asked == questions(spec, seat)


def test_several_actions_at_once_are_one_answer_and_dropped_ones_are_counted_again() -> None:
    spec = script_spec("0:3 0:3 1:3 0:3 1:2", 2)

    def greedy(decision: Decision) -> Message:
        return answer(decision, 0, 1, 1, 1)

    deviations, asked = retry(spec, recorded(spec, {0: greedy}), 0, greedy)
    assert deviations == []
    assert [decision.dropped for decision in asked] == [0, 2]


def test_another_answer_is_a_deviation_and_the_questions_stay_those_of_the_record() -> None:
    spec = script_spec(ROUNDS, 3)
    deviations, asked = retry(spec, recorded(spec), 0, lambda decision: answer(decision, 1 if decision.ply == 3 else 0))
    assert deviations == [Deviation(2, ("ADD:2",), ("ADD:0",)), Deviation(3, ("ADD:0",), ("ADD:1",))]
    assert asked == questions(spec, 0)


def test_more_actions_than_then_lead_astray_and_end_the_retrial() -> None:
    spec = script_spec("0:3 0:3 1:3 0:3", 2)
    deviations, asked = retry(spec, recorded(spec), 0, lambda decision: answer(decision, 0, 2))
    assert deviations == [Deviation(0, ("ADD:0",), ("ADD:0", "ADD:2"))]
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (Resignation("m1"), ("resigned",)),
        (Malformed("4 bytes that are no message"), ("4 bytes that are no message",)),
    ],
)
def test_something_else_than_an_answer_is_a_deviation(message: Message, said: tuple[str, ...]) -> None:
    spec = script_spec(ROUNDS, 3)
    deviations, _ = retry(spec, recorded(spec), 1, lambda _: message)
    assert deviations == [Deviation(1, ("ADD:1",), said), *deviations[1:]]
    assert [deviation.ply for deviation in deviations] == [1, 4, 8]


def test_an_illegal_answer_is_a_deviation() -> None:
    spec = script_spec(ROUNDS, 3)
    deviations, _ = retry(spec, recorded(spec), 1, lambda decision: answer(decision, 99))
    assert deviations[0] == Deviation(1, ("ADD:1",), ("99",))


def test_others_that_resigned_faulted_or_never_came_do_so_again() -> None:
    spec = script_spec("0:2 1:2 2:2 3:2 0:2 1:2 2:2 3:2 0:2 3:2 0:2 3:2", 4)
    choices: dict[int, Choose] = {
        1: lambda decision: Resignation("m1") if decision.ply > 3 else answer(decision),
        2: lambda decision: answer(decision, 9),
    }
    for absent in ([], [Fault(1, FaultCause.START_FAILED, 0, "It did not start.")]):
        document = recorded(spec, choices, absent)
        for seat in (0, 3):
            deviations, asked = retry(spec, document, seat)
            assert deviations == []
            assert len(asked) == 4


def test_a_seat_is_asked_only_for_what_it_answered_before_its_fault() -> None:
    spec = script_spec(ROUNDS, 3)
    document = recorded(spec, {0: lambda decision: answer(decision, 9 if decision.ply == 3 else 0)})
    deviations, asked = retry(spec, document, 0, lambda decision: answer(decision, 0))
    assert deviations == []
    assert [decision.ply for decision in asked] == [0, 2]


def test_an_answer_that_was_illegal_in_its_second_action_repeats_as_such() -> None:
    spec = script_spec("0:3 0:3 1:3 2:3 0:3 1:3", 3)
    document = recorded(spec, {0: lambda decision: answer(decision, 1, 9)})
    for seat in (0, 1, 2):
        choose: Choose = (lambda decision: answer(decision, 1, 9)) if seat == 0 else answer
        assert retry(spec, document, seat, choose)[0] == []


def deviation(ply: int, answered: str) -> Deviation:
    return Deviation(ply, ("A",), (answered,))


@pytest.mark.parametrize(
    ("trials", "verdict", "ply"),
    [
        ([Trial(), Trial()], LeakVerdict.EQUAL, None),
        ([Trial((deviation(7, "B"),))] * 2, LeakVerdict.LEAK, 7),
        ([Trial((deviation(7, "B"),), "It died.")] * 2, LeakVerdict.LEAK, 7),
        ([Trial((deviation(7, "B"),)), Trial((deviation(7, "C"),))], LeakVerdict.UNSTABLE, 7),
        ([Trial((deviation(7, "B"), deviation(9, "C"))), Trial((deviation(7, "B"),))], LeakVerdict.UNSTABLE, 7),
        ([Trial((deviation(9, "B"),)), Trial((deviation(7, "B"),))], LeakVerdict.UNSTABLE, 7),
        ([Trial((deviation(7, "B"), deviation(9, "C"))), Trial((deviation(8, "B"),))], LeakVerdict.UNSTABLE, 7),
        ([Trial(), Trial((deviation(7, "B"),))], LeakVerdict.UNSTABLE, 7),
        ([Trial((deviation(7, "B"),)), Trial()], LeakVerdict.UNSTABLE, 7),
        ([Trial((deviation(7, "B"),)), Trial((), "It died.")], LeakVerdict.UNKNOWN, None),
        ([Trial((), "It died."), Trial()], LeakVerdict.UNKNOWN, None),
    ],
)
def test_only_two_that_agree_against_the_used_process_are_a_leak(
    trials: list[Trial], verdict: LeakVerdict, ply: int | None
) -> None:
    check = compare(3, trials)
    assert (check.seat, check.verdict, check.ply) == (3, verdict, ply)


def test_what_was_answered_stands_in_the_evidence() -> None:
    check = compare(0, [Trial((deviation(7, "B"),)), Trial((deviation(9, "C"),))])
    assert (check.ply, check.evidence) == (7, {"used": ["A"], "fresh": [["B"], ["A"]]})
