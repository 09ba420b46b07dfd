"""The matches of an admission: every game, every number of seats, both ends of the table, and always the same."""

import json
from collections import Counter
from dataclasses import replace

from arena.service.admission import (
    AdmissionRequest,
    clock_bouts,
    first_bout,
    memory_bouts,
    playing_bouts,
    repeated_bouts,
)
from arena.trial.setups import setups_of
from arena.trial.values import TrialCheck, TrialMatch, TrialSetup, failed, finding_json
from engine import registry
from tests.service.admission.places import request_for
from tests.support.specs import scripted

EVERYWHERE = setups_of(["*"])
BOT = replace(scripted(), is_deterministic=True)


def bouts_of(request: AdmissionRequest) -> list[TrialMatch]:
    pairs = [bout for pair in repeated_bouts(request) for bout in pair]
    return [
        first_bout(request),
        *playing_bouts(request, request.grounds),
        *clock_bouts(request),
        *memory_bouts(request),
        *pairs,
    ]


def test_the_grounds_are_what_is_claimed_and_installed() -> None:
    assert [(g.game, g.seats) for g in EVERYWHERE] == [(n, s) for n in registry.names() for s in registry.get(n).seats]
    assert {ground.game for ground in setups_of(["foreign_king", "checkers"])} == {"foreign_king"}
    assert setups_of(["checkers"]) == ()


def test_equal_requests_plan_equal_matches_and_other_seeds_others() -> None:
    request = request_for(BOT, grounds=EVERYWHERE)
    assert bouts_of(request) == bouts_of(request_for(BOT, grounds=EVERYWHERE))
    seeds = {bout.spec.chance_seed for bout in bouts_of(replace(request, seed=8))}
    assert not seeds & {bout.spec.chance_seed for bout in bouts_of(request)}


def test_no_two_matches_have_one_name_and_all_seeds_fit_javascript() -> None:
    bouts = bouts_of(request_for(BOT, grounds=EVERYWHERE))
    assert max(Counter(bout.spec.match_id for bout in bouts).values()) == 1
    assert all(0 <= seat.seed < 2**53 for bout in bouts for seat in bout.spec.seats)
    assert all(0 <= bout.spec.chance_seed < 2**53 for bout in bouts)


def test_the_bot_plays_everywhere_alone_and_at_both_ends_of_the_table() -> None:
    request = request_for(BOT, grounds=EVERYWHERE)
    for ground in EVERYWHERE:
        bouts = [bout for bout in playing_bouts(request, EVERYWHERE) if bout.setup == ground]
        assert [bout.own for bout in bouts] == [tuple(range(ground.seats)), (0,), (ground.seats - 1,)]
        for bout in bouts:
            assert len(bout.spec.seats) == ground.seats
            assert all((bout.spec.seats[seat].name == BOT.name) == (seat in bout.own) for seat in range(ground.seats))


def test_under_the_tight_clock_it_meets_the_rival_once_in_each_game() -> None:
    rival = replace(scripted(), name="rival")
    for number in (1, 2, 4):
        grounds = (TrialSetup("foreign_king", "1", number), TrialSetup("foreign_king", "1", number + 1))
        request = request_for(BOT, grounds=grounds, rival=rival)
        (bout,) = clock_bouts(request)
        assert [seat.name for seat in bout.spec.seats] == [BOT.name, "rival", "random", "random"][:number]
        assert (bout.spec.clock, bout.spec.uses_fresh_bots) == (request.tight_clock, True)


def test_only_a_bot_that_promises_equal_answers_is_asked_twice() -> None:
    honest = request_for(replace(BOT, is_deterministic=False), grounds=EVERYWHERE)
    assert repeated_bouts(honest) == []
    assert memory_bouts(honest) == []
    for one, other in repeated_bouts(request_for(BOT, grounds=EVERYWHERE)):
        assert one.spec.uses_fresh_bots
        assert other.spec == replace(one.spec, match_id=other.spec.match_id)
        assert other.spec.match_id != one.spec.match_id


def test_a_finding_is_ready_for_json() -> None:
    data = finding_json(failed(TrialCheck.SECOND_MATCH, "It forgot.", {"ply": 3}))
    assert json.loads(json.dumps(data)) == {
        "check": "second match",
        "state": "failed",
        "sentence": "It forgot.",
        "evidence": {"ply": 3},
    }
