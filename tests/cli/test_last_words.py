"""What a bot wrote to stdout stands in the evidence of its fault, apart from what it wrote to stderr."""

from pathlib import Path

import pytest

from tests.cli.support import Arena, write_bot
from tests.support.sandboxes import need

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


def fault_of(arena: Arena, tmp_path: Path, body: str, sandbox: str) -> dict[str, object]:
    bots = [write_bot(tmp_path / name, name, body) for name in ("ada", "bob")]
    assert arena("bot", "add", *bots).code == 0
    words = ["match", "run", "--game", "foreign_king", "--bots", "ada,bob", "--sandbox", sandbox, "--json"]
    found: list[dict[str, object]] = arena(*words).json["faults"]
    return found[0]


@pytest.mark.parametrize("level", ["none", "standard"])
def test_both_streams_stand_in_the_evidence_of_a_fault(arena: Arena, tmp_path: Path, level: str) -> None:
    if level != "none":
        need(level)
    fault = fault_of(arena, tmp_path, WORDS, level)
    evidence = fault["evidence"]
    assert isinstance(evidence, dict)
    assert (evidence["stdout"], evidence["stderr"]) == ("thinking of e4\n", "it went wrong\n")
    match = arena("match", "list", "--json").json[0]["id"]
    shown = arena("match", "show", match).out
    assert "stdout: thinking of e4" in shown
    assert "stderr: it went wrong" in shown


def test_of_much_only_the_end_is_kept_as_of_stderr(arena: Arena, tmp_path: Path) -> None:
    evidence = fault_of(arena, tmp_path, MUCH, "none")["evidence"]
    assert isinstance(evidence, dict)
    assert evidence["stdout"].endswith("xthe end\n")
    assert len(evidence["stdout"]) == 4000


def test_a_bot_that_wrote_nothing_there_has_no_such_evidence(arena: Arena, tmp_path: Path) -> None:
    evidence = fault_of(arena, tmp_path, "raise SystemExit(3)", "none")["evidence"]
    assert isinstance(evidence, dict)
    assert "stdout" not in evidence


def test_a_test_at_home_shows_both_and_says_which_is_which(arena: Arena, tmp_path: Path) -> None:
    finished = arena("bot", "test", write_bot(tmp_path / "ada", "ada", WORDS), "--quick", "--game", "foreign_king")
    assert finished.code == 1
    assert "  | it went wrong" in finished.out
    assert "  stdout | thinking of e4" in finished.out
