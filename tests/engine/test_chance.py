"""Where random outcomes come from."""

from __future__ import annotations

from collections import Counter

import pytest

from engine.chance import Chance, RecordingChance, ScriptedChance, ScriptError, SeededChance


def draw(chance: Chance) -> list[object]:
    letters = list("abcde")
    chance.shuffle(letters)
    return [
        *(chance.d6(), chance.permutation(4), letters, chance.d6(), chance.permutation(0), chance.permutation(1)),
        chance.draw([0.5, 0.0, 0.25, 0.25]),
    ]


def test_equal_seeds_give_equal_outcomes() -> None:
    assert draw(SeededChance(7)) == draw(SeededChance(7))
    assert draw(SeededChance(7)) != draw(SeededChance(8))


def test_outcomes_of_a_seed_never_change() -> None:
    chance = SeededChance(2026)
    assert [chance.d6() for _ in range(10)] == [1, 4, 4, 6, 1, 2, 4, 4, 5, 4]
    assert chance.permutation(6) == [2, 0, 1, 5, 3, 4]
    assert [chance.draw([1, 2, 3]) for _ in range(10)] == [2, 0, 2, 1, 2, 2, 2, 1, 1, 2]


def test_a_die_and_a_shuffle_are_fair() -> None:
    chance = SeededChance(1)
    faces = Counter(chance.d6() for _ in range(6000))
    assert set(faces) == set(range(1, 7))
    assert all(850 < count < 1150 for count in faces.values())
    orders = Counter(tuple(chance.permutation(3)) for _ in range(6000))
    assert len(orders) == 6
    assert all(850 < count < 1150 for count in orders.values())


def test_a_draw_follows_the_weights() -> None:
    chance = SeededChance(1)
    drawn = Counter(chance.draw([0, 3, 0, 1, 0]) for _ in range(8000))
    assert set(drawn) == {1, 3}
    assert 5800 < drawn[1] < 6200
    assert {chance.draw([0.0, 1e-300, 0.0]) for _ in range(50)} == {1}
    with pytest.raises(ValueError, match="no weight is positive"):
        chance.draw([0.0, 0.0])


def test_a_recording_passes_everything_on() -> None:
    assert draw(RecordingChance(SeededChance(7))) == draw(SeededChance(7))


def test_a_script_repeats_a_recording() -> None:
    recording = RecordingChance(SeededChance(7))
    drawn = draw(recording)
    script = ScriptedChance(recording.outcomes)
    assert draw(script) == drawn
    assert script.remaining == 0


def test_what_was_recorded_does_not_change_with_what_was_given() -> None:
    recording = RecordingChance(SeededChance(7))
    recording.permutation(3).append(9)
    assert sorted(recording.outcomes[0]) == [0, 1, 2]


def test_a_script_that_runs_out() -> None:
    script = ScriptedChance([[3]])
    assert script.remaining == 1
    assert script.d6() == 3
    with pytest.raises(ScriptError, match="no outcome left for a die"):
        script.d6()
    with pytest.raises(ScriptError, match="no outcome left for a shuffle of 3"):
        script.permutation(3)


@pytest.mark.parametrize("outcome", [[0], [7], [], [1, 2]])
def test_a_script_with_a_wrong_die(outcome: list[int]) -> None:
    with pytest.raises(ScriptError, match="outcome 0 is no die"):
        ScriptedChance([outcome]).d6()


@pytest.mark.parametrize("outcome", [[0, 1], [0, 1, 1], [1, 2, 3], []])
def test_a_script_with_a_wrong_order(outcome: list[int]) -> None:
    with pytest.raises(ScriptError, match="outcome 0 is no order of 3 items"):
        ScriptedChance([outcome]).permutation(3)


@pytest.mark.parametrize("outcome", [[0], [3], [-1], [], [1, 1]])
def test_a_script_with_a_wrong_draw(outcome: list[int]) -> None:
    with pytest.raises(ScriptError, match="outcome 0 is no draw from 3 weights"):
        ScriptedChance([outcome]).draw([0.0, 1.0, 1.0])


def test_without_a_seed_the_outcomes_are_the_systems() -> None:
    assert SeededChance(None).permutation(60) != SeededChance(None).permutation(60)
