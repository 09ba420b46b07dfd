"""A game loads its parts when they are needed: whatever comes first, a position has its moves."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from engine import registry

GAMES = ("foreign_king", "rex_romanorum")
PROGRAM = """
import json, sys
from engine import registry

name, road, given = sys.argv[1:]
game = registry.get(name)
if road == "json":
    state = game.state_from_json(json.loads(given))
else:
    state = game.observed(bytes.fromhex(given)).state
print(json.dumps([state.seat(), list(state.legal_actions()), state.outcome()]))
"""


@pytest.mark.parametrize("road", ["json", "wire"])
@pytest.mark.parametrize("name", GAMES)
def test_a_position_from_outside_has_its_moves_in_a_process_that_made_none(name: str, road: str) -> None:
    game = registry.get(name)
    state = game.new_state(3)
    given = json.dumps(state.to_json()) if road == "json" else game.encode_observation(state, 0)[1].hex()
    finished = subprocess.run(
        [sys.executable, "-c", PROGRAM, name, road, given], capture_output=True, text=True, check=True
    )
    assert json.loads(finished.stdout) == [state.seat(), list(state.legal_actions()), None]
