"""What the command of a bot.toml may say, and what becomes of one that says something else."""

import subprocess
import sys
from pathlib import Path

import pytest

from bots.uci.__main__ import main
from tests.support.patience import PATIENCE_S

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "the following arguments are required: --engine"),
        (["--engine", "x", "--nodes", "0"], "argument --nodes: '0': give a whole number from 1"),
        (["--engine", "x", "--depth", "1.5"], "argument --depth: '1.5': give a whole number from 1"),
        (["--engine", "x", "--nodes", "1", "--depth", "1"], "argument --depth: not allowed with argument --nodes"),
        (["--engine", "x", "--option", "Hash"], "argument --option: 'Hash': an option is NAME=VALUE, such as Hash=64"),
        (["--engine", "x", "--option", "=1"], "'=1': an option is NAME=VALUE, such as Hash=64"),
        (["--engine", "x", "--option", "Hash=1\nquit"], "an option is NAME=VALUE, such as Hash=64"),
    ],
)
def test_what_is_wrong_with_a_command_is_told(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert told in capsys.readouterr().err


def test_an_engine_that_does_not_start_is_told_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--engine", "no-such-engine", "--", "--quiet"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("the engine no-such-engine --quiet cannot be started: ")


def test_help_shows_an_example() -> None:
    command = [sys.executable, "-m", "bots.uci", "--help"]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=PATIENCE_S).stdout
    assert '"-m", "bots.uci", "--engine", "stockfish"' in shown
