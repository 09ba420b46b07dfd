"""What the losses of a run say of its machine: told the time, so that nothing waits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.match.result import HostCause, MatchLostError
from arena.tournament import host_watch
from arena.tournament.errors import HostFailingError
from arena.tournament.host_watch import HostWatch

DIED, SICK = HostCause.WORKER_DIED, HostCause.HOSTING_FAILED
WHY = MatchLostError("it was lost")


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_watch, "FIRST_PAUSE_S", 1.0)


def lose(watch: HostWatch, match: str, cause: HostCause = DIED, still_open: int = 10, now_s: float = 0.0) -> bool:
    watch.hand_out(match)
    return watch.lose(match, cause, still_open=still_open, now_s=now_s)


@pytest.mark.usefixtures("pauses")
def test_a_match_rests_longer_after_each_loss_and_the_others_do_not() -> None:
    watch, now_s, rests = HostWatch(4), 0.0, []
    for _ in range(8):
        lose(watch, "a", now_s=now_s)
        rest_s = watch.rest_s(now_s)
        assert rest_s is not None
        assert watch.resting(now_s + rest_s - 0.001) == {"a"}
        now_s += rest_s
        rests.append(rest_s)
        assert watch.has_resting
        assert watch.resting(now_s) == frozenset()
        assert (watch.has_resting, watch.rest_s(now_s)) == (False, None)
    assert rests == [1, 2, 4, 8, 16, 30, 30, 30]


@pytest.mark.usefixtures("pauses")
def test_the_first_that_has_rested_is_tried_first() -> None:
    watch = HostWatch(4)
    lose(watch, "a", now_s=0.0)
    lose(watch, "b", now_s=0.5)
    assert watch.rest_s(0.75) == 0.25
    assert watch.resting(1.25) == {"b"}
    watch.forget("b")
    assert not watch.has_resting


@pytest.mark.usefixtures("pauses")
def test_a_loss_counts_if_another_match_was_finished_meanwhile() -> None:
    watch = HostWatch(4)
    watch.hand_out("b")
    watch.hand_out("a")
    watch.finish("b")
    assert watch.lose("a", SICK, still_open=5, now_s=0.0)
    assert not lose(watch, "a", SICK), "nothing was finished since it was handed out again"
    assert not lose(watch, "a", DIED), "and others may yet show that the machine is well"


@pytest.mark.usefixtures("pauses")
def test_where_no_other_match_could_tell_only_what_a_match_can_bring_about_counts() -> None:
    watch = HostWatch(4)
    assert lose(watch, "a", DIED, still_open=1)
    assert not lose(watch, "a", SICK, still_open=1)
    assert not lose(watch, "b", DIED, still_open=3)
    assert lose(watch, "b", DIED, still_open=2), "the other one was lost too"


@pytest.mark.usefixtures("pauses")
@pytest.mark.parametrize("cause", [SICK, HostCause.SANDBOX_FAILED, HostCause.STORAGE_FAILED])
def test_a_machine_without_room_stops_the_run_at_the_second_loss(cause: HostCause) -> None:
    watch = HostWatch(100)
    lose(watch, "a", cause)
    watch.check(WHY, ["b"])
    lose(watch, "a", cause)
    with pytest.raises(HostFailingError, match="lost 2 matches in a row, the run stopped; last reason: it was lost; "):
        watch.check(WHY, ["b"])


@pytest.mark.usefixtures("pauses")
def test_as_many_different_matches_as_are_in_flight_twice_stop_the_run() -> None:
    watch = HostWatch(2)
    for name in "abc":
        lose(watch, name)
        watch.check(WHY, ["z"])
    watch.finish("y")
    for name in "abc":
        lose(watch, name)
        watch.check(WHY, ["z"])
    lose(watch, "d")
    with pytest.raises(HostFailingError, match="lost 4 matches"):
        watch.check(WHY, ["z"])


@pytest.mark.usefixtures("pauses")
def test_one_match_stops_the_run_only_if_no_other_in_flight_could_be_finished() -> None:
    watch = HostWatch(4)
    for _ in range(6):
        watch.check(WHY, ["a"])
        lose(watch, "a", still_open=2)
    watch.check(WHY, ["a", "b"])
    with pytest.raises(HostFailingError, match="lost 6 matches"):
        watch.check(WHY, ["a"])


@pytest.mark.usefixtures("pauses")
@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from(["finish", DIED, SICK])), max_size=60))
def test_a_run_on_a_machine_that_plays_nothing_makes_no_match_void_before_it_stops(
    deeds: list[tuple[str, str | HostCause]],
) -> None:
    """Whatever is lost: without a result, and with others that were never lost, nothing counts."""
    watch, finished = HostWatch(2), 0
    for name, deed in deeds:
        if isinstance(deed, HostCause):
            before = finished
            assert not (lose(watch, name, deed) and finished == before)
        else:
            watch.hand_out(name)
            watch.finish(name)
            finished += 1
