"""How long the threads of this process wait for a processor."""

from arena.hosting.proc.own_wait import OwnWaitMeter


def test_the_referees_own_waiting_is_readable_and_given_back() -> None:
    queue = OwnWaitMeter()
    try:
        assert queue.look()[0] == 0
        assert min(queue.look()) >= 0
    finally:
        queue.close()
    assert min(queue.look()) >= 0
    queue.close()
