"""Rounds of fighting: 4.1, 4.2, K11; and the odds, whose table is section 4.2's (K16)."""

from __future__ import annotations

import pytest

from engine.core import Reveal
from engine.games.rex_romanorum import GAME
from engine.games.rex_romanorum.odds import CASTLE, FIELD, win_probability
from engine.games.rex_romanorum.odds_tool import format_army, main, parse_army
from engine.games.rex_romanorum.options import OPTIONS, Triple
from engine.games.rex_romanorum.state import RexState
from tests.engine.games.rex_romanorum.table import army, chance_left, dice, lay, owner, phase, play


def fight(
    attackers: str, defenders: str, *steps: str, castle: bool = False, options: dict[str, object] | None = None
) -> RexState:
    """One round at Baden, attacked from Aargau, with the given throws step by step."""
    land, figures = {0: "aargau", 1: "baden"}, {"aargau": attackers, "baden": defenders}
    castles = "baden" if castle else ""
    state = lay(land=land, figures=figures, castles=castles, options=options, chance=dice(*steps))
    moves = [
        f"MOVE_FROM:{kind}:aargau MOVE_TO:baden COUNT:{number}" for number, kind in zip(*parsed(attackers), strict=True)
    ]
    return play(state, f"ACT_ATTACK {' '.join(moves)} MOVE_DONE FIGHT:baden")


def parsed(text: str) -> tuple[list[int], list[str]]:
    numbers = parse_army(text)
    present = [(number, kind) for number, kind in zip(numbers, "FAK", strict=True) if number]
    return [number for number, _ in present], [kind for _, kind in present]


def attackers_left(state: RexState) -> dict[str, int]:
    pending = state.to_json()["pending"]
    return {key[0]: number for key, number in pending["arrived"].items()} if pending else {}


@pytest.mark.parametrize(
    ("attackers", "face", "falls"), [("1F", 1, True), ("1F", 2, False), ("1A", 2, True), ("1A", 3, False)]
)
def test_4_1_a_die_hits_that_is_not_greater_than_the_value(attackers: str, face: int, falls: bool) -> None:
    state = fight(attackers, "1F", str(face), "6")
    assert (owner(state, "baden") == 0) == falls


def test_4_1_castles_raise_the_defence_and_lower_the_knights_attack() -> None:
    assert owner(fight("1K", "1F", "5"), "baden") == 0
    assert phase(fight("1K", "1F", "6", "3", castle=True)) == "FIGHT_ON"
    assert phase(fight("1K", "1F", "3", "3", castle=True)) == "FIGHT_ON"
    # The defender's foot shoots first at a castle and hits with 2.
    assert owner(fight("1K", "1F", "2", castle=True), "baden") == 1


def test_4_1_the_other_hit_rule_is_an_option() -> None:
    state = fight("1F", "1F", "6", options={"hit": "d6 >= value"})
    assert owner(state, "baden") == 0


def test_4_2_the_steps_in_the_field() -> None:
    state = fight("1F1A1K", "5F5A5K", "6", "66666", "6", "66666", "6", "66666")
    assert [len(reveal.values) for reveal in state.revealed()] == [1, 5, 1, 5, 1, 5]
    assert phase(state) == "FIGHT_ON"


def test_4_2_the_steps_at_a_castle() -> None:
    state = fight("1F1A1K", "5F5A5K", "66666", "6", "66666", "6", "66666", "6", castle=True)
    assert [len(reveal.values) for reveal in state.revealed()] == [5, 1, 5, 1, 5, 1]


def test_4_2_rows_in_the_field_are_foot_knights_archers() -> None:
    state = fight("3F3A3K", "9A", "666", "111116666", "666", "666")
    assert attackers_left(state) == {"A": 3, "K": 1}


def test_4_2_rows_at_a_castle_are_archers_foot_knights() -> None:
    state = fight("3F3A3K", "9A", "111116666", "6", "666", castle=True)
    assert attackers_left(state) == {"F": 1, "K": 3}


def test_4_2_a_removed_figure_that_has_not_rolled_loses_its_roll() -> None:
    state = fight("2F", "3A", "166", "1")
    assert [reveal.values for reveal in state.revealed()] == [(1, 6, 6), (1,)]
    assert army(state, "baden") == "2A"


def test_4_2_surplus_hits_are_lost() -> None:
    state = fight("5F", "1F", "11111")
    assert owner(state, "baden") == 0
    assert army(state, "baden") == "5F"


def test_k11_types_without_a_figure_do_not_roll_and_nobody_after_the_end() -> None:
    state = fight("1A1F", "2F", "1", "6", "66")
    assert state.revealed() == [Reveal("d6", (1,)), Reveal("d6", (6,)), Reveal("d6", (6,))]
    won = fight("1A9F", "1F", "2", "666")
    assert won.revealed() == [Reveal("d6", (2,))]
    assert chance_left(won) == 3


def test_a_castle_counts_as_long_as_it_stands() -> None:
    assert phase(fight("1A", "1A", "6", "6", castle=True)) == "FIGHT_ON"


# Section 4.2: percentages in the field and at a castle, each as proposed and with the other side first. In row 4 "the
# same" is an army equal to the attackers' (K16).
ODDS_TABLE = [
    ((8, 0, 0), (0, 3, 0), 80, 80, 42, 42),
    ((12, 0, 0), (3, 3, 0), 77, 70, 47, 62),
    ((4, 0, 2), (3, 2, 0), 94, 93, 16, 21),
    ((6, 2, 2), (6, 2, 2), 54, 34, 1, 8),
    ((0, 0, 3), (0, 0, 3), 97, 20, 3, 36),
    ((10, 3, 2), (4, 3, 2), 99, 97, 37, 74),
]
OTHER_SIDE_FIRST = OPTIONS.parse(
    {
        "roll_order": {
            terrain: [[side, kind] for kind in kinds for side in sides]
            for terrain, kinds, sides in (
                ("field", ("archer", "knight", "foot"), ("def", "att")),
                ("castle", ("archer", "foot", "knight"), ("att", "def")),
            )
        }
    }
)


@pytest.mark.parametrize(("attackers", "defenders", "field", "field_other", "castle", "castle_other"), ODDS_TABLE)
def test_4_2_the_odds_are_those_of_the_table(
    attackers: Triple, defenders: Triple, field: int, field_other: int, castle: int, castle_other: int
) -> None:
    def percent(terrain: int, options: object) -> float:
        return 100 * win_probability(attackers, defenders, terrain, options)  # type: ignore[arg-type]

    assert percent(FIELD, OPTIONS.default) == pytest.approx(field, abs=0.5)
    assert percent(FIELD, OTHER_SIDE_FIRST) == pytest.approx(field_other, abs=0.5)
    assert percent(CASTLE, OPTIONS.default) == pytest.approx(castle, abs=0.5)
    assert percent(CASTLE, OTHER_SIDE_FIRST) == pytest.approx(castle_other, abs=0.5)


def test_k16_in_the_fourth_row_the_garrison_is_an_equal_army() -> None:
    attackers, defenders, percent, *_ = ODDS_TABLE[3]
    assert attackers == defenders
    assert win_probability(attackers, defenders, FIELD) == pytest.approx(percent / 100, abs=0.005)


def test_4_1_with_the_other_hit_rule_the_cheap_mass_always_wins() -> None:
    other = OPTIONS.parse({"hit": "d6 >= value"})
    assert win_probability((8, 0, 0), (0, 3, 0), CASTLE, other) == pytest.approx(1.0)


def test_the_odds_of_one_against_one_are_a_geometric_series() -> None:
    # Foot against foot in the field: he hits with 1/6, else the defender with 1/6, and so on.
    assert win_probability((1, 0, 0), (1, 0, 0), FIELD) == pytest.approx((1 / 6) / (1 - (5 / 6) ** 2))


def test_the_odds_without_an_army_are_certain() -> None:
    assert win_probability((0, 0, 0), (1, 0, 0), FIELD) == 0
    assert win_probability((1, 0, 0), (0, 0, 0), FIELD) == 1


def test_the_odds_agree_with_fights_rolled_out_in_the_rules() -> None:
    """Every throw of a round of one archer against two foot, weighed; the next rounds are like the first."""
    wins = 0
    goes_on: dict[int, int] = {}
    for first in range(1, 7):
        for second in range(1, 7):
            for third in range(1, 7):
                state = fight("1A", "2F", str(first), f"{second}{third}")
                left = state.to_json()["figures"].get("F:baden", 0)
                if phase(state) == "FIGHT_ON":
                    goes_on[left] = goes_on.get(left, 0) + 1
                else:
                    wins += owner(state, "baden") == 0
    assert wins == 0
    assert goes_on == {1: 2 * 5 * 6, 2: 4 * 5 * 5}
    against_one = (1 / 3) / (1 - (2 / 3) * (5 / 6))
    assert win_probability((0, 1, 0), (1, 0, 0), FIELD) == pytest.approx(against_one)
    expected = (60 / 216) * against_one / (1 - 100 / 216)
    assert win_probability((0, 1, 0), (2, 0, 0), FIELD) == pytest.approx(expected)


def test_the_tool_answers_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert GAME.tools["odds"](["8F", "3A", "--castle"]) == 0
    assert capsys.readouterr().out == "8F against 3A at a castle: 42.4241%\n"
    assert main(["12F", "3F,3A"]) == 0
    assert capsys.readouterr().out.startswith("12F against 3F3A in the field: 77.")
    assert main(["1F", "1F", 'figures={"foot": {"field": [6, 1]}}']) == 0
    assert "100.0000%" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ["8F"],
        ["8F", "3A", "2K"],
        ["8X", "3A"],
        ["0F", "3A"],
        ["8F", "3A", "--wall"],
        ["8F", "3A", "hit=7"],
        ["201F", "1F"],
    ],
)
def test_the_tool_refuses_what_is_no_question_in_one_line(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("odds: ")
    assert captured.err.count("\n") == 1


def test_the_tool_shows_its_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert "Example:" in capsys.readouterr().out
    assert main([]) == 2


@pytest.mark.parametrize("text", ["8F", "4F2K", "3F2A1K"])
def test_armies_are_written_as_they_are_read(text: str) -> None:
    assert format_army(parse_army(text)) == text
