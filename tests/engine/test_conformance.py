"""Every registered game keeps the contract, and the checks of it see a game that does not."""

from __future__ import annotations

import pytest

from engine import registry
from engine.conformance import Case, cases


@pytest.mark.parametrize("case", [case for name in registry.names() for case in cases(registry.get(name))], ids=str)
def test_a_game_keeps_the_contract(case: Case) -> None:
    case()
