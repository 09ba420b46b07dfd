"""The registry finds games and plug-ins by their names, and loads of each what is asked for."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest

from arena.match.match import Match
from arena.v1 import play_pb2
from arena.wire.messages import MatchEncoder, encode_joined
from engine import registry
from engine.core import UnknownGameError
from tests.support.specs import king_spec, seat_spec


def test_the_games_of_the_engine_are_found() -> None:
    assert "foreign_king" in registry.names()
    assert registry.get("foreign_king").title == "The Foreign King"


def test_a_game_is_made_once() -> None:
    assert registry.get("foreign_king") is registry.get("foreign_king")


def test_an_unknown_game_is_refused_with_those_there_are() -> None:
    with pytest.raises(UnknownGameError, match=r"no game 'chess'; installed are: .*foreign_king"):
        registry.get("chess")


@pytest.mark.usefixtures("script_game")
def test_a_plugin_is_a_game_like_the_others() -> None:
    assert "script" in registry.names()
    assert registry.names() == tuple(sorted(registry.names()))
    assert registry.get("script").title == "Script"


def test_a_plugin_cannot_take_the_name_of_a_game_of_ours(plugins: list[EntryPoint]) -> None:
    plugins.append(EntryPoint("foreign_king", "tests.support.script_game", registry.ENTRY_POINT_GROUP))
    assert registry.names().count("foreign_king") == 1
    assert registry.get("foreign_king").title == "The Foreign King"


def test_a_plugin_under_a_wrong_name_fails_loudly(plugins: list[EntryPoint]) -> None:
    plugins.append(EntryPoint("rally", "tests.support.script_game", registry.ENTRY_POINT_GROUP))
    with pytest.raises(ValueError, match="calls itself 'script'"):
        registry.get("rally")


def test_other_entry_points_are_no_games(plugins: list[EntryPoint]) -> None:
    plugins.append(EntryPoint("script", "tests.support.script_game", "console_scripts"))
    assert "script" not in registry.names()


@pytest.fixture
def _family(plugins: list[EntryPoint]) -> None:
    """Install a family of games whose names begin with `script_`, beside the game `script`."""
    plugins.append(EntryPoint("script", "tests.support.script_game", registry.ENTRY_POINT_GROUP))
    plugins.append(EntryPoint("script_*", "tests.support.script_family", registry.ENTRY_POINT_GROUP))


@pytest.mark.usefixtures("_family")
def test_a_family_lists_games_and_knows_more_of_them() -> None:
    assert {"script", "script_one", "script_two"} <= set(registry.names())
    assert {"script_one", "script_*"}.isdisjoint(registry.single_names())
    assert registry.get("script_three").name == "script_three"
    assert registry.family_of("script_three") == "tests.support.script_family"
    assert registry.family_of("script") is None
    assert registry.package_of("script_one") == "tests.support"


@pytest.mark.usefixtures("_family")
def test_a_family_says_itself_why_it_has_no_such_game() -> None:
    with pytest.raises(UnknownGameError, match="script_broken cannot be played: it is broken"):
        registry.get("script_broken")
    with pytest.raises(UnknownGameError, match=r"no game 'scripted'; installed are: .*, script$"):
        registry.get("scripted")


@pytest.mark.usefixtures("_family")
def test_strangers_are_kept_to_what_is_listed() -> None:
    assert registry.get_listed("script_one").name == "script_one"
    with pytest.raises(UnknownGameError, match="no game 'script_three'"):
        registry.get_listed("script_three")


@pytest.mark.usefixtures("_family")
def test_a_bot_is_told_of_a_game_of_a_family_if_it_names_it_and_when_a_match_starts() -> None:
    def told(*games: str) -> set[str]:
        return {info.name for info in play_pb2.PlayResponse.FromString(encode_joined(games)).joined.games}

    assert {"script", "foreign_king"} <= told("*")
    assert {"script_one", "script_two"}.isdisjoint(told("*"))
    assert told("script_one", "nowhere") == {"script_one"}
    for game, names in (("script_three", tuple(registry.get("script").actions.names)), ("script", ())):
        spec = king_spec("m", [seat_spec(0), seat_spec(1)], game=game, rules_version=registry.get(game).rules_version)
        started = play_pb2.PlayResponse.FromString(MatchEncoder(Match(spec)).started(0)).match_started
        assert (started.HasField("game_info"), tuple(started.game_info.actions)) == (bool(names), names)


GAMES = ("foreign_king", "rex_romanorum")
PROGRAM = """
import json, os, sys
from engine import registry

for name, road, given in json.load(sys.stdin):
    if child := os.fork():  # each in a process that has loaded no game
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        continue
    game = registry.get(name)
    state = game.state_from_json(given) if road == "json" else game.observed(bytes.fromhex(given)).state
    print(json.dumps([name, state.seat(), list(state.legal_actions()), state.outcome()]), flush=True)
    os._exit(0)
"""


def test_a_position_from_outside_has_its_moves_in_a_process_that_made_none() -> None:
    given, expected = [], []
    for name in GAMES:
        game = registry.get(name)
        state = game.new_state(3)
        given += [(name, "json", state.to_json()), (name, "wire", game.encode_observation(state, 0)[1].hex())]
        expected += [[name, state.seat(), list(state.legal_actions()), None]] * 2
    finished = subprocess.run(
        [sys.executable, "-c", PROGRAM], input=json.dumps(given), capture_output=True, text=True, check=True
    )
    assert [json.loads(line) for line in finished.stdout.splitlines()] == expected
