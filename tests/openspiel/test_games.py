"""Games of OpenSpiel as the arena plays, searches and encodes them: chance is recorded, hidden parts stay hidden."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from arena.adapters.batch import Batch
from arena.adapters.features import features_of
from arena.story.errors import StoryError
from arena.story.story import PublicPositions
from bots.algorithms.greedy import GreedyBot
from bots.algorithms.search import SearchBot
from bots.algorithms.uniform import RandomBot
from bots.offline import play_offline
from engine import registry
from engine.abilities import Move
from engine.chance import RecordingChance, ScriptedChance, SeededChance
from engine.core import AbilityError, PositionError, State
from engine.openspiel import catalogue as family
from engine.openspiel.game import OpenSpielGame
from engine.openspiel.state import OpenSpielState, SeenState
from engine.playout import positions
from engine.record import UNKNOWN_ACTION, Playing, replay


def play(name: str, seed: int) -> Playing:
    game, random = registry.get(name), Random(seed)
    playing = Playing(game, game.seats[0], game.parse_options({}), SeededChance(seed))
    while playing.state.seat() is not None:
        playing.apply(random.choice(playing.state.legal_actions()))
    return playing


def test_chess_has_one_notation_for_an_action_and_words_for_people() -> None:
    game = registry.get("openspiel_chess")
    state = game.new_state(2)
    words = {game.shown.choice(state, game.actions.format(action), "en"): action for action in state.legal_actions()}
    assert len(words) == 20
    state.apply(words["Nf3"])
    assert state.to_json()["history"] == [words["Nf3"]]
    assert game.shown.text(state, None, "en") == "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1\n"


def test_the_fool_is_mated() -> None:
    game = registry.get("openspiel_chess")
    state = game.new_state(2)
    for said in ("f3", "e5", "g4", "Qh4#"):
        names = {game.shown.choice(state, game.actions.format(each), "en"): each for each in state.legal_actions()}
        state.apply(names[said])
    outcome = state.outcome()
    assert outcome is not None
    assert (outcome.ranks, outcome.details) == ((1, 2), {"returns": [1.0, -1.0]}), "OpenSpiel's seat 0 is Black"


def test_dice_are_drawn_by_the_arena_and_told_to_everybody() -> None:
    playing = play("openspiel_backgammon", 3)
    assert len(playing.chance_outcomes) > 20
    told = [event.reveals for event in playing.events if event.reveals]
    assert told
    assert {reveal.kind for reveals in told for reveal in reveals} == {"draw"}
    assert replay(playing.record()).state.to_json() == playing.state.to_json()


def test_a_scripted_chance_deals_the_cards() -> None:
    game = registry.get("openspiel_kuhn_poker")
    state = game.new_state(2, chance=ScriptedChance([[2], [0]]))
    assert state.to_json()["history"] == [2, 0]
    chance = RecordingChance(SeededChance(1))
    game.new_state(2, chance=chance)
    assert len(chance.outcomes) == 2


def test_a_seat_sees_its_own_card_and_nobody_elses() -> None:
    game = registry.get("openspiel_leduc_poker")
    texts = {
        (own, other): game.new_state(2, chance=ScriptedChance([[own], [other]])).observation_json(0)["text"]
        for own, other in [(0, 1), (0, 2), (3, 1), (3, 2)]
    }
    assert texts[0, 1] == texts[0, 2] != texts[3, 1] == texts[3, 2]


def test_the_public_card_is_told_and_the_private_ones_are_not() -> None:
    game = registry.get("openspiel_leduc_poker")
    playing = Playing(game, 2, game.parse_options({}), ScriptedChance([[0], [1], [2]]))
    call = 1
    first, second = playing.apply(call), playing.apply(call)
    assert not first.reveals
    assert [reveal.values for reveal in second.reveals] == [(4,)]
    assert [event.action for event in playing.visible_events(0, 0)] == [call, call]


def test_a_hidden_action_is_told_to_the_seat_that_chose_it_alone() -> None:
    game = registry.get("openspiel_phantom_ttt")
    playing = Playing(game, 2, game.parse_options({}), SeededChance(0))
    playing.apply(4)
    assert [event.action for event in playing.visible_events(0, 0)] == [4]
    assert [event.action for event in playing.visible_events(1, 0)] == [UNKNOWN_ACTION]
    assert [event.action for event in playing.visible_events(None, 0)] == [UNKNOWN_ACTION]
    assert playing.record().actions == (4,)
    assert "x" not in game.shown.text(playing.state, 1, "en")
    assert "x" in game.shown.text(playing.state, 0, "en")


def test_what_one_seat_sees_cannot_be_played_on() -> None:
    game = registry.get("openspiel_leduc_poker")
    state = game.new_state(2, chance=SeededChance(1))
    seen = game.observed(game.encode_observation(state, 0)[1]).state
    assert isinstance(seen, SeenState)
    assert list(seen.legal_actions()) == list(state.legal_actions())
    with pytest.raises(AbilityError, match="cannot be played on"):
        seen.apply(seen.caretaker_action())


@pytest.mark.parametrize("history", [[9], [0, 0], [True], "0", [-1], [0, 1, 2, 3, 4, 5, 6, 7, 8]])
def test_a_history_that_cannot_be_is_refused(history: object) -> None:
    game = registry.get("openspiel_tic_tac_toe")
    with pytest.raises(PositionError, match="history"):
        game.state_from_json({**game.new_state(2).to_json(), "history": history})


def test_a_bot_reads_the_next_position_from_where_it_was_and_another_match_from_its_start() -> None:
    game = registry.get("openspiel_connect_four")
    for columns in ([0], [0, 1, 2], [0, 1, 2, 3], [6, 5], [0, 1]):
        state = game.new_state(2)
        for column in columns:
            state.apply(column)
        seen = game.observed(game.encode_observation(state, 0)[1])
        assert seen.to_json() == state.to_json()
        seen.state.apply(3)
        assert game.observed(game.encode_observation(state, 0)[1]).to_json() == state.to_json()


def seen_by(playing: Playing, seat: int) -> SeenState:
    found = playing.game.observed(playing.game.encode_observation(playing.state, seat)[1]).state
    assert isinstance(found, SeenState)
    return found


def test_a_seat_has_words_for_its_own_actions_where_they_tell_nothing_that_is_hidden() -> None:
    leduc, dark_chess = registry.get("openspiel_leduc_poker"), registry.get("openspiel_dark_chess")
    seen = seen_by(Playing(leduc, 2, leduc.parse_options({}), SeededChance(1)), 0)
    assert [leduc.shown.choice(seen, f"A{action}", "en") for action in seen.legal] == ["Call", "Raise"]
    playing = Playing(dark_chess, 2, dark_chess.parse_options({}), SeededChance(1))
    seen = seen_by(playing, 1)  # White
    assert {dark_chess.shown.choice(seen, f"A{action}", "en") for action in seen.legal} == {
        f"A{action}" for action in seen.legal
    }


def test_a_move_is_told_to_a_seat_as_far_as_the_seat_knows_it() -> None:
    game = registry.get("openspiel_phantom_ttt")
    playing = Playing(game, 2, game.parse_options({}), SeededChance(0))
    before = playing.state.clone(), [seen_by(playing, seat) for seat in (0, 1)]
    playing.apply(4)
    after = [seen_by(playing, seat) for seat in (0, 1)]
    told = [game.shown.describe(Move(before[1][seat], 4, "A4", 0, after[seat]), "en") for seat in (0, 1)]
    assert told == [("x(1,1)",), ("acts; only some seats know how",)]
    whole = game.shown.describe(Move(before[0], 4, "A4", 0, playing.state), "en")
    assert list(whole) == ["x(1,1)"], "who has the whole position, as of a match that is over, is told everything"


def test_a_match_that_goes_on_is_not_told_to_everybody_where_each_seat_sees_something_else() -> None:
    game = registry.get("openspiel_leduc_poker")
    state = game.new_state(2, chance=SeededChance(1))
    with pytest.raises(StoryError, match="shown when it is over"):
        PublicPositions(game, 2).of(state)
    chess = registry.get("openspiel_chess")
    position = chess.new_state(2)
    assert PublicPositions(chess, 2).of(position) is position


def game_of(name: str) -> OpenSpielGame:
    game = family.get(name)
    assert isinstance(game, OpenSpielGame)
    return game


SEARCHED = [name for name in family.names() if game_of(name).facts.can_guess]


def test_the_card_games_in_which_openspiel_can_draw_hidden_cards_are_searched() -> None:
    assert {"openspiel_kuhn_poker", "openspiel_leduc_poker", "openspiel_universal_poker"} <= set(SEARCHED)
    # What it draws there keeps a part of what is hidden, or could not have been played.
    assert not {"openspiel_bargaining", "openspiel_euchre", "openspiel_gin_rummy", "openspiel_hearts"} & set(SEARCHED)


@pytest.mark.parametrize("name", SEARCHED)
def test_what_a_seat_is_sent_is_the_same_whatever_is_hidden_from_it(name: str) -> None:
    game, random = game_of(name), Random(1)
    playable = game.playable
    assert playable is not None
    others = 0
    for state in positions(game, game.seats[0], 5):
        for seat in range(game.seats[0]) if state.seat() is not None else ():
            other = playable.redraw(state, seat, random)
            others += other.to_json() != state.to_json()
            assert game.encode_observation(other, seat) == game.encode_observation(state, seat)
    assert others, "no other position was drawn, so that nothing was compared"


def test_two_deals_that_look_the_same_to_a_seat_are_sent_as_the_same_bytes() -> None:
    game = game_of("openspiel_leduc_poker")
    sent = {
        (own, other): game.encode_observation(game.new_state(2, chance=ScriptedChance([[own], [other]])), 0)
        for own, other in [(0, 1), (0, 2), (3, 1), (3, 2)]
    }
    assert sent[0, 1] == sent[0, 2] != sent[3, 1] == sent[3, 2]


@pytest.mark.parametrize(
    "name", ["openspiel_leduc_poker", "openspiel_leduc_poker:players=3", "openspiel_universal_poker"]
)
def test_the_samples_search_it(name: str) -> None:
    seats = game_of(name).seats[0]
    bots = [GreedyBot(), SearchBot(playouts=4), *(RandomBot() for _ in range(seats - 2))]
    played = play_offline(bots, name, chance_seed=3)
    assert len(played.ranks) == seats


def test_a_game_whose_hidden_parts_nobody_can_draw_is_not_searched() -> None:
    assert registry.get("openspiel_phantom_ttt").playable is None


def test_what_a_seat_sees_has_no_value_of_its_own() -> None:
    game = game_of("openspiel_leduc_poker")
    seen = game.observed(game.encode_observation(game.new_state(2, chance=SeededChance(1)), 0)[1]).state
    assert game.playable is not None
    with pytest.raises(AbilityError, match="only a whole position has a value"):
        game.playable.evaluate_all(seen)


def tensor_of(state: State) -> list[float]:
    """What OpenSpiel itself says of the position to seat 1."""
    assert isinstance(state, OpenSpielState)
    found: list[float] = state.inner.observation_tensor(1)
    return found


def test_the_planes_are_openspiels_tensor() -> None:
    game = family.get("openspiel_tic_tac_toe")
    features, state = features_of(game, 2), game.new_state(2)
    state.apply(4)
    assert features.shape == (3, 3, 3)
    assert features.planes(state, 1).reshape(-1).tolist() == tensor_of(state)


def test_a_tensor_without_planes_is_one() -> None:
    game = family.get("openspiel_kuhn_poker")
    features = features_of(game, 2)
    state = game.new_state(2, chance=SeededChance(1))
    assert features.shape == (1, len(tensor_of(state)))
    seen = game.observed(game.encode_observation(state, 1)[1])
    assert (features.planes(seen, 1) == features.planes(state, 1)).all()


def test_what_a_seat_saw_of_the_end_has_none() -> None:
    game = family.get("openspiel_kuhn_poker")
    features, state = features_of(game, 2), game.new_state(2, chance=SeededChance(1))
    while state.seat() is not None:
        state.apply(0)
    seen = game.observed(game.encode_observation(state, 1)[1])
    with pytest.raises(AbilityError, match="of the end of openspiel_kuhn_poker has no tensor"):
        features.planes(seen, 1)
    features.planes(state, 1)


def test_a_game_that_hides_what_cannot_be_drawn_gives_no_planes() -> None:
    with pytest.raises(AbilityError, match=r"openspiel_bridge gives no feature planes \(Game.featured\)"):
        features_of(family.get("openspiel_bridge"), 4)


def test_they_are_played_in_batches() -> None:
    batch = Batch(family.get("openspiel_leduc_poker"), 4, 2, seed=3)
    generator = np.random.default_rng(1)
    ended = 0
    for _ in range(40):
        ended += int(batch.step(batch.random_actions(generator)).ended.sum())
    assert ended > 4
