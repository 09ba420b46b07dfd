"""Documents of replays, without processes: every seat plays at random."""

from __future__ import annotations

from random import Random
from typing import Any

from engine import registry
from engine.chance import SeededChance
from engine.record import Playing


def document(name: str, seats: int, options: dict[str, Any], seed: int) -> dict[str, Any]:
    """What of a replay becomes a training set; its first ply is the opening's."""
    game, random = registry.get(name), Random(seed)
    playing = Playing(game, seats, game.parse_options(options), SeededChance(seed))
    while playing.state.seat() is not None:
        playing.apply(random.choice(playing.state.legal_actions()))
    outcome = playing.state.outcome()
    assert outcome is not None
    return {
        "match_id": f"{seed:032x}",
        "game": name,
        "rules_version": game.rules_version,
        "options": game.options_json(playing.options),
        "seats": [{} for _ in range(seats)],
        "chance": [list(drawn) for drawn in playing.chance_outcomes],
        "entries": [
            {"ply": event.ply, "seat": event.seat, "action": event.action, "by": "bot" if event.ply else "opening"}
            for event in playing.events
        ],
        "result": {"ranks": list(outcome.ranks)},
    }
