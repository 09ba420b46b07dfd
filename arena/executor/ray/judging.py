"""Compares the machines of one coordinator, and drains one that does far worse than the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from arena.executor.ray.draining import BadMatchCounts, SlowMatches, far_worse, is_time_to_look
from arena.executor.ray.node import ClusterNode, NodeState
from engine.text import Text


class NodeJudge:
    """Looks at a machine at the numbers of matches that `draining` names; the last one that plays is never drained."""

    def __init__(
        self, nodes: Callable[[], Iterable[ClusterNode]], on_drained: Callable[[ClusterNode, str], None]
    ) -> None:
        """`nodes` returns all machines; call `on_drained` with one that gets no matches any more, and why."""
        self._nodes = nodes
        self._on_drained = on_drained
        self.slow = SlowMatches()

    def look_at(self, node: ClusterNode) -> None:
        """Drain a machine if it is time to look at it and it does far worse than the others."""
        tally = node.tally
        playing = {one.id: one for one in self._nodes() if one.state is NodeState.READY}
        if node.id not in playing or len(playing) < 2:
            return
        ended = tally.finished + tally.void
        if is_time_to_look(ended) and node.id in far_worse({key: _void(one) for key, one in playing.items()}):
            self._on_drained(
                node,
                Text(
                    "executor.matches_were_void_far_more",
                    "{count} of its {number} matches were void, far more than elsewhere",
                    count=tally.void,
                    number=ended,
                ),
            )
        elif is_time_to_look(tally.timed) and node.id in far_worse({key: _slow(one) for key, one in playing.items()}):
            self._on_drained(
                node,
                Text(
                    "executor.matches_were_slow_far_more",
                    "{count} of its {number} matches were slow, far more than elsewhere",
                    count=tally.slow,
                    number=tally.timed,
                ),
            )


def _void(node: ClusterNode) -> BadMatchCounts:
    return BadMatchCounts(node.tally.void, node.tally.finished + node.tally.void)


def _slow(node: ClusterNode) -> BadMatchCounts:
    return BadMatchCounts(node.tally.slow, node.tally.timed)
