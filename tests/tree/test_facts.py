"""What is read of a file for the checks of the tree, as tests/support/facts.py tells it."""

from __future__ import annotations

from tests.support.facts import Mark, Method, read_facts

TEXT = '''"""What it is for."""

from typing import TYPE_CHECKING

import pytest
import arena.match as played

if TYPE_CHECKING:
    from engine import chance
else:
    from engine import core

LIMIT: int = played.LIMIT


@pytest.mark.hostile("fork-storm", *LIMIT)
def test_something():
    """Does something."""
    from bots import kit as of_bots

    raise StreamError(3, "LATE", of_bots.Decision)


class Board:
    size = LIMIT

    @played.cached
    def turn(self):
        """Turns it."""
        self.turned = {**{}, "by": lambda: size}
'''


def test_an_import_is_executed_at_load_in_no_function_and_not_for_types_alone() -> None:
    at_load = {one.target: one.at_load for one in read_facts(TEXT).imports}
    assert at_load == {
        "typing.TYPE_CHECKING": True,
        "pytest": True,
        "arena.match": True,
        "engine.chance": False,
        "engine.core": True,
        "bots.kit": False,
    }


def test_what_a_file_defines_documents_and_uses_is_read() -> None:
    facts = read_facts(TEXT)
    assert facts.documentation == "What it is for."
    assert facts.docstrings == (("test_something", "Does something."), ("turn", "Turns it."))
    assert [(one.name, one.is_registered) for one in facts.definitions] == [
        ("LIMIT", False),
        ("test_something", True),
        ("Board", False),
    ]
    (board,) = facts.classes
    assert board.methods == (Method("turn", is_documented=True),)
    assert board.members == {"size", "turn", "turned"}
    assert facts.functions == (5, 3)
    assert {("arena.match", "LIMIT"), ("arena.match", "cached"), ("bots.kit", "Decision")} <= facts.used
    assert {"LIMIT", "played", "by", "cached"} <= facts.reads
    assert {"size", "StreamError", "of_bots"} <= facts.loaded
    assert facts.reasons == {("StreamError", "LATE")}
    assert facts.marks == (Mark("hostile", ("fork-storm",), is_computed=True),)


def test_in_outline_the_bodies_of_functions_add_imports_alone() -> None:
    whole, outline = read_facts(TEXT), read_facts(TEXT, outline=True)
    assert outline.imports == whole.imports
    assert outline.marks == whole.marks
    assert not outline.reasons
    assert outline.loaded == whole.loaded - {"size", "StreamError", "of_bots", "self"}
