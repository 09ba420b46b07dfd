"""`all` among the entrants of a tournament: who plays, who does not, and why."""

import shutil
import tempfile
from pathlib import Path

import pytest

from arena.model.planning import LeftOut, TournamentRequest
from tests.cli.support import Arena, write_bot
from tests.support.owners import running_server

RUN = ["tournament", "run"]
GAME = ["--game", "foreign_king", "--seats", "2", "--option", "max_rounds=1"]
TERMS = [*GAME, "--seed", "1", "--name", "cup", "--workers", "1"]


def entrants(arena: Arena) -> list[str]:
    return sorted(row["bot"] for row in arena("tournament", "show", "cup", "--json").json["standings"])


def test_all_is_every_bot_that_can_play_and_who_cannot_is_told_with_the_reason(table: Arena, tmp_path: Path) -> None:
    table("bot", "add", write_bot(tmp_path / "kasparov", "kasparov", games='["chess"]'))
    table("bot", "add", write_bot(tmp_path / "gone", "gone"))
    shutil.rmtree(table("bot", "show", "gone", "--json").json["versions"][0]["directory"])
    table("bot", "disable", "bob")
    finished = table(*RUN, "round-robin", *TERMS, "--bots", "all")
    assert finished.code == 0, finished.err
    assert entrants(table) == ["ada", "eve"]
    left_out = [line for line in finished.err.splitlines() if line.startswith("left out: ")]
    assert left_out[0] == "left out: bob: it is disabled"
    assert left_out[1].startswith("left out: gone: ")
    assert "the files of this version are missing" in left_out[1]
    assert left_out[2:] == ["left out: kasparov: it does not play foreign_king"]


def test_all_stands_beside_names_and_means_the_others(table: Arena, tmp_path: Path) -> None:
    old = table("bot", "show", "ada", "--json").json["versions"][0]["content_hash"]
    table("bot", "add", write_bot(tmp_path / "ada", "ada", body="# better\n"))
    assert table(*RUN, "gauntlet", *TERMS, "--challenger", "eve", "--bots", f"all,ada@{old}").code == 0
    assert entrants(table) == ["ada", "ada", "bob", "eve"]


def test_a_comparison_may_meet_all_others(table: Arena) -> None:
    line = ["compare", "ada", "bob", "--game", "foreign_king", "--field", "all", "--max-blocks", "1"]
    assert table(*line, *GAME[-2:], "--name", "cup").code == 0
    assert entrants(table) == ["ada", "bob", "eve"]


def test_where_each_bot_is_named_all_is_refused_with_what_it_means(table: Arena) -> None:
    for bots in ("all", "all,ada", "ada,all,eve"):
        refusal = table.refusal("match", "run", "--game", "foreign_king", "--bots", bots)
        assert refusal == (
            "'all' stands for every bot in tournaments and comparisons; a match takes one bot for each seat: name them"
        )
    gauntlet = [*RUN, "gauntlet", *TERMS, "--challenger", "all", "--bots", "ada,bob"]
    compare = ["compare", "all", "bob", "--game", "foreign_king", "--dry-run"]
    for line in (gauntlet, [*gauntlet, "--dry-run"], compare):
        refusal = table.refusal(*line)
        assert refusal.startswith("'all' stands for the opponents of a challenger or the field of a comparison; "), (
            refusal
        )
    assert table("tournament", "list", "--json").json == []


def test_with_nobody_left_a_line_says_so_and_nothing_is_written(table: Arena) -> None:
    for bot in ("ada", "bob", "eve"):
        table("bot", "disable", bot)
    refusal = table.refusal(*RUN, "round-robin", *TERMS, "--bots", "all")
    assert refusal.startswith("no bot here besides those named can play foreign_king; ")
    assert table("tournament", "list", "--json").json == []


def test_very_many_that_are_left_out_are_counted(table: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.app.planning.MOST_TOLD", 1)
    table("bot", "disable", "bob")
    write_bot(table.db.parent / "zed", "zed", games='["chess"]')
    table("bot", "add", table.db.parent / "zed")
    told = table(*RUN, "round-robin", *TERMS, "--bots", "all").err
    assert "left out: bob: it is disabled\nleft out: +1: too many to be named one by one" in told


def test_bots_of_owners_play_too_with_the_version_that_is_active(table: Arena, tmp_path: Path) -> None:
    table("bot", "add", write_bot(tmp_path / "zoe", "fox"), "--owner", "zoe")
    assert table(*RUN, "round-robin", *TERMS, "--bots", "all", "--sandbox", "none").code in (0, 1)
    assert "zoe/fox" in entrants(table)
    table("owner", "disable", "zoe")
    finished = table(*RUN, "round-robin", *TERMS[:-4], "--name", "two", "--bots", "all")
    assert "left out: zoe/fox: its owner is disabled" in finished.err


def test_a_service_tells_whom_it_left_out(table: Arena) -> None:
    table("bot", "disable", "bob")
    request = TournamentRequest(
        format="round-robin", settings={"blocks": 1}, game="foreign_king", seats=2, bots=("all",), time="50ms",
        start_limit="10s",
    )  # fmt: skip
    with (
        tempfile.TemporaryDirectory(prefix="kma") as directory,
        running_server(Path(directory), database=table.db) as server,
        server.arena() as arena,
    ):
        planned = arena.tournaments.create_tournament(request)
    assert planned.left_out == (LeftOut("bob", "it is disabled"),)


@pytest.mark.needs("minutes")
def test_a_swiss_tournament_of_all_has_the_rounds_of_their_number(table: Arena, tmp_path: Path) -> None:
    for name in ("fox", "hen"):
        table("bot", "add", write_bot(tmp_path / name, name))
    swiss = [*RUN, "swiss", *GAME]
    for bots in ("all", "all,ada", "ada,bob,eve,fox,hen"):
        assert table(*swiss, "--bots", bots, "--dry-run", "--json").json["matches"] == 3 * 2 * 2
    assert table(*swiss, "--bots", "all", "--name", "cup").code == 0
    assert table("tournament", "show", "cup", "--json").json["settings"]["rounds"] == 3


def test_no_bot_is_called_like_all_of_them(table: Arena, tmp_path: Path) -> None:
    for line in (["bot", "add", write_bot(tmp_path / "all", "all")], ["bot", "rename", "ada", "all"]):
        assert "'all' stands for every bot" in table.refusal(*line)
