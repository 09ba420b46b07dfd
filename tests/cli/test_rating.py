"""`arena rating`, `arena stats` and ladders: the figures of a pool, named by its id or by what is played in it."""

from __future__ import annotations

import csv
import io
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from ratings.ledger.ledger import Ledger
from ratings.ledger.service_ledger import ServiceLedger
from ratings.statistics.results import Results
from ratings.store.database import open_database
from ratings.store.sessions import write
from tests.cli.support import MATCH, Arena, write_bot
from tests.cli.test_tournament import ROUND_ROBIN, play_monday


def spoil(arena: Arena, statement: str) -> None:
    database = open_database(arena.db)
    with write(database) as session:
        session.connection().exec_driver_sql(statement)
    database.close()


def test_ratings_are_compared_with_the_results_and_written_anew(table: Arena) -> None:
    play_monday(table)
    before = table("leaderboard", "--json").json
    assert "all ratings agree with the results" in table("rating", "rebuild", "--check").out
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
    monkeypatch.setattr("ratings.read.official_table_input.load_results", lambda *_: results)


def test_a_circle_is_told_in_one_line_and_in_a_table_of_its_own(table: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    play_monday(table)
    go_round(table, monkeypatch)
    (line,) = [line for line in table("rating", "official").out.splitlines() if "misleading" in line]
    assert line.count(" beats ") == 3
    assert "(79%)" in line
    assert "would be at most 0.1%" in line
    shown = table("rating", "official", "--circles", "--stronger").out
    assert "misleading" not in shown
    assert "often enough: 1; circles beyond chance: 1" in shown
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
    assert "circles beyond chance: 0" in table("rating", "official", "--circles").out
    facts = table("rating", "official", "--json").json
    assert (facts["circles"], facts["rows"][0]["mixture_share"]) == ([], None)


def test_the_groups_that_never_met_are_told_by_row(table: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    play_monday(table)
    assert "GROUP" not in table("rating", "official").out
    rows = table("rating", "official", "--json").json["rows"]
    ids, names = sorted(row["version"] for row in rows), {row["version"]: row["bot"] for row in rows}
    apart = np.array([[0, 1], [1, 0], [2, 2], [2, 2]])  # the third met only itself
    results = Results(tuple(ids), apart, np.array([[1, 2]] * 4), np.array([0, 0, 1, 1]), np.arange(4))
    monkeypatch.setattr("ratings.read.official_table_input.load_results", lambda *_: results)
    shown = table("rating", "official").out
    assert "the bots fall into 2 groups that never met" in shown
    heading, *lines = [line.split() for line in shown.splitlines()[1:5]]
    told = {line[heading.index("BOT")]: line[heading.index("GROUP")] for line in lines}
    assert told == {names[ids[0]]: "0", names[ids[1]]: "0", names[ids[2]]: "1"}
    written = csv.DictReader(io.StringIO(table("rating", "official", "--csv").out))
    assert {row["bot"]: row["group"] for row in written} == told


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
    assert "no question could be asked yet" in shown
    assert "asked 0 of 6 times: does a bot do better when another one is at the table?" in shown
    assert "asked 0 of 3 times: do two bots do better when both are at the table?" in shown
    assert "there must be more bots than seats" in shown
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


RUN = ("tournament run sample --game foreign_king --bots ada,bob,eve --option max_rounds=2 --blocks 1",)
COMMANDS = [
    ["stats", "crosstable"],
    ["stats", "history", "ada"],
    ["stats", "opponents", "ada"],
    ["stats", "seats"],
    ["stats", "lengths"],
    ["rating", "official"],
    ["rating", "fairplay"],
]


@pytest.fixture
def pools(table: Arena) -> dict[tuple[int, str], str]:
    """The id of each of three pools, by seats and time control."""
    *played, board = table.played(
        *(
            " ".join([*RUN, "--seats", str(seats), "--time", time])
            for seats, time in ((3, "1s"), (2, "1s"), (2, "60+1"))
        ),
        "leaderboard --json",
    )
    assert [one.code for one in played] == [0] * 3
    boards = board.json
    return {(board["seats"], board["time_control"]): board["pool_id"] for board in boards}


WORDS = [
    (["--seats", "3"], (3, "1s")),
    (["--time", "1000ms", "--seats", "2"], (2, "1s")),
    (["--game", "foreign_king", "--time", "60+1"], (2, "60+1")),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_pool_is_named_by_what_it_is(table: Arena, pools: dict[tuple[int, str], str], command: list[str]) -> None:
    for words, key in WORDS if command == COMMANDS[0] else WORDS[1:2]:
        by_id = table(*command, "--pool", pools[key], "--json")
        found = table(*command, *words, "--json")
        assert (found.code, found.out) == (by_id.code, by_id.out) == (0, found.out), words


def test_the_ratings_of_a_pool_that_is_named_so_are_computed_anew(
    table: Arena, pools: dict[tuple[int, str], str]
) -> None:
    assert len(pools) == 3
    for words in (("--check",), ()):
        assert table("rating", "rebuild", "--time", "60+1", *words).code == 0
    assert "no pool fits --seats 4" in table.refusal("rating", "rebuild", "--seats", "4")


def test_several_or_none_are_told_with_what_there_is(table: Arena, pools: dict[tuple[int, str], str]) -> None:
    refusal = table.refusal("stats", "seats", "--seats", "2")
    assert "2 pools fit --seats 2: " in refusal
    for key, id_ in pools.items():
        assert (f"{id_[:12]} (The Foreign King, {key[0]} seats, time {key[1]}, max_rounds=2)" in refusal) == (
            key[0] == 2
        )
    refusal = table.refusal("stats", "seats", "--seats", "4")
    assert "no pool fits --seats 4; the pools are: " in refusal
    assert all(id_[:12] in refusal for id_ in pools.values())


def test_an_id_and_a_description_exclude_each_other(table: Arena, pools: dict[tuple[int, str], str]) -> None:
    id_ = pools[3, "1s"]
    assert "exclude each other" in table.refusal("stats", "seats", "--seats", "3", "--pool", id_)
    assert "exclude each other" in table.refusal("stats", "seats", "--seats", "3", "--tournament", "x")
    assert "is no time control" in table.refusal("stats", "seats", "--time", "soon")


OPEN = ("ladder", "open", "king2", "--game", "foreign_king", "--seats", "2")


def admit(db: Path, owner: str, bot: str) -> None:
    database = open_database(db)
    ledger = ServiceLedger(database)
    version, _ = Ledger(database).add_version(
        bot=bot, owner=owner, content_hash=f"{owner}{bot}", manifest={"games": ["*"]}
    )
    ledger.request_admission(version.id)
    taken = ledger.take_admission()
    assert taken is not None
    ledger.finish_admission(taken.admission.id, is_admitted=True, summary="Admitted.", findings=[])
    database.close()


@pytest.fixture
def own(arena: Arena) -> Arena:
    """The command on a database with a ladder and no bots."""
    assert arena(*OPEN).code == 0
    return arena


def test_a_ladder_without_bots_says_what_it_waits_for(own: Arena) -> None:
    said = "king2: waits for bots: it takes 2, and 0 take part; hand one in: arena bot submit DIRECTORY\n"
    assert own("ladder", "list").out.endswith(said)
    assert own("leaderboard").out.endswith(said)
    assert "`arena ladder list` shows what is played" in own("leaderboard").out
    assert "demo" not in own("leaderboard").out


def test_bots_of_one_owner_alone_do_not_play_and_that_is_told(own: Arena, tmp_path: Path) -> None:
    admit(own.db, "ada", "fox")
    admit(own.db, "ada", "owl")
    said = "king2: waits for bots of other owners: those of one owner do not meet, and it takes bots of 2 owners"
    assert said in own("ladder", "list").out
    assert said in own("leaderboard").out
    assert own("ladder", "list", "--json").json[0]["note"].startswith("waits for bots of other owners")
    assert own("bot", "add", write_bot(tmp_path / "elk", "elk")).code == 0  # the operator's own plays with hers
    assert "waits for bots" not in own("ladder", "list").out


def test_a_ladder_may_let_them_meet(arena: Arena) -> None:
    assert arena(*OPEN, "--same-owner").code == 0
    admit(arena.db, "ada", "fox")
    admit(arena.db, "ada", "owl")
    assert "waits" not in arena("ladder", "list").out
    assert "nothing is rated" not in arena("ladder", "list").out


def test_a_ladder_from_before_there_was_the_choice_plays_on_as_it_did(own: Arena) -> None:
    with closing(sqlite3.connect(own.db)) as connection, connection:
        connection.execute("UPDATE tournament SET settings = json_remove(settings, '$.owners_apart')")
    admit(own.db, "ada", "fox")
    admit(own.db, "ada", "owl")
    said = "king2: nothing is rated: bots of one owner do not count against one another, and it takes bots of 2 owners"
    assert said in own("ladder", "list").out


def test_the_pace_that_counts_is_shown(own: Arena) -> None:
    assert own("ladder", "list", "--json").json[0]["a_day"] is None
    (own.db.parent / "settings.toml").write_text("[service]\nmatches_per_day = 48\n", encoding="utf-8")
    assert own("ladder", "list", "--json").json[0]["a_day"] == 48
    assert own(*OPEN[:2], "rex3", "--game", "rex_romanorum", "--seats", "3", "--matches-per-day", "0").code == 0
    assert [row["a_day"] for row in own("ladder", "list", "--json").json] == ["any", 48]


def test_one_table_over_two_games(table: Arena) -> None:
    """Rows of all pools, what was not compared, and the places by other methods."""
    play_monday(table)
    table.played("tournament run round-robin --game foreign_king --seats 2 --bots ada,bob --blocks 4 --seed 5")
    pools = [one["pool_id"] for one in table("leaderboard", "--json").json]
    assert len(pools) == 2
    shown = table("rating", "overall", "--method", "mean-rank", "--method", "nash")
    assert shown.code == 0
    assert "one table over 2 pools" in shown.out
    assert "of the pairs of bots met in some game" in shown.out
    assert "depend" in shown.out
    facts = table("rating", "overall", "--method", "mean-rank", "--json").json
    assert {one["pool"]["pool_id"] for one in facts["pools"]} == set(pools)
    bots = [row["bot"] for row in facts["rows"] + facts["apart"]]
    assert sorted(bots) == ["ada", "bob", "eve"]
    assert all(row["low"] < row["strength"] < row["high"] for row in facts["rows"])
    assert [row["rank"] for row in facts["rows"]] == list(range(1, 1 + len(facts["rows"])))
    assert all(row["methods"]["mean-rank"]["place"] >= 1 for row in facts["rows"])
    assert [row["bot"] for row in facts["apart"] + facts["rows"] if row["missing"]] == ["eve"]
    rows = list(csv.DictReader(io.StringIO(table("rating", "overall", "--method", "vase", "--csv").out)))
    assert [row["bot"] for row in rows] == [row["bot"] for row in facts["rows"]]
    assert all(row["vase"] for row in rows)
    one = table("rating", "overall", pools[0][:8], "--json").json
    assert [found["pool"]["pool_id"] for found in one["pools"]] == [pools[0]]


def test_what_a_table_over_games_cannot_do_is_refused(table: Arena) -> None:
    assert "nothing was rated yet" in table.refusal("rating", "overall")
    play_monday(table)
    assert "there is no method 'best'; there are: mean-rank" in table.refusal("rating", "overall", "--method", "best")
    assert "no pool" in table.refusal("rating", "overall", "ffffffff")
    assert "chess" in table.refusal("rating", "overall", "--game", "chess")
    assert "nothing of rex_romanorum was rated yet" in table.refusal("rating", "overall", "--game", "rex_romanorum")


@pytest.mark.needs("sandbox")
def test_the_same_files_are_one_bot_and_the_newest_version_that_played_stands_for_it(
    table: Arena, tmp_path: Path
) -> None:
    """Of the same files under two owners there is one line; an older version has none, and its matches still count."""
    play_monday(table)
    assert table("bot", "add", str(tmp_path / "ada"), "--owner", "zoe").code == 0
    two = "tournament run round-robin --game foreign_king --seats 2 --blocks 2 --seed 5 --bots"
    assert table(*f"{two} zoe/ada,bob,eve".split()).code == 0
    facts = table("rating", "overall", "--json").json
    lines = [*facts["rows"], *facts["apart"]]
    assert {row["bot"]: row["copies"] for row in lines} == {"ada": ["zoe/ada"], "bob": [], "eve": []}
    assert {row["bot"]: len(row["missing"]) for row in lines} == {"ada": 0, "bob": 0, "eve": 0}
    assert "ada has one line with bots that are the same program: zoe/ada" in table("rating", "overall").out
    (tmp_path / "eve" / "main.py").write_text("# better\n", encoding="utf-8")
    assert table("bot", "add", str(tmp_path / "eve")).code == 0
    assert table(*f"{two} eve,bob".split()).code == 0
    newer = table("rating", "overall", "--json").json
    eve = next(row for row in [*newer["rows"], *newer["apart"]] if row["bot"] == "eve")
    before = next(row for row in lines if row["bot"] == "eve")
    assert eve["matches"] == before["matches"] - 8 + 4
