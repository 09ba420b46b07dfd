"""What the golden files of Rex Romanorum are made of; that they still hold is looked at for every game at once."""

from __future__ import annotations

import json

from engine import golden
from engine.games.rex_romanorum import GAME as REX_ROMANORUM
from engine.golden import actions_in


def test_every_kind_of_action_is_taken_in_the_playings() -> None:
    files = [golden.read(REX_ROMANORUM.name, golden.playthrough_file(seats)) for seats in REX_ROMANORUM.seats]
    taken = {action for text in files for action in actions_in(REX_ROMANORUM.actions, text.splitlines())}
    verbs = {REX_ROMANORUM.actions.format(action).partition(":")[0] for action in taken}
    assert verbs == {name.partition(":")[0] for name in REX_ROMANORUM.actions.names}


def test_the_start_has_two_actions_and_drawing_eight() -> None:
    # ACT_ACQUIRE with KEEP:0 to KEEP:7, and ACT_HARVEST before the next seat's two.
    counts = json.loads(golden.read(REX_ROMANORUM.name, golden.PERFT))
    assert counts["5"]["start"][:2] == [2, 8 + 2]
