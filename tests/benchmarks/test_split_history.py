"""The history of the split survives damage, compares like with like, and shows a loss between versions."""

from __future__ import annotations

import json
import re
import runpy
from collections.abc import Mapping
from dataclasses import asdict, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="module")
def made(pytestconfig: pytest.Config) -> Mapping[str, Any]:
    """What `benchmarks.split_history` consists of."""
    return runpy.run_path(str(pytestconfig.rootpath / "benchmarks" / "split_history.py"), run_name="split_history")


@pytest.fixture(scope="module")
def entry(made: Mapping[str, Any]) -> Any:
    """A decision of 400 µs beside an echo of 200."""
    return made["Entry"](
        date="2026-11-26",
        version="0.1.0",
        commit="f5a0dafd",
        machine="Some Processor, 2 cores, CPython 3.11.7",
        game="some_game",
        decisions=20_000,
        decisions_per_s=4000.0,
        bare_us=200.0,
        spread=0.02,
        had=0.95,
        parts={"engine": 100.0, "grpc": 298.0, "other": 2.0, "all": 400.0},
        margins={"engine": 4.0, "grpc": 6.0, "other": 1.0},
    )


def slower(entry: Any, factor: float, *parts: str, bare: float = 1.0) -> Any:
    """The entry of a run in which some parts cost more, on a machine that is so much slower."""
    own = {
        part: cost * (factor if part in parts else 1.0) * bare for part, cost in entry.parts.items() if part != "all"
    }
    return replace(entry, bare_us=entry.bare_us * bare, parts={**own, "all": sum(own.values())})


def losses(made: Mapping[str, Any], before: Any, now: Any) -> set[str]:
    return {change.part for change in made["changes"](before, now) if change.is_loss}


def test_what_is_written_is_read_again_in_its_order(made: Mapping[str, Any], entry: Any, tmp_path: Path) -> None:
    file, newer = tmp_path / "history" / "arena.jsonl", replace(entry, date="2026-11-27", commit="0123abcd+")
    for one in (entry, newer):
        made["add_entry"](file, one)
    history = made["read_history"](file)
    assert list(history.entries) == [entry, newer]
    assert list(history.damaged) == []
    assert history.last_like(entry) == newer


def test_a_file_that_is_not_there_is_an_empty_history(made: Mapping[str, Any], entry: Any, tmp_path: Path) -> None:
    history = made["read_history"](tmp_path / "none.jsonl")
    assert list(history.entries) == []
    assert history.last_like(entry) is None


DAMAGED = [
    "{",
    "null",
    "[]",
    '"text"',
    "<<<<<<< HEAD",
    '{"date": "2026-11-26"}',
    '{"unknown": 1}',
    "\ufffd\x00",
]


def test_a_damaged_line_is_passed_over_and_told_and_the_others_count(
    made: Mapping[str, Any], entry: Any, tmp_path: Path
) -> None:
    for number, line in enumerate(DAMAGED):
        file = tmp_path / f"{number}.jsonl"
        made["add_entry"](file, entry)
        file.write_text(f"{line}\n\n{file.read_text()}{line}", encoding="utf-8")
        made["add_entry"](file, replace(entry, date="2026-11-27"))
        history = made["read_history"](file)
        assert [one.date for one in history.entries] == ["2026-11-26", "2026-11-27"], line
        assert list(history.damaged) == [1, 4], f"{line}: the cut off line was ended before the new one was added"


IMPOSSIBLE = (
    ("bare_us", 0),
    ("bare_us", "200"),
    ("bare_us", float("nan")),
    ("parts", {"engine": 1.0}),
    ("parts", {"all": -1.0}),
    ("parts", {"all": float("inf")}),
    ("parts", [1, 2]),
    ("margins", None),
    ("spread", None),
    ("had", "much"),
)


def test_an_entry_with_figures_that_cannot_be_is_damaged(made: Mapping[str, Any], entry: Any, tmp_path: Path) -> None:
    file = tmp_path / "arena.jsonl"
    made["add_entry"](file, entry)
    written = json.loads(file.read_text())
    for field, value in IMPOSSIBLE:
        file.write_text(json.dumps({**written, field: value}) + "\n")
        history = made["read_history"](file)
        assert (list(history.entries), list(history.damaged)) == ([], [1]), (field, value)


def test_bytes_that_are_no_text_spoil_their_line_alone(made: Mapping[str, Any], entry: Any, tmp_path: Path) -> None:
    file = tmp_path / "arena.jsonl"
    made["add_entry"](file, entry)
    file.write_bytes(b"\xff\xfe\n" + file.read_bytes())
    assert list(made["read_history"](file).entries) == [entry]


def test_only_the_same_machine_and_game_are_compared(made: Mapping[str, Any], entry: Any, tmp_path: Path) -> None:
    file = tmp_path / "arena.jsonl"
    for one in (entry, replace(entry, machine="Another, 8 cores, CPython 3.11.7"), replace(entry, game="another")):
        made["add_entry"](file, one)
    assert made["read_history"](file).last_like(replace(entry, commit="newer")) == entry


def test_a_part_that_costs_a_third_more_is_a_loss_and_the_whole_with_it_if_it_is_a_large_one(
    made: Mapping[str, Any], entry: Any
) -> None:
    assert losses(made, entry, slower(entry, 1.33, "grpc")) == {"grpc", "all"}
    assert losses(made, entry, slower(entry, 1.33, "engine")) == {"engine"}


def test_what_chance_explains_is_no_loss(made: Mapping[str, Any], entry: Any) -> None:
    assert losses(made, entry, entry) == set()
    assert losses(made, entry, slower(entry, 1.09, "engine", "grpc")) == set()
    assert losses(made, entry, slower(entry, 2.0, "other")) == set(), "less than a hundredth of the whole"
    noisy = replace(entry, spread=0.2)
    assert losses(made, noisy, slower(noisy, 1.33, "grpc")) == set()


def test_a_machine_that_is_slower_in_this_run_is_no_loss_because_its_echo_is_slower_too(
    made: Mapping[str, Any], entry: Any
) -> None:
    assert losses(made, entry, slower(entry, 1.0, bare=1.7)) == set()
    assert losses(made, entry, slower(entry, 1.33, "grpc", bare=1.7)) == {"grpc", "all"}


def test_what_costs_less_is_a_gain_and_a_part_that_is_new_is_shown(made: Mapping[str, Any], entry: Any) -> None:
    found = {change.part: change for change in made["changes"](entry, slower(entry, 0.5, "grpc"))}
    assert found["grpc"].is_gain
    assert found["grpc"].ratio == pytest.approx(0.5)
    assert not found["engine"].is_gain
    with_new = replace(entry, parts={**entry.parts, "story": 50.0, "all": 450.0})
    (new,) = [change for change in made["changes"](entry, with_new) if change.part == "story"]
    assert new.is_loss
    assert new.ratio is None


def test_the_history_of_the_repository_is_whole_and_its_parts_add_up(made: Mapping[str, Any]) -> None:
    history = made["read_history"](made["FILE"])
    assert history.entries
    assert list(history.damaged) == []
    for one in history.entries:
        assert sum(cost for part, cost in one.parts.items() if part != "all") == pytest.approx(
            one.parts["all"], abs=0.1
        )


def test_the_benchmark_compares_with_what_it_recorded(
    entry: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arena = import_module("benchmarks.arena")  # by its name: benchmarks import what helps tests
    monkeypatch.setattr("benchmarks.split.measure", lambda *_: arena.split_history.Entry(**asdict(entry)))
    words = ["--matches", "0", "--rounds", "1", "--history", str(tmp_path / "h.jsonl")]

    assert arena.main([*words, "--record"]) == 0
    assert "no entry of this kind of machine" in capsys.readouterr().out
    assert (tmp_path / "h.jsonl").read_text().count("\n") == 1
    assert arena.main(words) == 0
    said = capsys.readouterr().out
    assert re.search(r"^before: .* LOSS is more than 10% or what chance explains: none$", said, re.MULTILINE)
    assert (tmp_path / "h.jsonl").read_text().count("\n") == 1, "without --record nothing is added"


@pytest.mark.needs("minutes")
def test_the_benchmark_measures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arena = import_module("benchmarks.arena")
    monkeypatch.setattr("benchmarks.split.BARE_S", 0.1)
    words = ["--matches", "0", "--rounds", "1", "--seconds", "1", "--workers", "1", "--record"]
    assert arena.main([*words, "--history", str(tmp_path / "h.jsonl")]) == 0
    assert (tmp_path / "h.jsonl").read_text().count("\n") == 1
