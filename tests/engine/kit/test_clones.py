"""The committed copies of positions are those that the declared fields ask for."""

from __future__ import annotations

import pytest

from engine import registry
from engine.kit.cloning import path_of, source


@pytest.mark.parametrize("name", registry.single_names())
def test_the_copies_of_a_game_are_what_its_declaration_makes(name: str) -> None:
    package = registry.package_of(name)
    assert path_of(package).read_text(encoding="utf-8") == source(package)
