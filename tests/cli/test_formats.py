import pytest

from tests.cli.support import Arena

TWO = ["--game", "foreign_king", "--seats", "2", "--option", "max_rounds=3", "--workers", "1", "--bots", "ada,bob,eve"]


def run(*words: str) -> list[str]:
    return ["tournament", "run", *words]


@pytest.mark.parametrize(
    ("words", "matches"),
    [
        pytest.param(["round-robin", *TWO, "--double"], 12, marks=pytest.mark.needs("minutes")),
        (["sample", *TWO, "--blocks", "4"], 12),
        (["gauntlet", *TWO[:-1], "bob,eve", "--challenger", "ada", "--blocks", "2"], 8),
        pytest.param(["swiss", *TWO, "--rounds", "3"], 6, marks=pytest.mark.needs("minutes")),
        (["swiss", *TWO], 4),
        (["ladder", *TWO, "--waves", "4"], 8),
    ],
    ids=lambda value: " ".join(value[:1] + value[11:]) if isinstance(value, list) else "",
)
def test_each_format_is_played_and_shown_with_its_standings(table: Arena, words: list[str], matches: int) -> None:
    finished = table(*run(*words), "--name", "monday", "--json")
    assert finished.code == 0, finished.err
    rows = finished.json
    assert {row["bot"] for row in rows} == {"ada", "bob", "eve"}
    assert sum(row["matches"] for row in rows) == 2 * matches
    shown = table("tournament", "show", "monday", "--json").json
    assert (shown["format"], shown["status"], shown["finished"]) == (words[0], "finished", matches)
    assert shown["standings"] == rows
    assert "PLACE" in table("tournament", "show", "monday").out


def test_a_knockout_has_a_winner(table: Arena) -> None:
    rows = table(*run("knockout", *TWO, "--best-of", "2", "--double", "--in-order", "--json")).json
    assert [row["status"] for row in rows].count("winner") == 1
    assert rows[0]["status"] == "winner"


@pytest.mark.needs("minutes")
def test_equal_seeds_give_equal_swiss_tournaments(table: Arena) -> None:
    for name in ("first", "second"):
        assert table(*run("swiss", *TWO, "--seed", "5", "--name", name)).code == 0
    digests = [
        [match["game_digest"] for match in table("tournament", "show", name, "--json").json["matches"]]
        for name in ("first", "second")
    ]
    assert digests[0] == digests[1]


def test_a_single_match_has_standings_too(table: Arena) -> None:
    table("match", "run", "--game", "foreign_king", "--bots", "ada,bob", "--option", "max_rounds=1", "--name", "one")
    assert "PLACE" in table("tournament", "show", "one").out


IMPOSSIBLE = [
    (["round-robin", *TWO, "--double", "--blocks", "3"], "--double is --blocks 2, and contradicts --blocks 3"),
    (["knockout", *TWO, "--seats", "3", "--double"], "use --seats 2 or leave out --double"),
    (["knockout", *TWO, "--best-of", "1000"], "use 1 to 99"),
    (["gauntlet", *TWO, "--challenger", "ada"], "ada is entered more than once"),
    (["gauntlet", *TWO, "--challenger", "adda"], "there is no bot 'adda'; did you mean 'ada'?"),
    (["gauntlet", *TWO[:-1], "eve", "--challenger", "ada,bob"], "--challenger names 2 bots; name one"),
    (["gauntlet", *TWO], "Missing option '--challenger'"),
    (["swiss", *TWO, "--bots", "ada"], "2 seats need at least 2 entrants, not 1; name more bots"),
    (["swiss", *TWO, "--bots", "ada,bob,ada"], "ada is entered more than once"),
    (["swiss", *TWO, "--rounds", "0"], "--rounds"),
    (["swiss", *TWO, "--seats", "1"], "2 to 4 seats, not 1"),
    (["sample", *TWO, "--seats", "4"], "4 seats need at least 4 entrants, not 3"),
    (["sample", *TWO, "--blocks", "900000"], "over the 250000 of one tournament"),
    (["ladder", *TWO, "--waves", "-1"], "--waves"),
    (["ladder", *TWO, "--rounds", "3"], "--rounds"),
]


def test_what_cannot_be_is_refused_in_one_line_and_nothing_is_planned(table: Arena) -> None:
    assert table.misses((run(*words), message) for words, message in IMPOSSIBLE) == []
    assert table("tournament", "list", "--json").json == []


def test_joining_and_withdrawing(table: Arena) -> None:
    table(*run("ladder", *TWO[:-1], "ada,bob", "--waves", "1", "--name", "monday"))
    for verb in ("join", "withdraw"):
        assert "'monday' is finished; nobody can join or leave it" in table.refusal(
            "tournament", verb, "monday", "eve", code=1
        )
        assert "there is no tournament 'tuesday'" in table.refusal("tournament", verb, "tuesday", "eve")
    assert "there is no bot 'eva'; did you mean 'eve'?" in table.refusal("tournament", "join", "monday", "eva")


def test_who_joins_and_withdraws_shows_in_the_table(table: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as stopped:
        stopped.setattr("arena.cli.verbs.tournament.run.play", lambda *_, **__: None)
        table(*run("ladder", *TWO[:-1], "ada,bob", "--waves", "5", "--name", "monday"))
    joined = table("tournament", "join", "monday", "eve")
    assert joined.out == "monday: eve (version 1) plays from wave 3 on\n"
    left = table("tournament", "withdraw", "monday", "ada")
    assert left.out == "monday: ada (version 1) is out; 4 matches will not be played\n"
    assert "further waves to come" in table("tournament", "show", "monday").out
    assert "has entered 'monday' already" in table.refusal("tournament", "join", "monday", "eve")
    assert "has withdrawn from 'monday' already" in table.refusal("tournament", "withdraw", "monday", "ada")
    rows = {row["bot"]: row for row in table("tournament", "resume", "monday", "--json", "--workers", "1").json}
    assert rows["ada"]["status"] == "withdrawn"
    assert (rows["bob"]["blocks"], rows["eve"]["blocks"]) == (3, 3)
