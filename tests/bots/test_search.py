"""The sample bots and the template: legal, deterministic, each better than another; their tree, time and values."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from arena.v1 import match_pb2, play_pb2
from bots.algorithms.greedy import GreedyBot, best_turn
from bots.algorithms.mcts import History, Node, Search, Settings
from bots.algorithms.move_sequences import find_turns
from bots.algorithms.search import LONGEST_S, UNLIMITED_S, SearchBot, thinking_seconds, value_match
from bots.algorithms.uniform import RandomBot
from bots.decision import Decision, Match
from bots.kit import Bot
from bots.offline import OfflineMatch, play_offline
from engine import registry
from engine.abilities import Playable, need_playable
from engine.chance import SeededChance
from engine.core import AbilityError, Game, State
from engine.record import Playing
from tests.support.nim import NIM, NimState

MAKERS: dict[str, Callable[[], Bot]] = {
    "random": RandomBot,
    "greedy": lambda: GreedyBot(nodes=20),
    "search": lambda: SearchBot(playouts=5),
}
GAMES = [*registry.single_names(), "nim", "lucky_nim"]
OPTIONS: dict[str, dict[str, Any]] = {"lucky_nim": {"size": 6}}
SHORT: dict[str, dict[str, Any]] = {
    "foreign_king": {"max_rounds": 4},
    "rex_romanorum": {"variant": "short", "round_limit": 3},
    **OPTIONS,
}
"""Options with which a match is soon over, for what is seen of every match."""


def play(
    game: str, *makers: Callable[[], Bot], seed: int = 0, options: dict[str, dict[str, Any]] = OPTIONS
) -> OfflineMatch:
    seeds = [10 * seed + seat for seat in range(len(makers))]
    return play_offline([make() for make in makers], game, options=options.get(game), seeds=seeds, chance_seed=seed)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("name", MAKERS)
def test_every_bot_plays_every_game_to_its_end_and_equally_from_equal_seeds(game: str, name: str) -> None:
    numbers = registry.get(game).seats if game in registry.single_names() else (2, 3)
    few, many = ([MAKERS[name]] * seats for seats in (numbers[0], numbers[-1]))
    match = play(game, *few, seed=3, options=SHORT)
    assert min(match.ranks) == 1
    assert play(game, *few, seed=3, options=SHORT).record == match.record
    assert min(play(game, *many, options=SHORT).ranks) == 1


@pytest.mark.parametrize("game", GAMES)
def test_a_bot_that_has_played_before_plays_as_a_fresh_one(game: str) -> None:
    used = [SearchBot(playouts=5), SearchBot(playouts=5)]
    options, new = SHORT.get(game), [SearchBot(playouts=5), SearchBot(playouts=5)]
    play_offline(used, game, options=options, seeds=[7, 8], chance_seed=9)
    again = play_offline(used, game, options=options, seeds=[1, 2], chance_seed=3)
    fresh = play_offline(new, game, options=options, seeds=[1, 2], chance_seed=3)
    assert again.record == fresh.record


def test_other_seeds_give_other_playings() -> None:
    makers = [RandomBot, RandomBot]
    assert play("nim", *makers, seed=1).record != play("nim", *makers, seed=2).record


def test_greedy_takes_the_win_it_can_reach() -> None:
    assert best_turn(NIM.playable, NimState(2, heap=3), 100, Random(0)) == [2]


def test_greedy_draws_among_equals_from_its_seed() -> None:
    state = NimState(2, heap=20)
    lines = {tuple(best_turn(NIM.playable, state, 100, Random(seed))) for seed in range(30)}
    assert lines == {(0,), (1,), (2,)}


def test_search_finds_the_only_winning_move_of_nim() -> None:
    for heap in (5, 6, 7, 9, 10, 11):
        root = Node(0)
        search = Search(NIM.playable, 2, Random(1), Settings(exploration=0.7))
        search.run(root, NimState(2, heap).clone, lambda iterations: iterations < 2000)
        assert root.best_action() + 1 == heap % 4, f"heap of {heap}"


def test_search_beats_random_at_a_game_of_chance_and_hidden_cards() -> None:
    ranks = [play("lucky_nim", RandomBot, lambda: SearchBot(playouts=60), seed=seed).ranks for seed in range(60)]
    wins = sum(rank == (2, 1) for rank in ranks)
    losses = sum(rank == (1, 2) for rank in ranks)
    assert wins > 1.5 * losses


def test_search_stops_growing_its_tree_at_the_limit() -> None:
    root = Node(0)
    search = Search(NIM.playable, 2, Random(1), Settings(max_nodes=50))
    search.run(root, NimState(2, 40).clone, lambda iterations: iterations < 500)

    def count(node: Node) -> int:
        return 1 + sum(count(child) for child in node.children.values())

    assert 40 <= count(root) <= 60
    assert root.visits_total > 480


def test_the_tree_is_kept_from_one_decision_to_the_next() -> None:
    bot = SearchBot(playouts=200)
    roots: list[int] = []
    search_run = Search.run

    class Watching(Search):
        def run(self, root, sample, goes_on):  # type: ignore[no-untyped-def]
            roots.append(root.visits_total)
            search_run(self, root, sample, goes_on)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bots.algorithms.search.Search", Watching)
        play_offline([bot, RandomBot()], "nim")
    assert roots[0] == 0
    assert max(roots[1:]) > 0


@pytest.mark.parametrize("name", registry.single_names())
def test_greedy_beats_random(name: str) -> None:
    ranks = [play(name, lambda: GreedyBot(nodes=200), RandomBot, seed=seed).ranks for seed in range(3)]
    assert ranks == [(1, 2)] * 3


@pytest.mark.parametrize("name", registry.single_names())
def test_search_beats_random(name: str) -> None:
    ranks = [play(name, lambda: SearchBot(playouts=20), RandomBot, seed=seed).ranks for seed in range(3)]
    assert ranks == [(1, 2)] * 3


@pytest.mark.parametrize("make", [MAKERS["greedy"], MAKERS["search"]])
def test_a_game_that_gives_no_evaluation_is_refused_by_name(
    make: Callable[[], Bot], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(NIM), "playable", None)
    with pytest.raises(AbilityError, match="nim cannot be searched: it gives no evaluation"):
        play("nim", make, RandomBot)
    assert min(play("nim", RandomBot, RandomBot).ranks) == 1


GAME = registry.get("foreign_king")
PLAYABLE = need_playable(GAME)
SEATS = 3


def position(seed: int = 3, plies: int = 30) -> State:
    """A position some way into a random match in which a turn begins."""
    random, state = Random(seed), GAME.new_state(SEATS, chance=SeededChance(seed))
    before = state.seat()
    while plies > 0 or state.seat() == before or len(state.legal_actions()) == 1:
        before = state.seat()
        state.apply(random.choice(state.legal_actions()))
        plies -= 1
    return state


def counting(seen: list[Any]) -> Playable:
    """The game, which puts every position that is valued into `seen`."""

    def evaluate_all(state: State) -> Sequence[float]:
        seen.append((state.seat(), len(state.legal_actions())))
        return PLAYABLE.evaluate_all(state)

    return replace(PLAYABLE, evaluate_all=evaluate_all)


def grown(playable: Playable, state: State, positions: int, settings: Settings) -> Node:
    root = Node(state.seat())
    Search(playable, SEATS, Random(1), settings).run(root, state.clone, lambda valued: valued < positions)
    return root


def test_the_turns_that_look_best_are_in_the_tree_before_anything_is_tried() -> None:
    state, settings = position(), Settings(turns=5, prior=3)
    root = grown(PLAYABLE, state, 2 * settings.looks, settings)
    best = find_turns(PLAYABLE, state, settings.looks)[:5]
    for turn in best:
        node: Node | None = root
        for action in turn.actions:
            assert node is not None
            assert node.visits[node.actions.index(action)] >= 3
            node = node.child(action)
    assert root.is_planted


def test_no_more_positions_are_valued_than_were_allowed_and_half_of_them_at_most_before_the_tree() -> None:
    for allowed in (1, 10, 60):
        seen: list[Any] = []
        root = grown(counting(seen), position(), allowed, Settings(turns=1, prior=1))
        iterations = root.visits_total - 1
        assert allowed <= len(seen) <= allowed + 1
        assert iterations >= allowed // 2


def test_what_is_valued_in_the_tree_is_the_end_of_a_turn() -> None:
    state, seen = position(), list[Any]()
    grown(counting(seen), state, 400, Settings(looks=1))
    assert sum(seat != state.seat() for seat, _ in seen[1:]) > 0.5 * len(seen)


def test_a_place_that_was_planted_once_is_not_planted_again() -> None:
    state = position()
    root, search = Node(state.seat()), Search(PLAYABLE, SEATS, Random(1), Settings())
    search.run(root, state.clone, lambda valued: valued < 100)
    before = root.visits_total
    search.run(root, state.clone, lambda valued: valued < 50)
    assert root.visits_total == before + 50


def test_history_tells_what_an_action_led_to_and_of_an_unknown_one_what_all_did() -> None:
    history = History(2)
    assert history.means(0, [3, 4]) == [0.0, 0.0]
    history.count(0, 3, 0.25)
    history.count(0, 3, 0.75)
    history.count(0, 5, 1.0)
    history.count(1, 4, 0.0)
    means = history.means(0, [3, 5, 4])
    assert means[:2] == [0.5, 1.0]
    assert abs(means[2] - 2 / 3) < 1e-12


class Told(Decision):
    """A decision with a told rest instead of a clock."""

    __slots__ = ("left",)
    left: float | None

    def seconds_left(self) -> float | None:
        return self.left


def told(left: float | None, *, bank_us: int = 0, increment_us: int = 0) -> Decision:
    clock = match_pb2.Clock(bank_us=bank_us, increment_us=increment_us)
    match = Match(play_pb2.MatchStarted(clock=clock), play_pb2.GameInfo())
    decision = Told(match, play_pb2.Decide(bank_us=bank_us), 0.0)
    decision.left = left
    return decision


def test_it_leaves_a_good_part_of_the_limit_unused() -> None:
    assert 0.02 < thinking_seconds(told(0.05)) < 0.04


def test_it_does_not_think_when_nothing_is_left() -> None:
    assert thinking_seconds(told(0.001)) == 0
    assert thinking_seconds(told(-1.0)) == 0


def test_it_spreads_a_bank_over_the_match() -> None:
    assert 1 < thinking_seconds(told(60.0, bank_us=60_000_000)) < 2
    assert thinking_seconds(told(60.0, bank_us=60_000_000, increment_us=1_000_000)) < 3


def test_a_bank_that_runs_out_lasts_on() -> None:
    assert thinking_seconds(told(0.4, bank_us=400_000)) < 0.4 / 20


def test_without_a_clock_it_takes_a_while() -> None:
    assert thinking_seconds(told(None)) == UNLIMITED_S


def test_however_long_it_may_it_does_not_think_for_ever() -> None:
    assert thinking_seconds(told(1860.0)) == LONGEST_S
    assert thinking_seconds(told(600.0, bank_us=600_000_000, increment_us=30_000_000)) == LONGEST_S


@pytest.mark.parametrize("name", ["foreign_king", "rex_romanorum"])
def test_positions_are_valued_alike_each_time_and_the_end_exactly(name: str) -> None:
    game = registry.get(name)
    match = play_offline([RandomBot(), RandomBot()], game, chance_seed=3)

    def value(seat: int) -> list[tuple[int, float]]:
        valued = value_match(start(game), match.record.actions, decided(seat), seat, playouts=8)
        return [(one.ply, one.value) for one in valued]

    def decided(seat: int) -> list[int]:
        """The first plies at which a seat had a choice."""
        playing = start(game)
        events = [playing.apply(action) for action in match.record.actions]
        return [event.ply for event in events if event.seat == seat and not event.forced][:5]

    values = value(0)
    assert values == value(0)
    assert all(0 <= worth <= 1 for _, worth in values)
    assert values[-1][0] == len(match.record.actions)
    winner = match.ranks.index(1)
    assert value(winner)[-1][1] > value(1 - winner)[-1][1]


def start(game: Game) -> Playing:
    return Playing(game, 2, game.parse_options({}), SeededChance(3))


TEMPLATE = Path(__file__).resolve().parents[2] / "bots" / "python" / "template" / "main.py"

OVER_SOON: dict[str, dict[str, Any]] = {
    "foreign_king": {"max_rounds": 4},
    "rex_romanorum": {"variant": "short", "round_limit": 3},
}
"""Options with which a match is soon over."""


@pytest.fixture(scope="module")
def my_bot() -> Callable[[], Bot]:
    """The class of the template's bot."""
    spec = importlib.util.spec_from_file_location("template_main", TEMPLATE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made: Callable[[], Bot] = module.MyBot
    return made


@pytest.mark.parametrize("game", registry.single_names())
def test_it_beats_random_in_every_seat(game: str, my_bot: Callable[[], Bot]) -> None:
    for seat, bots in enumerate(([my_bot(), RandomBot()], [RandomBot(), my_bot()])):
        assert play_offline(bots, game, seeds=[seat, seat + 10], chance_seed=seat).ranks[seat] == 1


@pytest.mark.parametrize("game", registry.single_names())
def test_it_plays_with_the_most_seats(game: str, my_bot: Callable[[], Bot]) -> None:
    others = [RandomBot() for _ in range(registry.get(game).seats[-1] - 1)]
    match = play_offline([my_bot(), *others], game, options=OVER_SOON[game])
    assert min(match.ranks) == 1


def test_when_time_is_short_it_still_answers(my_bot: Callable[[], Bot]) -> None:
    assert play_offline([my_bot(), my_bot()], "foreign_king", time_limit_us=1).decisions[0] > 0


def test_a_game_without_an_evaluation_is_played_all_the_same(
    my_bot: Callable[[], Bot], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(registry.get("foreign_king")), "playable", None)
    assert play_offline([my_bot(), my_bot()], "foreign_king").decisions[0] > 0
