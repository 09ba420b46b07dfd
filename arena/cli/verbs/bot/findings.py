"""What the checks of an admission, or of a test at home, found, in lines for people."""

from __future__ import annotations

import typer

from arena.cli.shared.cells import printable
from arena.cli.shared.saying import named, say, told
from arena.model.bots import Admission, Finding, FindingState

_WORDS = {
    FindingState.PASSED: "cli_bot.finding_passed",
    FindingState.FAILED: "cli_bot.finding_failed",
    FindingState.NOTED: "cli_bot.finding_noted",
    FindingState.SKIPPED: "cli_bot.finding_skipped",
}


def finding_lines(admission: Admission, first: int = 0) -> list[str]:
    """Return a line for every finding from the number `first` on."""
    return list(map(finding_line, admission.findings[first:]))


def finding_line(finding: Finding) -> str:
    """Return what one check found, in a line."""
    width = max(map(len, map(say, _WORDS.values())))
    check, found = named("check.", finding.check), printable(told(finding.sentence))
    return f"{say(_WORDS[finding.state]).ljust(width)}  {check}: {found}"


def print_findings(admission: Admission, shown: int) -> int:
    """Write on stderr the findings that were not shown yet, and return how many are shown now."""
    for line in finding_lines(admission, shown):
        typer.echo(line, err=True)
    return max(shown, len(admission.findings))
