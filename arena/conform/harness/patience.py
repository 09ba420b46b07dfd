"""How long a scenario waits for a bot before it says that nothing came."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Patience:
    """Durations in seconds."""

    start_s: float = 10.0
    """From the start of the process to its stream and to its Join: the arena's own start limit."""
    answer_s: float = 15.0
    """For an answer, whatever the clock of the match says; only the rules of clocks look at that."""
    quiet_s: float = 0.2
    """How long it is watched that nothing comes."""
    exit_s: float = 5.0
    """From the end of a stream to the end of the process."""
    limit_s: float = 0.25
    """The limit of a decision where little time is left."""

    def times(self, factor: float) -> Patience:
        """Return a patience that waits so many times as long for what must come; what must not come is as usual."""
        names = ("start_s", "answer_s", "exit_s", "limit_s")
        return replace(self, **{name: getattr(self, name) * factor for name in names})
