"""The arena's side of the comparison with fastchess, and the book of openings for the other side."""

import sys
from importlib import import_module
from pathlib import Path

import pytest

# By their names: no test imports a benchmark, because benchmarks import what helps tests.
arena, values = import_module("benchmarks.chess.arena"), import_module("benchmarks.chess.run")

ENGINE = Path(__file__).resolve().parents[1] / "support" / "legal_engine.py"
OPENINGS = 3


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A program that can be called by its path alone."""
    program = tmp_path_factory.mktemp("engine") / "legal"
    program.write_text(f"#!{sys.executable}\n{ENGINE.read_text(encoding='utf-8')}", encoding="utf-8")
    program.chmod(0o755)
    return str(program)


def test_every_opening_is_played_in_both_colours_and_can_be_read(tmp_path: Path, engine: str) -> None:
    write_book = import_module("benchmarks.chess.book").write_book
    arena.add_bots(tmp_path, engine, 1)
    playings, spending = arena.play(tmp_path, engine, OPENINGS, slots=1, opening_plies=2)
    assert len(playings) == 2 * OPENINGS
    assert all(one.moves > 3 and one.ended_s > one.began_s for one in playings)
    began_s, ended_s = values.steady_span(playings, 1)
    assert all(spent_s >= 0.0 for spent_s in spending.between(began_s, ended_s))
    # It looks twice a second, and so short a tournament may be over between two looks.
    _, others_s = spending.between(began_s - 60, ended_s + 60)
    assert others_s > 0.0
    openings = arena.openings(tmp_path / "arena.db")
    assert [len(opening) for opening in openings] == [2] * OPENINGS
    assert write_book(openings).count("\n1. ") == OPENINGS


def test_a_book_is_written_as_moves_of_games_without_an_end() -> None:
    import pyspiel

    write_book = import_module("benchmarks.chess.book").write_book
    state = pyspiel.load_game("chess").new_initial_state()
    for move in ("e2e4", "e7e5", "g1f3"):
        state.apply_action(state.parse_move_to_action(move))
    assert write_book([state.history()]) == '[Event "Opening"]\n[Result "*"]\n\n1. e4 e5 2. Nf3 *\n\n'


def test_an_arena_that_cannot_play_says_why(tmp_path: Path) -> None:
    arena.add_bots(tmp_path, "/no/such/engine", 1)
    with pytest.raises(arena.ArenaError, match=r"0 of 6 matches by the rules: START_FAILED: .*/no/such/engine"):
        arena.play(tmp_path, "/no/such/engine", OPENINGS, slots=1, opening_plies=2)
