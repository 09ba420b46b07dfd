"""Which matches a bot plays in its test at home."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from arena.match.spec import SeatSpec
from arena.match.time_control import parse_time_control
from arena.trial.lineup import Lineup, of_known_rules, opponent_in, setups_of
from arena.trial.trials import RULES
from engine import registry
from tests.support.specs import seat_spec

BOT = seat_spec(0, name="author")


def lineup(games: str = "*", **changes: Any) -> Lineup:
    samples: dict[str, SeatSpec] = {name: seat_spec(1, name=name) for name in ("random", "greedy")}
    plain = Lineup(BOT, setups_of([games]), samples, parse_time_control("100ms"), seed=5)
    return replace(plain, **changes)


def test_a_bot_meets_every_sample_in_every_seat_of_every_number_of_seats() -> None:
    one = lineup("foreign_king")
    trials = [*one.first_trials(), *one.other_trials(["foreign_king"])]
    met = Counter((trial.setup.seats, opponent_in(trial), trial.own) for trial in trials)
    assert met == Counter({
        (seats, sample, (own,)): 1 for seats in (2, 3, 4) for sample in ("random", "greedy") for own in range(seats)
    })  # fmt: skip
    assert len({trial.spec.match_id for trial in trials}) == len(trials)


def test_the_first_match_of_each_game_is_played_by_new_processes_and_once_only() -> None:
    one = lineup(matches=1)
    firsts = one.first_trials()
    assert [trial.setup.game for trial in firsts] == list(registry.names())
    assert all(trial.spec.uses_fresh_bots and trial.spec.keeps_logs for trial in firsts)
    others = one.other_trials(["foreign_king"])
    assert {trial.setup.game for trial in others} == {"foreign_king"}
    assert not {trial.spec.match_id for trial in firsts} & {trial.spec.match_id for trial in others}


def test_equal_seeds_plan_equal_matches_and_each_sample_meets_the_same_dice_and_opening() -> None:
    assert lineup().other_trials(["rex_romanorum"]) == lineup().other_trials(["rex_romanorum"])
    assert lineup().first_trials()[0].spec.chance_seed != lineup(seed=6).first_trials()[0].spec.chance_seed
    trials = lineup("foreign_king").other_trials(["foreign_king"])
    drawn = {(trial.setup.seats, trial.own, trial.spec.chance_seed, trial.spec.opening) for trial in trials}
    assert len(drawn) == 9


def test_grounds_of_other_rules_are_left_out_with_the_remedy() -> None:
    setups = setups_of(["*"])
    known, findings = of_known_rules(setups, {"foreign_king": "0", "unknown_game": "1"})
    assert {setup.game for setup in known} == {*registry.names()} - {"foreign_king"}
    assert [finding.check for finding in findings] == [RULES]
    assert of_known_rules(setups, {setup.game: setup.rules_version for setup in setups}) == (setups, ())
