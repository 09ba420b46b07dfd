"""Judges what trial matches show besides faults: clock, memory, equal answers, endings. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from arena.match.result import LeakVerdict
from arena.match.spec import SeatSpec
from arena.model.bots import Finding
from arena.trial.trials import OUTPUT, PlayedTrial, TrialCheck, failed, noted, passed, skipped
from engine.translatable import Text

_MEGABYTE = 1 << 20
_MUCH = 0.8
"""The share of a limit from which on an author is told to take care."""


def judge_play(matches: Sequence[PlayedTrial]) -> Finding:
    """Return the finding for a bot that made no fault in these matches."""
    resigned = sum(any(seat in played.trial.own for seat in played.report.result.resigned) for played in matches)
    setups = list(dict.fromkeys(played.trial.setup.describe() for played in matches))
    if resigned:
        return noted(
            TrialCheck.PLAY,
            Text(
                "It played {count} matches without a fault, and gave up in {resigned} of them.",
                count=len(matches),
                resigned=resigned,
            ),
        )
    return passed(
        TrialCheck.PLAY,
        Text("It played {count} matches without a fault: {what}.", count=len(matches), what=_listed(setups)),
    )


def _listed(setups: Sequence[str]) -> str:
    if len(setups) == 1:
        return setups[0]
    half = len(setups) // 2  # so that texts stand in texts no deeper than need be
    return Text("{some}, {others}", some=_listed(setups[:half]), others=_listed(setups[half:]))


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
    took = f"{charged_us / 1000:.0f}"
    found = (
        Text(
            "Its slowest of {count} decisions took {took} ms of {limit} ms.",
            count=count,
            took=took,
            limit=f"{limit_us / 1000:g}",
        )
        if limit_us
        else Text("Its slowest of {count} decisions took {took} ms.", count=count, took=took)
    )
    if not late:
        return passed(TrialCheck.CLOCK, found)
    why = Text(
        "{what} {late} ({share}) were over their time and saved by the margin alone: keep a reserve.",
        what=found,
        late=late,
        share=f"{late / count:.1%}",
    )
    return noted(
        TrialCheck.CLOCK, why, {"decisions": count, "late": late, "charged_us": charged_us, "limit_us": limit_us}
    )


def judge_memory(bot: SeatSpec, matches: Sequence[PlayedTrial]) -> Finding:
    """Return how its memory compares with its limit."""
    peaks = [process.peak_memory_bytes or 0 for played in matches for process in played.processes]
    used, limit = max(peaks, default=0) // _MEGABYTE, bot.memory_mb
    if not used:
        return passed(TrialCheck.RESOURCES, Text("It stayed within its {limit} MiB of memory.", limit=limit))
    sentence = Text("One process used up to {used} of {limit} MiB of memory.", used=used, limit=limit)
    if used < limit * _MUCH:
        return passed(TrialCheck.RESOURCES, sentence)
    why = Text(
        "{what} That is near its limit, and beyond it a process is ended: use less, or raise memory_mb.", what=sentence
    )
    return noted(TrialCheck.RESOURCES, why, {"used_mb": used, "limit_mb": limit})


def judge_output(matches: Sequence[PlayedTrial]) -> Finding:
    """Return whether it wrote to stdout. That is allowed, but mostly its author expects somebody to read it."""
    noisy = [played for played in matches if any(process.stdout_bytes for process in played.processes)]
    if not noisy:
        return passed(OUTPUT, Text("It wrote nothing to standard output."))
    written = sum(process.stdout_bytes for played in noisy for process in played.processes)
    return noted(
        OUTPUT,
        Text(
            "It wrote {bytes} bytes to standard output in {matches} of {total} matches, where nobody reads it: "
            "answers go through the socket. Write to stderr what you want to know.",
            bytes=f"{written:,}",
            matches=len(noisy),
            total=len(matches),
        ),
        {"bytes": written, "matches": len(noisy)},
    )


def judge_second_match(matches: Sequence[PlayedTrial]) -> Finding:
    """Return what processes that had played before did in their next match."""
    checks = [check for played in matches for check in played.report.leak_checks if check.seat in played.trial.own]
    for check in checks:
        if check.verdict is LeakVerdict.LEAK:
            return failed(
                TrialCheck.SECOND_MATCH,
                Text("{what} Forget everything when a match ends.", what=check.sentence),
                {**check.evidence, "ply": check.ply},
            )
    again = sum(process.was_warm for played in matches for process in played.processes)
    if not again:
        return skipped(TrialCheck.SECOND_MATCH, Text("No process of it came to a second match here."))
    equal = any(check.verdict is LeakVerdict.EQUAL for check in checks)
    played_again = (
        Text("Processes that had played before played {count} more match.", count=again)
        if again == 1
        else Text("Processes that had played before played {count} more matches.", count=again)
    )
    if not equal:
        return passed(TrialCheck.SECOND_MATCH, played_again)
    return passed(
        TrialCheck.SECOND_MATCH,
        Text("{what} New processes gave the same answers, so nothing is carried over.", what=played_again),
    )


def judge_determinism(bot: SeatSpec, pairs: Sequence[tuple[PlayedTrial, PlayedTrial]]) -> Finding:
    """Return whether equal matches of new processes were played equally."""
    if not bot.is_deterministic:
        return skipped(TrialCheck.DETERMINISM, Text("It does not declare itself deterministic."))
    for one, other in pairs:
        if one.report.game_digest != other.report.game_digest:
            ply, mine, others = _first_difference(one, other)
            sentence = Text(
                "It declares itself deterministic, and two new processes played the same match of {what} with the same "
                "seeds differently from ply {ply} on. Draw only from the match's own seed, look at no clock and no "
                "address, or declare deterministic = false.",
                what=one.trial.setup.describe(),
                ply=ply,
            )
            evidence = {"game": one.trial.setup.game, "seats": one.trial.setup.seats, "ply": ply}
            return failed(TrialCheck.DETERMINISM, sentence, {**evidence, "actions": [mine, others]})
    return passed(
        TrialCheck.DETERMINISM,
        Text("{count} matches were played twice by new processes, and were equal.", count=len(pairs)),
    )


def judge_ending(matches: Sequence[PlayedTrial]) -> Finding:
    """Return whether its processes end when they are told to, and in good order.

    Both are only noted: a bot is ended anyway, and one that crashes after a match is started anew for the next.
    """
    processes = [process for played in matches for process in played.processes]
    endings = [process.left_by_itself for process in processes if process.left_by_itself is not None]
    failures = [process.failed_at_end for process in processes if process.failed_at_end]
    if failures:
        why = Text(
            "{failed} of the {count} processes that were seen to end failed after their match ({how}). What it wrote "
            "last tells why; end with status 0, or each match costs it a new start.",
            failed=len(failures),
            count=len(endings),
            how=failures[0],
        )
        return noted(TrialCheck.ENDING, why, {"failed": len(failures), "ended": failures[0]})
    stayed = endings.count(False)
    if not endings:
        return skipped(TrialCheck.ENDING, Text("No process of it was seen to end."))
    if stayed < len(endings):
        return passed(TrialCheck.ENDING, Text("Its processes end when their stream does."))
    why = Text(
        "Its processes did not end within half a second after their stream was closed, and had to be ended. Leave when "
        "the stream ends, or what you would still do is lost."
    )
    return noted(TrialCheck.ENDING, why)


def _first_difference(one: PlayedTrial, other: PlayedTrial) -> tuple[int, int | None, int | None]:
    """Return the first ply at which two records differ and both actions, None for a record that has ended."""
    actions = [[entry["action"] for entry in played.document["entries"]] for played in (one, other)]
    for ply, (mine, others) in enumerate(zip(*actions, strict=False)):
        if mine != others:
            return ply, mine, others
    ply = min(map(len, actions))
    mine, others = (played[ply] if ply < len(played) else None for played in actions)
    return ply, mine, others
