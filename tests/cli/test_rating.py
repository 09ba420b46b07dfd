from ratings.store.database import open_database
from ratings.store.sessions import write
from tests.cli.support import Arena
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


def test_an_anchor_keeps_its_number(table: Arena) -> None:
    play_monday(table)
    facts = table("rating", "official", "--anchor", "ada=2000", "--json").json
    (ada,) = [row for row in facts["rows"] if row["bot"] == "ada"]
    assert (ada["elo"], ada["is_anchor"]) == (2000, True)
    assert "is not BOT=ELO" in table.refusal("rating", "official", "--anchor", "ada")
    assert "there is no bot 'zoe'" in table.refusal("rating", "official", "--anchor", "zoe=1")


def test_an_honest_field_is_not_suspected(table: Arena) -> None:
    play_monday(table)
    assert "than chance allows" in table("rating", "fairplay").out
    assert table("rating", "fairplay", "--json").json == []


def test_before_the_first_match_there_is_no_table(table: Arena) -> None:
    assert "nothing was rated yet" in table.refusal("rating", "official")
