"""The training: it climbs where there is a slope, equal seeds give equal weights, and what is wrong is told."""

from __future__ import annotations

import json
from math import tanh
from pathlib import Path

import numpy as np
import pytest

import engine
from bots.training import duels
from bots.training.__main__ import ClimbStep, Vector, WeightsFileError, climb, main, read_weights, rounded, units_of
from bots.training.duels import Duel, need_weighing, play_duel
from engine import registry
from engine.abilities import Weighing, need_playable
from engine.playout import positions

GAMES = [name for name in registry.single_names() if (game := registry.get(name).playable) and game.weighing]
SHORT = ["--steps", "1", "--trial", "0", "--seed", "3"]


@pytest.fixture(autouse=True)
def _hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody looks at more positions than tell weights apart now and then."""
    monkeypatch.setattr(duels, "TURN_NODES", 8)
    monkeypatch.setattr(duels, "LINE_NODES", 4)


def weighing_of(game: str) -> Weighing:
    return need_weighing(registry.get(game))


def weights_of(game: str) -> tuple[float, ...]:
    return tuple(weighing_of(game).weights)


@pytest.fixture
def _pretended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is played: the first weights lead by how much more they weigh, and by what the seats and the seed say."""

    def lead(duel: Duel) -> float:
        return tanh(sum(duel.first) - sum(duel.second)) * (1 + duel.seats + duel.seed % 7) / 20

    monkeypatch.setattr("bots.training.__main__.play_duel", lead)


def nothing(step: ClimbStep) -> None:
    """Hear of a step and say nothing."""


def test_a_climb_comes_near_the_top_of_a_hill() -> None:
    began_with = [1.0, -2.0, 0.0, 4.0]
    top = np.array([1.6, -1.4, 0.3, 3.0])

    def height(weights: Vector) -> float:
        return -float(np.sum(((weights - top) / units_of(began_with)) ** 2))

    def lead_of(step: int, one: Vector, other: Vector) -> float:
        assert np.allclose(np.abs(one - other), 2 * units_of(began_with))
        return tanh((height(one) - height(other)) / 20)

    found = climb(began_with, 600, 1, lead_of, nothing)
    assert np.all(np.abs((found - top) / units_of(began_with)) < 0.5)
    assert height(np.array(began_with)) < 20 * height(found)


def test_a_climb_tells_its_steps_and_moves_nowhere_without_a_lead() -> None:
    told: list[ClimbStep] = []
    found = climb([1.0, 2.0], 5, 1, lambda *_: 0.0, told.append)
    assert [step.number for step in told] == [0, 1, 2, 3, 4]
    assert np.allclose(found, [1.0, 2.0])


@pytest.mark.parametrize("game", GAMES)
def test_equal_weights_lead_by_nothing_and_a_lead_turns_with_the_sides(game: str) -> None:
    weights = weights_of(game)
    blind = tuple(0.01 * weight for weight in weights)
    lead = play_duel(Duel(game, weights, blind, 3, 4))
    assert -1 <= lead <= 1
    assert lead == play_duel(Duel(game, weights, blind, 3, 4)), "equal duels, equal leads"
    assert play_duel(Duel(game, weights, weights, 2, 4)) == 0


@pytest.mark.parametrize("game", GAMES)
def test_the_game_is_searched_by_the_weights_it_tells(game: str) -> None:
    playable = need_playable(registry.get(game))
    assert playable.weighing is not None
    again = playable.weighing.playable_by(playable.weighing.weights)
    other = playable.weighing.playable_by([weight * 1.5 + 0.1 for weight in playable.weighing.weights])
    seen = [state.clone() for state in positions(registry.get(game), 3, 1)][:60]
    told = [list(playable.evaluate_all(state)) for state in seen]
    assert [list(again.evaluate_all(state)) for state in seen] == told
    assert [list(other.evaluate_all(state)) for state in seen] != told
    assert other.weighing is not None
    assert other.weighing.names == playable.weighing.names
    with pytest.raises(ValueError, match="weights"):
        playable.weighing.playable_by([1.0])


@pytest.mark.parametrize("game", GAMES)
def test_the_committed_weights_are_those_of_the_file_and_it_tells_how_they_were_found(game: str) -> None:
    (path,) = Path(engine.__file__).with_name("games").joinpath(game).rglob("weights.json")
    told, weighing = read_weights(path), weighing_of(game)
    assert told.in_order(weighing.names, told.weights) == weights_of(game)
    assert told.climbs
    for one in told.climbs:
        assert one["made_by"].startswith(f"python -m bots.training {game} --steps ")
        assert one["made_by"].endswith(" --again weights.json")
        assert one["trial"].startswith("lead +")
    of_seats = {int(file.stem.removeprefix("weights-")): read_weights(file) for file in path.parent.glob("weights-*")}
    assert weighing.weights_at == {at: file.in_order(weighing.names, file.weights) for at, file in of_seats.items()}
    for seats, file in of_seats.items():
        own = file.climbs[len(told.climbs) :]
        assert file.climbs == [*told.climbs, *own], "they began where the weights for all seats were found"
        assert own
        for one, after in zip(own, ["weights.json", *[f"weights-{seats}.json"] * len(own)], strict=False):
            assert one["made_by"].startswith(f"python -m bots.training {game} --seats {seats} --steps ")
            assert one["made_by"].endswith(f" --after {after}")
            assert one["trial"].startswith("lead +")


@pytest.mark.parametrize(("game", "seats"), [(game, at) for game in GAMES for at in weighing_of(game).weights_at])
def test_where_it_has_weights_of_their_own_a_game_goes_by_these(game: str, seats: int) -> None:
    weighing = weighing_of(game)
    own = weighing.playable_by(weighing.weights_at[seats])
    seen = [state.clone() for state in positions(registry.get(game), seats, 1)][:60]
    told = [list(need_playable(registry.get(game)).evaluate_all(state)) for state in seen]
    assert [list(own.evaluate_all(state)) for state in seen] == told
    assert [list(weighing.playable_by(weighing.weights).evaluate_all(state)) for state in seen] != told


def test_a_file_tells_how_its_weights_were_found(tmp_path: Path) -> None:
    game, one = GAMES[0], tmp_path / "one.json"
    assert main([game, *SHORT, "--trial", "2", "--out", str(one)]) == 0
    found = read_weights(one)
    assert found.climbs[0]["made_by"] == f"python -m bots.training {game} --steps 1 --seed 3 --again one.json"
    assert dict(found.began_with) == dict(zip(need_weighing(registry.get(game)).names, weights_of(game), strict=True))
    assert dict(found.weights) != dict(found.began_with)


@pytest.mark.usefixtures("_pretended")
def test_a_climb_goes_on_after_another_or_begins_again_where_it_began(tmp_path: Path) -> None:
    game = GAMES[0]
    first, after, again = tmp_path / "first.json", tmp_path / "after.json", tmp_path / "again.json"
    words = [game, *SHORT, "--seats", "3"]
    assert main([*words, "--out", str(first)]) == 0
    assert main([*words, "--after", str(first), "--out", str(after)]) == 0
    assert main([*words, "--again", str(first), "--out", str(again)]) == 0
    assert again.read_text() == first.read_text().replace("first.json", "again.json")
    told = read_weights(after)
    assert len(told.climbs) == 2
    assert told.began_with == read_weights(first).began_with
    assert told.weights != read_weights(first).weights


@pytest.mark.usefixtures("_pretended")
def test_one_number_of_seats_is_trained_from_what_the_game_goes_by_there(tmp_path: Path) -> None:
    game, out = GAMES[0], tmp_path / "four.json"
    assert main([game, *SHORT, "--seats", "4", "--out", str(out)]) == 0
    told, weighing = read_weights(out), weighing_of(game)
    assert f"{game} --seats 4 --steps 1 --seed 3 --again four.json" in told.climbs[0]["made_by"]
    assert told.in_order(weighing.names, told.began_with) == tuple(weighing.weights_at.get(4, weighing.weights))
    everywhere = tmp_path / "all.json"
    assert main([game, *SHORT, "--after", str(out), "--out", str(everywhere)]) == 0
    assert read_weights(everywhere).weights != told.weights


def test_a_weight_is_kept_to_four_digits() -> None:
    assert rounded(0.123456) == 0.1235
    assert rounded(-1234.56) == -1235.0


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("", "is no file of weights"),
        ("[]", "is no file of weights"),
        ('{"weights": {"a": "much"}, "began_with": {}, "climbs": []}', "is no file of weights"),
        ('{"weights": {"a": NaN}, "began_with": {}, "climbs": []}', "is no file of weights"),
        ('{"weights": {}, "began_with": {}, "climbs": [{}]}', "is no file of weights"),
        ('{"weights": {"a": 1}, "began_with": {}, "climbs": []}', "are not those of the game (a"),
    ],
)
def test_a_file_that_is_none_is_told(
    text: str, refusal: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "weights.json"
    path.write_text(text, encoding="utf-8")
    assert main([GAMES[0], *SHORT, "--after", str(path), "--out", str(tmp_path / "x.json")]) == 1
    told = capsys.readouterr().err
    assert refusal in told
    assert told.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (["nothing"], "nothing"),
        ([GAMES[0], "--after", "/nowhere.json"], "cannot be read"),
        ([GAMES[0], "--seats", "9"], f"{GAMES[0]} is played by 2 to "),
        ([GAMES[0], "--out", "/nowhere/x.json"], "cannot be written"),
    ],
)
def test_what_cannot_be_done_is_told_in_a_line_before_anything_is_played(
    words: list[str], refusal: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 1
    told = capsys.readouterr().err
    assert refusal in told
    assert told.count("\n") == 1


@pytest.mark.usefixtures("_pretended")
def test_what_was_found_is_printed_where_the_disk_is_full(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([GAMES[0], *SHORT, "--out", "/dev/full"]) == 1
    shown = capsys.readouterr()
    assert shown.err.splitlines()[-1].startswith("bots.training: /dev/full cannot be written: No space left")
    assert set(json.loads(shown.out)["weights"]) == set(need_weighing(registry.get(GAMES[0])).names)


@pytest.mark.parametrize("words", [[], [GAMES[0], "--steps", "0"], [GAMES[0], "--seed", "x"]])
def test_words_that_make_no_sense_end_it(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert "usage:" in capsys.readouterr().err


def test_a_game_that_tells_no_weights_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    playable = need_playable(registry.get(GAMES[0]))
    monkeypatch.setattr(type(registry.get(GAMES[0])), "playable", type(playable)(evaluate_all=playable.evaluate_all))
    with pytest.raises(LookupError, match="does not say what its evaluation weighs"):
        need_weighing(registry.get(GAMES[0]))


def test_a_file_that_cannot_be_read_is_an_error_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(WeightsFileError, match="cannot be read"):
        read_weights(tmp_path)
