"""What `arena bot test` prints of a test: lines and tables for people, JSON for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from shlex import join
from typing import Any

import typer

from arena.cli.shared.cells import printable
from arena.cli.shared.output import print_json, print_table
from arena.cli.shared.saying import say, told
from arena.cli.shared.suggestions import program
from arena.cli.verbs.bot.findings import finding_line
from arena.cli.verbs.bot.test_options import SEARCH_PLAYOUTS
from arena.cli.verbs.bot.testing import BotTest, Turned
from arena.model.bots import Finding, FindingState
from arena.model.columns import SEATS, TOGETHER, Column, ColumnKind, pick, without_empty
from arena.trial.artifacts import whole_log
from arena.trial.figures import decision_times, peak_memory_bytes, score_of, scores
from arena.trial.lineup import opponent_in
from arena.trial.seats import SEARCH
from arena.trial.trials import PlayedTrial

_SHOWN_LINES = 12
_MEGABYTE = 1 << 20


def _milliseconds(us: int) -> str:
    return f"{us / 1000:.1f} ms" if us else "-"


_TIMES = (
    Column("game", "game"),
    Column("seats", "seats", ColumnKind.COUNT),
    Column("decisions", "decisions", ColumnKind.COUNT),
    Column("median_us", "median", ColumnKind.COUNT, write=_milliseconds),
    Column("p99_us", "99", ColumnKind.COUNT, write=_milliseconds),
    Column("longest_us", "longest", ColumnKind.COUNT, write=_milliseconds),
    Column("limit_us", "limit", ColumnKind.COUNT, write=_milliseconds),
)
_SCORES = (
    Column("against", "against"),
    Column("matches", "matches", ColumnKind.COUNT),
    Column("won", "won", ColumnKind.COUNT),
    *pick(SEATS, *TOGETHER),
    Column("faults", "faults", ColumnKind.COUNT),
    Column("mean", "score", ColumnKind.SHARE),
    Column("low", "95_from", ColumnKind.SHARE),
    Column("high", "to", ColumnKind.SHARE),
)


def print_test(test: BotTest) -> None:
    """Print a test for people."""
    for finding in test.findings:
        typer.echo(finding_line(finding))
        _print_evidence(test, finding)
    if test.matches:
        _print_figures(test)
        _print_turned(test.turned)
        _print_tail(test)
        typer.echo("\n" + say("cli_bot.kept_in", directory=test.kept.directory))
        typer.echo(say("cli_bot.same_matches", seed=test.seed, again=test.seed))


def _print_evidence(test: BotTest, finding: Finding) -> None:
    if finding.state is not FindingState.FAILED:
        return
    evidence = finding.evidence
    for line in str(evidence.get("log") or evidence.get("stderr") or "").rstrip().splitlines()[-_SHOWN_LINES:]:
        typer.echo(f"  | {printable(line)}")
    for line in str(evidence.get("stdout") or "").rstrip().splitlines()[-_SHOWN_LINES:]:
        typer.echo(f"  stdout | {printable(line)}")
    if (replay := _replay_of(test, evidence)) is not None:
        typer.echo("  " + say("cli_bot.shows_position", command=_show(replay, evidence["ply"])))


def _replay_of(test: BotTest, evidence: Mapping[str, Any]) -> Path | None:
    """Return the replay of the match that a fault was made in, if it got as far as a decision."""
    wanted = [evidence.get(key) for key in ("game", "seats", "cause", "ply", "explanation")]
    for played in test.matches:
        ground = played.trial.setup
        for fault in played.faults:
            found = [ground.game, ground.seats, fault.cause.value, fault.ply, fault.explanation]
            if found == wanted and played.report.plies >= fault.ply > 0:
                return test.kept.replay(played)
    return None


def _print_figures(test: BotTest) -> None:
    times = [asdict(one) for one in decision_times(test.matches)]
    if times:
        typer.echo("\n" + say("cli_bot.decisions"))
        print_table(_TIMES, times, as_json=False)
    typer.echo("\n" + say("cli_bot.memory", memory=_memory_text(test)) + "\n")
    if SEARCH in {opponent_in(played.trial) for played in test.matches}:
        typer.echo(say("cli_bot.against_search", search=SEARCH, playouts=SEARCH_PLAYOUTS))
    else:
        typer.echo(say("cli_bot.against_samples"))
    rows = _score_rows(test.matches)
    print_table(without_empty(_SCORES, rows), rows, as_json=False)


def _memory_text(test: BotTest) -> str:
    peak = peak_memory_bytes(test.matches)
    if not any(played.processes for played in test.matches):
        return say("cli_bot.none_joined")
    if peak is None:
        return say("cli_bot.not_told")
    return say("cli_bot.memory_peak", peak=f"{peak / _MEGABYTE:.0f}", limit=test.memory_mb)


def _score_rows(matches: Sequence[PlayedTrial]) -> list[dict[str, Any]]:
    rows = []
    for one in scores(matches):
        row = asdict(one)
        interval = row.pop("score")
        rows.append({**row, "mean": interval["mean"], "low": interval["low"], "high": interval["high"]})
    return rows


def _print_turned(turned: Sequence[Turned]) -> None:
    if turned:
        typer.echo("\n" + say("cli_bot.lost"))
    for one in turned:
        ground, fall = one.played.trial.setup, one.fall
        where = say("cli_bot.value_to", opponent=opponent_in(one.played.trial), ground=told(ground.describe()))
        if fall is None:
            typer.echo(f"  {where}: `{_show(one.replay)}`")
        else:
            typer.echo(
                "  "
                + say(
                    "cli_bot.fell",
                    where=where,
                    before=f"{fall.before:.2f}",
                    after=f"{fall.after:.2f}",
                    command=_show(one.replay, fall.ply),
                )
            )


def _print_tail(test: BotTest) -> None:
    """Print the end of what it wrote in a match: one with a fault if there is one, or else the last."""
    written = [(played, text) for played in test.matches if (text := "".join(_logs(played)))]
    if not written:
        typer.echo("\n" + say("cli_bot.wrote_nothing"))
        return
    played, text = next((one for one in written if one[0].faults), written[-1])
    typer.echo("\n" + say("cli_bot.wrote_end", file=test.kept.log(played)))
    for line in text.rstrip().splitlines()[-_SHOWN_LINES:]:
        typer.echo(f"  | {printable(line)}")


def _logs(played: PlayedTrial) -> Iterator[str]:
    for log in played.report.seat_logs:
        if log.seat in played.trial.own:
            yield whole_log(log).decode("utf-8", "replace")


def _show(replay: Path, ply: int | None = None) -> str:
    words = () if ply is None else ("--ply", str(ply))
    return join([program(), "replay", "show", str(replay), *words])


def print_test_json(test: BotTest) -> None:
    """Print all that is known of a test, for a program."""
    print_json(test_json(test))


def test_json(test: BotTest) -> dict[str, Any]:
    """Return all that is known of a test as JSON data."""
    return {
        "bot": test.name,
        "version": test.version,
        "fine": test.is_fine,
        "sandbox": test.level,
        "seed": test.seed,
        "findings": [{**asdict(finding), "check": str(finding.check)} for finding in test.findings],
        "decisions": [asdict(one) for one in decision_times(test.matches)],
        "memory": {"peak_bytes": peak_memory_bytes(test.matches), "limit_mb": test.memory_mb},
        "scores": _score_rows(test.matches),
        "lost": [_turned_json(one) for one in test.turned],
        "matches": [_match_json(test, played) for played in test.matches],
        "kept": str(test.kept.directory),
    }


def _turned_json(turned: Turned) -> dict[str, Any]:
    fall = turned.fall
    return {
        "match": turned.played.trial.spec.match_id,
        "against": opponent_in(turned.played.trial),
        "fall": None if fall is None else asdict(fall),
        "command": _show(turned.replay, None if fall is None else fall.ply),
    }


def _match_json(test: BotTest, played: PlayedTrial) -> dict[str, Any]:
    return {
        "match": played.trial.spec.match_id,
        "game": played.trial.setup.game,
        "seats": played.trial.setup.seats,
        "seat": played.trial.own[0],
        "against": opponent_in(played.trial),
        "ranks": list(played.report.result.ranks),
        "score": float(score_of(played)),
        "faults": [asdict(fault) for fault in played.faults],
        "replay": str(test.kept.replay(played)),
    }
