"""Every numbered rule has a test that names it: `test_a1_...`, `test_6_1_5_...`, `test_k13_...`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

NUMBERED = {"a": 9, "b": 9, "c": 17, "s": 11, "d": 7, "k": 16}
RULES = [f"{letter}{number}" for letter, last in NUMBERED.items() for number in range(1, last + 1)]
RULES += ["4_1", "4_2", "5_1", "5_2", "5_3", *(f"6_1_{number}" for number in range(1, 8))]
RULES += [*(f"6_2_{number}" for number in range(1, 6)), "8", "9_1", "9_2", "9_3", "9_4"]
NAMES = [
    name
    for path in sorted(Path(__file__).parent.glob("test_*.py"))
    for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
]


@pytest.mark.parametrize("rule", RULES)
def test_a_test_names_the_rule(rule: str) -> None:
    assert any(name.startswith(f"test_{rule}_") for name in NAMES)
