"""`arena compare`: the answer, its bounds and what is told beside it; and what cannot be compared."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.tournament.formats.compare import MATCHES_A_WAVE
from tests.cli.support import Arena, write_bot

COMPARE = [
    "compare",
    "ada",
    "bob",
    "--game",
    "foreign_king",
    "--seed",
    "1",
    "--workers",
    "1",
    "--option",
    "max_rounds=2",
    "--max-blocks",
    "3",
]


def test_two_versions_are_compared_and_the_ratings_stay_as_they_are(table: Arena) -> None:
    finished = table(*COMPARE, "--name", "daily")
    assert finished.code == 0
    assert re.search(r"W/D/L \d/\d/\d, .* Elo \(.*\), LOS .*%, log ratio", finished.out)
    assert "after 3 steps" in finished.out
    assert "question: a gain of +0 or of +20 Elo" in finished.out
    assert "`arena tournament show daily --matches`" in finished.out
    (row,) = table("tournament", "list", "--json").json
    assert (row["format"], row["rated"], row["finished"]) == ("compare", False, 6)
    assert "no rated matches" in table("leaderboard").out
    assert "after 3 steps" in table("tournament", "show", "daily").out
    assert table("tournament", "show", "daily", "--json").json["answer"]["pairs"] == 3


def test_a_version_that_forfeits_every_match_is_soon_known_and_its_forfeits_are_told(
    table: Arena, tmp_path: Path
) -> None:
    table("bot", "add", write_bot(tmp_path / "cheat", "cheat"))
    words = ["compare", "cheat", "ada", "--game", "foreign_king", "--seed", "1", "--name", "broken"]
    finished = table(*words)
    assert finished.out.startswith("NEW is not better")
    (row,) = table("tournament", "list", "--json").json
    assert row["finished"] <= 4 * MATCHES_A_WAVE  # where NEW loses everything, the test knows after eight steps
    forfeits = f"forfeits NEW {row['finished']}, OLD 0"
    assert forfeits in finished.out
    found = table("tournament", "show", "broken", "--json").json["answer"]
    assert (found["answer"], found["new_forfeits"], found["losses"]) == ("not better", row["finished"], row["finished"])


def test_programs_get_the_ratio_and_its_bounds(table: Arena) -> None:
    found = table(*COMPARE[:-1], "2", "--json", "--field", "eve").json
    assert (found["pairs"], found["answer"], found["games"]) == (2, "undecided", 8)
    assert found["bounds"][0] < found["log_ratio"] < found["bounds"][1]
    assert found["wins"] + found["ties"] + found["losses"] == 4
    assert (found["new_forfeits"], found["old_forfeits"]) == (0, 0)


@pytest.mark.parametrize(
    ("words", "blocks"),
    [
        ("", 3),
        ("--seats 3 --field eve", 6),
        pytest.param("--seats 3", 6, marks=pytest.mark.needs("minutes")),
        pytest.param("--field eve", 6, marks=pytest.mark.needs("minutes")),
    ],
    ids=["two", "three with a field", "three", "two with a field"],
)
def test_opening_and_seed_are_shared_by_the_blocks_of_a_step(table: Arena, words: str, blocks: int) -> None:
    line = f"{' '.join(COMPARE)} {words} --name daily"
    _, exported = table.played(line, "tournament export daily daily.arena")
    assert exported.code == 0
    lines = table.db.with_name("daily.arena").read_text("ascii").splitlines()
    openings = [line.partition('"opening":')[2] for line in lines if '["block",' in line]
    assert len(openings) == blocks
    assert len(set(openings)) == 3
    if blocks > 3:
        assert openings[::2] == openings[1::2]


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("--elo0 -3 --elo1 5", "-3 or of +5 Elo"),
        ("--gain 0.25", "+0 or of +191 Elo"),
        pytest.param("--preset quick", "+0 or of +60 Elo", marks=pytest.mark.needs("minutes")),
        pytest.param("--preset regression", "-20 or of +0 Elo", marks=pytest.mark.needs("minutes")),
    ],
)
def test_what_is_asked_is_said_in_elo(table: Arena, words: str, asked: str) -> None:
    line = [*COMPARE[:-1], "1", *words.split()]
    assert f"question: a gain of {asked}" in table(*line).out


def test_without_a_limit_it_is_what_the_question_needs_and_a_question_that_is_too_fine_is_told(table: Arena) -> None:
    words = ("compare", "ada", "bob", "--game", "foreign_king", "--dry-run")
    quick, five, one = (
        table(*words, *more) for more in (("--preset", "quick"), ("--elo1", "5", "--elo0", "0"), ("--gain", "0.001"))
    )
    assert "2464 at most" in quick.out
    assert "250000 at most" in five.out
    assert (quick.err, five.err) == ("", "")
    assert "may need 9000000 steps, and one tournament has 125000 at most" in one.err


def test_copies_at_one_table_are_told_where_there_are_some(table: Arena) -> None:
    words = ("compare", "ada", "bob", "--game", "foreign_king", "--max-blocks", "1", "--dry-run")
    alone, apart, two = (
        table(*words, "--seats", seats, *field) for seats, field in (("3", ()), ("3", ("--field", "eve")), ("2", ()))
    )
    assert "several copies of NEW sit at one table" in alone.err
    assert (apart.err, two.err) == ("", "")


def test_what_cannot_be_compared_is_said(table: Arena) -> None:
    game = ("--game", "foreign_king")
    both = ("compare", "ada", "bob", *game)
    assert "are the same version" in table.refusal("compare", "ada", "ada", *game)
    assert "there is no bot 'adda'" in table.refusal("compare", "adda", "bob", *game)
    assert "leaves seats empty" in table.refusal(*both, "--seats", "4", "--field", "eve")
    assert "more than once" in table.refusal("compare", "ada", "bob", *game, "--field", "ada")
    assert "are three ways to ask" in table.refusal(*both, "--gain", "0.1", "--preset", "quick")
    assert "go together" in table.refusal(*both, "--elo0", "1")
    assert "is not below" in table.refusal(*both, "--elo0", "5", "--elo1", "5")
    assert table("tournament", "list", "--json").json == []
