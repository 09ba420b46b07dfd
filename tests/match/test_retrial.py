"""Retrials without processes: recorded matches of the scripted game, asked again."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from arena.match.answers import Answer, Garbage, Message, Resignation
from arena.match.course import Decision
from arena.match.match import Match
from arena.match.replay import build_document
from arena.match.retrial import Deviation, Retrial, Unanswered, compare
from arena.match.spec import Fault, FaultCause, LeakVerdict, MatchSpec
from tests.support.specs import installed_script_game, script_spec

ROUNDS = "0:3 1:3d 0:3 0:3 1:3 2:3 0:3 1:1 1:3"
Choose = Callable[[Decision], Message]


@pytest.fixture(scope="module", autouse=True)
def _script_game() -> Iterator[None]:
    with installed_script_game():
        yield


def answer(decision: Decision, *actions: int, match_id: str = "m1") -> Answer:
    return Answer(match_id, decision.ply, actions or (decision.ply % len(decision.legal),))


def play(spec: MatchSpec, choices: dict[int, Choose] | None = None, absent: Sequence[Fault] = ()) -> dict[str, Any]:
    """The replay of a match in which every seat answers from its ply, or as `choices` say."""
    match = Match(spec)
    match.begin(absent)
    while (decision := match.decision) is not None:
        choose = (choices or {}).get(decision.seat, answer)
        match.receive(decision.seat, choose(decision), 1000 + decision.ply, 900 + decision.ply)
    return build_document(match, 0, 0)


def retry(spec: MatchSpec, document: dict[str, Any], seat: int, choose: Choose = answer) -> Any:
    """What a process that answers so gives; and the questions it was asked."""
    retrial = Retrial(spec, document, seat)
    retrial.begin()
    asked = []
    while (decision := retrial.ask()) is not None:
        assert decision.seat == seat
        asked.append(decision)
        if deviation := retrial.judge(choose(decision)):
            return deviation, asked
    return None, asked


def questions(spec: MatchSpec, seat: int, choices: dict[int, Choose] | None = None) -> list[Decision]:
    """The decisions that a seat was asked for in the match itself."""
    asked: list[Decision] = []

    def choose(decision: Decision) -> Message:
        asked.append(decision)
        return (choices or {}).get(seat, answer)(decision)

    play(spec, {**(choices or {}), seat: choose})
    return asked


@pytest.mark.parametrize("seat", [0, 1, 2])
@pytest.mark.parametrize("clock", ["none", "60+1/5s"])
def test_the_seat_is_asked_exactly_what_it_was_asked(seat: int, clock: str) -> None:
    spec = script_spec(ROUNDS, 3, clock=clock)
    deviation, asked = retry(spec, play(spec), seat)
    assert deviation is None
    assert asked == questions(spec, seat)


def test_several_actions_at_once_are_one_answer_and_dropped_ones_are_counted_again() -> None:
    spec = script_spec("0:3 0:3 1:3 0:3 1:2", 2)

    def greedy(decision: Decision) -> Message:
        return answer(decision, 0, 1, 1, 1)

    deviation, asked = retry(spec, play(spec, {0: greedy}), 0, greedy)
    assert deviation is None
    assert [decision.dropped for decision in asked] == [0, 2]


def test_the_first_other_answer_is_the_deviation() -> None:
    spec = script_spec(ROUNDS, 3)
    deviation, asked = retry(spec, play(spec), 0, lambda decision: answer(decision, 1 if decision.ply == 3 else 0))
    assert deviation == Deviation(2, ("ADD:2",), ("ADD:0",))
    assert len(asked) == 2


@pytest.mark.parametrize(
    ("message", "said"),
    [(Resignation("m1"), ("resigned",)), (Garbage("40 bytes that are no message"), ("40 bytes that are no message",))],
)
def test_something_else_than_an_answer_is_a_deviation(message: Message, said: tuple[str, ...]) -> None:
    spec = script_spec(ROUNDS, 3)
    deviation, _ = retry(spec, play(spec), 1, lambda _: message)
    assert deviation == Deviation(1, ("ADD:1",), said)


def test_an_illegal_answer_is_a_deviation() -> None:
    spec = script_spec(ROUNDS, 3)
    deviation, _ = retry(spec, play(spec), 1, lambda decision: answer(decision, 99))
    assert deviation == Deviation(1, ("ADD:1",), ("99",))


def test_others_that_resigned_faulted_or_never_came_do_so_again() -> None:
    spec = script_spec("0:2 1:2 2:2 3:2 0:2 1:2 2:2 3:2 0:2 3:2 0:2 3:2", 4)
    choices: dict[int, Choose] = {
        1: lambda decision: Resignation("m1") if decision.ply > 3 else answer(decision),
        2: lambda decision: answer(decision, 9),
    }
    for absent in ([], [Fault(1, FaultCause.START_FAILED, 0, "It did not start.")]):
        document = play(spec, choices, absent)
        for seat in (0, 3):
            deviation, asked = retry(spec, document, seat)
            assert deviation is None
            assert len(asked) == 4


def test_a_seat_is_asked_only_for_what_it_answered_before_its_fault() -> None:
    spec = script_spec(ROUNDS, 3)
    document = play(spec, {0: lambda decision: answer(decision, 9 if decision.ply == 3 else 0)})
    deviation, asked = retry(spec, document, 0, lambda decision: answer(decision, 0))
    assert deviation is None
    assert [decision.ply for decision in asked] == [0, 2]


def test_an_answer_that_was_illegal_in_its_second_action_repeats_as_such() -> None:
    spec = script_spec("0:3 0:3 1:3 2:3 0:3 1:3", 3)
    document = play(spec, {0: lambda decision: answer(decision, 1, 9)})
    for seat in (0, 1, 2):
        choose: Choose = (lambda decision: answer(decision, 1, 9)) if seat == 0 else answer
        assert retry(spec, document, seat, choose)[0] is None


@pytest.mark.parametrize(
    ("trials", "verdict", "ply"),
    [
        ([None, None], LeakVerdict.EQUAL, None),
        ([Deviation(7, ("A",), ("B",)), Deviation(7, ("A",), ("B",))], LeakVerdict.LEAK, 7),
        ([Deviation(7, ("A",), ("B",)), Deviation(7, ("A",), ("C",))], LeakVerdict.UNSTABLE, 7),
        ([Deviation(9, ("A",), ("B",)), Deviation(7, ("D",), ("B",))], LeakVerdict.UNSTABLE, 7),
        ([None, Deviation(7, ("A",), ("B",))], LeakVerdict.UNSTABLE, 7),
        ([Deviation(7, ("A",), ("B",)), None], LeakVerdict.UNSTABLE, 7),
        ([Deviation(7, ("A",), ("B",)), Unanswered("It died.")], LeakVerdict.UNKNOWN, None),
    ],
)
def test_only_two_that_agree_against_the_used_process_are_a_leak(
    trials: list[Any], verdict: LeakVerdict, ply: int | None
) -> None:
    check = compare(3, trials)
    assert (check.seat, check.verdict, check.ply) == (3, verdict, ply)
