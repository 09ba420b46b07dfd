"""Which matches a bot plays in its test at home."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from arena.match.spec import SeatSpec
from arena.match.time_control import parse_time_control
from arena.trial.grounds import grounds_of, of_known_rules
from arena.trial.lineup import Lineup, opponent_in
from arena.trial.values import RULES
from engine import registry
from tests.support.specs import seat_spec

BOT = seat_spec(0, name="author")


def lineup(games: str = "*", **changes: Any) -> Lineup:
    samples: dict[str, SeatSpec] = {name: seat_spec(1, name=name) for name in ("random", "greedy")}
    plain = Lineup(BOT, grounds_of([games]), samples, parse_time_control("100ms"), seed=5)
    return replace(plain, **changes)


def test_a_bot_meets_every_sample_in_every_seat_of_every_number_of_seats() -> None:
    one = lineup("foreign_king")
    bouts = [*one.first_bouts(), *one.other_bouts(["foreign_king"])]
    met = Counter((bout.ground.seats, opponent_in(bout), bout.own) for bout in bouts)
    assert met == Counter({
        (seats, sample, (own,)): 1 for seats in (2, 3, 4) for sample in ("random", "greedy") for own in range(seats)
    })  # fmt: skip
    assert len({bout.spec.match_id for bout in bouts}) == len(bouts)


def test_the_first_match_of_each_game_is_played_by_new_processes_and_once_only() -> None:
    one = lineup(matches=1)
    firsts = one.first_bouts()
    assert [bout.ground.game for bout in firsts] == list(registry.names())
    assert all(bout.spec.uses_fresh_bots and bout.spec.keeps_logs for bout in firsts)
    others = one.other_bouts(["foreign_king"])
    assert {bout.ground.game for bout in others} == {"foreign_king"}
    assert not {bout.spec.match_id for bout in firsts} & {bout.spec.match_id for bout in others}


def test_equal_seeds_plan_equal_matches_and_each_sample_meets_the_same_dice_and_opening() -> None:
    assert lineup().other_bouts(["rex_romanorum"]) == lineup().other_bouts(["rex_romanorum"])
    assert lineup().first_bouts()[0].spec.chance_seed != lineup(seed=6).first_bouts()[0].spec.chance_seed
    bouts = lineup("foreign_king").other_bouts(["foreign_king"])
    drawn = {(bout.ground.seats, bout.own, bout.spec.chance_seed, bout.spec.opening) for bout in bouts}
    assert len(drawn) == 9


def test_grounds_of_other_rules_are_left_out_with_the_remedy() -> None:
    grounds = grounds_of(["*"])
    known, findings = of_known_rules(grounds, {"foreign_king": "0", "unknown_game": "1"})
    assert {ground.game for ground in known} == {*registry.names()} - {"foreign_king"}
    assert [finding.check for finding in findings] == [RULES]
    assert of_known_rules(grounds, {ground.game: ground.rules_version for ground in grounds}) == (grounds, ())
