"""The comparison with fastchess: what is read of it, what is counted, and what follows from that."""

import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.support.processes import wait_until

# By their names: no test imports a benchmark, because benchmarks import what helps tests.
chess, fastchess, values, spending = (
    import_module(f"benchmarks.chess.{name}") for name in ("__main__", "fastchess", "run", "spending")
)
Playing = values.Playing

FOUR = [
    Playing(18, 10, 0.0, 10.0),
    Playing(28, 20, 0.0, 20.0),
    Playing(38, 30, 10.0, 40.0),
    Playing(38, 40, 20.0, 60.0),
]


def test_what_counts_begins_when_all_slots_have_played_and_ends_when_the_last_match_begins() -> None:
    assert values.steady_span([*FOUR, Playing(15, 7, 40.0, 70.0)], 2) == (20.0, 40.0)
    assert values.steady_span([*FOUR, Playing(15, 7, 40.0, 70.0)], 1) == (10.0, 40.0)


@pytest.mark.parametrize("playings", [FOUR, FOUR[:1]])
def test_too_few_matches_are_no_measurement(playings: list[Any]) -> None:
    with pytest.raises(ValueError, match=f"{len(playings)} matches in 2 slots are too few to measure; play more"):
        values.steady_span(playings, 2)


def test_of_a_match_that_reaches_over_an_edge_only_its_share_counts() -> None:
    assert values.moves_within(FOUR, 20.0, 40.0) == 30 * 20 / 30 + 40 * 20 / 40


def test_the_figures_follow_from_what_was_counted() -> None:
    row = values.figures(FOUR, 2, (20.0, 40.0), (8.0, 2.0))
    assert row.moves_a_second == 2.0
    assert (row.cpu_us, row.engine_us) == (250_000.0, 200_000.0)
    assert row.lost_us == 1_000_000.0 - 200_000.0
    assert row.lengths == {18: 1, 28: 1, 38: 2}


GAME = """[Event "Fastchess Tournament"]
[Round "{round}"]
[White "{white}"]
[Black "{black}"]
[Result "1/2-1/2"]
[PlyCount "{plies}"]
[Termination "{termination}"]

1. a3 {{book}} a6 {{+0.28/2 0.000s}} 1/2-1/2

"""


def game(number: int, plies: int, termination: str = "normal") -> str:
    white, black = fastchess.NAMES[:: 1 if number % 2 else -1]
    return GAME.format(round=(number + 1) // 2, white=white, black=black, plies=plies, termination=termination)


def test_its_games_are_numbered_as_it_numbers_them() -> None:
    pgn = game(2, 28) + game(1, 18) + game(4, 48) + game(3, 38)
    assert list(fastchess.read_games(pgn)) == [(2, 28), (1, 18), (4, 48), (3, 38)]


def test_a_game_that_did_not_end_by_the_rules_is_an_error() -> None:
    with pytest.raises(
        fastchess.FastchessError, match="game 2 ended by 'time forfeit'; see whether the engine is sound"
    ):
        list(fastchess.read_games(game(1, 18) + game(3, 18, "time forfeit")))


PROGRAM = """
import sys
print("Started game 1 of 2 (uci-a vs uci-b)", flush=True)
print("Finished game 1 (uci-a vs uci-b): 1-0 {White mates}")
print("Started game 2 of 2 (uci-b vs uci-a)")
print("Finished game 2 (uci-b vs uci-a): 1-0 {White mates}")
open("games.pgn", "w").write(sys.argv[1])
print(sys.argv[2])
sys.exit(int(sys.argv[3]))
"""


def run(home: Path, words: str, status: int) -> list[Any]:
    command = (sys.executable, "-c", PROGRAM, game(1, 18) + game(2, 28), words, str(status))
    playings: list[Any] = fastchess.play(command, home, "/no/engine", 8)[0]
    return playings


def test_when_its_games_began_and_ended_is_read_from_what_it_prints(tmp_path: Path) -> None:
    before = time.time()
    playings = run(tmp_path, "Finished match", 0)
    assert [(one.plies, one.moves) for one in playings] == [(18, 10), (28, 20)]
    moments = [before, *(moment for one in playings for moment in (one.began_s, one.ended_s)), time.time()]
    assert moments == sorted(moments)


def test_one_that_fails_is_told_with_its_last_words(tmp_path: Path) -> None:
    with pytest.raises(fastchess.FastchessError, match="fastchess ended with 3: Error: no such engine"):
        run(tmp_path, "Error: no such engine", 3)


def test_each_opening_is_played_in_both_colours() -> None:
    words = fastchess.command("fc", "/sf", nodes=100, rounds=5, slots=2, opening_plies=8)
    said = " ".join(words)
    assert "cmd=/sf name=uci-a -engine cmd=/sf name=uci-b" in said
    assert "nodes=100" in words
    assert "-rounds 5 -games 2 -repeat -concurrency 2" in said


ENGINE = "import time\nwhile time.process_time() < 0.2: pass\ninput()\n"
RUNNER = "import subprocess, sys\nsubprocess.run([sys.executable, sys.argv[1]])\n"


def test_what_engines_compute_is_counted_apart_from_the_rest(tmp_path: Path) -> None:
    engine = tmp_path / "engine.py"
    engine.write_text(ENGINE, encoding="utf-8")
    words = [sys.executable, "-c", RUNNER, str(engine)]
    began_s = time.time()
    with (
        subprocess.Popen(words, stdin=subprocess.PIPE) as process,
        spending.Spending(process.pid, str(engine)) as spent,
    ):
        assert process.stdin is not None
        wait_until(lambda: spent.looks() > 1 and spent.between(began_s, time.time())[0] > 0.15)
        process.stdin.close()
    engines_s, others_s = spent.between(began_s, time.time())
    assert engines_s > 0.15
    assert 0.0 <= others_s < engines_s


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "the following arguments are required: --fastchess, --engine"),
        (["--fastchess", "/no/fc"], "'/no/fc': there is no program of that name; give the path of one"),
        (["--nodes", "1,x"], "'1,x': give whole numbers from 1, with commas between them"),
        (["--nodes", "0"], "'0': give whole numbers from 1, with commas between them"),
        (["--rounds", "0"], "'0': give a whole number from 1 to 256"),
        (["--slots", "two"], "'two': give a whole number from 1 to 256"),
        (["--share", "0"], "'0': give a number above 0, at most 100"),
        (["--share", "nan"], "'nan': give a number above 0, at most 100"),
    ],
)
def test_what_is_wrong_with_the_command_is_told(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        chess.main(words)
    assert ended.value.code == 2
    assert told in capsys.readouterr().err


def test_longer_searches_play_fewer_openings_and_never_too_few() -> None:
    counts = [chess.openings_for(nodes, 1.0) for nodes in (1, 100, 10_000, 1_000_000)]
    assert counts == sorted(counts, reverse=True)
    assert chess.openings_for(1_000_000, 0.001) == chess.LEAST_OPENINGS
