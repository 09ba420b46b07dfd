from tests.cli.support import Arena

COMPARE = ["compare", "ada", "bob", "--game", "foreign_king", "--seed", "1", "--workers", "1", "--max-blocks", "3"]


def test_two_versions_are_compared_and_the_ratings_stay_as_they_are(table: Arena) -> None:
    finished = table(*COMPARE, "--name", "daily")
    assert finished.code == 0
    assert "log ratio" in finished.out
    assert "after 3 pairs of blocks" in finished.out
    assert "`arena tournament show daily --matches`" in finished.out
    (row,) = table("tournament", "list", "--json").json
    assert (row["format"], row["rated"], row["finished"]) == ("compare", False, 12)
    assert "no rated matches" in table("leaderboard").out
    assert "after 3 pairs of blocks" in table("tournament", "show", "daily").out
    assert table("tournament", "show", "daily", "--json").json["answer"]["pairs"] == 3


def test_programs_get_the_ratio_and_its_bounds(table: Arena) -> None:
    found = table(*COMPARE, "--seats", "3", "--field", "eve,bob2", "--json")
    assert found.code == 2
    found = table(
        "compare", "ada", "bob", "--game", "foreign_king", "--max-blocks", "2", "--json", "--field", "eve"
    ).json
    assert (found["pairs"], found["answer"], found["games"]) == (2, "undecided", 4)
    assert found["bounds"][0] < found["log_ratio"] < found["bounds"][1]


def test_opening_and_seed_are_shared_by_the_blocks_of_a_pair(table: Arena) -> None:
    table(*COMPARE, "--name", "daily")
    shown = table("tournament", "show", "daily", "--json").json
    assert [match["block"] for match in shown["matches"]] == [block for block in reversed(range(6)) for _ in range(2)]
    table("tournament", "export", "daily", "daily.arena")
    lines = table.db.with_name("daily.arena").read_text("ascii").splitlines()
    blocks = [line.partition('"opening":')[2] for line in lines if '["block",' in line]
    assert len(blocks) == 6
    assert all(one == other for one, other in zip(blocks[::2], blocks[1::2], strict=True))
    assert len(set(blocks)) == 3


def test_what_cannot_be_compared_is_said(table: Arena) -> None:
    game = ("--game", "foreign_king")
    assert "are the same version" in table.refusal("compare", "ada", "ada", *game)
    assert "there is no bot 'adda'" in table.refusal("compare", "adda", "bob", *game)
    assert "leaves seats empty" in table.refusal("compare", "ada", "bob", *game, "--seats", "3", "--field", "eve")
    assert "more than once" in table.refusal("compare", "ada", "bob", *game, "--field", "ada")
    assert table("tournament", "list", "--json").json == []


def test_a_tournament_is_played_until_a_question_is_answered(table: Arena) -> None:
    words = ["tournament", "run", "adaptive", "--game", "foreign_king", "--seats", "2", "--bots", "ada,bob,eve"]
    finished = table(*words, "--until", "winner known at 60%", "--max-blocks", "12", "--seed", "3", "--name", "until")
    assert finished.code == 0
    assert "winner known at 60%: " in finished.out
    assert "winner known at 60%: " in table("tournament", "show", "until").out
    assert "is no question" in table.refusal(*words, "--until", "soon")
    assert "is known before the first match" in table.refusal(*words, "--until", "top 3 known at 95%")
