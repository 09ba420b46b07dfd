"""What a bot's author is told of an answer that was too late, or not legal."""

from collections.abc import Iterator

import pytest

from arena.match.decisions import Decision
from arena.match.messages import Answer
from arena.match.validation import TimeSpent, explain_illegal, explain_late, find_fault_of_form, is_late
from tests.match.script_match import start
from tests.support.specs import installed_script_game


@pytest.fixture(autouse=True)
def _script_game() -> Iterator[None]:
    with installed_script_game():
        yield


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
