"""Games of OpenSpiel as the arena plays, searches, encodes and shows them; and matches from the command line."""

from __future__ import annotations

from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from arena.adapters.batch import Batch
from arena.adapters.features import features_of
from arena.story.errors import StoryError
from arena.story.story import PublicPositions
from arena.v1 import match_pb2, play_pb2
from arena.web.people.human_seat import SeatBoard, look_ahead
from arena.web.people.table_view import ObservedPly, TableView, _ply_json
from bots.algorithms.greedy import GreedyBot
from bots.algorithms.search import SearchBot
from bots.algorithms.uniform import RandomBot
from bots.offline import play_offline
from engine import registry
from engine.abilities import Move, View
from engine.chance import RecordingChance, ScriptedChance, SeededChance
from engine.core import AbilityError, PositionError, State
from engine.openspiel import catalogue as family
from engine.openspiel.board_detection import find_board
from engine.openspiel.game import OpenSpielGame
from engine.openspiel.state import OpenSpielState, SeenState
from engine.playout import positions
from engine.record import UNKNOWN_ACTION, Playing, replay
from tests.support.patience import ANY_START, ANY_TIME
from tests.support.places import Place


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


def signs(text: str) -> list[str]:
    return ["".join(cell.sign for cell in row) for row in find_board(text)]


def test_a_fen_is_a_board() -> None:
    text = "rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 2"
    assert signs(text)[:4] == ["rnbqkbnr", "pppp.ppp", "........", "....p..."]


def test_rows_with_numbers_beside_and_letters_below_are_a_board() -> None:
    assert signs("GoState(komi=7.5)\n\n 3 ++X\n 2 +O+\n 1 +++\n   ABC\n") == ["++X", "+O+", "+++"]
    assert signs("Black (x) to play:\n  a b c d\n1 - - x - 1\n2 - o x - 2\n3 - x o - 3\n  a b c d\n") == [
        *("--x-", "-ox-", "-xo-")
    ]


def test_rows_may_stand_further_right_and_grow_shorter() -> None:
    rows = find_board("  a b c\n 1 . .[@]\n  2 O .\n   3 .\n")
    assert not rows, "two rows of a board have fewer than three cells"
    rows = find_board(". . x\n . o .\n  . . .\n")
    assert [row[0].x for row in rows] == [0, 0.5, 1]


@pytest.mark.parametrize("text", ["", "Scores: 0 0\nCurrent player: 1\n", "(0): 0 0 0 0", "+--+\n|  |\n+--+"])
def test_other_words_are_no_board(text: str) -> None:
    assert not find_board(text)


@pytest.mark.parametrize(
    ("name", "action", "cell"),
    [
        ("openspiel_tic_tac_toe", 5, (1, 2)),
        ("openspiel_connect_four", 3, (5, 3)),
        ("openspiel_go:board_size=9", 0, (8, 0)),
        ("openspiel_hex:board_size=5", 7, (1, 2)),
        ("openspiel_y:board_size=9", 10, (1, 1)),
    ],
)
def test_a_click_on_a_cell_chooses_the_action_that_fills_it(name: str, action: int, cell: tuple[int, int]) -> None:
    game = registry.get(name)
    before = game.new_state(2)
    after = before.clone()
    after.apply(action)
    rows = find_board(game.shown.text(after, None, "en"))
    assert not rows[cell[0]][cell[1]].is_empty
    index = sum(len(row) for row in rows[: cell[0]]) + cell[1]
    move = Move(before, action, f"A{action}", 0, after)
    picture = game.shown.picture(after, View(last=move))
    assert f'data-place="A{action}"' in picture.parts[index]
    assert [place for place, drawn in enumerate(picture.parts) if 'class="n"' in drawn] == [index], "the last move"


def test_a_game_that_hides_something_is_shown_in_words_alone() -> None:
    game = registry.get("openspiel_phantom_ttt")
    with pytest.raises(AbilityError, match="shown as text only"):
        game.shown.picture(game.new_state(2, chance=SeededChance(0)), View())


def test_what_one_seat_sees_of_a_hidden_position_is_not_looked_ahead_from() -> None:
    game = registry.get("openspiel_leduc_poker")
    state = game.new_state(2, chance=SeededChance(1))
    seen = game.observed(game.encode_observation(state, 0)[1]).state
    outlook = look_ahead(game, seen, 0, [seen.legal_actions()[0]])
    assert (outlook.legal, outlook.last, outlook.state) == ((), None, seen)


def test_chess_is_looked_ahead_to_the_move_and_no_further() -> None:
    game = registry.get("openspiel_chess")
    outlook = look_ahead(game, game.new_state(2), 0, [game.new_state(2).legal_actions()[0]])
    assert outlook.last is not None
    assert outlook.legal == ()


def test_an_action_that_a_seat_may_not_know_has_no_words() -> None:
    game = registry.get("openspiel_phantom_ttt")
    board = SeatBoard(play_pb2.MatchStarted(game=game.name, seat=1, seats=2))
    sight = cast(TableView, SimpleNamespace(board=board))

    def words(action: int) -> Any:
        return _ply_json(sight, ObservedPly(match_pb2.Event(ply=0, seat=0, action=action), None), 0, "en")["words"]

    assert words(UNKNOWN_ACTION) == []
    assert words(4) == ["A4"]


ROOT = Path(__file__).resolve().parents[2]
BOTS = ("random", "greedy", "search")


class Arena(Place):
    """A directory with a database and the sample bots."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self.ok("bot", "add", *(ROOT / "bots" / bot for bot in BOTS))

    def play(self, game: str, bots: str, *words: str) -> Any:
        """Play a match to its end by the rules; what is told of it."""
        told = self.ok("match", "run", "--game", game, "--bots", bots, "--seed", "1", "--json", *words).json
        assert told["by_rules"]
        assert {seat["ended"] for seat in told["seats"]} == {"played"}
        assert told["pool"]["game"] == game
        return told


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Arena:
    return Arena(tmp_path_factory.mktemp("openspiel"))


@pytest.mark.parametrize(
    ("game", "bots", "time"),
    [
        ("openspiel_chess", "random,greedy", ANY_TIME),
        ("openspiel_tic_tac_toe", "search,greedy", ("--time", "200ms", *ANY_START)),
        ("openspiel_phantom_ttt", "random,random", ANY_TIME),
        ("openspiel_hearts", "random,random,random,random", ANY_TIME),
    ],
)
def test_the_samples_play_a_match_that_is_recorded_and_comes_out_the_same_again(
    arena: Arena, game: str, bots: str, time: tuple[str, ...]
) -> None:
    match = arena.play(game, bots, *time)
    assert "1 verified" in arena.ok("replay", "verify", match["match_id"]).out


def test_positions_of_a_file_begin_the_blocks_and_the_file_is_not_needed_again(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = arena.play("openspiel_chess", "random,greedy", *ANY_TIME)
    fens = [f"8/8/4k3/8/8/3QK3/8/8 {turn} - - 94 70" for turn in "wb"]
    file = tmp_path / "positions.epd"
    file.write_text("\n".join(fens), encoding="utf-8")
    line = ["tournament", "run", "swiss", "--game", "openspiel_chess", "--bots", "random,greedy", "--rounds", "2"]
    with monkeypatch.context() as stopped:
        stopped.setattr("arena.cli.verbs.tournament.run.play", lambda *_, **__: None)
        arena.here(*line, *ANY_TIME, "--seed", "1", "--name", "cup", "--openings", file)
    file.unlink()
    arena.ok("tournament", "resume", "cup")
    assert "of a file" in arena.ok("tournament", "show", "cup").out
    played = dict[int, set[tuple[str, str, int]]]()
    matches = arena.ok("tournament", "show", "cup", "--matches", "--json").json["matches"]
    for match in matches:
        told = arena.ok("replay", "show", match["id"], "--json").json
        assert told["result"]["by_rules"]
        assert told["result"]["faults"] == []
        begun = told["options"]["fen"], told["seats"][0]["name"], told["entries"][0]["seat"]
        played.setdefault(match["block"], set()).add(begun)
        arena.ok("replay", "html", match["id"], "--output", tmp_path / f"{match['id']}.html")
    first, second = played.values()
    assert {fen for fen, *_ in first | second} == set(fens)
    for block in (first, second):
        assert {bot for _, bot, _ in block} == {"random", "greedy"}
        assert {(fen.split()[1], seat) for fen, _, seat in block} <= {("b", 0), ("w", 1)}
    assert "verified" in arena.ok("replay", "verify", "--all").out
    cup = next(one for one in arena.ok("tournament", "list", "--json").json if one["name"] == "cup")
    assert cup["pool_id"] == plain["pool"]["pool_id"]
    arena.ok("tournament", "export", "cup", tmp_path / "cup.arena")
    arena.ok("tournament", "import", tmp_path / "cup.arena", "--db", tmp_path / "copy.db")
    arena.ok("replay", "dataset", "--tournament", "cup", "--out", tmp_path / "cup.npz")
    told = arena.here(
        "match",
        "run",
        "--game",
        "openspiel_chess",
        "--bots",
        "random,greedy",
        "--option",
        "fen=4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
    )
    assert "option fen is set by openings alone" in told.err


def test_a_file_of_a_match_shows_the_board_and_the_words_of_its_moves(arena: Arena) -> None:
    match = arena.play("openspiel_hex:board_size=5", "random,random", *ANY_TIME)
    assert "1 verified" in arena.ok("replay", "verify", match["match_id"]).out
    target = arena.directory / "hex.html"
    arena.ok("replay", "html", match["match_id"], "--output", target)
    assert target.stat().st_size > 10_000


@pytest.mark.needs("node")
def test_a_bot_in_another_language_is_told_of_the_game_when_the_match_starts(arena: Arena) -> None:
    arena.ok("bot", "add", ROOT / "bots" / "node")  # it looks the names of its actions up
    arena.play("openspiel_connect_four", "node,random", *ANY_TIME)


def test_the_bot_of_the_guide_plays(arena: Arena) -> None:
    guide = (ROOT / "docs/openspiel.md").read_text(encoding="utf-8")
    directory = arena.directory / "mobile"
    directory.mkdir()
    (directory / "main.py").write_text(guide.partition("```python\n")[2].partition("```")[0], encoding="utf-8")
    (directory / "bot.toml").write_text(
        'schema = 1\nname = "mobile"\ncommand = ["python", "main.py"]\nruntime = "arena"\n'
        'games = ["openspiel_chess", "openspiel_othello"]\n',
        encoding="utf-8",
    )
    arena.ok("bot", "add", directory)
    arena.play("openspiel_othello", "mobile,random", *ANY_TIME)


@pytest.mark.parametrize(
    ("game", "why"),
    [
        ("openspiel_goofspiel", "cannot be played in the arena: its seats act at the same time"),
        ("openspiel_go:board_size=99", "OpenSpiel refuses openspiel_go:board_size=99"),
    ],
)
def test_a_game_that_cannot_be_played_is_refused_in_a_line(arena: Arena, game: str, why: str) -> None:
    for words in (("game", "show", game), ("match", "run", "--game", game, "--bots", "random,random")):
        done = arena.here(*words)
        assert done.code == 2
        assert f"arena: {game}" in done.err or f"arena: OpenSpiel refuses {game}" in done.err
        assert why in done.err
