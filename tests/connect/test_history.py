"""What a process of the bot is told of a match, whatever was told before and however often."""

from hypothesis import given
from hypothesis import strategies as st

from arena.connect.history import BEFORE_ALL, MatchHistory
from arena.v1 import match_pb2, play_pb2


def events(*plies: int) -> list[match_pb2.Event]:
    return [match_pb2.Event(ply=ply) for ply in plies]


def begun(*plies: int) -> MatchHistory:
    return MatchHistory(play_pb2.MatchStarted(match_id="m1", events=events(*plies)))


def question(ply: int, *plies: int, limit_us: int = 0, bank_us: int = 0) -> play_pb2.Decide:
    return play_pb2.Decide(match_id="m1", ply=ply, events=events(*plies), time_limit_us=limit_us, bank_us=bank_us)


def act(ply: int) -> play_pb2.PlayRequest:
    return play_pb2.PlayRequest(act=play_pb2.Act(match_id="m1", ply=ply, actions=[1]))


def test_what_has_gone_of_the_time_is_subtracted_and_never_becomes_no_limit() -> None:
    history = begun()
    assert history.ask(question(0, limit_us=3_000_000, bank_us=2_500_000), 10.0) is None
    after_one = history.question(BEFORE_ALL, 11.0)
    assert after_one is not None
    assert (after_one.time_limit_us, after_one.bank_us) == (2_000_000, 2_000_000)
    long_after = history.question(BEFORE_ALL, 100.0)
    assert long_after is not None
    assert (long_after.time_limit_us, long_after.bank_us) == (1, 1)


def test_without_a_limit_there_is_none_later_either() -> None:
    history = begun()
    history.ask(question(0), 10.0)
    later = history.question(BEFORE_ALL, 100.0)
    assert later is not None
    assert later.time_limit_us == 0


def test_an_answer_is_given_again_only_to_the_same_question() -> None:
    history = begun()
    assert history.ask(question(3), 0.0) is None
    history.answer(act(3))
    assert history.ask(question(3), 1.0) == act(3)
    assert history.ask(question(5), 2.0) is None
    assert history.pending == question(5)


def test_who_resigned_resigns_whatever_is_asked() -> None:
    history = begun()
    resigned = play_pb2.PlayRequest(resign=play_pb2.Resign(match_id="m1"))
    history.answer(resigned)
    assert history.ask(question(0), 0.0) == resigned


def test_a_question_that_the_service_does_not_wait_for_any_more_is_known() -> None:
    history = begun()
    history.ask(question(3), 0.0)
    history.ask(question(8), 0.0)
    assert (history.is_passed(3), history.is_passed(8)) == (True, False)


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 5)), min_size=1, max_size=20))
def test_a_process_hears_of_every_ply_once_in_order_however_often_the_line_breaks(
    steps: list[tuple[bool, int]],
) -> None:
    """Each step, some plies happen; the service tells them with the question, or all again after the line broke."""
    history = begun()
    heard, told, last = BEFORE_ALL, list[int](), 0
    for is_broken, plies in steps:
        new = range(last, last + plies)
        last += plies
        if is_broken:
            history.restart(play_pb2.MatchStarted(match_id="m1", resumed=True, events=events(*range(last))))
            history.ask(question(last), 0.0)
        else:
            history.ask(question(last, *new), 0.0)
        asked = history.question(heard, 0.0)
        assert asked is not None
        told += [event.ply for event in asked.events]
        heard = history.last_ply
    assert told == list(range(last))
    assert [event.ply for event in history.resumed().events] == told
