"""Playing beside bots of the same process: as in a match of the arena, and no fault of theirs stops the learner."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from arena.adapters.errors import OpponentError
from arena.adapters.in_process import InProcessDriver
from arena.adapters.opponents import FunctionBot
from arena.adapters.playing import LearnerTurn
from bots.kit import RESIGN, Answer, Decision
from engine.core import State
from tests.adapters.beside import DrawingBot, first, go_on, play, raising, setting, start


@pytest.fixture
def released() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def test_the_learner_is_asked_in_its_seat_where_it_has_a_choice() -> None:
    seating = InProcessDriver(setting(), (DrawingBot(), FunctionBot(first)), 60)
    for learner in range(3):
        turns, end = play(seating, start(learner))
        assert len(turns) > 3
        for turn in turns:
            assert len(turn.legal) > 1
            assert not turn.faults
        assert sorted(end.ranks)[0] == 1
        assert not end.faults


def test_equal_starts_give_equal_matches_and_others_do_not() -> None:
    seating = InProcessDriver(setting(), (DrawingBot(), DrawingBot()), 60)
    (turns, end), (again, same_end), (others, _) = (play(seating, start(1, seed)) for seed in (4, 4, 5))
    assert [(turn.ply, turn.legal) for turn in turns] == [(turn.ply, turn.legal) for turn in again]
    assert end == same_end
    assert [(turn.ply, turn.legal) for turn in turns] != [(turn.ply, turn.legal) for turn in others]


def test_bots_are_told_of_each_match_its_seats_seeds_and_opening() -> None:
    bots = DrawingBot(), DrawingBot()
    seating = InProcessDriver(setting(), bots, 60)
    moment = seating.begin(start(1, 5))
    assert isinstance(moment, LearnerTurn)
    seen = moment.seen
    assert isinstance(seen, State)
    opening = (seen.legal_actions()[0],) if seen.seat() == 0 else ()
    _, _ = play(seating, start(1, 5, opening=opening))
    assert [[match.seat for match in bot.started] for bot in bots] == [[0, 0], [2, 2]]
    assert [[match.seed for match in bot.started] for bot in bots] == [[5, 5], [7, 7]]
    assert [len(bots[0].started[-1].events)] == [len(opening)]
    assert [bot.finished for bot in bots] == [1, 1]  # the first match was left


def test_an_illegal_answer_is_a_fault_and_the_match_goes_on() -> None:
    def wrong(decision: Decision) -> int:
        return next(action for action in range(200) if action not in decision.legal_actions)

    turns, end = play(InProcessDriver(setting(), (FunctionBot(wrong), FunctionBot(first)), 60), start())
    assert {fault.seat for fault in end.faults} == {1}
    assert end.faults[0].cause == "ILLEGAL_ACTION"
    assert any(turn.faults for turn in turns), "it was told while the match went on"
    assert end.ranks[1] == 3


def test_who_gives_up_is_last_without_a_fault() -> None:
    def giving_up(decision: Decision) -> Answer:
        return RESIGN

    _, end = play(InProcessDriver(setting(), (FunctionBot(giving_up), FunctionBot(first)), 60), start())
    assert end.ranks[1] == 3
    assert not end.faults


def test_a_bot_that_raises_is_named_and_the_next_match_can_be_played() -> None:
    seating = InProcessDriver(setting(), (FunctionBot(first), FunctionBot(raising(at=2))), 60)
    with pytest.raises(OpponentError) as told:
        play(seating, start())
    assert str(told.value) == "stumbling in seat 2 raised RuntimeError: I do not know this position"
    assert isinstance(told.value.__cause__, RuntimeError)
    assert told.value.seat == 2
    assert play(seating, start())[1].ranks


@pytest.mark.parametrize("answer", ["first", None, [], 1.5])
def test_a_bot_that_answers_with_no_action_is_named(answer: object) -> None:
    seating = InProcessDriver(setting(), (FunctionBot(lambda _: answer), FunctionBot(first)), 60)  # type: ignore[arg-type, return-value]
    with pytest.raises(OpponentError, match="in seat 1 raised AnswerError: decide returned"):
        play(seating, start())


def test_a_bot_that_never_answers_does_not_hold_the_learner(released: threading.Event) -> None:
    asked: list[Decision] = []

    def musing(decision: Decision) -> int:
        asked.append(decision)
        if len(asked) == 2:
            released.wait()
        return decision.legal_actions[0]

    seating = InProcessDriver(setting(), (FunctionBot(musing), FunctionBot(first)), 1.0)
    with pytest.raises(OpponentError) as told:
        play(seating, start())
    assert str(told.value).startswith("musing in seat 1 has not answered for 1 s; it computes here, where nothing can")
    turns, _ = go_on(seating, seating.begin(start()))
    assert turns
    seating.close()


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt])
def test_a_bot_that_exits_ends_the_playing_and_not_the_learner(kind: type[BaseException]) -> None:
    def leaving(_: Decision) -> Answer:
        raise kind("enough")

    seating = InProcessDriver(setting(), (FunctionBot(leaving), FunctionBot(leaving)), 60)
    with pytest.raises(OpponentError, match=f"leaving in seat . raised {kind.__name__}: enough"):
        go_on(seating, seating.begin(start(0)))
    seating.close()
