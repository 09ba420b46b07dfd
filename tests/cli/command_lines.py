"""Every command by what a test of both adapters does with it: asked, done, or named with the reason why it is neither.

`MATCH` stands for the id of a match that is over. The commands themselves are found in the application, so that one
which is new and stands here nowhere makes a test fail.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from arena.cli.app import make_parser

READS: Mapping[str, list[str]] = {
    "bot list": ["", "--limit 2"],
    "bot show": ["ada", "ada --limit 1", "nobody"],
    "bot log": ["ada", "nobody"],
    "bot admission": ["ada", "nobody"],
    "bot build-log": ["ada", "nobody"],
    "leaderboard": ["", "--limit 1", "--game foreign_king --limit 2", "--pool ffff0000", "--after nonsense"],
    "ladder list": [""],
    "ladder show": ["summer", "winter"],
    "match list": [
        "",
        "--limit 1",
        "cup",
        "cup --bot ada --state finished",
        "--fault ILLEGAL_ACTION",
        "--after nonsense",
        "--state odd",
    ],
    "match log": ["MATCH", "MATCH --seat 1", "ffffffff"],
    "match show": ["MATCH", "MATCH --times", "ffffffff"],
    "match watch": ["MATCH", "ffffffff"],
    "notice": [""],
    "owner list": [""],
    "rating fairplay": ["", "--limit 1", "--alarm 0.5"],
    "rating official": ["", "--limit 2", "--stronger", "--anchor ada=1500", "--anchor ada"],
    "rating overall": ["", "--method mean-rank", "--game chess", "--confidence 90"],
    "replay show": ["MATCH", "MATCH --ply 3", "ffffffff"],
    "replay verify": ["MATCH", "--all", "--tournament cup"],
    "season list": ["summer", "summer --limit 1", "winter"],
    "season show": ["summer 1", "summer 2"],
    "stats crosstable": ["", "-t cup", "--csv", "-t cup -p abcd"],
    "stats history": ["ada", "ada --limit 2", "ada --csv", "nobody"],
    "stats lengths": ["", "-t cup"],
    "stats opponents": ["ada", "ada --limit 1", "nobody"],
    "stats seats": ["", "ada"],
    "token list": ["", "--owner zoe"],
    "tournament leaks": ["cup", "nothing"],
    "tournament list": ["", "--limit 1"],
    "tournament show": ["cup", "cup --matches", "cup --matches --limit 1", "nothing"],
    "tournament standings": ["cup", "cup --limit 1", "nothing"],
    "tournament watch": ["cup", "nothing"],
}
"""The lines of each command that only asks: with and without `--json` they say the same everywhere."""

WRITES: list[str] = [
    "owner add mia",
    "owner add mia",
    "owner invite noa",
    "owner disable mia",
    "owner disable mia --undo",
    "token new --owner mia --name desk",
    "token revoke desk --owner mia",
    "token revoke nothing",
    "bot disable eve",
    "bot disable eve --undo",
    "bot disable nobody",
    "bot remove spare@",
    "bot remove spare",
    "bot remove spare",
    "bot rename extra eve",
    "bot rename extra reserve",
    "bot remove ada",
    "bot rename ada lovelace",
    "bot promote ada",
    "bot rollback ada",
    "tournament join open eve",
    "tournament join open eve",
    "tournament withdraw open bob",
    "tournament cancel open",
    "tournament cancel open",
    "bot withdraw bob --message weak",
    "match annul MATCH --why power",
    "match annul ffffffff --why power",
    "bot annul eve --why cheating",
    "bot annul nobody --why cheating",
    "season freeze summer --at tomorrow",
    "season freeze summer --at 2099-01-31T18:00",
    "season freeze summer --final-blocks 0",
    "season close summer",
    "season close winter",
    "season open summer --name winter",
    "ladder open quick --game foreign_king --seats 2",
    "ladder open quick --game foreign_king --seats 2",
    "ladder close quick --why over",
    "ladder close winter --why nobody",
]
"""What changes an arena, in this order: it says the same everywhere, and leaves the same behind."""

WRITES_THAT_FAIL: list[str] = [
    "owner add mia",
    "token revoke nothing",
    "bot disable nobody",
    "bot remove spare@",
    "bot remove spare",
    "bot rename extra eve",
    "bot remove ada",
    "bot rename ada lovelace",
    "bot rollback ada",
    "tournament join open eve",
    "match annul ffffffff --why power",
    "bot annul nobody --why cheating",
    "season freeze summer --at tomorrow",
    "season freeze summer --final-blocks 0",
    "season close winter",
    "ladder open quick --game foreign_king --seats 2",
    "ladder close winter --why nobody",
]
"""Those of them that are refused, the second time or from the first."""

AFTERWARDS: list[str] = [
    "bot list",
    "bot log ada",
    "bot log bob",
    "bot log eve",
    "owner list",
    "token list",
    "tournament list",
    "tournament show open",
    "match list",
    "leaderboard",
    "season list summer",
    "ladder list",
    "ladder show summer",
    "notice",
]
"""What shows everything that WRITES changed."""

_PLAYS = "plays here by itself, while a service plays it in its own time: tests/e2e/test_service_story.py"
_THIS_MACHINE = "is about this machine or its files"
_COUNTED = "tells of uploads, which only a service counts: tests/cli/test_service.py"
_NO_ARENA = "asks no arena: it is about the rules of games"
ELSEWHERE: Mapping[str, str] = {
    "bot add": "puts a directory into the database of this machine; a service is given one by `bot submit`",
    "bot conform": "starts a program of this machine, and asks no arena: tests/conform/test_command.py",
    "bot connect": "plays on a service from this machine: tests/cli/test_remote.py and tests/connect",
    "bot new": "writes a directory of this machine: tests/cli/test_bot.py",
    "bot replays": "writes a file: tests/cli/test_match.py runs it over both",
    "bot test": "plays here, and needs no arena: tests/cli/test_trying.py",
    "bot watch": "plays here, and needs no arena: tests/cli/test_trying.py",
    "bot submit": "only a service is given bots: tests/cli/test_service.py",
    "challenge": "only a service plays it: tests/cli/test_remote.py",
    "cluster show": "asks a cluster, and no arena: tests/cluster/test_commands.py",
    "compare": _PLAYS,
    "db backup": _THIS_MACHINE,
    "db copy": _THIS_MACHINE,
    "db check": _THIS_MACHINE,
    "db upgrade": _THIS_MACHINE,
    "demo": _PLAYS,
    "doctor": _THIS_MACHINE,
    "game list": _NO_ARENA,
    "game rules": _NO_ARENA,
    "game show": _NO_ARENA,
    "game tool": _NO_ARENA,
    "home backup": _THIS_MACHINE,
    "home restore": _THIS_MACHINE,
    "home retention": _THIS_MACHINE,
    "login": "stores how a service is reached: tests/cli/test_service.py",
    "logout": "forgets how a service is reached: tests/cli/test_service.py",
    "match run": _PLAYS,
    "owner limit": _COUNTED,
    "owner show": _COUNTED,
    "perft": _NO_ARENA,
    "rating rebuild": _THIS_MACHINE,
    "replay dataset": "writes a file from what the port gives: tests/cli/test_replay.py runs it over both",
    "replay html": "writes a file from what the port gives: tests/web/test_report.py",
    "report": "writes a file from what the port gives: tests/web/test_report.py",
    "runtime list": "a service has runtimes of its own, those of its settings: tests/cli/test_sandbox.py",
    "runtime show": "a service has runtimes of its own, those of its settings: tests/cli/test_sandbox.py",
    "serve": _THIS_MACHINE,
    "tournament export": _THIS_MACHINE,
    "tournament import": _THIS_MACHINE,
    "tournament resume": "a service goes on by itself",
    "tournament run adaptive": _PLAYS,
    "tournament run gauntlet": _PLAYS,
    "tournament run knockout": _PLAYS,
    "tournament run ladder": _PLAYS,
    "tournament run round-robin": _PLAYS,
    "tournament run sample": _PLAYS,
    "verify": "reads one file: tests/e2e/test_proofs.py",
    "tournament run swiss": _PLAYS,
    "web": "serves pages of this machine until it is ended: tests/service/web",
}
"""The commands that are not run over both, and why."""


whole_parser = cache(make_parser)
"""The parser with every command, which takes half a second to make."""


def commands() -> set[str]:
    """Every command of the application, such as `bot list`."""
    return {" ".join(words) for words in _leaves(whole_parser())}


def _leaves(command: Any) -> Iterator[list[str]]:
    inner = getattr(command, "commands", {})
    if not inner:
        yield []
    for name, one in inner.items():
        yield from ([name, *rest] for rest in _leaves(one))
