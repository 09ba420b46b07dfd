"""Says what a bot did wrong in its matches, in words that its author can act on.

Only the names of a bot's files are looked at, which tell its language.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.hosting.bot_languages import how_to_flush
from arena.hosting.manifest import BotManifest, ManifestError, read_manifest
from arena.match.result import Fault, FaultCause
from arena.match.spec import SeatSpec
from arena.model.bots import Finding
from arena.trial.trials import PlayedTrial, TrialCheck, TrialMatch, failed
from engine.translatable import Text, sentences

SHOWN_LOG_CHARACTERS = 4000


@dataclass(frozen=True, slots=True)
class _Kind:
    check: TrialCheck
    describe: Callable[[str, str], Text]
    """Returns a sentence from the matches in which it happened, and what exactly did."""
    remedy: Text


_KINDS: Mapping[FaultCause, _Kind] = {
    FaultCause.START_FAILED: _Kind(
        TrialCheck.START,
        lambda what, why: Text("It did not start in {what}: {why}", what=what, why=why),
        Text(
            "Connect to ARENA_ADDRESS with the token in ARENA_TOKEN, and send a Join with your games before the time "
            "for starting is over."
        ),
    ),
    FaultCause.PROTOCOL: _Kind(
        TrialCheck.PROTOCOL,
        lambda what, why: Text("It broke the protocol in {what}: {why}", what=what, why=why),
        Text(
            "Send one Join, then one Act for each Decide with its match_id and its ply, and nothing that is not asked; "
            "docs/protocol.md has the order of the messages."
        ),
    ),
    FaultCause.MALFORMED: _Kind(
        TrialCheck.PROTOCOL,
        lambda what, why: Text("It sent what cannot be read in {what}: {why}", what=what, why=why),
        Text(
            "Send PlayRequest messages as arena/v1/play.proto has them, within the sizes that docs/protocol.md gives."
        ),
    ),
    FaultCause.FLOOD: _Kind(
        TrialCheck.PROTOCOL,
        lambda what, why: Text("It flooded the arena with messages in {what}: {why}", what=what, why=why),
        Text("Send one Act for each Decide, and then wait for the next."),
    ),
    FaultCause.ILLEGAL_ACTION: _Kind(
        TrialCheck.PLAY,
        lambda what, why: Text("It chose an illegal action in {what}: {why}", what=what, why=why),
        Text("Choose among the ids that the Decide lists as legal."),
    ),
    FaultCause.DISCONNECTED: _Kind(
        TrialCheck.PLAY,
        lambda what, why: Text("It was gone before the match was over in {what}: {why}", what=what, why=why),
        Text(
            "Its last words stand in the evidence; keep the process alive and the stream open until the arena closes "
            "it."
        ),
    ),
    FaultCause.TIMEOUT: _Kind(
        TrialCheck.CLOCK,
        lambda what, why: Text("It took too long for a decision in {what}: {why}", what=what, why=why),
        Text("Each Decide tells how much time there is: look at it while you think, and keep a reserve."),
    ),
    FaultCause.RESOURCE: _Kind(
        TrialCheck.RESOURCES,
        lambda what, why: Text("It used more than a bot may use in {what}: {why}", what=what, why=why),
        Text("Stay within memory_mb of bot.toml and the other limits of a process, and rest while others decide."),
    ),
}


_ENDED_BEFORE_IT_READ = Text("Look at command in bot.toml, and at the end of what it wrote.")
_MAY_SPEAK_LINES = Text('If it speaks JSON lines, write protocol = "lines" into bot.toml.')


_REMEDIES_OF_LINES: Mapping[FaultCause, Text] = {
    FaultCause.START_FAILED: Text(
        "Read standard input as soon as the program starts: its first line is there. Load later what takes long."
    ),
    FaultCause.PROTOCOL: Text(
        "Write one line for each decide (an id, a notation in quotes, a list of both, or an object), and nothing else "
        "to standard output; docs/protocol.md shows the lines."
    ),
    FaultCause.MALFORMED: Text("Write lines within the sizes that docs/protocol.md gives."),
    FaultCause.FLOOD: Text("Write one line for each decide, and then wait for the next."),
}
"""What another remedy than that of its kind is for, if the bot speaks lines."""


_SIGNS: Sequence[tuple[str, Callable[[str], Text]]] = (
    (
        r"(?:ModuleNotFoundError|ImportError): No module named '?([\w.]{1,80})",
        lambda module: Text(
            "The module {module} is missing where it runs, and nothing installs it: put it into the bot's directory "
            "(pip install --target DIRECTORY does), or name a runtime that has it (`arena runtime list`).",
            module=repr(module),
        ),
    ),
    (
        r"ImportError: cannot import name '(\w{1,80})'",
        lambda name: Text(
            "The name {name} cannot be imported where it runs: Python or a package has another version there (`arena "
            "runtime show`), or a file of the bot hides it.",
            name=repr(name),
        ),
    ),
    (
        r"Cannot find (?:module|package) '([\w@.][\w@./-]{0,80}|/[\w./-]{1,80})'",
        lambda module: Text(
            "The module {module} is missing where it runs, and nothing installs it: put node_modules and all its own "
            "files into the bot's directory, or name a runtime that has it (`arena runtime list`).",
            module=repr(module),
        ),
    ),
    (
        r"([\w.+-]{1,80}): cannot open shared object file",
        lambda library: Text(
            "The library {library} is missing where it runs: link it statically, or name a runtime that has it "
            "(`arena runtime list`).",
            library=repr(library),
        ),
    ),
    (
        r"version `([A-Z]+_[\d.]{1,20})' not found",
        lambda version: Text(
            "It was built on a newer system than the one it runs on, which lacks {version}: link it statically, or let "
            "the arena build it (`build` in bot.toml).",
            version=version,
        ),
    ),
    (
        r"\b((?:Syntax|Indentation|Tab)Error): ",
        lambda error: Text(
            "Its source cannot be read ({error}): correct the line in the evidence. If that is right, the bot needs a "
            "newer interpreter; `arena runtime show` tells the version.",
            error=error,
        ),
    ),
    (
        r"(?:\\r|\r|\^M)['\u2019]?: (?:No such|(?:command )?not found|bad interpreter)",
        lambda _: Text("A script of the bot has line ends of Windows: save it with those of Unix (LF)."),
    ),
    (
        (
            r"(?:env: ['\u2018]?|: (?:line )?\d+: (?:exec: )?|^bash: )"
            r"([\w.+/-]{1,80})['\u2019]?: (?:No such|(?:command )?not found)"
        ),
        lambda program: Text(
            "The program {program} is missing where it runs: take one that the runtime has (`arena runtime list`), or "
            "put it into the bot's directory.",
            program=repr(program),
        ),
    ),
    (
        r"failed to execute [^\n]*: No such file|could not be started: \[Errno 2\]",
        lambda _: Text(
            "Its program, or what the first line (#!) of that names, does not exist where it runs: name one that does, "
            "or link a compiled program statically."
        ),
    ),
    (
        r"Exec format error|cannot execute binary file|: 1: (?:MZ|\x7fELF)",
        lambda _: Text(
            "Its program is none that Linux can start on this kind of processor: a script needs a first line like "
            "#!/bin/sh, and a compiled program must be built for Linux and this processor."
        ),
    ),
    (
        r"^[^\s:]+: (?:line )?\d+: [Ss]yntax error",
        lambda _: Text(
            "A shell cannot read its program: correct the line in the evidence if that is a script; if it is a "
            "compiled program, build it for Linux and the processor of the machine that plays."
        ),
    ),
    (
        r"(?:failed to execute|env:|: (?:line )?\d+:) [^\n]*: Permission denied|could not be started: \[Errno 13\]",
        lambda _: Text(
            "Its program may not be executed: run chmod +x on it, and on each program that it starts itself."
        ),
    ),
    (
        (
            r"(?:FileNotFoundError: [^\n]*: '|ENOENT: [^\n]*'|can't open file '|Could not open input file: "
            r"|No such file or directory -- )([^'\n]{1,80}?)(?= \(LoadError\)|'|$)"
        ),
        lambda file: Text(
            "The file {file} is not where the bot looks for it: it starts in an empty directory, and its own files lie "
            "in ARENA_BOT_DIR. Hidden files are no part of a bot.",
            file=repr(file),
        ),
    ),
)
"""What a process that does not start says, or the host of it, and what its author can do."""
_CAUSES_WITH_SIGNS = (FaultCause.START_FAILED, FaultCause.DISCONNECTED)


def remedy_of(fault: Fault, output: str, seat: SeatSpec | None = None) -> Text:
    """Return what the author can do about a fault of a process with this output: its last complaint decides.

    `seat` is what the process was started as, which decides whether it speaks lines.
    """
    text, remedy, last = f"{fault.explanation}\n{output}", _KINDS[fault.cause].remedy, -1
    if seat is not None and seat.speaks_lines:
        remedy = _REMEDIES_OF_LINES.get(fault.cause, remedy)
        if fault.cause is FaultCause.START_FAILED and "ended" in fault.evidence:
            remedy = _ENDED_BEFORE_IT_READ
        if fault.cause is FaultCause.TIMEOUT and fault.evidence.get("answers") == 0:
            remedy = sentences(_how_to_flush(seat), remedy)
    elif fault.cause is FaultCause.START_FAILED:
        remedy = sentences(remedy, _MAY_SPEAK_LINES)
    if fault.cause in _CAUSES_WITH_SIGNS:
        for sign, advise in _SIGNS:
            for found in re.finditer(sign, text, re.MULTILINE):
                if found.start() > last:
                    remedy, last = advise(found[found.lastindex or 0]), found.start()
    return remedy


def _how_to_flush(seat: SeatSpec) -> Text:
    directory = Path(seat.directory)
    try:
        manifest = read_manifest(directory)
    except ManifestError:  # it plays all the same: what is left to go by is how it was started
        manifest = BotManifest(seat.name, seat.command, seat.games)
    return how_to_flush(manifest, directory)


@dataclass(frozen=True, slots=True)
class Blunder:
    """A fault of one cause: its first time, and in how many of the matches it was made."""

    played: PlayedTrial
    fault: Fault
    matches: int
    of: int

    @property
    def was_warm(self) -> bool:
        """Whether the process that made it first had played before."""
        return self.played.was_warm(self.fault.seat)


def blunders_in(matches: Sequence[PlayedTrial]) -> list[Blunder]:
    """Return the faults of the bot by cause, in the order in which they came up."""
    found: dict[FaultCause, list[tuple[PlayedTrial, Fault]]] = {}
    for played in matches:
        for fault in {fault.cause: fault for fault in reversed(played.faults)}.values():
            found.setdefault(fault.cause, []).append((played, fault))
    return [Blunder(*times[0], len(times), len(matches)) for times in found.values()]


def finding_of(blunder: Blunder) -> Finding:
    """Return a fault as the finding of its check."""
    kind, evidence = _KINDS[blunder.fault.cause], evidence_of(blunder)
    output = f"{evidence.get('stdout', '')}\n{evidence['stderr']}"
    seat = blunder.played.trial.spec.seats[blunder.fault.seat]
    return failed(kind.check, sentences(_describe(kind, blunder), remedy_of(blunder.fault, output, seat)), evidence)


def finding_of_second_match(blunder: Blunder) -> Finding:
    """Return a fault that a process made after an earlier match, and a new process in the same match did not."""
    sentence = Text(
        "{what} Its process had played before; when the same match was played by new processes, all went "
        "well. A process plays many matches: begin each MatchStarted with a clean slate.",
        what=_describe(_KINDS[blunder.fault.cause], blunder),
    )
    return failed(TrialCheck.SECOND_MATCH, sentence, evidence_of(blunder))


def checks_of(findings: Iterable[Finding]) -> set[str]:
    """Return the checks that the findings belong to."""
    return {finding.check for finding in findings}


def evidence_of(blunder: Blunder) -> dict[str, Any]:
    """Return where a fault was made, and what is known of it."""
    fault, trial = blunder.fault, blunder.played.trial
    log_end = ""
    if not fault.evidence.get("stdout"):  # the log would be that
        logs = (log for log in blunder.played.report.seat_logs if log.seat == fault.seat)
        log_end = "".join(log.data.decode("utf-8", "replace") for log in logs)[-SHOWN_LOG_CHARACTERS:]
    return {
        **fault.evidence,
        "game": trial.setup.game,
        "seats": trial.setup.seats,
        "seat": fault.seat,
        "ply": fault.ply,
        "cause": fault.cause.value,
        "explanation": fault.explanation,
        "stderr": fault.evidence.get("stderr") or log_end,
    }


def _describe(kind: _Kind, blunder: Blunder) -> Text:
    fault, setup = blunder.fault, blunder.played.trial.setup
    where: str = setup.describe()
    if fault.ply:
        where = Text("{game} with {seats} seats at ply {ply}", game=setup.game, seats=setup.seats, ply=fault.ply)
    if blunder.of > 1:
        where = Text(
            "{matches} of {total} matches, first in {what}", matches=blunder.matches, total=blunder.of, what=where
        )
    return kind.describe(where, fault.explanation)


Play = Callable[[Sequence[TrialMatch]], Awaitable[list[PlayedTrial]]]
"""Plays matches, and returns them in order."""


async def explain(blunders: Sequence[Blunder], play: Play) -> list[Finding]:
    """Return the finding of each fault.

    The match of a process which had played before is played again by new processes: a fault that they do not make comes
    from its earlier matches.
    """
    findings = []
    for blunder in blunders:
        again = await play([blunder.played.trial.with_fresh_bots()]) if blunder.was_warm else []
        is_of_second_match = any(not played.faults for played in again)
        findings.append(finding_of_second_match(blunder) if is_of_second_match else finding_of(blunder))
    return findings
