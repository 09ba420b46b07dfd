import csv
import io

import numpy as np
import pytest

from ratings.statistics.results import Results
from ratings.store.database import open_database
from ratings.store.sessions import write
from tests.cli.support import MATCH, Arena
from tests.cli.test_tournament import play_monday


def spoil(arena: Arena, statement: str) -> None:
    database = open_database(arena.db)
    with write(database) as session:
        session.connection().exec_driver_sql(statement)
    database.close()


def test_ratings_are_compared_with_the_results_and_written_anew(table: Arena) -> None:
    play_monday(table)
    before = table("leaderboard", "--json").json
    assert "all ratings are what the results give" in table("rating", "rebuild", "--check").out
    spoil(table, "UPDATE rating SET mu = mu + 1e-9")
    checked = table("rating", "rebuild", "--check")
    assert checked.code == 1
    assert "rating of ada version 1 is not what the facts give" in checked.out
    assert "`arena rating rebuild`" in checked.out
    assert table("leaderboard", "--json").json != before
    assert "rebuilt from 6 matches" in table("rating", "rebuild").out
    assert table("leaderboard", "--json").json == before
    assert table("rating", "rebuild", "--check", "--json").json == {"problems": []}


def test_one_pool_is_rebuilt_alone_and_an_unknown_one_refused(table: Arena) -> None:
    play_monday(table)
    pool = table("leaderboard", "--json").json[0]["pool_id"]
    assert table("rating", "rebuild", "--check", "--pool", pool[:8]).code == 0
    assert "rebuilt from 6 matches" in table("rating", "rebuild", "--pool", pool[:8]).out
    assert "no pool" in table.refusal("rating", "rebuild", "--pool", "ffffffff")


def test_broken_results_are_told_and_nothing_is_rebuilt(table: Arena) -> None:
    play_monday(table)
    spoil(table, "DELETE FROM replay")
    finished = table("rating", "rebuild")
    assert finished.code == 1
    assert "finished without a replay" in finished.out
    assert "nothing was rebuilt" in finished.out


def test_the_official_table_tells_strength_interval_and_ranks(table: Arena) -> None:
    play_monday(table)
    shown = table("rating", "official", "--stronger")
    assert shown.code == 0
    assert "6 matches in 2 blocks" in shown.out
    assert "advantage of the seats in Elo: 0: " in shown.out
    assert "STRONGER THAN" in shown.out
    facts = table("rating", "official", "--json").json
    assert [row["rank"] for row in facts["rows"]] == [1, 2, 3]
    assert all(row["elo_low"] <= row["elo"] <= row["elo_high"] for row in facts["rows"])
    assert facts["stronger"]["ada"]["bob"] + facts["stronger"]["bob"]["ada"] == 1
    assert len(facts["seats"]) == 3


def test_one_block_is_told_as_one(table: Arena) -> None:
    table.played(" ".join([*MATCH, "--rated"]))
    assert "1 match in 1 block (" in table("rating", "official").out


def test_who_is_stronger_stands_in_every_form(table: Arena) -> None:
    play_monday(table)
    chances = table("rating", "official", "--json").json["stronger"]
    rows = list(csv.DictReader(io.StringIO(table("rating", "official", "--stronger", "--csv").out)))
    assert len(rows) == 3
    for row in rows:
        told = {key.removeprefix("stronger."): text for key, text in row.items() if key.startswith("stronger.")}
        assert told.pop(row["bot"]) == ""
        assert {bot: float(text) for bot, text in told.items()} == chances[row["bot"]]
    heading = table("rating", "official", "--stronger", "--markdown").out.splitlines()[0]
    assert [cell for cell in heading.split(" | ") if "STRONGER" in cell] == [
        f"STRONGER THAN {row['bot']}" + " |" * (row is rows[-1]) for row in rows
    ]
    assert "stronger" not in table("rating", "official", "--csv").out


def test_an_anchor_keeps_its_number(table: Arena) -> None:
    play_monday(table)
    facts = table("rating", "official", "--anchor", "ada=2000", "--json").json
    (ada,) = [row for row in facts["rows"] if row["bot"] == "ada"]
    assert (ada["elo"], ada["is_anchor"]) == (2000, True)
    assert "is not BOT=ELO" in table.refusal("rating", "official", "--anchor", "ada")
    assert "there is no bot 'zoe'" in table.refusal("rating", "official", "--anchor", "zoe=1")


def go_round(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the book tell that its three bots beat each other in a circle, four times in five."""
    ids = sorted(row["version"] for row in arena("rating", "official", "--json").json["rows"])
    blocks = [(pair, pair * 40 + block, block < 8) for pair in range(3) for block in range(40)]
    matches = [(pair, label, lost, turn) for pair, label, lost in blocks for turn in (0, 1)]
    seats = np.array([[(pair + turn) % 3, (pair + 1 - turn) % 3] for pair, _, _, turn in matches])
    ranks = np.array([[2, 1] if lost != bool(turn) else [1, 2] for _, _, lost, turn in matches])
    results = Results(tuple(ids), seats, ranks, np.array([label for _, label, _, _ in matches]), np.arange(240))
    monkeypatch.setattr("ratings.read.loading.load_results", lambda *_: results)


def test_a_circle_is_told_in_one_line_and_in_a_table_of_its_own(table: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    play_monday(table)
    go_round(table, monkeypatch)
    (line,) = [line for line in table("rating", "official").out.splitlines() if "misleads" in line]
    assert line.count(" beats ") == 3
    assert "(79%)" in line
    assert "is at most 0.1%" in line
    shown = table("rating", "official", "--circles", "--stronger").out
    assert "misleads" not in shown
    assert "often enough: 1; going round in a circle beyond chance: 1" in shown
    assert "IN THE MIXTURE" in shown
    assert "33.3%" in shown
    facts = table("rating", "official", "--circles", "--json").json
    assert [round(row["mixture_share"], 2) for row in facts["rows"]] == [0.33] * 3
    assert facts["circles"][0]["blocks"] == [40, 40, 40]
    assert (facts["circle_count"], facts["threes"]) == (1, 1)
    assert "mixture_elo" in table("rating", "official", "--circles", "--csv").out


def test_where_nobody_goes_round_nothing_is_said_unless_asked(table: Arena) -> None:
    play_monday(table)
    assert "circle" not in table("rating", "official").out
    assert "going round in a circle beyond chance: 0" in table("rating", "official", "--circles").out
    facts = table("rating", "official", "--json").json
    assert (facts["circles"], facts["rows"][0]["mixture_share"]) == ([], None)


def test_the_cursor_of_one_order_is_refused_by_the_other(table: Arena) -> None:
    play_monday(table)
    shown = table("rating", "official", "--circles", "--limit", "1", "--json")
    cursor = shown.err.split("--after ")[1].split()[0]
    assert table("rating", "official", "--circles", "--limit", "1", "--after", cursor).code == 0
    assert "no cursor of this list" in table.refusal("rating", "official", "--after", cursor)


def test_a_look_at_fair_play_tells_what_could_be_asked(table: Arena) -> None:
    play_monday(table)
    shown = table("rating", "fairplay").out
    assert "6 matches of 3 bots" in shown
    assert "nothing could be asked yet" in shown
    assert "asked 0 of 6 times: does a bot do better when another one is at the table?" in shown
    assert "asked 0 of 3 times: do two do better when both are at the table?" in shown
    assert "it takes more bots than seats" in shown
    facts = table("rating", "fairplay", "--json").json
    assert (facts["seats"], facts["bots"], facts["matches"], facts["suspicions"]) == (3, 3, 6, [])
    assert facts["more_matches"] is None
    assert [(one["kind"], one["asked"], one["possible"]) for one in facts["asked"]] == [
        ("helps", 0, 6),
        ("together", 0, 3),
    ]
    csv = table("rating", "fairplay", "--csv")
    assert csv.out.splitlines() == ["sentence,elo,z,chance,matches"]
    assert "asked 0 of 3 times" in csv.err


def test_before_the_first_match_there_is_no_table(table: Arena) -> None:
    assert "nothing was rated yet" in table.refusal("rating", "official")
