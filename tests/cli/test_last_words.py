"""What a bot wrote to stdout stands in the evidence of its fault, apart from what it wrote to stderr."""

from pathlib import Path
from typing import Any

import pytest

from arena.hosting.sandbox.limits import strongest_level
from tests.cli.support import Arena, write_bot

WORDS = """
import sys
print("thinking of e4")
print("it went wrong", file=sys.stderr)
sys.exit(3)
"""
MUCH = """
import sys
print("x" * 50_000 + "the end")
sys.exit(3)
"""


def faults_of(arena: Arena, tmp_path: Path, level: str, *bodies: str) -> list[dict[str, Any]]:
    """The evidence that each of these bots left in one match."""
    bots = [write_bot(tmp_path / name, name, body) for name, body in zip(("ada", "bob", "eve"), bodies, strict=False)]
    assert arena("bot", "add", *bots).code == 0
    names = ",".join(bot.name for bot in bots)
    words = ["match", "run", "--game", "foreign_king", "--bots", names, "--sandbox", level, "--json"]
    faults = sorted(arena(*words).json["faults"], key=lambda fault: int(fault["seat"]))
    return [fault["evidence"] for fault in faults]


@pytest.mark.needs("minutes")
def test_both_streams_stand_in_the_evidence_of_a_fault_and_of_much_only_the_end(arena: Arena, tmp_path: Path) -> None:
    both, much, nothing = faults_of(arena, tmp_path, strongest_level(), WORDS, MUCH, "raise SystemExit(3)")
    assert (both["stdout"], both["stderr"]) == ("thinking of e4\n", "it went wrong\n")
    assert much["stdout"].endswith("xthe end\n")
    assert len(much["stdout"]) == 4000, "as of stderr"
    assert "stdout" not in nothing
    match = arena("match", "list", "--json").json[0]["id"]
    shown = arena("match", "show", match).out
    assert "stdout: thinking of e4" in shown
    assert "stderr: it went wrong" in shown


@pytest.mark.needs("minutes")
def test_a_test_at_home_shows_both_and_says_which_is_which(arena: Arena, tmp_path: Path) -> None:
    finished = arena("bot", "test", write_bot(tmp_path / "ada", "ada", WORDS), "--quick", "--game", "foreign_king")
    assert finished.code == 1
    assert "  | it went wrong" in finished.out
    assert "  stdout | thinking of e4" in finished.out
