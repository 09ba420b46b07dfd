"""Judges what trial matches show besides faults: clock, memory, equal answers, endings. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.match.leak_verdict import LeakVerdict
from arena.match.report import LeakCheckResult
from arena.match.spec import SeatSpec
from arena.model.admissions import Finding
from arena.trial.trials import PlayedTrial
from arena.trial.values import OUTPUT, TrialCheck, failed, noted, passed, skipped

_MEGABYTE = 1 << 20
_MUCH = 0.8
"""The share of a limit from which on an author is told to take care."""
_UNEQUAL = "Draw only from the match's own seed, look at no clock and no address, or declare deterministic = false."

_CRASHED = "What it wrote last tells why; end with status 0, or each match costs it a new start."


def judge_play(matches: Sequence[PlayedTrial]) -> Finding:
    """Return what is said of a bot that made no fault in these matches."""
    resigned = sum(any(seat in played.trial.own for seat in played.report.result.resigned) for played in matches)
    setups = dict.fromkeys(played.trial.setup.describe() for played in matches)
    if resigned:
        return noted(
            TrialCheck.PLAY, f"It played {len(matches)} matches without a fault, and gave up in {resigned} of them."
        )
    return passed(TrialCheck.PLAY, f"It played {len(matches)} matches without a fault: {', '.join(setups)}.")


def judge_clock(matches: Sequence[PlayedTrial]) -> Finding:
    """Return how its decisions compare with the time that it had; lateness inside the margin is noted."""
    count = late = 0
    slowest = (0.0, 0, 0)
    for played in matches:
        limit_us = played.trial.spec.clock.decision_limit_us
        for charged_us in played.charges_us():
            count += 1
            late += bool(limit_us) and charged_us > limit_us
            slowest = max(slowest, (charged_us / (limit_us or 1), charged_us, limit_us))
    _, charged_us, limit_us = slowest
    told = f"Its slowest of {count} decisions took {charged_us / 1000:.0f} ms" + (
        f" of {limit_us / 1000:g} ms." if limit_us else "."
    )
    if not late:
        return passed(TrialCheck.CLOCK, told)
    why = f"{told} {late} ({late / count:.1%}) were over their time and saved by the margin alone: keep a reserve."
    return noted(
        TrialCheck.CLOCK, why, {"decisions": count, "late": late, "charged_us": charged_us, "limit_us": limit_us}
    )


def judge_memory(bot: SeatSpec, matches: Sequence[PlayedTrial]) -> Finding:
    """Return how its memory compares with its limit."""
    peaks = [process.peak_memory_bytes or 0 for played in matches for process in played.processes]
    used, limit = max(peaks, default=0) // _MEGABYTE, bot.memory_mb
    if not used:
        return passed(TrialCheck.RESOURCES, f"It stayed within its {limit} MiB of memory.")
    sentence = f"One process used up to {used} of {limit} MiB of memory."
    if used < limit * _MUCH:
        return passed(TrialCheck.RESOURCES, sentence)
    why = f"{sentence} That is near its limit, and beyond it a process is ended: use less, or raise memory_mb."
    return noted(TrialCheck.RESOURCES, why, {"used_mb": used, "limit_mb": limit})


def judge_output(matches: Sequence[PlayedTrial]) -> Finding:
    """Return whether it wrote to stdout: that is allowed, but mostly a bot whose author expects somebody to read it."""
    noisy = [played for played in matches if any(process.stdout_bytes for process in played.processes)]
    if not noisy:
        return passed(OUTPUT, "It wrote nothing to standard output.")
    written = sum(process.stdout_bytes for played in noisy for process in played.processes)
    return noted(
        OUTPUT,
        f"It wrote {written:,} bytes to standard output in {len(noisy)} of {len(matches)} matches, where nobody reads "
        "it: answers go through the socket. Write to stderr what you want to know.",
        {"bytes": written, "matches": len(noisy)},
    )


def judge_second_match(matches: Sequence[PlayedTrial]) -> Finding:
    """Return what processes that had played before did in their next match."""
    checks = [check for played in matches for check in played.report.leak_checks if check.seat in played.trial.own]
    for check in checks:
        if check.verdict is LeakVerdict.LEAK:
            return failed(
                TrialCheck.SECOND_MATCH, f"{check.sentence} Forget everything when a match ends.", _evidence_of(check)
            )
    again = sum(process.was_warm for played in matches for process in played.processes)
    if not again:
        return skipped(TrialCheck.SECOND_MATCH, "No process of it came to a second match here.")
    equal = any(check.verdict is LeakVerdict.EQUAL for check in checks)
    rest = " New processes gave the same answers, so nothing is carried over." if equal else ""
    return passed(
        TrialCheck.SECOND_MATCH,
        f"Processes that had played before played {again} more {'match' if again == 1 else 'matches'}.{rest}",
    )


def judge_determinism(bot: SeatSpec, pairs: Sequence[tuple[PlayedTrial, PlayedTrial]]) -> Finding:
    """Return whether equal matches of new processes were played equally."""
    if not bot.is_deterministic:
        return skipped(TrialCheck.DETERMINISM, "It does not declare itself deterministic.")
    for one, other in pairs:
        if one.report.game_digest != other.report.game_digest:
            return _unequal(one, other)
    return passed(TrialCheck.DETERMINISM, f"{len(pairs)} matches were played twice by new processes, and were equal.")


def judge_ending(matches: Sequence[PlayedTrial]) -> Finding:
    """Return whether its processes end when they are told to, and in good order.

    Both are only noted: a bot is ended anyway, and one that crashes after a match is started anew for the next.
    """
    processes = [process for played in matches for process in played.processes]
    told = [process.left_by_itself for process in processes if process.left_by_itself is not None]
    failures = [process.failed_at_end for process in processes if process.failed_at_end]
    if failures:
        seen = f"{len(failures)} of the {len(told)} processes that were seen to end"
        why = f"{seen} failed after their match ({failures[0]})."
        return noted(TrialCheck.ENDING, f"{why} {_CRASHED}", {"failed": len(failures), "ended": failures[0]})
    stayed = told.count(False)
    if not told:
        return skipped(TrialCheck.ENDING, "No process of it was seen to end.")
    if stayed < len(told):
        return passed(TrialCheck.ENDING, "Its processes end when their stream does.")
    why = "Its processes did not end within half a second after their stream was closed, and had to be ended."
    return noted(TrialCheck.ENDING, f"{why} Leave when the stream ends, or what you would still do is lost.")


def _unequal(one: PlayedTrial, other: PlayedTrial) -> Finding:
    ply, mine, others = _first_difference(one, other)
    where = one.trial.setup.describe()
    sentence = (
        f"It declares itself deterministic, and two new processes played the same match of {where} with the same seeds "
        f"differently from ply {ply} on. {_UNEQUAL}"
    )
    evidence = {"game": one.trial.setup.game, "seats": one.trial.setup.seats, "ply": ply}
    return failed(TrialCheck.DETERMINISM, sentence, {**evidence, "actions": [mine, others]})


def _first_difference(one: PlayedTrial, other: PlayedTrial) -> tuple[int, int | None, int | None]:
    """Return the first ply at which two records differ and both actions, None for a record that has ended."""
    actions = [[entry["action"] for entry in played.document["entries"]] for played in (one, other)]
    for ply, (mine, others) in enumerate(zip(*actions, strict=False)):
        if mine != others:
            return ply, mine, others
    ply = min(map(len, actions))
    mine, others = (played[ply] if ply < len(played) else None for played in actions)
    return ply, mine, others


def _evidence_of(check: LeakCheckResult) -> dict[str, Any]:
    return {**check.evidence, "ply": check.ply}
