"""Plays any game by drawing uniformly from the legal actions: the bot that every other must beat."""

from __future__ import annotations

from bots.kit import Bot, Decision


class RandomBot(Bot):
    """A bot that chooses every legal action with equal probability; equal seeds give equal choices."""

    uses_engine = False

    def decide(self, decision: Decision) -> int:
        return decision.match.random.choice(decision.legal_actions)
