"""What a match is, and a seat, where nobody orders anything else."""

from arena.match.live import LiveLogEvent
from tests.support.specs import script_spec


def test_a_match_is_rated_and_played_by_bots_that_are_used_again_unless_it_is_ordered_otherwise() -> None:
    spec = script_spec("0:3")
    assert (spec.is_rated, spec.uses_fresh_bots, spec.checks_leaks, spec.keeps_logs) == (True, False, False, False)
    assert spec.block == ""
    assert not spec.has_remote


def test_a_seat_is_hosted_without_a_sandbox_in_half_a_gigabyte_unless_it_is_ordered_otherwise() -> None:
    (seat,) = script_spec("0:3", 1).seats
    assert (seat.is_remote, seat.is_deterministic, seat.sandbox, seat.memory_mb) == (False, False, "none", 512)


def test_a_log_is_whole_unless_it_says_otherwise() -> None:
    assert LiveLogEvent(1, 0, 0, b"words").cut_bytes == 0
