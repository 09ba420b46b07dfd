"""Plays any game by drawing uniformly from the legal actions: the bot that every other must beat."""

from __future__ import annotations

from bots.kit import Bot, Decision


class RandomBot(Bot):
    """Every legal action is equally likely; equal seeds, equal choices."""

    def decide(self, decision: Decision) -> int:
        """See `Bot`."""
        return decision.match.random.choice(decision.legal_actions)
