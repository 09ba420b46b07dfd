"""New bots in every language that speaks lines play tournaments of both games, in a sandbox and without one."""

import pytest

from arena.hosting.runtimes.runtime import SYSTEM_PATH
from tests.bots.lines_arena import LANGUAGES
from tests.support.patience import ANY_TIME
from tests.support.places import Place
from tests.support.sandboxes import STANDARD

GAMES = ("foreign_king", "rex_romanorum")
SEATS = 2


@pytest.mark.parametrize("level", ["none", STANDARD])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_new_bot_plays_tournaments_of_both_games_without_a_fault(language: str, level: str, place: Place) -> None:
    place.environment |= {"ARENA_SANDBOX": level, "PATH": f"{SYSTEM_PATH}:{place.environment['PATH']}"}
    for game in GAMES:
        name = game.replace("_", "-")
        made = place.ok(
            "bot", "new", name, "--language", language, "--protocol", "lines", "--game", game, "--json"
        ).json
        assert (made["language"], made["protocol"]) == (language, "lines")
        place.ok("bot", "add", name)
        place.ok("bot", "add", "random")
        words = ("--game", game, "--seats", str(SEATS), "--bots", f"{name},random", "--name", game, *ANY_TIME)
        place.ok("tournament", "run", "round-robin", *words)
        standings = place.ok("tournament", "show", game, "--json").json["standings"]
        played = {row["bot"]: (row["matches"], row["forfeits"]) for row in standings}
        assert played == {name: (SEATS, 0), "random": (SEATS, 0)}
    verified = place.ok("replay", "verify", "--all", "--json").json
    assert verified == {"matches": 4, "verified": 4, "removed": 0, "broken": []}
