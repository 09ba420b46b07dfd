"""A match without an arena follows the arena's rules."""

# ruff: noqa: ARG002 - an interface has more arguments than every implementation needs

from collections.abc import Sequence

import pytest

from arena.v1 import play_pb2
from bots.kit import RESIGN, Answer, AnswerError, Bot, Decision, Match, play_offline
from engine.core import OptionsError, SeatsError
from engine.record import replay
from tests.support import script_game
from tests.support.nim import THROW

TAKE = 0
SEED_OF_SMALL_THROWS = 0
"""With it the first throws of Lucky Nim are neither 1 nor 6, which would end the turn or force another."""


class Scripted(Bot):
    """Gives the answers it was handed, then the first legal action; keeps what it is told."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.decisions: list[Decision] = []
        self.matches: list[Match] = []
        self.finished: list[play_pb2.MatchFinished] = []

    def match_started(self, match: Match) -> None:
        self.matches.append(match)

    def match_finished(self, match: Match, finished: play_pb2.MatchFinished) -> None:
        self.finished.append(finished)

    def decide(self, decision: Decision) -> Answer:
        self.decisions.append(decision)
        return self.answers.pop(0) if self.answers else decision.legal_actions[0]


def test_a_whole_match_is_played_and_can_be_replayed() -> None:
    match = play_offline([Scripted(), Scripted()], "nim", options={"size": 4})
    assert match.record.actions == (0, 0, 0, 0)
    assert match.ranks == (2, 1)
    assert match.details == {"turns": 4}
    assert replay(match.record).state.outcome() is not None


def test_the_last_ply_is_forced_and_asks_nobody() -> None:
    match = play_offline([Scripted(), Scripted()], "nim", options={"size": 4})
    assert match.decisions == (2, 1)


def test_a_bot_is_told_its_seat_the_options_and_the_opening() -> None:
    bots = [Scripted(), Scripted(), Scripted()]
    play_offline(bots, "nim", options={"size": 9}, seeds=[5, 6, 7], opening=[2, 1])
    for seat, bot in enumerate(bots):
        told = bot.matches[0]
        assert (told.game, told.seat, told.seats, told.seed, told.options) == ("nim", seat, 3, 5 + seat, {"size": 9})
        assert [(event.seat, event.action) for event in told.events] == [(0, 2), (1, 1)]
        assert list(told.actions) == ["TAKE:1", "TAKE:2", "TAKE:3"]


def test_a_decision_shows_what_happened_since_the_last_one() -> None:
    first = Scripted(2, 0)
    play_offline([first, Scripted(1)], "nim", options={"size": 9})
    assert [event.ply for event in first.decisions[0].events] == []
    assert [(event.ply, event.seat, event.action) for event in first.decisions[1].events] == [(0, 0, 2), (1, 1, 1)]


def test_a_decision_has_names_an_observation_and_a_state() -> None:
    bot = Scripted()
    play_offline([bot, Scripted()], "nim", options={"size": 9})
    decision = bot.decisions[0]
    assert decision.ply == 0
    assert decision.names == ["TAKE:1", "TAKE:2", "TAKE:3"]
    assert decision.observation == {"seats": 2, "heap": 9, "turn": 0, "points": [0, 0], "cards": [], "thrown": []}
    assert decision.state().legal_actions() == decision.legal_actions


def test_the_hidden_part_of_a_position_is_hidden() -> None:
    bot = Scripted(TAKE)
    play_offline([bot, Scripted(TAKE)], "lucky_nim", chance_seed=3)
    cards = bot.decisions[0].observation["cards"]
    assert cards[0] is not None
    assert cards[1] is None
    assert sorted(bot.decisions[0].state().to_json()["cards"]) == [0, 1]


def test_several_actions_stop_at_the_first_chance_outcome_and_the_rest_is_counted() -> None:
    bot = Scripted([THROW, THROW, TAKE])
    play_offline([bot, Scripted(TAKE)], "lucky_nim", chance_seed=SEED_OF_SMALL_THROWS)
    assert bot.decisions[1].dropped_actions == 2
    assert [event.action for event in bot.decisions[1].events] == [THROW]


def test_several_actions_stop_at_another_seat() -> None:
    bot = Scripted([0, 1, 2])
    play_offline([bot, Scripted()], "nim")
    assert bot.decisions[1].dropped_actions == 2


def test_who_resigns_is_last_and_is_played_on() -> None:
    match = play_offline([Scripted(RESIGN), Scripted(), Scripted()], "nim", options={"size": 5})
    assert match.resigned == (0,)
    assert match.ranks == (3, 1, 2)
    assert match.details


def test_the_earlier_resignation_ranks_lower_and_the_last_seat_wins_at_once() -> None:
    bots = [Scripted(RESIGN), Scripted(RESIGN), Scripted()]
    match = play_offline(bots, "nim")
    assert match.ranks == (3, 2, 1)
    assert match.details == {}
    assert list(bots[2].finished[0].result.forfeited_seats) == [0, 1]
    assert not bots[2].finished[0].result.by_rules


def test_every_bot_hears_the_result() -> None:
    bots = [Scripted(), Scripted()]
    match = play_offline(bots, "nim", options={"size": 4})
    assert [tuple(bot.finished[0].result.ranks) for bot in bots] == [match.ranks, match.ranks]


@pytest.mark.parametrize("answer", [7, -1, [0, 9]])
def test_an_illegal_action_is_raised_with_its_place(answer: int | Sequence[int]) -> None:
    with pytest.raises(AnswerError, match=r"ply 0, seat 0 \(Scripted\)") as raised:
        play_offline([Scripted(answer if isinstance(answer, int) else answer[1]), Scripted()], "nim")
    assert "legal were 0 (TAKE:1), 1 (TAKE:2), 2 (TAKE:3)" in str(raised.value)


def test_an_illegal_action_within_a_sequence_is_raised_with_its_number() -> None:
    with pytest.raises(AnswerError, match="Of the 3 actions of its answer, number 2 is not legal: It chose action 9"):
        play_offline([Scripted([0, 9, 0]), Scripted()], script_game.GAME, options={"script": "0:2 0:2 1:2"})


@pytest.mark.parametrize(("answer", "said"), [(None, "returned None"), ([], "0 action ids"), ([0] * 65, "65 action")])
def test_what_is_no_answer_is_refused_with_the_forms(answer: Answer, said: str) -> None:
    with pytest.raises(AnswerError, match=said):
        play_offline([Scripted(answer), Scripted()], "nim")


def test_what_a_bot_raises_is_raised() -> None:
    class Broken(Bot):
        def decide(self, decision: Decision) -> int:
            raise ZeroDivisionError("oh")

    with pytest.raises(ZeroDivisionError):
        play_offline([Broken(), Scripted()], "nim")


def test_a_wrong_number_of_seats_or_option_is_the_engines_error() -> None:
    with pytest.raises(SeatsError):
        play_offline([Scripted()], "nim")
    with pytest.raises(OptionsError):
        play_offline([Scripted(), Scripted()], "nim", options={"heap": 3})


def test_one_object_cannot_sit_in_two_seats() -> None:
    bot = Scripted()
    with pytest.raises(ValueError, match="of its own"):
        play_offline([bot, bot], "nim")


def test_the_limit_is_told() -> None:
    bot = Scripted()
    match = play_offline([bot, Scripted()], "nim", time_limit_us=250_000)
    left = bot.decisions[0].seconds_left()
    assert bot.decisions[0].time_limit_us == 250_000
    assert left is not None
    assert left < 0.25
    assert match.slowest_s[0] > 0


def test_without_a_limit_there_is_no_deadline() -> None:
    bot = Scripted()
    play_offline([bot, Scripted()], "nim")
    assert bot.decisions[0].seconds_left() is None
