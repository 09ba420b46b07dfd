"""Lines, the lookahead over them, and whole turns: they take the obvious best, and keep to their budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

import pytest

from arena.v1 import match_pb2, play_pb2
from bots.algorithms.greedy import GreedyBot, best_turn
from bots.algorithms.mcts import Node, Search, Settings
from bots.algorithms.move_sequences import LONGEST, Turn, best_of_lines, find_turns, play_line, spread, value_line
from bots.algorithms.rollouts import Horizon, Lookahead
from bots.algorithms.search import SearchBot
from bots.decision import Decision, Match
from bots.kit import Bot
from bots.session import MAX_ACTIONS, decide_turn
from engine import registry
from engine.abilities import need_playable
from engine.chance import RecordingChance, ScriptedChance, SeededChance
from engine.core import Game, IllegalActionError, State
from engine.record import Playing
from tests.support.nim import LUCKY_NIM, NIM, THROW, NimState

TAKE = 0


def by_count(number: int) -> Callable[[int], float]:
    return lambda valued: valued / number


def lucky(thrown: list[int], points: int = 0, seed: int = 1) -> NimState:
    """Return a game of two seats in which seat 0 has thrown, and takes the last counter if it takes any."""
    state = NimState(2, 1, [0, 1], SeededChance(seed))
    state.points, state.thrown = [0, points], thrown
    return state


def test_spread_keeps_the_ends_and_is_even() -> None:
    assert spread(range(5), 9) == range(5)
    assert spread(range(101), 5) == [0, 25, 50, 75, 100]


def test_a_line_is_kept_up_to_the_first_outcome_of_chance() -> None:
    state = lucky([2])
    state.chance = ScriptedChance([[4], [1]])
    assert play_line(LUCKY_NIM.playable, state, [THROW, THROW], Random(0)) == (THROW,)
    assert state.turn >= 1 or state.thrown[-1] in (4, 6)


def test_a_line_without_chance_ends_where_another_seat_decides() -> None:
    state = NimState(2, heap=9)
    assert play_line(NIM.playable, state, [1], Random(0)) == (1,)
    assert state.seat() == 1


def test_a_planned_action_that_is_not_legal_is_replaced() -> None:
    line = play_line(NIM.playable, NimState(2, heap=1), [2], Random(0))
    assert line == ()  # a heap of one leaves no choice, and forced decisions are no part of a line
    assert len(play_line(NIM.playable, NimState(2, heap=2), [2], Random(0))) == 1


def test_valuing_a_line_leaves_the_position_as_it_is() -> None:
    state = lucky([3])
    before = state.to_json()
    for action in (TAKE, THROW):
        once, again = (value_line(LUCKY_NIM.playable, state, [action], seed=4) for _ in range(2))
        assert once == again
    assert state.to_json() == before


def test_nothing_is_decided_after_the_end() -> None:
    with pytest.raises(ValueError, match="over"):
        value_line(NIM.playable, NimState(2, heap=0), [], seed=1)


def test_the_best_line_takes_the_win() -> None:
    assert best_of_lines(NIM.playable, lambda: NimState(2, heap=3), Random(0), 30) == [2]


def test_the_lookahead_takes_the_win_and_leaves_none() -> None:
    for heap, take in ((2, 1), (3, 2), (5, 0), (6, 1), (7, 2)):
        lookahead = Lookahead(NIM.playable, 2, Random(1), Horizon(rounds=10))
        line = lookahead.best_line(lambda heap=heap: NimState(2, heap), by_count(1500))  # type: ignore[misc]
        assert line == (take,), f"heap of {heap}"


def test_the_lookahead_takes_what_is_much_and_throws_on_what_is_little() -> None:
    for thrown, action in (([5, 5, 5, 5, 5, 5, 5], TAKE), ([2], THROW)):
        lookahead = Lookahead(LUCKY_NIM.playable, 2, Random(1))
        assert lookahead.best_line(lambda thrown=thrown: lucky(list(thrown), points=20), by_count(600))[0] == action  # type: ignore[misc]


@pytest.mark.parametrize("budget", [1, 2, 7, 60])
def test_the_lookahead_keeps_to_its_budget(budget: int) -> None:
    most = 0

    def progress(valued: int) -> float:
        nonlocal most
        most = max(most, valued)
        return valued / budget

    Lookahead(LUCKY_NIM.playable, 2, Random(3)).best_line(lambda: lucky([4]), progress)
    assert most <= max(budget, 1)


def test_without_any_time_it_answers_at_once() -> None:
    samples = 0

    def sample() -> State:
        nonlocal samples
        samples += 1
        return lucky([4])

    assert Lookahead(LUCKY_NIM.playable, 2, Random(3)).best_line(sample, lambda _: 1.0)[0] in (THROW, TAKE)
    assert samples == 1


def ask(bot: Bot, game: Game, state: State) -> object:
    """What the bot answers in this position, seen by the seat that decides."""
    seat = state.seat()
    assert seat is not None
    started = play_pb2.MatchStarted(
        game=game.name, rules_version=game.rules_version, seat=seat, seats=3, seed=5, clock=match_pb2.Clock()
    )
    decide = play_pb2.Decide(legal_actions=state.legal_actions())
    decide.observation.value = game.encode_observation(state, seat)[1]
    match = Match(started, play_pb2.GameInfo(name=game.name, actions=game.actions.names))
    bot.match_started(match)
    return bot.decide(Decision(match, decide, 0.0))


@pytest.mark.parametrize("make", [GreedyBot, lambda: SearchBot(playouts=40)])
def test_hidden_cards_change_nothing(make: Callable[[], Bot]) -> None:
    for thrown in ([3], [4, 5], [5, 5, 5]):
        answers = []
        for cards in ([0, 1, 2], [0, 2, 1]):
            state = NimState(3, 6, cards, SeededChance(cards[1]))
            state.thrown = list(thrown)
            answers.append(ask(make(), LUCKY_NIM, state))
        assert answers[0] == answers[1]


@pytest.mark.parametrize("name", registry.single_names())
def test_every_game_plays_on_by_quick_actions_to_its_end(name: str) -> None:
    game, checks = registry.get(name), registry.checks(name)
    playable = need_playable(game)
    for seats in game.seats:
        state, again = game.new_state(seats, None, SeededChance(4)), game.new_state(seats, None, SeededChance(4))
        random, same, turns = Random(9), Random(9), 0
        while state.seat() is not None:
            action = playable.quick_action(state, random)
            assert playable.quick_action(again, same) == action
            assert all(number >= 0 for number in checks.measures(state, action).values())
            state.apply(action)
            again.apply(action)
            now = playable.turns_played(state)
            assert now is None or now >= turns
            turns = now or 0


def test_an_answer_is_no_longer_than_the_wire_takes() -> None:
    assert LONGEST == 64


GAME = registry.get("foreign_king")
PLAYABLE = need_playable(GAME)
ALL = 1_000_000


def positions_to_decide(seed: int, most: int) -> list[State]:
    """Positions of a random match in which a turn begins that has few ends."""
    random, found = Random(seed), list[State]()
    state = GAME.new_state(3, chance=SeededChance(seed))
    while state.seat() is not None and len(found) < most:
        legal = state.legal_actions()
        if len(legal) > 1 and random.random() < 0.05:
            found.append(state.clone())
        state.apply(random.choice(legal))
    return found


def ends_of(state: State, seat: int | None, depth: int = 4) -> Iterator[State]:
    """Every position in which a turn of so many decisions at most ends."""
    if state.seat() != seat:
        yield state
        return
    if depth:
        for action in state.legal_actions():
            child = state.clone()
            child.apply(action)
            yield from ends_of(child, seat, depth if len(state.legal_actions()) == 1 else depth - 1)


def play(state: State, turn: Turn) -> State:
    """Where a turn leads, played by the rules, with what is forced after each decision."""
    here = state.clone()
    for action in turn.actions:
        assert len(here.legal_actions()) > 1
        here.apply(action)
        while here.seat() == state.seat() and len(here.legal_actions()) == 1:
            here.apply(here.legal_actions()[0])
    return here


@pytest.mark.parametrize("seed", range(3))
def test_every_turn_leads_where_it_says_and_the_best_comes_first(seed: int) -> None:
    for state in positions_to_decide(seed, 8):
        before, seat = state.to_json(), state.seat()
        assert seat is not None
        turns = find_turns(PLAYABLE, state, 400)
        assert state.to_json() == before
        assert len({turn.actions for turn in turns}) == len(turns) > 0
        values = [turn.values[seat] for turn in turns]
        assert values == sorted(values, reverse=True)
        for turn in turns:
            end = play(state, turn)
            assert end.to_json() == turn.state.to_json()
            assert turn.is_whole == (end.seat() != seat)
            assert turn.values == tuple(PLAYABLE.evaluate_all(end))


@pytest.mark.parametrize("seed", range(3))
def test_no_turn_is_better_where_every_line_goes_on(seed: int) -> None:
    for state in positions_to_decide(seed, 4):
        seat = state.seat()
        assert seat is not None
        best = max(PLAYABLE.evaluate(end, seat) for end in ends_of(state, seat))
        assert find_turns(PLAYABLE, state, ALL, width=ALL)[0].values[seat] >= best


def test_no_more_is_looked_at_than_was_allowed() -> None:
    state = positions_to_decide(1, 1)[0]
    for allowed in (1, 7, 40):
        looked = list[int]()

        def count(number: int, looked: list[int] = looked) -> bool:
            looked.append(number)
            return True

        assert find_turns(PLAYABLE, state, allowed, goes_on=count)
        assert looked == list(range(1, len(looked) + 1))
        assert len(looked) <= allowed


def test_a_look_ends_when_it_is_told_to_and_has_something_to_say() -> None:
    state = positions_to_decide(1, 1)[0]
    asked = list[int]()

    def stop(number: int) -> bool:
        asked.append(number)
        return number < 3

    turns = find_turns(PLAYABLE, state, ALL, goes_on=stop)
    assert asked == [1, 2, 3]
    assert 1 <= len(turns) <= 3
    assert all(state.is_legal(turn.actions[0]) for turn in turns)


def test_after_the_end_there_is_nothing_to_decide() -> None:
    with pytest.raises(ValueError, match="the game is over"):
        find_turns(NIM.playable, NimState(2, heap=0), 10)


def test_greedy_goes_for_the_best_turn_that_was_found() -> None:
    for state in positions_to_decide(2, 5):
        seat = state.seat()
        assert seat is not None
        turns = find_turns(PLAYABLE, state, 200)
        best = {turn.actions for turn in turns if turn.values[seat] == turns[0].values[seat]}
        assert {tuple(best_turn(PLAYABLE, state, 200, Random(seed))) for seed in range(20)} <= best


SEATS = 3


def positions_of(name: str, seed: int) -> list[State]:
    """Some positions of a random match in which there is something to choose."""
    game, random = registry.get(name), Random(seed)
    state, found = game.new_state(SEATS, chance=SeededChance(seed)), []
    while state.seat() is not None:
        legal = state.legal_actions()
        if len(legal) > 1 and random.random() < 0.1:
            found.append(state.clone(SeededChance(seed)))
        state.apply(random.choice(legal))
    return found


def drawing(seed: int) -> Callable[[State], int]:
    random = Random(seed)
    return lambda state: random.choice(state.legal_actions())


@pytest.mark.parametrize("name", registry.single_names())
@pytest.mark.parametrize("seed", range(3))
def test_all_of_a_turn_is_applied_and_the_next_decision_is_anothers_or_after_chance(name: str, seed: int) -> None:
    for state in positions_of(name, seed):
        seat, choose = state.seat(), drawing(seed)
        chosen = decide_turn(state.clone(SeededChance(seed)), choose)
        chance = RecordingChance(SeededChance(seed))
        again = state.clone(chance)
        for index, action in enumerate(chosen):
            assert again.seat() == seat
            assert len(again.legal_actions()) > 1, "forced decisions are not answered"
            again.apply(action)
            while again.seat() == seat and len(again.legal_actions()) == 1 and not again.revealed():
                again.apply(again.legal_actions()[0])
            assert index == len(chosen) - 1 or not again.revealed()
        assert again.seat() != seat or again.revealed() or len(chosen) == MAX_ACTIONS


def test_a_choice_that_is_illegal_is_told_and_a_game_that_is_over_has_no_turn() -> None:
    game = registry.get("foreign_king")
    with pytest.raises(IllegalActionError):
        decide_turn(game.new_state(SEATS), lambda _: 10_000)
    playing = Playing(game, SEATS, game.parse_options({}), SeededChance(1))
    random = Random(1)
    while playing.state.seat() is not None:
        playing.apply(random.choice(playing.state.legal_actions()))
    with pytest.raises(ValueError, match="the game is over"):
        decide_turn(playing.state, lambda _: 0)


def test_a_tree_answers_its_whole_turn_as_it_would_decision_by_decision() -> None:
    game = registry.get("foreign_king")
    playable = need_playable(game)
    for state in positions_of(game.name, 5)[:4]:
        seat = state.seat()
        one, root = Search(playable, SEATS, Random(1), Settings()), Node(seat)
        here, expected = state.clone(SeededChance(0)), list[int]()
        while here.seat() == seat:
            if len(here.legal_actions()) == 1:
                here.apply(here.legal_actions()[0])
                continue
            one.run(root, here.clone, lambda iterations: iterations < 20)
            expected.append(root.best_action())
            root = root.child(expected[-1]) or Node(seat)
            here.apply(expected[-1])
        whole = Search(playable, SEATS, Random(1), Settings())
        assert whole.best_turn(Node(seat), state, 20) == expected
