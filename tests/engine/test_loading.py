"""A game loads its parts when they are needed: whatever comes first, a position has its moves."""

from __future__ import annotations

import json
import subprocess
import sys

from engine import registry

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
