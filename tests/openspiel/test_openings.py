"""Files of openings for OpenSpiel's games: sequences of moves, and positions from which matches begin."""

from __future__ import annotations

import json
import re

import pytest

from arena.tournament.formats.format import ScheduleError
from arena.tournament.formats.openings import read_openings
from engine import registry
from engine.chance import SeededChance
from engine.core import OptionsError, PositionError
from engine.record import Playing, replay

PGN = """[Event "Opera"]
[White "Morphy"]

1. e4 e5 2.Nf3 d6 (2... Nc6 3. Bb5) 3. d4 Bg4?! {a pin} 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7
8. Nbc3 c6 9. Bg5 b5 10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. 0-0-0 *
[Event "other signs"]

1. e2e4 d5 2. ed5 Nf6 3. Nc3 c6 4. dxc6 Nd5 5. cxb7 Nc7 6. bxa8Q Kd7 1/2-1/2
"""


def test_moves_of_chess_are_read_as_programs_write_them() -> None:
    game = registry.get("openspiel_chess")
    opera, other = read_openings(PGN, game, seats=2, options=game.parse_options({})).openings
    after = [game.new_state(2) for _ in range(2)]
    for state, opening in zip(after, (opera, other), strict=True):
        for action in opening:
            state.apply(action)
    assert game.shown.text(after[0], None, "en").split()[0] == "r3kb1r/p2nqppp/5n2/1B2p1B1/4P3/1Q6/PPP2PPP/2KR3R"
    assert game.shown.text(after[1], None, "en").split()[0] == "Qnbq1b1r/p1nkpppp/8/8/8/2N5/PPPP1PPP/R1BQKBNR"


USUAL = "1. e4 e6 2. e5 d5 3. exd6 Nf6 4. Nf3 Bxd6 5. Be2 O-O 6. O-O"


@pytest.mark.parametrize(
    "line",
    [
        "1. e2-e4 e7-e6 2. e4-e5 d7-d5 3. e5xd6 Ng8-f6 4. Ng1-f3 Bf8xd6 5. Bf1-e2 0-0 6. O-O",
        "1. e2\u2013e4 Pe6 2. Pe5 d5 3. e5:d6 Nf6 4. Nf3 B:d6 5. Be2 o-o 6. 0\u20130",
        "1. ♙e4 ♟e6 2. e5 d5 3. exd6 ♞f6 4. ♘f3 ♝xd6 5. ♗e2 O-O 6. O-O",
        "1. e4 e6 2. e5 d5 3. exd6 e.p. Nf6 4. Nf3 Bxd6 5. Be2 O-O 6. O-O",
        "1. e4 e6 2. e5 d5 3. exd6e.p.! Nf6 4. Nf3 Bxd6 5. Be2 O-O 6. O-O",
        "1.e4 !? e6 ?? 2.e5 (2.d4 !) 2…d5 3. … exd6 $1 Nf6 4.Nf3 {a\nb ; c} Bxd6 ; {\n% (\n5.Be2 O-O 6.O-O ½-½",
    ],
)
def test_moves_of_chess_are_read_as_people_write_them(line: str) -> None:
    game = registry.get("openspiel_chess")
    book = read_openings(f'{line}\n[Event "usual"]\n{USUAL}', game, seats=2, options=game.parse_options({}))
    assert book.openings == book.openings[-1:] * len(book.openings)
    assert len(book.openings[-1]) == 11


def test_a_promotion_is_read_as_people_write_it() -> None:
    game = registry.get("openspiel_chess")
    lines = [f'[FEN "4k3/P7/8/8/8/8/8/4K3 w - - 0 1"]\n{move} *\n' for move in ("a8=Q+", "a7-a8/Q", "a8♕", "a7a8q")]
    openings = read_openings("".join(lines), game, seats=2, options=game.parse_options({})).openings
    assert openings == openings[:1] * 4


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("1. e4 e5 2. Ke3", "'Ke3' is no legal action after 2 plies"),
        ("1. d2e4", "'d2e4' is no legal action after 0 plies"),
        ("1. e4 e5 2. Ng1-f3 Nc6 3. Ngc3", "'Ngc3' is no legal action after 4 plies"),
        ("1. Nf3 a6 2. Nc3 a5 3. Ne4 a4 4. Ng5", "'Ng5' is no legal action after 6 plies"),  # which knight?
        ("1. f3 e5 2. g4 Qh4# 3. e4", "the game is over before 'e4'"),
        ("1. f3 e5 2. g4 Qh4#", "the opening leaves nothing to decide"),
        ("8/8/8/8/8/8/8/4K3 w - -", "this position cannot be played: each side has one king, and at most 16"),
        ("4k3/4Q3/8/8/8/8/8/4K3 w - - 0 1", "this position cannot be played: the side that does not move is in check"),
        (
            "4k3/PPPP4/PPPPP3/8/8/8/8/4K3 b - - 0 1",
            "this position cannot be played: each side has one king, and at most 16",
        ),
        ("4k2P/8/8/8/8/8/8/4K3 b - - 0 1", "this position cannot be played: each side has one king, and at most 16"),
        ("4k3/8/8/8/8/8/8/4K2R w Q - 0 1", "this position cannot be played: castling Q needs the king and a rook on"),
        ("4k3/8/8/8/4P3/8/8/4K3 w - e3 0 1", "this position cannot be played: no pawn can be taken en passant on e3"),
        ("4k3/8/8/8/4P3/8/4P3/4K3 b - e3 0 1", "this position cannot be played: no pawn can be taken en passant on"),
        ("4k3/8/8/8/8/8/4P3/4K3/8 w - - 0 1", "this position cannot be played: the board of a FEN has 8 rows of 8"),
        ("4k3/8/8/8/8/8/44/4K2R w - - 0 1", "this position cannot be played: the board of a FEN has 8 rows of 8"),
        ("4k3/8/8/9/8/8/8/4K2R w - - 0 1", "this position cannot be played: '4k3/8/8/9/8/8/8/4K2R w - - 0 1' is no"),
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 99999", "this position cannot be played: '4k3/8/8/8/8/8/8/4K2R w - - 0 9999"),
        ("4k3/8/8/8/8/8/8/4K2R w HA - 0 1", "this position cannot be played: '4k3/8/8/8/8/8/8/4K2R w HA - 0 1' is"),
        ("4k3/8/8/8/8/8/8/4K2R w K", "this position cannot be played: '4k3/8/8/8/8/8/8/4K2R w K' is no position of"),
        ("7k/5KQ1/8/8/8/8/8/8 b - - 0 1", "nothing is left to decide in this position; leave it out"),  # mate
        ("7k/5K2/6Q1/8/8/8/8/8 b - -", "nothing is left to decide in this position; leave it out"),  # stalemate
        ("7k/8/5KQ1/8/8/8/8/8 w - - 100 90", "nothing is left to decide in this position; leave it out"),
        ("7k/8/5K2/8/8/8/8/8 w - -", "nothing is left to decide in this position; leave it out"),
        ('[SetUp "1"] 1. e4 e5', "this position cannot be played: '' is no position of chess; write it as FEN or EPD"),
        ('[FEN "8/8 w - -"] 1. e4', "this position cannot be played: the board of a FEN has 8 rows of 8"),
        ('[FEN "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"] 1. e4', "'e4' is no legal action after 0 plies"),
        ('[{"fen": null}]', "this position cannot be played: 'None' is no position of chess; write it as FEN or EPD"),
        ('[{"FEN": "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"}]', "this position cannot be played: a position of openspiel_ch"),
    ],
)
def test_a_line_that_chess_does_not_allow_is_told(line: str, told: str) -> None:
    game = registry.get("openspiel_chess")
    with pytest.raises(ScheduleError, match=re.escape(f"openings, line 1: {told}")):
        read_openings(line, game, seats=2, options=game.parse_options({}))


SPANISH = "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3"
BARE = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
CHESS_960 = "openspiel_chess:chess960=true"


@pytest.mark.parametrize(
    ("text", "starts", "plies"),
    [
        (f'{SPANISH}\n\n  {BARE[:-4]} bm Kd2; id "x";\r\n', [SPANISH, BARE], [0, 0]),
        (f'["{BARE}", "e4 e5", {{"fen": "{SPANISH}"}}, []]', [BARE, "", SPANISH, ""], [0, 2, 0, 0]),
        (f'[SetUp "1"]\n[FEN "{BARE}"]\n1. e4 Kd7 *\n[Event "x"]\n[FEN "{SPANISH}"]', [BARE, SPANISH], [2, 0]),
        (f'[FEN "{BARE}"]\n[SetUp "1"]\n*\n[SetUp "0"]\n1. e4 e5', [BARE, ""], [0, 2]),
        (f'[FEN "{BARE}"]\n[SetUp "1"]\n\n[FEN "{SPANISH}"]\n\n[Event "x"]\n1. e4', [BARE, SPANISH, ""], [0, 0, 1]),
    ],
)
def test_positions_of_chess_are_read_in_all_forms(text: str, starts: list[str], plies: list[int]) -> None:
    game = registry.get("openspiel_chess")
    book = read_openings(text, game, seats=2, options=game.parse_options({}))
    assert [start.get("fen", "") for start in book.starts] == starts
    assert [len(opening) for opening in book.openings] == plies


def test_a_position_as_json_is_the_actions_that_led_to_it() -> None:
    for name, start in (("openspiel_chess", {"fen": SPANISH}), ("openspiel_connect_four", {})):
        game = registry.get(name)
        state = game.new_state(2, game.parse_options(start))
        for _ in range(3):
            state.apply(state.legal_actions()[0])
        assert game.state_from_json(state.to_json()) == state
        book = read_openings(json.dumps([state.to_json()]), game, seats=2, options=game.parse_options({}))
        assert (book.starts, book.openings) == ((start,), (tuple(state.to_json()["history"]),))


def test_what_is_seen_of_a_match_from_a_position_is_read_by_its_options() -> None:
    usual, start = registry.get("openspiel_chess"), {"fen": SPANISH}
    game = usual.for_match(start)
    played = Playing(usual, 2, usual.parse_options(start), SeededChance(0))
    for _ in range(4):
        played.apply(played.state.legal_actions()[0])
    message = usual.encode_observation(played.state, 0)[1]
    assert game.observed(message).to_json() == played.state.to_json()
    assert replay(played.record()).state == played.state
    assert usual.options_json(usual.parse_options({})) == {}, "the usual match has the pool and the options that it had"
    with pytest.raises(PositionError):
        usual.observed(message)
    for name, options in (("openspiel_chess", {"fen": "x"}), ("openspiel_go", start), (CHESS_960, start)):
        with pytest.raises(OptionsError, match="fen"):
            registry.get(name).parse_options(options)
