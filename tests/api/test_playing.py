"""Matches and tournaments as they are ordered from a program."""

from pathlib import Path
from typing import Any

import pytest

from arena.api import Arena, Entrant
from arena.hosting.sample_bots import sample_directory
from arena.tournament.run_progress import RunProgress
from tests.api.players import FirstBot, PlaceBot, at, first
from tests.cli.support import write_bot

SHORT = {"max_rounds": 2}
THREE = ("random", first, Entrant(PlaceBot(1), name="second"))


def test_a_match_has_the_bots_in_the_order_named(table: Arena, tmp_path: Path) -> None:
    own = write_bot(tmp_path / "own", "own")
    played = table.match("foreign_king", [own, first, sample_directory("greedy"), str(own)], seed=3)
    assert [seat.bot for seat in played] == ["own", "first", "greedy", "own"]
    assert sorted(rank or 0 for rank in played.ranks)[0] == 1
    assert played.detail.rated is True or played.detail.rated is False
    assert table.replay(played.id).bots == ("own", "first", "greedy", "own")


def test_a_sample_is_meant_by_its_name_unless_a_bot_of_that_name_lies_here(
    table: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "random").mkdir()
    write_bot(tmp_path / "greedy", "greedy")
    write_bot(tmp_path / "mine", "mine")
    table.match("foreign_king", ["random", "greedy", "~/mine"])
    hashes = {row.name: row.content_hash for row in table.bots()}
    with Arena("~/other.db") as other:
        assert other.add(sample_directory("random")).content_hash == hashes["random"]
        assert other.add(sample_directory("greedy")).content_hash != hashes["greedy"]
    assert (tmp_path / "other.db").is_file()
    assert "mine" in hashes


def test_equal_seeds_play_equal_matches(table: Arena) -> None:
    played = [table.match("foreign_king", ["random", "greedy"], seed=seed) for seed in (5, 5, 6)]
    actions = [table.replay(one.id).actions for one in played]
    assert actions[0] == actions[1] != actions[2]


def test_the_terms_are_those_that_were_asked_for(table: Arena) -> None:
    options = {"virtual_discs": 16}
    played = table.match(
        "foreign_king", ["random", first], options=options, clock="10+1", rated=True, name="opening", opening_plies=4
    )
    pool = played.detail.pool
    assert (pool.time_control, pool.options["virtual_discs"], played.detail.rated) == ("10+1", 16, True)
    assert [entry["by"] for entry in table.replay(played.id).entries][:4] == ["opening"] * 4
    assert table.result("opening").name == "opening"
    assert "virtual_discs=16" in repr(played)


def test_a_tournament_is_a_round_robin_of_small_tables_unless_more_is_said(table: Arena) -> None:
    played = table.tournament("rex_romanorum", THREE, progress=False)
    assert (played.detail.summary.format, played.detail.summary.seats) == ("round-robin", 2)
    assert [row.matches for row in played] == [4, 4, 4]
    assert next(row.place for row in played) == 1
    assert played.is_over


@pytest.mark.parametrize(
    ("form", "settings", "kept"),
    [
        ("round-robin", {"blocks": 2}, {"blocks": 2}),
        ("sample", {"blocks": 3}, {"blocks": 3}),
        ("gauntlet", {}, {"blocks": 1}),
        ("swiss", {}, {"rounds": 2}),
        ("swiss", {"rounds": 1, "blocks": None}, {"rounds": 1, "blocks": 1}),
        ("knockout", {"lives": 2, "drawn": False}, {"lives": 2, "drawn": False}),
        ("ladder", {"waves": 2}, {"waves": 2}),
        ("adaptive", {"until": "winner known at 90%", "blocks": 3}, {"until": "winner known at 90% within 10 Elo"}),
        ("final", {"blocks": 2}, {"blocks": 2}),
    ],
)
def test_every_format_can_be_asked_for_with_its_settings(
    form: str, settings: dict[str, Any], kept: dict[str, object], shared: Arena
) -> None:
    played = shared.tournament("foreign_king", THREE, options=SHORT, format=form, seed=1, progress=False, **settings)
    assert played.is_over
    assert kept.items() <= played.detail.settings.items()
    assert {row.bot for row in played} == {"random", "first", "second"}


def test_a_comparison_answers_and_is_not_rated(table: Arena) -> None:
    played = table.tournament(
        "foreign_king", ["greedy", "random"], options=SHORT, format="compare", pairs=4, seed=1, progress=False
    )
    assert played.detail.comparison is not None
    assert played.detail.comparison.answer == "undecided"
    assert "answer: undecided" in repr(played)
    assert not played.detail.summary.rated


def test_all_is_every_bot_that_can_play(table: Arena) -> None:
    for bot in THREE:
        table.add(bot)
    assert len(table.tournament("foreign_king", ["all"], options=SHORT, progress=False)) == 3


def test_the_caller_hears_how_far_it_is(table: Arena) -> None:
    heard: list[RunProgress] = []
    table.tournament("foreign_king", ["random", first], options=SHORT, blocks=5, progress=heard.append)
    assert (heard[-1].over, heard[-1].total) == (10, 10)
    assert [state.over for state in heard] == sorted(state.over for state in heard)


def test_a_bot_in_the_database_is_named_by_its_name_or_one_version(table: Arena) -> None:
    versions = [table.add(Entrant(at(place), name="mine")) for place in (0, 1)]
    older = f"mine@{versions[0].content_hash[:12]}"
    played = table.match("foreign_king", ["mine", older])
    assert [seat.version for seat in played] == [2, 1]


def test_a_closed_arena_says_so_and_may_be_closed_again(tmp_path: Path) -> None:
    with Arena(tmp_path / "closed.db") as arena:
        assert len(arena.bots()) == 0
    arena.close()
    with pytest.raises(Exception, match="this arena was closed; open it again"):
        arena.bots()
    assert repr(arena) == "Arena(closed)"


def test_an_owners_bot_is_added_for_him(table: Arena) -> None:
    assert table.add(FirstBot, owner="ada").bot == "ada/first-bot"
