"""`arena tournament`: run, listed, shown and stopped; and senseless orders are refused."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from arena.app.tournament_planning import next_name
from arena.hosting.errors import HostingError
from arena.match.spec import MatchSpec
from arena.match.worker_report import MatchReport
from arena.model.errors import ClientError
from arena.model.tournament_requests import TournamentRequest
from arena.tournament.formats.adaptive import Adaptive
from arena.tournament.formats.format import Situation
from engine import registry
from ratings.ledger.ledger import LeaseRequest, Ledger
from ratings.read.tournaments import list_tournaments
from ratings.statistics.block_allocation import QuestionStatus
from ratings.store.database import open_database
from tests.cli.support import MATCH, Arena, Finished, write_bot
from tests.cli.table import TableExecutor, play
from tests.support.owners import running_server

ROUND_ROBIN = ["tournament", "run", "round-robin", "--game", "foreign_king", "--seats", "3", "--bots", "ada,bob,eve"]


MONDAY = " ".join([*ROUND_ROBIN, "--option max_rounds=4 --blocks 2 --time 50ms --seed 1 --name monday --workers 1"])


def play_monday(table: Arena) -> Finished:
    """Have six matches of three bots in a fresh database."""
    (told,) = table.played(MONDAY)
    return told


def play_once(table: Arena) -> Finished:
    """Have three matches of three bots in a fresh database."""
    (told,) = table.played(" ".join([*ROUND_ROBIN, "--option max_rounds=4 --seed 1 --json"]))
    return told


def test_a_round_robin_is_played_and_ends_with_standings_and_where_to_look_next(table: Arena) -> None:
    finished = play_monday(table)
    assert finished.code == 0
    for bot in ("ada", "bob", "eve"):
        assert bot in finished.out
    assert "`arena leaderboard`" in finished.out
    assert "`arena tournament show monday --matches`" in finished.out


def test_progress_and_notes_go_to_stderr(table: Arena) -> None:
    err = play_monday(table).err
    assert "tournament monday (seed 1: can be repeated)" in err
    assert "without a sandbox" in err
    assert "6/6 matches" in err


def test_the_standings_are_json_for_programs(table: Arena) -> None:
    standings = play_once(table).json
    assert {row["bot"] for row in standings} == {"ada", "bob", "eve"}
    assert all(row["matches"] == 3 for row in standings)


def test_a_tournament_is_listed_and_shown(table: Arena) -> None:
    play_monday(table)
    (row,) = table("tournament", "list", "--json").json
    assert (row["name"], row["status"], row["finished"], row["total"]) == ("monday", "finished", 6, 6)
    assert "monday" in table("tournament", "list").out
    shown = table("tournament", "show", "monday", "--matches").out
    assert "finished, 6 of 6 matches played" in shown
    assert shown.count("finished") == 7


def test_the_secret_is_published_when_the_tournament_is_over(table: Arena) -> None:
    play_monday(table)
    assert len(table("tournament", "show", "monday", "--json").json["secret"]) == 64


def test_equal_seeds_give_equal_matches(table: Arena) -> None:
    digests = []
    for name in ("first", "second"):
        table(*ROUND_ROBIN, "--seed", "5", "--name", name)
        matches = table("tournament", "show", name, "--json").json["matches"]
        digests.append([match["game_digest"] for match in matches])
    assert digests[0] == digests[1]


def test_a_tournament_without_a_name_gets_the_next_free_one(table: Arena) -> None:
    play_once(table)
    table(*ROUND_ROBIN)
    names = {row["name"] for row in table("tournament", "list", "--json").json}
    assert names == {"round-robin-1", "round-robin-2"}


def test_free_names_are_found_in_the_gaps() -> None:
    assert next_name("demo", set()) == "demo-1"
    assert next_name("demo", {"demo-1", "demo-3", "other"}) == "demo-2"


def test_a_name_that_is_taken_is_refused_with_how_to_go_on(table: Arena) -> None:
    play_monday(table)
    refusal = table.refusal(*ROUND_ROBIN, "--name", "monday")
    assert "`arena tournament resume monday` goes on" in refusal


@pytest.mark.host_fault("little-room")
@pytest.mark.parametrize("words", [ROUND_ROBIN, MATCH])
def test_a_host_that_allows_too_little_is_told_before_anything_is_planned(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    def refuse(_workers: int) -> None:
        raise HostingError("this host allows too little; raise the limit")

    for name in ("ada", "bob", "eve"):
        arena("bot", "add", write_bot(tmp_path / name, name))
    monkeypatch.setattr("arena.cli.shared.match_order.check_host", refuse)
    finished = arena(*words)
    assert (finished.code, finished.err) == (1, "arena: this host allows too little; raise the limit\n")
    assert arena("tournament", "list", "--json").json == []


def test_a_finished_tournament_cannot_be_resumed(table: Arena) -> None:
    play_monday(table)
    assert "is finished" in table("tournament", "resume", "monday").err


def test_a_finished_tournament_cannot_be_cancelled(table: Arena) -> None:
    play_monday(table)
    assert table("tournament", "cancel", "monday").out == "monday: over already\n"


def test_an_unknown_tournament_gets_the_nearest_name(table: Arena) -> None:
    play_monday(table)
    said = "there is no tournament 'munday'; did you mean 'monday'?"
    assert table.misses((("tournament", verb, "munday"), said) for verb in ("show", "resume", "cancel")) == []


BAD_ORDERS = [
    (["--bots", "ada,bob,evee"], "there is no bot 'evee'; did you mean 'eve'?"),
    (["--bots", "ada,bob"], "bots"),
    (["--bots", "ada,bob,ada"], "more than once"),
    (["--bots", ","], "--bots names nothing"),
    (["--bots", "ada,bob,eve@ffff"], "no version 'ffff'"),
    (["--game", "foreign_kong"], "did you mean 'foreign_king'?"),
    (["--seats", "7"], "2 to 4 seats"),
    (["--time", "fast"], "write 50ms"),
    (["--option", "queen=any"], "queen"),
    (["--option", "queen_scope"], "is not KEY=VALUE"),
    (["--option", "bank=1", "--option", "bank=2"], "given twice"),
    (["--seed", "-1"], "seed"),
    (["--seed", "99999999999999999999"], "2^53"),
    (["--opening-plies", "-1"], "--opening-plies"),
    (["--opening-plies", "1000"], "an opening of 1000 plies is longer than the game can be; use 0 to 1"),
    (["--blocks", "0"], "--blocks"),
    (["--workers", "-1"], "--workers"),
    (["--name", ""], "no name for a tournament"),
]


def test_bad_orders_are_refused_in_one_line_and_nothing_is_planned(table: Arena) -> None:
    assert table.misses(([*ROUND_ROBIN, *words], message) for words, message in BAD_ORDERS) == []
    assert table("tournament", "list", "--json").json == []


def test_a_disabled_bot_is_refused_with_how_to_let_it_in(table: Arena) -> None:
    table("bot", "disable", "eve")
    assert "arena bot disable eve --undo" in table.refusal(*ROUND_ROBIN)
    table("bot", "disable", "eve", "--undo")
    assert table(*ROUND_ROBIN, "--dry-run").code == 0


def test_a_bot_that_does_not_play_the_game_is_refused(table: Arena, tmp_path: Path) -> None:
    table("bot", "add", write_bot(tmp_path / "chess", "chess-bot", games='["chess"]'))
    assert "does not play foreign_king" in table.refusal(*ROUND_ROBIN[:-1], "ada,bob,chess-bot")


def test_a_bot_whose_stored_files_were_changed_is_refused(table: Arena) -> None:
    directory = Path(table("bot", "show", "eve", "--json").json["versions"][0]["directory"])
    (directory / "extra.py").write_text("", encoding="utf-8")
    assert "were changed" in table.refusal(*ROUND_ROBIN, code=1)


def test_an_unrated_tournament_leaves_the_leaderboard_alone(table: Arena) -> None:
    table(*ROUND_ROBIN, "--unrated")
    assert table("leaderboard", "--json").json == []


def test_the_leaderboard_has_one_table_for_each_pool(table: Arena) -> None:
    play_once(table)
    table(*ROUND_ROBIN, "--option", "queen_scope=occupied_by_others")
    pools = table("leaderboard", "--json").json
    assert [(pool["matches"], len(pool["table"])) for pool in pools] == [(3, 3), (3, 3)]
    shown = table("leaderboard").out
    assert "The Foreign King, 3 seats, time 100ms, queen_scope=occupied_by_others: 3 matches" in shown
    assert shown.count("RANK") == 2


def test_the_leaderboard_is_narrowed_to_a_pool_a_game_or_a_number_of_seats(table: Arena) -> None:
    play_once(table)
    (pool,) = table("leaderboard", "--json").json
    assert table("leaderboard", "--json", "--pool", pool["pool_id"][:8]).json == [pool]
    assert table("leaderboard", "--json", "--game", "foreign_king", "--seats", "3").json == [pool]
    assert table("leaderboard", "--json", "--seats", "2").json == []
    assert len(table("leaderboard", "--json", "--limit", "1").json[0]["table"]) == 1
    assert "no pool 'ffff0000'" in table.refusal("leaderboard", "--pool", "ffff0000")


def test_a_tournament_that_another_command_cancels_ends_saying_so(
    table: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def cancel_at_third(self: TableExecutor, spec: MatchSpec) -> MatchReport:
        database = open_database(table.db)
        (row,) = list_tournaments(database).items
        if row.progress.finished >= 2:
            Ledger(database).cancel(row.tournament.id)
        database.close()
        return play(spec)

    monkeypatch.setattr(TableExecutor, "run", cancel_at_third)
    finished = table(*ROUND_ROBIN, "--blocks", "4", "--name", "monday", "--workers", "1")
    assert finished.code == 1
    (row,) = table("tournament", "list", "--json").json
    assert 2 <= row["finished"] < 12
    told = f"arena: tournament 'monday' was cancelled by another command; {row['finished']} of 12 matches were played"
    assert told in finished.err.splitlines()[-1]
    assert finished.out == ""


def test_a_run_says_at_its_start_and_end_how_many_matches_are_over(table: Arena) -> None:
    finished = table(*ROUND_ROBIN, "--workers", "1")
    told = finished.err.splitlines()
    assert finished.code == 0
    assert told[1] == "0 of 3 matches are over"
    commitment = table("tournament", "show", told[0].split()[1], "--json").json["commitment"]
    assert told[2].startswith(f"commitment {commitment['digest']}: ")
    assert "all 3 matches are over" in told
    assert "matches are over" not in table("match", "run", "--game", "foreign_king", "--bots", "ada,bob").err


def test_a_run_under_another_key_than_the_commitments_says_so(table: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as stopped:
        stopped.setattr("arena.cli.verbs.tournament.run.play", lambda *_, **__: None)
        table(*ROUND_ROBIN, "--name", "monday")
    (key,) = table.db.parent.glob("*.key")
    key.unlink()
    told = table("tournament", "resume", "monday", "--workers", "1").err.splitlines()
    assert [line.split(";")[0] for line in told if "key" in line] == [
        f"warning: the commitment was signed by another key than {key}"
    ]


@pytest.mark.host_fault("lock-removed")
def test_a_run_that_another_process_took_matches_from_fails_and_says_how_to_go_on(
    table: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def take_others(self: TableExecutor, spec: MatchSpec) -> MatchReport:
        database = open_database(table.db)
        (row,) = list_tournaments(database).items
        if row.progress.leased < 12:
            Ledger(database).settle(row.tournament.id, request=LeaseRequest("elsewhere:1", 12, 10**12))
        database.close()
        return play(spec)

    monkeypatch.setattr(TableExecutor, "run", take_others)
    finished = table(*ROUND_ROBIN, "--blocks", "4", "--name", "monday", "--workers", "1")
    assert finished.code == 1
    (row,) = table("tournament", "list", "--json").json
    assert 0 < row["finished"] < 12
    told = (
        f"arena: {row['finished']} of 12 matches of tournament 'monday' are over, and another process has taken others"
    )
    assert finished.err.splitlines()[-1].startswith(f"{told}; `")
    assert "tournament resume monday" in finished.err.splitlines()[-1]


def test_no_more_workers_are_started_than_there_are_matches(table: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    started = []

    def executor(workers: int, **_: object) -> TableExecutor:
        started.append(workers)
        return TableExecutor(workers)

    monkeypatch.setattr("arena.cli.shared.play_tournament.LocalExecutor", executor)
    assert table(*ROUND_ROBIN, "--workers", "200").code == 0
    assert started == [3]


def test_a_leaderboard_of_an_unknown_game_or_of_no_pool_says_so(table: Arena) -> None:
    assert f"`arena demo --db {table.db}` plays some" in table("leaderboard").out
    play_once(table)
    assert "there is no game 'chess'" in table.refusal("leaderboard", "--game", "chess")
    assert "fit these filters; `arena leaderboard` shows all" in table("leaderboard", "--seats", "2").out


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


TOO_LONG = ["--game", "foreign_king", "--opening-plies", "900"]


PLANNING = [
    ["match", "run", "--bots", "ada,bob"],
    ["tournament", "run", "swiss", "--seats", "2", "--bots", "ada,bob,eve"],
    ["compare", "ada", "bob"],
    ["ladder", "open", "summer", "--seats", "2"],
]


def test_an_opening_that_ends_the_game_is_refused_with_the_longest_that_is_possible(table: Arena) -> None:
    longest = set()
    for words in PLANNING:
        refusal = table.refusal(*words, *TOO_LONG)
        assert refusal.startswith("an opening of 900 plies is longer than the game can be; use 0 to "), words
        longest.add(refusal.split("use 0 to ")[1].split(" ")[0])
    assert table("tournament", "list", "--json").json == []
    (most,) = longest
    assert 20 < int(most) < 200
    for words in PLANNING:
        only_planned = ["--dry-run"] if words[0] in ("tournament", "compare") else []
        assert table(*words, *TOO_LONG[:-1], most, *only_planned).code == 0, words


def test_a_service_refuses_it_too(table: Arena) -> None:
    request = TournamentRequest(
        format="round-robin", settings={"blocks": 1}, game="foreign_king", seats=2, bots=("ada", "bob"), time="50ms",
        start_limit="10s", opening_plies=900,
    )  # fmt: skip
    with (
        tempfile.TemporaryDirectory(prefix="kma") as directory,
        running_server(Path(directory), database=table.db) as server,
        server.arena() as arena,
        pytest.raises(ClientError, match="an opening of 900 plies is longer than the game can be"),
    ):
        arena.tournaments.create_tournament(request)


SHORT = ("--option", "max_rounds=2")


def test_a_tournament_is_played_until_a_question_is_answered(table: Arena) -> None:
    words = ["tournament", "run", "adaptive", "--game", "foreign_king", "--seats", "2", "--bots", "ada,bob,eve", *SHORT]
    finished = table(*words, "--until", "winner known at 60%", "--max-blocks", "3", "--seed", "3", "--name", "until")
    assert finished.code == 0
    assert "winner known at 60% within 10 Elo: " in finished.out
    assert "winner known at 60% within 10 Elo: " in table("tournament", "show", "until").out
    assert "is no question" in table.refusal(*words, "--until", "soon")
    assert "is known before the first match" in table.refusal(*words, "--until", "top 3 known at 95%")


def test_results_that_drift_over_time_are_told(table: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["tournament", "run", "adaptive", "--game", "foreign_king", "--seats", "2", "--bots", "ada,bob,eve", *SHORT]
    table(*words, "--until", "winner known at 99%", "--max-blocks", "3", "--seed", "3", "--name", "until")
    answer = Adaptive.answer

    def drifts(form: Adaptive, situation: Situation) -> QuestionStatus:
        found = answer(form, situation)
        return replace(found, is_known=False, drifting=found.leaders)

    monkeypatch.setattr(Adaptive, "answer", drifts)
    best = table("tournament", "show", "until", "--json").json["answer"]
    (leader,) = best["leader_names"]
    assert best["drifting"] == [leader]
    told = f"not known; so far {leader}, but results drift over time: {leader}"
    assert told in table("tournament", "show", "until").out


def test_seats_may_be_left_out_where_the_game_permits_one_number(table: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["--game", "foreign_king", "--bots", "ada,bob"]
    refused = table("tournament", "run", "round-robin", *words)
    assert (refused.code, refused.err) == (
        2,
        "arena: foreign_king is played by 2 to 4 seats, so the number must be given; add --seats N\n",
    )
    assert "there is no game 'kingg'" in table("tournament", "run", "swiss", "--game", "kingg", "--bots", "ada").err
    monkeypatch.setattr(type(registry.get("foreign_king")), "seats", range(2, 3))
    assert table("tournament", "run", "round-robin", *words).code == 0
    assert table("compare", "ada", "bob", "--game", "foreign_king", "--max-blocks", "1").code == 0
    assert table("ladder", "open", "kings", "--game", "foreign_king").code == 0
    assert "seats               2\n" in table("game", "show", "foreign_king").out
    three = table("tournament", "run", "round-robin", *words, "--seats", "3")
    assert three.err == "arena: foreign_king is always played by 2 seats, not 3\n"
