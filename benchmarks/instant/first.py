"""A bot of the Python kit that takes the first legal action: what a decision costs through the kit alone."""

from __future__ import annotations

from bots.kit import Bot, Decision, run


class First(Bot):
    """The least that a bot can do."""

    def decide(self, decision: Decision) -> int:
        return decision.legal_actions[0]


if __name__ == "__main__":
    run(First())
