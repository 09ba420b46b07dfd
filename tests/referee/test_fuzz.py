"""Odd messages at every moment: the server never raises, keeps little, and honest matches beside are not disturbed.

`python -m benchmarks.fuzz` sends many more.
"""

from pathlib import Path
from random import Random

import pytest

from arena.match.messages import Malformed, ProtocolViolation
from arena.wire.parsing import parse_join, parse_request
from tests.support.fuzz_messages import draw_message
from tests.support.fuzzing import fuzz, listening, open_range
from tests.support.specs import installed_script_game

MESSAGES = 1000


@pytest.mark.hostile("any-message")
@pytest.mark.parametrize("seed", [1, 2])
async def test_no_message_raises_or_disturbs_another_match(tmp_path: Path, seed: int) -> None:
    with installed_script_game(), listening() as complaints:
        async with open_range(tmp_path) as target:
            await fuzz(target, seed, MESSAGES)
    assert complaints.found == []
    assert target.messages >= MESSAGES
    assert target.honest_matches > 0


@pytest.mark.hostile("any-message")
def test_every_message_is_judged_and_none_raises() -> None:
    rng = Random(3)
    verdicts: set[type[object]] = set()
    for _ in range(5_000):
        data = draw_message(rng, "m1", 0)
        verdicts.add(type(parse_request(data)))
        verdicts.add(type(parse_join(data)))
    assert {Malformed, ProtocolViolation} < verdicts
