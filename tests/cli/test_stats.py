import csv
import io

import pytest

from tests.cli.support import Arena
from tests.cli.test_tournament import ROUND_ROBIN, play_monday


@pytest.fixture
def played(table: Arena) -> Arena:
    play_monday(table)
    return table


def test_a_crosstable_tells_how_each_fared_against_each(played: Arena) -> None:
    found = played("stats", "crosstable", "--tournament", "monday", "--json").json
    assert len(found) == 6
    scores = {(row["bot"], row["opponent"]): row["score"] for row in found}
    assert all(row["matches"] == 6 for row in found)
    assert all(scores[mine, other] + scores[other, mine] == 1 for mine, other in scores)
    text = played("stats", "crosstable", "-t", "monday").out
    (row,) = [row for row in found if (row["bot"], row["opponent"]) == ("ada", "bob")]
    assert row["wins"] + row["ties"] + row["losses"] == 6
    assert f"{100 * scores['ada', 'bob']:.1f}% ({row['wins']}-{row['ties']}-{row['losses']})" in text
    assert "score of the row against the column" in text


def test_the_crosstable_of_the_only_pool_is_that_of_its_only_tournament(played: Arena) -> None:
    assert played("stats", "crosstable", "--json").json == played("stats", "crosstable", "-t", "monday", "--json").json


def test_csv_has_a_line_of_headings_and_one_for_each_row(played: Arena) -> None:
    for words in (
        ["crosstable", "-t", "monday"],
        ["history", "ada"],
        ["opponents", "ada"],
        ["seats"],
        ["seats", "ada", "-t", "monday"],
        ["lengths"],
    ):
        rows = list(csv.DictReader(io.StringIO(played("stats", *words, "--csv").out)))
        assert len(rows) == {"crosstable": 6, "history": 6, "opponents": 2, "seats": 3, "lengths": 3}[words[0]]
        assert all(None not in row and None not in row.values() for row in rows)


def test_a_history_begins_with_the_rating_of_the_leaderboard(played: Arena) -> None:
    changes = played("stats", "history", "ada", "--json").json
    (row,) = [row for row in played("leaderboard", "--json").json[0]["table"] if row["bot"] == "ada"]
    assert (len(changes), changes[0]["mu_after"], changes[0]["exposure"]) == (6, row["mu"], row["exposure"])
    assert played("stats", "history", "ada", "--limit", "2", "--json").json == changes[:2]
    assert "RATING" in played("stats", "history", "ada").out


def test_results_by_opponent_and_by_seat_add_up(played: Arena) -> None:
    assert {row["opponent"] for row in played("stats", "opponents", "ada", "--json").json} == {"bob", "eve"}
    mine = played("stats", "seats", "ada", "--json").json
    everybody = played("stats", "seats", "--json").json
    headings = played("stats", "seats").out.splitlines()[0].split()
    assert [("SHARED" in headings), ("DRAWS" in headings)] == [
        any(row[key] for row in everybody) for key in ("shared", "draws")
    ]
    assert [row["seat"] for row in mine] == [row["seat"] for row in everybody] == [0, 1, 2]
    assert sum(row["matches"] for row in mine) == 6
    assert all(row["matches"] == 6 for row in everybody)
    assert sum(row["score"] for row in everybody) == pytest.approx(1.5)


def test_lengths_are_told_in_plies_decisions_and_time(played: Arena) -> None:
    rows = {row["measure"]: row for row in played("stats", "lengths", "-t", "monday", "--json").json}
    assert set(rows) == {"plies", "decisions", "duration_us"}
    assert all(row["least"] <= row["median"] <= row["p95"] <= row["most"] for row in rows.values())
    assert "milliseconds" in played("stats", "lengths").out


def test_what_cannot_be_counted_is_said(played: Arena) -> None:
    assert "exclude each other" in played.refusal("stats", "crosstable", "-t", "monday", "-p", "abcd")
    assert "exclude each other" in played.refusal("stats", "seats", "--json", "--csv")
    assert "there is no tournament 'monda'; did you mean 'monday'?" in played.refusal("stats", "lengths", "-t", "monda")
    assert "there is no bot 'adda'" in played.refusal("stats", "history", "adda")
    played("match", "run", *ROUND_ROBIN[3:5], *ROUND_ROBIN[7:], "--time", "70ms", "--rated")
    assert "there are 2 pools" in played.refusal("stats", "crosstable")


def test_an_empty_database_has_nothing_to_count(table: Arena) -> None:
    assert "nothing was rated yet" in table.refusal("stats", "crosstable")
