"""`arena game` and the demo, for the installed games and for one that gives its rules and nothing else."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.cli.nouns.demo import BUDGET_S, TIME, plan_game
from arena.match.time_control import parse_time_control
from engine import registry
from engine.core import Game
from tests.cli.support import Arena
from tests.support.own_games import OURS
from tests.support.specs import installed_script_game


def test_the_games_are_listed(arena: Arena) -> None:
    rows = [row for row in arena("game", "list", "--json").json if row["name"] in OURS]
    assert [row["name"] for row in rows] == ["foreign_king", "rex_romanorum"]
    assert [row["seats"] for row in rows] == [[2, 3, 4], [2, 3, 4, 5]]
    shown = arena("game", "list").out
    assert "The Foreign King" in shown
    assert "Rex Romanorum" in shown


def test_a_tool_of_a_game_is_run_with_its_arguments(arena: Arena) -> None:
    answer = arena("game", "tool", "rex_romanorum", "odds", "8F", "3A", "--castle")
    assert answer.out == "8F against 3A at a castle: 42.4241%\n"
    refused = arena("game", "tool", "rex_romanorum", "odds", "8F")
    assert refused.code == 2


def test_a_tool_that_a_game_has_not_is_refused(arena: Arena) -> None:
    refused = arena("game", "tool", "rex_romanorum", "od")
    assert (refused.code, "did you mean 'odds'?" in refused.err) == (2, True)
    assert "the game has none" in arena("game", "tool", "foreign_king", "odds").err


def test_the_tools_of_a_game_are_listed_and_help_is_given_at_every_place(arena: Arena) -> None:
    listed = "rex_romanorum: its tools are: odds\n"
    assert arena("game", "tool", "rex_romanorum").out == listed
    assert arena("game", "tool", "rex_romanorum", "--help").out == listed
    assert "the game has none" in arena("game", "tool", "foreign_king").out
    assert "Usage: arena game tool" in arena("game", "tool", "--help").out
    assert "odds ATTACKERS DEFENDERS" in arena("game", "tool", "rex_romanorum", "odds", "--help").out


@pytest.mark.parametrize("name", ["foreign_king", "rex_romanorum"])
def test_the_rules_of_a_game_can_be_read_with_the_data_of_bots_and_the_names_of_actions(
    arena: Arena, name: str
) -> None:
    told = arena("game", "rules", name).out
    assert "the rules as this engine plays them" in told
    assert "A position as JSON" in told
    for action in registry.get(name).actions.names:
        kind, _, parameter = action.partition(":")
        assert f"\n  {kind}" in told
        assert parameter in told
    assert f"game rules {name}`" in arena("game", "show", name).out


@pytest.mark.parametrize("name", ["foreign_king", "rex_romanorum"])
def test_a_game_tells_where_its_rules_its_manual_and_the_class_of_its_positions_are(arena: Arena, name: str) -> None:
    told = arena("game", "show", name, "--json").json
    assert Path(told["rules_file"]).name == "README.md"
    assert "the rules as this engine plays them" in Path(told["rules_file"]).read_text(encoding="utf-8")
    assert "A position as JSON" in Path(told["manual_file"]).read_text(encoding="utf-8")
    module, _, name_of_class = told["position_class"].rpartition(".")
    assert isinstance(registry.get(name).new_state(2), getattr(importlib.import_module(module), name_of_class))
    assert told["observation"].startswith(f"arena.games.{name}.v1.")
    shown = arena("game", "show", name).out
    for key in ("rules_file", "manual_file", "observation", "position_class"):
        assert told[key] in shown
    german = arena("game", "show", name, "--lang", "de").out
    assert "rules.de.md" in german


def test_options_stand_in_lines_that_a_terminal_can_show_and_are_written_as_they_are_given(arena: Arena) -> None:
    shown = arena("game", "show", "rex_romanorum").out
    assert 'object; default {"region": 2, "church": 1, "elector": 2, "cap": 100}' in shown
    head = shown.partition("option figures")[0]
    assert max(map(len, head.splitlines())) < 100


def test_a_game_is_shown_with_its_options(arena: Arena) -> None:
    shown = arena("game", "show", "foreign_king").out
    assert "queen_scope" in shown
    assert "any occupied_by_others" in shown
    assert "yes no" in shown
    assert "True" not in shown
    assert "False" not in shown


def test_the_first_position_is_drawn_with_names_in_a_language(arena: Arena, tmp_path: Path) -> None:
    for language in ("en", "de", "it", "fr"):
        file = tmp_path / f"{language}.svg"
        command = ["game", "show", "foreign_king", "--seats", "3", "--lang", language, "--svg", file]
        assert arena(*command).code == 0
        assert file.read_text(encoding="utf-8").startswith("<svg")
    assert (tmp_path / "en.svg").read_bytes() != (tmp_path / "de.svg").read_bytes()


def test_the_language_may_come_from_the_environment(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    german = arena("game", "show", "foreign_king", "--lang", "de", "--json").json
    monkeypatch.setenv("ARENA_LANG", "de")
    assert arena("game", "show", "foreign_king", "--json").json == german


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["show", "foreign_kin"], "there is no game 'foreign_kin'; did you mean 'foreign_king'?"),
        (["show", "foreign_king", "--seats", "9"], "2 to 4 seats"),
        (["show", "foreign_king", "--lang", "xx"], "there is no language 'xx'; --lang takes en, de, fr, it"),
        (["show", "foreign_king", "--option", "nonsense=1"], "nonsense"),
        (["show", "foreign_king", "--option", "bank=12"], "bank"),
        (["show", "foreign_king", "--svg", "/nowhere/x.svg"], "cannot write /nowhere/x.svg"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_shown_is_refused(arena: Arena, words: list[str], message: str) -> None:
    assert message in arena.refusal("game", *words)


def test_perft_counts_every_depth_up_to_the_one_asked(arena: Arena) -> None:
    rows = arena("perft", "foreign_king", "--seats", "3", "--depth", "3", "--json").json
    assert [row["depth"] for row in rows] == [1, 2, 3]
    assert rows[0]["sequences"] < rows[1]["sequences"] < rows[2]["sequences"]


def test_perft_divided_adds_up_to_the_count(arena: Arena) -> None:
    counted = arena("perft", "foreign_king", "--seats", "3", "--depth", "3", "--json").json[-1]["sequences"]
    divided = arena("perft", "foreign_king", "--seats", "3", "--depth", "3", "--divide", "--json").json
    assert sum(row["sequences"] for row in divided) == counted
    shown = arena("perft", "foreign_king", "--seats", "3", "--depth", "3", "--divide").out
    assert shown.splitlines()[-1].split() == ["total", str(counted)]


def test_perft_of_an_unknown_game_gets_the_nearest_name(arena: Arena) -> None:
    assert "did you mean 'foreign_king'?" in arena.refusal("perft", "foreignking")


MATCH = ["match", "run", "--game", "script", "--bots", "ada,bob", "--seed", "3", "--opening-plies", "0"]


@pytest.fixture
def _only_a_plain_game(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with installed_script_game():
        for names in ("names", "single_names"):
            monkeypatch.setattr(registry, names, lambda: ("script",))
        yield


@pytest.fixture
def played(table: Arena) -> dict[str, Any]:
    match: dict[str, Any] = table(*MATCH, "--json").json
    return match


@pytest.mark.usefixtures("_only_a_plain_game")
def test_it_is_listed_and_shown_as_text(arena: Arena) -> None:
    assert arena("game", "list").code == 0
    assert '"scores": [' in arena("game", "show", "script").out
    assert arena("game", "show", "script", "--json").json["languages"] == ["en"]


@pytest.mark.usefixtures("_only_a_plain_game")
def test_in_a_language_that_it_lacks_its_names_are_english(arena: Arena) -> None:
    assert '"scores": [' in arena("game", "show", "script", "--lang", "de").out


@pytest.mark.usefixtures("_only_a_plain_game")
def test_a_picture_and_a_tool_that_it_has_not_are_refused_in_one_line(arena: Arena) -> None:
    assert "no picture" in arena.refusal("game", "show", "script", "--svg", "start.svg")
    assert not Path("start.svg").exists()
    assert "the game has none" in arena.refusal("game", "tool", "script", "odds")


@pytest.mark.usefixtures("_only_a_plain_game")
def test_a_match_of_it_is_played_and_shown(table: Arena, played: dict[str, Any]) -> None:
    match = played["match_id"]
    assert played["state"] == "finished"
    assert table("replay", "show", match).code == 0
    assert table("replay", "show", match, "--ply", "1").code == 0
    assert "no picture" in table.refusal("replay", "show", match, "--svg", "ply.svg")
    assert table("replay", "verify", match).code == 0


@pytest.mark.usefixtures("_only_a_plain_game")
def test_the_demo_says_that_no_bot_can_search_it(arena: Arena) -> None:
    assert "cannot be searched" in arena.refusal("demo", "--game", "script")
    assert "no installed game evaluates its positions" in arena.refusal("demo", code=1)


GAMES = [registry.get(name) for name in registry.single_names()]
CLOCK = parse_time_control(TIME)


def test_all_games_together_take_little_more_than_a_minute_on_two_cores() -> None:
    parts = [plan_game(game, CLOCK, BUDGET_S / len(GAMES)) for game in GAMES]
    assert sum(part.matches * part.match_seconds for part in parts) / 2 < 80


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_game_is_played_in_whole_blocks_at_least_one(game: Game) -> None:
    part = plan_game(game, CLOCK, BUDGET_S)
    assert part.blocks > plan_game(game, CLOCK, BUDGET_S / 4).blocks
    assert plan_game(game, CLOCK, 0.0).blocks == 1
    assert plan_game(game, CLOCK, BUDGET_S, blocks=7).matches == 7 * part.matches // part.blocks
